import { createPublicClient, createWalletClient, http } from "viem";
import { ann, bob, coupon, expect, places, refused, step, version } from "./check.mjs";

version("viem");
const { abi } = coupon;
const transport = http(places.jsonrpc, { retryCount: 0 });
const client = createPublicClient({ transport, pollingInterval: 50 });
const wallet = createWalletClient({ account: ann.evm, transport });

for (const blockTag of ["latest", "pending", "safe", "finalized", "earliest"]) {
	await step(`getBlock ${blockTag}`, () => client.getBlock({ blockTag, includeTransactions: true }));
}
await step("getBlockNumber", () => client.getBlockNumber());
await step("getChainId", () => client.getChainId());
await step("getGasPrice", () => client.getGasPrice());
await step("getFeeHistory", () => client.getFeeHistory({ blockCount: 4, rewardPercentiles: [10, 50] }));
await step("estimateFeesPerGas", () => client.estimateFeesPerGas());
await step("getBalance", async () => expect((await client.getBalance({ address: ann.evm })) > 0n, "coins"));
await step("getTransactionCount", () =>
	client.getTransactionCount({ address: ann.evm, blockTag: "pending" }),
);
await step("getAddresses", async () => expect((await wallet.getAddresses()).length >= 2, "accounts"));
const deployment = await step("deployContract", () =>
	wallet.deployContract({ abi, bytecode: coupon.bytecode, args: ["Coupon", 1000n], chain: null }),
);
const receipt = await step("waitForTransactionReceipt", () =>
	client.waitForTransactionReceipt({ hash: deployment }),
);
const address = receipt?.contractAddress;
await step("getTransaction", () => client.getTransaction({ hash: deployment }));
await step("getCode", async () => expect((await client.getCode({ address })).length > 100, "code"));
await step("getStorageAt", () => client.getStorageAt({ address, slot: "0x1" }));
await step("readContract", async () => {
	expect(
		(await client.readContract({ address, abi, functionName: "balanceOf", args: [ann.evm] })) === 1000n,
		"1000",
	);
});
const transfer = { address, abi, functionName: "transfer", account: ann.evm };
await step("simulateContract", () => client.simulateContract({ ...transfer, args: [bob.evm, 5n] }));
await step("estimateContractGas", () => client.estimateContractGas({ ...transfer, args: [bob.evm, 5n] }));
await refused("a revert's reason", /Insufficient/, () =>
	client.simulateContract({ ...transfer, args: [bob.evm, 10n ** 18n] }),
);
await step("writeContract", async () => {
	const hash = await wallet.writeContract({ ...transfer, args: [bob.evm, 5n], chain: null });
	expect((await client.waitForTransactionReceipt({ hash })).logs.length === 1, "a log");
});
await step("sendTransaction", () => wallet.sendTransaction({ to: bob.evm, value: 5n, chain: null }));
await step("estimateGas", () => client.estimateGas({ account: ann.evm, to: bob.evm, value: 5n }));
await step("getLogs", async () =>
	expect((await client.getLogs({ address, fromBlock: 0n })).length === 2, "two logs"),
);
await step("getContractEvents", () =>
	client.getContractEvents({ address, abi, eventName: "Transfer", fromBlock: 0n }),
);
await step("filters", async () => {
	const filter = await client.createContractEventFilter({ address, abi, fromBlock: 0n });
	expect((await client.getFilterLogs({ filter })).length === 2, "two logs");
	await client.getFilterChanges({ filter });
	await client.uninstallFilter({ filter });
});
await step("a batch", async () => {
	const batching = createPublicClient({ transport: http(places.jsonrpc, { batch: true }) });
	await Promise.all([batching.getChainId(), batching.getBlockNumber(), batching.getGasPrice()]);
});
await refused("a raw transaction", /does not exist/, () =>
	client.sendRawTransaction({ serializedTransaction: "0x00" }),
);
