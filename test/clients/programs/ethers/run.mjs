import { Contract, ContractFactory, JsonRpcProvider } from "ethers";
import { ann, bob, coupon, expect, places, refused, step, version } from "./check.mjs";

version("ethers");
const provider = new JsonRpcProvider(places.jsonrpc, undefined, {
	polling: true,
	pollingInterval: 50,
	cacheTimeout: -1,
});
for (const tag of ["latest", "pending", "safe", "finalized", "earliest"]) {
	await step(`getBlock ${tag}`, async () => expect((await provider.getBlock(tag, true))?.hash, "a block"));
}
await step("getNetwork", () => provider.getNetwork());
await step("getFeeData", async () => expect((await provider.getFeeData()).gasPrice > 0n, "a price"));
await step("getBalance", async () => expect((await provider.getBalance(ann.evm)) > 0n, "coins"));
await step("getTransactionCount", () => provider.getTransactionCount(ann.evm, "pending"));
const signer = await step("getSigner", () => provider.getSigner(ann.evm));
await step("sendTransaction", async () => {
	const sent = await signer.sendTransaction({ to: bob.evm, value: 5n });
	expect((await sent.wait()).status === 1, "a receipt");
});
const factory = new ContractFactory(coupon.abi, coupon.bytecode, signer);
const address = await step("a deployment", async () => {
	const transaction = await factory.getDeployTransaction("Coupon", 1000n);
	return (await (await signer.sendTransaction(transaction)).wait()).contractAddress;
});
const contract = new Contract(address, coupon.abi, signer);
await step("ContractFactory finds what it deployed", async () => {
	const deployed = await factory.deploy("Coupon", 1n);
	await deployed.deploymentTransaction().wait();
	expect((await provider.getCode(deployed.target)) !== "0x", "code at the address that it computes");
});
await step("getCode", async () => expect((await provider.getCode(address)).length > 100, "code"));
await step("getStorage", () => provider.getStorage(address, 1));
await step("a call", async () => expect((await contract.balanceOf(ann.evm)) === 1000n, "1000"));
await step("estimateGas", () => contract.transfer.estimateGas(bob.evm, 5));
await refused("a revert's reason", /Insufficient|execution reverted/, () =>
	contract.transfer.staticCall(bob.evm, 10n ** 18n),
);
await step("a transaction of a contract", async () => {
	const sent = await contract.transfer(bob.evm, 5);
	expect((await sent.wait()).logs.length === 1, "a log");
	expect((await provider.getTransaction(sent.hash)).hash === sent.hash, "the transaction");
});
await step("queryFilter", async () =>
	expect((await contract.queryFilter("Transfer", 0)).length === 2, "two events"),
);
await step("an event that is listened to", async () => {
	const seen = new Promise((resolve) => contract.once("Transfer", resolve));
	await contract.getAddress();
	await new Promise((resolve) => setTimeout(resolve, 200));
	await (await contract.transfer(bob.evm, 1)).wait();
	await Promise.race([seen, new Promise((_, reject) => setTimeout(reject, 5000, new Error("no event")))]);
});
await step("waitForTransaction", () =>
	provider.getBlock("latest").then((block) => provider.waitForTransaction(block.transactions[0])),
);
await step("development methods", async () => {
	const id = await provider.send("evm_snapshot", []);
	await provider.send("evm_mine", []);
	expect(await provider.send("evm_revert", [id]), "true");
});
await refused("a raw transaction", /not of this network/, () =>
	provider.send("eth_sendRawTransaction", ["0x00"]),
);
provider.destroy();
