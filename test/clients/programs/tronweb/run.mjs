import { TronWeb } from "tronweb";
import { ann, bob, coupon, expect, places, step, version } from "./check.mjs";

version("tronweb");
const web = new TronWeb({ fullHost: places.gateway, privateKey: ann.key });
const { trx, transactionBuilder: build } = web;
const act = async (built) => {
	const answer = await trx.sendRawTransaction(await trx.sign(await built));
	expect(answer.result, JSON.stringify(answer));
	return trx.getTransactionInfo(answer.txid ?? answer.transaction.txID);
};
await step("getCurrentBlock", async () =>
	expect((await trx.getCurrentBlock()).block_header.raw_data.number >= 0, "a block"),
);
await step("getBalance", async () => expect((await trx.getBalance(ann.base58)) > 0, "coins"));
await step("getChainParameters", () => trx.getChainParameters());
await step("getAccountResources", () => trx.getAccountResources(ann.base58));
await step("sendTrx", () => act(build.sendTrx(bob.base58, 5)));
await step("sendTransaction", () => trx.sendTransaction(bob.base58, 5));
await step("freezeBalanceV2", () => act(build.freezeBalanceV2(10_000_000, "ENERGY")));
await step("vote", async () => {
	const [first] = await trx.listSuperRepresentatives();
	await act(build.vote({ [first.address]: 5 }));
});
await step("delegateResource", () => act(build.delegateResource(1_000_000, bob.base58, "ENERGY")));
await step("unfreezeBalanceV2", () => act(build.unfreezeBalanceV2(1_000_000, "ENERGY")));
await step("createToken", () =>
	act(
		build.createToken({
			name: "Gold",
			abbreviation: "GLD",
			description: "d",
			url: "https://gold.example",
			totalSupply: 1000,
			trxRatio: 1,
			tokenRatio: 1,
			saleStart: Date.now() + 60_000,
			saleEnd: Date.now() + 600_000,
			freeBandwidth: 0,
			freeBandwidthLimit: 0,
			frozenAmount: 0,
			frozenDuration: 0,
			precision: 0,
		}),
	),
);
const contract = await step("contract().new", () =>
	web.contract().new({
		abi: coupon.abi,
		bytecode: coupon.bytecode.slice(2),
		parameters: ["Coupon", 1000],
		feeLimit: 1_000_000_000,
	}),
);
await step("call", async () => expect((await contract.balanceOf(ann.base58).call()) === 1000n, "1000"));
await step("send", () =>
	contract.transfer(bob.base58, 5).send({ shouldPollResponse: true, pollTimes: 5, rawResponse: true }),
);
await step("a revert's reason", async () => {
	const parameters = [
		{ type: "address", value: bob.base58 },
		{ type: "uint256", value: 10n ** 18n },
	];
	const answer = await build
		.triggerConstantContract(
			web.address.fromHex(contract.address),
			"transfer(address,uint256)",
			{},
			parameters,
		)
		.catch((error) => ({ error: String(error) }));
	expect(/REVERT/.test(JSON.stringify(answer)), `a revert, not ${JSON.stringify(answer).slice(0, 100)}`);
});
await step("triggerConstantContract", () =>
	build.triggerConstantContract(web.address.fromHex(contract.address), "name()", {}, []),
);
await step("estimateEnergy", () =>
	build.estimateEnergy(web.address.fromHex(contract.address), "transfer(address,uint256)", {}, [
		{ type: "address", value: bob.base58 },
		{ type: "uint256", value: 1 },
	]),
);
await step("getEventsByContractAddress", async () => {
	const { data } = await web.event.getEventsByContractAddress(web.address.fromHex(contract.address));
	expect(data.length >= 1, "events");
});
await step("signMessageV2", async () =>
	expect((await trx.verifyMessageV2("hi", await trx.signMessageV2("hi"))) === ann.base58, "the signer"),
);
