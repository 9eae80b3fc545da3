import { Web3 } from "web3";
import { ann, bob, coupon, expect, places, refused, step, version } from "./check.mjs";

version("web3");
const { eth } = new Web3(places.jsonrpc);
const from = ann.evm;
for (const tag of ["latest", "pending", "safe", "finalized", "earliest"]) {
	await step(`getBlock ${tag}`, async () => expect((await eth.getBlock(tag, true)).hash, "a block"));
}
await step("getChainId", () => eth.getChainId());
await step("net.getId", () => eth.net.getId());
await step("getNodeInfo", () => eth.getNodeInfo());
await step("isSyncing", () => eth.isSyncing());
await step("getGasPrice", () => eth.getGasPrice());
await step("getFeeHistory", () => eth.getFeeHistory(4, "latest", [10, 50]));
await step("getMaxPriorityFeePerGas", () => eth.getMaxPriorityFeePerGas());
await step("calculateFeeData", () => eth.calculateFeeData());
await step("getAccounts", async () => expect((await eth.getAccounts()).length >= 2, "accounts"));
await step("getBalance", async () => expect((await eth.getBalance(from)) > 0n, "coins"));
await step("getTransactionCount", () => eth.getTransactionCount(from));
await step("estimateGas", () => eth.estimateGas({ from, to: bob.evm, value: 5 }));
const paid = await step("sendTransaction", () => eth.sendTransaction({ from, to: bob.evm, value: 5 }));
await step("getTransaction", async () =>
	expect((await eth.getTransaction(paid.transactionHash)).hash, "one"),
);
await step("getTransactionReceipt", () => eth.getTransactionReceipt(paid.transactionHash));
await step("getTransactionFromBlock", () => eth.getTransactionFromBlock("latest", 0));
await step("getBlockTransactionCount", () => eth.getBlockTransactionCount("latest"));
const contract = await step("a deployment", () =>
	new eth.Contract(coupon.abi).deploy({ data: coupon.bytecode, arguments: ["Coupon", 1000] }).send({ from }),
);
await step("getCode", async () => expect((await eth.getCode(contract.options.address)).length > 100, "code"));
await step("getStorageAt", () => eth.getStorageAt(contract.options.address, 1));
await step("a call", async () => expect((await contract.methods.balanceOf(from).call()) === 1000n, "1000"));
await step("estimateGas of a method", () => contract.methods.transfer(bob.evm, 5).estimateGas({ from }));
await refused("a revert's reason", /revert|execute a function inside a smart contract/i, () =>
	contract.methods.transfer(bob.evm, 10n ** 18n).call({ from }),
);
await step("a transaction of a contract", async () => {
	const receipt = await contract.methods.transfer(bob.evm, 5).send({ from });
	expect(receipt.events.Transfer !== undefined, "an event");
});
await step("getPastEvents", async () => {
	expect((await contract.getPastEvents("Transfer", { fromBlock: 0 })).length === 2, "two events");
});
await step("getPastLogs", () => eth.getPastLogs({ address: contract.options.address, fromBlock: 0 }));
await step("a batch", async () => {
	const batch = new new Web3(places.jsonrpc).BatchRequest();
	const answers = [
		batch.add({ method: "eth_chainId", params: [] }),
		batch.add({ method: "eth_gasPrice", params: [] }),
	];
	await batch.execute();
	await Promise.all(answers);
});
process.exit(0);
