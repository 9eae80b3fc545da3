from web3 import Web3
from web3.exceptions import ContractLogicError

from check import ann, bob, coupon, expect, places, step, version

version("web3")
w3 = Web3(Web3.HTTPProvider(places["jsonrpc"]))
eth = w3.eth
me, other = (Web3.to_checksum_address(person["evm"]) for person in (ann, bob))

for tag in ["latest", "pending", "safe", "finalized", "earliest"]:
    step(f"get_block {tag}", lambda tag=tag: expect(eth.get_block(tag, True)["hash"], "a block"))
step("is_connected", lambda: expect(w3.is_connected(), "a connection"))
step("client_version", lambda: w3.client_version)
step("chain_id", lambda: eth.chain_id)
step("net.version", lambda: w3.net.version)
step("syncing", lambda: eth.syncing)
step("gas_price", lambda: eth.gas_price)
step("max_priority_fee", lambda: eth.max_priority_fee)
step("fee_history", lambda: eth.fee_history(4, "latest", [10, 50]))
step("accounts", lambda: expect(len(eth.accounts) >= 2, "accounts"))
step("get_balance", lambda: expect(eth.get_balance(me) > 0, "coins"))
step("get_balance pending", lambda: eth.get_balance(me, "pending"))
step("get_transaction_count", lambda: eth.get_transaction_count(me))
step("get_block_transaction_count", lambda: eth.get_block_transaction_count("latest"))
step("estimate_gas", lambda: eth.estimate_gas({"from": me, "to": other, "value": 5}))
paid = step("send_transaction", lambda: eth.send_transaction({"from": me, "to": other, "value": 5}))
step("wait_for_transaction_receipt", lambda: expect(eth.wait_for_transaction_receipt(paid)["status"] == 1, "success"))
step("get_transaction", lambda: eth.get_transaction(paid))
step("get_transaction_by_block", lambda: eth.get_transaction_by_block("latest", 0))
factory = eth.contract(abi=coupon["abi"], bytecode=coupon["bytecode"])


def deploy():
    receipt = eth.wait_for_transaction_receipt(factory.constructor("Coupon", 1000).transact({"from": me}))
    return eth.contract(address=receipt["contractAddress"], abi=coupon["abi"])


contract = step("a deployment", deploy)
step("get_code", lambda: expect(len(eth.get_code(contract.address)) > 100, "code"))
step("get_storage_at", lambda: eth.get_storage_at(contract.address, 1))
step("a call", lambda: expect(contract.functions.balanceOf(me).call() == 1000, "1000"))
step("estimate_gas of a method", lambda: contract.functions.transfer(other, 5).estimate_gas({"from": me}))


def refused():
    try:
        contract.functions.transfer(other, 10**18).call({"from": me})
    except ContractLogicError as error:
        expect(error.data and len(error.data) > 10, "its data")
        return
    raise AssertionError("expected a revert")


step("a revert is an error with data", refused)


def transact():
    receipt = eth.wait_for_transaction_receipt(contract.functions.transfer(other, 5).transact({"from": me}))
    expect(len(contract.events.Transfer().process_receipt(receipt)) == 1, "an event")


step("a transaction of a contract", transact)
step("get_logs of an event", lambda: expect(len(contract.events.Transfer().get_logs(from_block=0)) == 2, "two"))
step("get_logs", lambda: eth.get_logs({"address": contract.address, "fromBlock": 0}))


def filters():
    made = eth.filter({"address": contract.address, "fromBlock": 0})
    expect(len(made.get_all_entries()) == 2, "two")
    made.get_new_entries()
    eth.uninstall_filter(made.filter_id)


step("filters", filters)
step("a block filter", lambda: eth.filter("latest").get_new_entries())


def batch():
    with w3.batch_requests() as requests:
        requests.add(eth.get_block("latest"))
        requests.add(eth.get_balance(me))
        expect(len(requests.execute()) == 2, "two answers")


step("a batch", batch)
