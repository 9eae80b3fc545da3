from tronpy import Contract, Tron
from tronpy.keys import PrivateKey
from tronpy.providers import HTTPProvider

from check import ann, bob, coupon, expect, places, step, version

version("tronpy")
client = Tron(HTTPProvider(places["gateway"]))
key = PrivateKey(bytes.fromhex(ann["key"]))
me, other = ann["base58"], bob["base58"]


def act(builder):
    answer = builder.build().sign(key).broadcast().wait()
    result = answer.get("receipt", {}).get("result", "SUCCESS")
    expect(result == "SUCCESS", f"success, not {answer}")
    return answer


step("get_latest_block_number", client.get_latest_block_number)
step("get_latest_solid_block_number", client.get_latest_solid_block_number)
step("get_block", client.get_block)
step("get_account", lambda: client.get_account(me))
step("get_account_balance", lambda: expect(client.get_account_balance(me) > 0, "coins"))
step("get_account_resource", lambda: client.get_account_resource(me))
step("get_bandwidth", lambda: client.get_bandwidth(me))
step("get_chain_parameters", client.get_chain_parameters)
step("list_witnesses", client.list_witnesses)
step("list_nodes", client.list_nodes)
step("get_node_info", client.get_node_info)
step("transfer", lambda: act(client.trx.transfer(me, other, 1_000_000)))
step("transfer with a memo", lambda: act(client.trx.transfer(me, other, 1).memo("hi")))
step("freeze_balance", lambda: act(client.trx.freeze_balance(me, 10_000_000, resource="ENERGY")))
step("vote_witness", lambda: act(client.trx.vote_witness(me, (client.list_witnesses()[0]["address"], 2))))
step("delegate_resource", lambda: act(client.trx.delegate_resource(me, other, 1_000_000, resource="ENERGY")))
step("get_delegated_resource_v2", lambda: client.get_delegated_resource_v2(me, other))
step("unfreeze_balance", lambda: act(client.trx.unfreeze_balance(me, unfreeze_balance=1_000_000, resource="ENERGY")))

def deploy():
    from tronpy.abi import trx_abi

    words = trx_abi.encode(["string", "uint256"], ["Coupon", 1000]).hex()
    made = Contract(abi=coupon["abi"], bytecode=coupon["bytecode"].removeprefix("0x") + words, name="Coupon")
    answer = act(client.trx.deploy_contract(me, made).fee_limit(1_000_000_000))
    return client.get_contract(answer["contract_address"])


deployed = step("deploy_contract", deploy)
step("a call", lambda: expect(deployed.functions.balanceOf(me) == 1000, "1000"))
step("a transaction of a contract", lambda: act(deployed.functions.transfer.with_owner(me)(other, 5).fee_limit(100_000_000)))
step("get_estimated_energy", lambda: client.get_estimated_energy(me, deployed.contract_address, "transfer(address,uint256)", "0" * 24 + bob["evm"][2:] + "0" * 63 + "1"))


def refused():
    try:
        deployed.functions.transfer.with_owner(me)(other, 10**18).fee_limit(100_000_000).build().sign(key).broadcast().result()
    except Exception as error:
        expect("revert" in str(error).lower() or "REVERT" in repr(error), f"a revert, not {error!r}")
        return
    raise AssertionError("expected a revert")


step("a revert is an error", refused)
step("get_contract", lambda: client.get_contract(deployed.contract_address))
step("get_contract_info", lambda: client.get_contract_info(deployed.contract_address))
