import {
	type Abi,
	createPublicClient,
	createWalletClient,
	encodeFunctionData,
	type Hex,
	http,
	type PublicClient,
	parseAbi,
	zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
	coupon,
	type DeployedCoupon,
	deployCoupon,
	startTronWebChain,
	type TronWebChain,
} from "./tronweb-chain.js";

let chain: TronWebChain;
let contract: DeployedCoupon;
let client: PublicClient;
let [ann, bob]: readonly Hex[] = [];

const events = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 value)",
	"event Note(uint256 indexed id, string text, bytes data)",
]);
const [transferEvent] = events;
const abi = coupon.abi as unknown as Abi;

beforeAll(async () => {
	chain = await startTronWebChain();
	[ann, bob] = chain.people.map(({ hex }): Hex => `0x${hex.slice(2)}`);
	contract = await deployCoupon(chain);
	client = createPublicClient({ transport: http(chain.jsonrpc, { retryCount: 0 }), pollingInterval: 50 });
});
afterAll(() => chain.close());

const pay = (): Promise<unknown> =>
	chain.act(chain.web.transactionBuilder.sendTrx(chain.people[1]?.address ?? "", 1));

describe("blocks and transactions", () => {
	it("are read by number, hash and tag", async () => {
		const head = await client.getBlock();
		expect(head.number).toBe(await client.getBlockNumber({ cacheTime: 0 }));
		expect(await client.getBlock({ blockHash: head.hash })).toEqual(head);
		expect(await client.getBlock({ blockNumber: head.number })).toEqual(head);
		expect((await client.getBlock({ blockTag: "earliest" })).number).toBe(0n);
		expect((await client.getBlock({ blockTag: "finalized" })).number).toBe(head.number);
		expect(head.transactions).toEqual([contract.payment]);
		expect(await client.getBlockTransactionCount()).toBe(1);
		const { transactions } = await client.getBlock({ includeTransactions: true });
		expect(transactions).toMatchObject([{ hash: contract.payment, from: ann, to: contract.address20 }]);
		await expect(client.getBlock({ blockNumber: 99n })).rejects.toThrow("could not be found");
	});

	it("have fees", async () => {
		const history = await client.getFeeHistory({ blockCount: 4, rewardPercentiles: [50] });
		expect(history.gasUsedRatio).toHaveLength(4);
		expect(await client.estimateFeesPerGas()).toMatchObject({ maxPriorityFeePerGas: 100n });
		expect(await client.estimateMaxPriorityFeePerGas()).toBe(100n);
		expect(await client.getTransactionCount({ address: bob as Hex })).toBe(0);
		for (const blockTag of ["pending", "safe"] as const) {
			expect((await client.getBlock({ blockTag })).hash).toBe((await client.getBlock()).hash);
		}
	});

	it("have receipts", async () => {
		const found = await client.getTransaction({ hash: contract.payment });
		expect(found).toMatchObject({ from: ann, to: contract.address20, value: 0n, transactionIndex: 0 });
		const byPlace = { blockNumber: found.blockNumber as bigint, index: 0 };
		expect(await client.getTransaction(byPlace)).toMatchObject({ hash: contract.payment });
		const receipt = await client.getTransactionReceipt({ hash: contract.payment });
		expect(receipt).toMatchObject({
			status: "success",
			blockNumber: found.blockNumber,
			to: contract.address20,
		});
		expect(receipt.gasUsed).toBeGreaterThan(0n);
		expect(receipt.logs).toHaveLength(1);
		const deployment = await client.getTransactionReceipt({ hash: contract.deployment });
		expect(deployment).toMatchObject({ contractAddress: contract.address20 });
		expect(await client.waitForTransactionReceipt({ hash: contract.payment })).toEqual(receipt);
		await expect(client.getTransaction({ hash: `0x${"1".repeat(64)}` })).rejects.toThrow(
			"could not be found",
		);
	});
});

describe("the state", () => {
	it("is read", async () => {
		expect(await client.getBalance({ address: bob as Hex })).toBe(1_000_000_000_000n);
		expect(await client.getBalance({ address: zeroAddress })).toBe(0n);
		expect(await client.getCode({ address: contract.address20 })).toMatch(/^0x60/);
		expect(await client.getCode({ address: bob as Hex })).toBeUndefined();
		expect(await client.getStorageAt({ address: contract.address20, slot: "0x1" })).toBe(
			`0x${(1_000_000).toString(16).padStart(64, "0")}`,
		);
		expect(await client.getGasPrice()).toBe(100n);
		expect(await client.getChainId()).toBe(Number(`0x${chain.node.genesisId.slice(-8)}`));
		expect(await client.request({ method: "net_version" })).toMatch(/^[1-9]\d*$/);
		expect(await client.getBalance({ address: bob as Hex, blockNumber: 1n })).toBe(1_000_000_000_000n);
		expect(await client.getCode({ address: contract.address20, blockNumber: 0n })).toBeUndefined();
		await expect(client.getBalance({ address: bob as Hex, blockNumber: 99n })).rejects.toThrow(
			"there is no block 99",
		);
	});

	it("of contracts is called, estimated and refused with its reason", async () => {
		const { address20: address } = contract;
		const read = (functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
			client.readContract({ address, abi, functionName, args });
		expect(await read("name")).toBe("Coupon");
		expect(await read("balanceOf", [bob])).toBe(7n);
		expect(await read("holdings", [[ann, bob]])).toMatchObject([
			{ amount: 999_993n },
			{ who: expect.any(String), amount: 7n },
		]);
		expect(await read("several", [-5n, `0x${"ab".repeat(32)}`, true])).toEqual([
			5n,
			`0x${"ab".repeat(32)}`,
			false,
			"several",
		]);
		const transfer = { address, abi, functionName: "transfer", account: ann as Hex };
		expect(await client.simulateContract({ ...transfer, args: [bob, 5n] })).toMatchObject({ result: true });
		expect(await client.estimateContractGas({ ...transfer, args: [bob, 5n] })).toBeGreaterThan(1_000n);
		await expect(client.simulateContract({ ...transfer, args: [bob, 10n ** 18n] })).rejects.toMatchObject({
			cause: { data: { errorName: "Insufficient", args: expect.arrayContaining([10n ** 18n]) } },
		});
		expect(await client.estimateGas({ account: ann as Hex, to: bob as Hex, value: 5n })).toBeTypeOf("bigint");
	});
});

describe("logs", () => {
	it("are found by address, topic, range and block", async () => {
		const { address20: address } = contract;
		const all = await client.getLogs({ address, fromBlock: 0n });
		expect(all).toHaveLength(2);
		const paid = { from: ann, to: bob, value: 7n };
		const { blockHash, blockNumber } = await client.getTransactionReceipt({ hash: contract.payment });
		for (const found of [
			await client.getLogs({ address, event: transferEvent, args: { to: bob as Hex }, fromBlock: 0n }),
			await client.getLogs({
				event: transferEvent,
				args: { from: [ann as Hex, bob as Hex] },
				fromBlock: 0n,
				toBlock: "latest",
			}),
			await client.getLogs({ events, fromBlock: blockNumber, toBlock: blockNumber, strict: true }),
			await client.getLogs({ event: transferEvent, blockHash }),
			await client.getContractEvents({
				address,
				abi,
				eventName: "Transfer",
				args: { to: bob },
				fromBlock: 0n,
			}),
		]) {
			expect(found).toHaveLength(1);
			expect(found[0]).toMatchObject({ transactionHash: contract.payment, eventName: "Transfer" });
			const { args } = found[0] as { args: Readonly<Record<string, unknown>> };
			expect({
				...args,
				from: String(args["from"]).toLowerCase(),
				to: String(args["to"]).toLowerCase(),
			}).toEqual(paid);
		}
		expect(await client.getLogs({ address: zeroAddress, fromBlock: 0n })).toEqual([]);
		const backwards = client.getLogs({ address, fromBlock: 3n, toBlock: 1n });
		await expect(backwards).rejects.toThrow("please verify: fromBlock <= toBlock");
	});

	it("and blocks reach filters", async () => {
		const { address20: address } = contract;
		const ofContract = await client.createEventFilter({ address, event: transferEvent, fromBlock: 0n });
		const ofBlocks = await client.createBlockFilter();
		expect(await client.getFilterLogs({ filter: ofContract })).toHaveLength(2);
		const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
			contract.address,
			"transfer(address,uint256)",
			{ feeLimit: 1_000_000_000 },
			[
				{ type: "address", value: bob },
				{ type: "uint256", value: 2 },
			],
			chain.people[0]?.address,
		);
		await chain.act(transaction);
		expect(await client.getFilterChanges({ filter: ofContract })).toMatchObject([
			{ transactionHash: `0x${transaction.txID}` },
		]);
		expect(await client.getFilterChanges({ filter: ofContract })).toEqual([]);
		expect(await client.getFilterChanges({ filter: ofBlocks })).toEqual([(await client.getBlock()).hash]);
		expect(await client.uninstallFilter({ filter: ofContract })).toBe(true);
		await expect(client.getFilterChanges({ filter: ofContract })).rejects.toThrow("filter not found");
	});

	it("and blocks are watched", async () => {
		const seen: bigint[] = [];
		const failures: Error[] = [];
		const stop = client.watchBlockNumber({
			onBlockNumber: (number) => seen.push(number),
			onError: (error) => failures.push(error),
		});
		await pay();
		const head = await client.getBlockNumber({ cacheTime: 0 });
		await expect.poll(() => seen).toContain(head);
		stop();
		expect(failures).toEqual([]);
	});
});

describe("requests", () => {
	it("are sent in batches", async () => {
		const batching = createPublicClient({ transport: http(chain.jsonrpc, { batch: { wait: 5 } }) });
		const [number, balance, chainId] = await Promise.all([
			batching.getBlockNumber(),
			batching.getBalance({ address: bob as Hex }),
			batching.getChainId(),
		]);
		expect(number).toBe(await client.getBlockNumber({ cacheTime: 0 }));
		expect(balance).toBeGreaterThan(1_000_000_000_000n);
		expect(chainId).toBe(await client.getChainId());
	});

	it("build transactions that can be signed and sent", async () => {
		const build = (object: object): Promise<{ transaction: { txID: string } }> =>
			client.request({ method: "buildTransaction" as never, params: [object] as never });
		const data = encodeFunctionData({ abi, functionName: "transfer", args: [bob, 1n] });
		const call = await build({ from: ann, to: contract.address20, data, gas: "0x30000" });
		expect(await chain.act(call.transaction as never)).toMatchObject({ receipt: { result: "SUCCESS" } });
		const payment = await build({ from: ann, to: bob, value: "0x5" });
		expect((await chain.act(payment.transaction as never)).id).toBe(payment.transaction.txID);
		const unreadable = build({ from: ann, to: contract.address20, data: "0xzz", gas: "0x1" });
		await expect(unreadable).rejects.toThrow('invalid hex string for "data"');
	});

	it("that the network doesn't have are refused as such", async () => {
		await expect(client.sendRawTransaction({ serializedTransaction: "0x00" })).rejects.toThrow(
			"does not exist",
		);
	});
});

describe("an account of the node", () => {
	it("deploys, calls and pays", async () => {
		const wallet = createWalletClient({ account: ann as Hex, transport: http(chain.jsonrpc) });
		expect(await wallet.getAddresses()).toHaveLength(chain.people.length);
		const hash = await wallet.deployContract({
			abi,
			bytecode: `0x${coupon.bytecode.replace(/^0x/, "")}`,
			args: ["Second", 5n],
			chain: null,
		});
		const { contractAddress: address } = await client.waitForTransactionReceipt({ hash });
		if (!address) throw new Error("nothing was deployed");
		expect(await client.readContract({ address, abi, functionName: "balanceOf", args: [ann] })).toBe(5n);
		const called = await wallet.writeContract({
			address,
			abi,
			functionName: "transfer",
			args: [bob, 2n],
			chain: null,
		});
		const { logs, status } = await client.waitForTransactionReceipt({ hash: called });
		expect([logs.length, status]).toEqual([1, "success"]);
		const before = await client.getBalance({ address: bob as Hex });
		await wallet.sendTransaction({ to: bob as Hex, value: 9n, chain: null });
		expect(await client.getBalance({ address: bob as Hex })).toBe(before + 9n);
	});
});
