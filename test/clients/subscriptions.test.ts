/** The WebSocket transports of viem and ethers, unchanged, on a development chain. */

import { Contract, Interface, WebSocketProvider } from "ethers";
import { createPublicClient, type Hex, parseAbi, webSocket } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
	coupon,
	type DeployedCoupon,
	deployCoupon,
	startTronWebChain,
	type TronWebChain,
} from "./tronweb-chain.js";

let chain: TronWebChain;
let deployed: DeployedCoupon;
let url: string;

beforeAll(async () => {
	chain = await startTronWebChain();
	deployed = await deployCoupon(chain);
	url = chain.jsonrpc.replace("http:", "ws:");
});
afterAll(() => chain.close());

async function transfer(amount: number): Promise<Hex> {
	const [ann, bob] = chain.people;
	const { transaction } = await chain.web.transactionBuilder.triggerSmartContract(
		deployed.address,
		"transfer(address,uint256)",
		{ feeLimit: 1_000_000_000 },
		[
			{ type: "address", value: bob?.address },
			{ type: "uint256", value: amount },
		],
		ann?.address,
	);
	await chain.act(transaction);
	return `0x${transaction.txID}`;
}

it("viem watches blocks, pending transactions and events", async () => {
	const transport = webSocket(url, { retryCount: 0, reconnect: false });
	const client = createPublicClient({ transport });
	const seen = { blocks: [] as bigint[], pending: [] as Hex[], values: [] as (bigint | undefined)[] };
	const fail = (error: Error): void => expect.fail(error.message);
	const stops = [
		client.watchBlocks({ onBlock: ({ number }) => void seen.blocks.push(number), onError: fail }),
		client.watchPendingTransactions({
			onTransactions: (ids) => void seen.pending.push(...ids),
			onError: fail,
		}),
		client.watchContractEvent({
			address: deployed.address20,
			abi: parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
			onLogs: (logs) => void seen.values.push(...logs.map(({ args }) => args.value)),
			onError: fail,
		}),
	];
	// Subscriptions are asked for in the background; a call on the same connection comes behind them.
	await client.getBlockNumber();
	await client.getBlockNumber({ cacheTime: 0 });
	const id = await transfer(11);
	await expect.poll(() => seen.values).toEqual([11n]);
	const head = await client.getBlockNumber({ cacheTime: 0 });
	await expect.poll(() => seen.blocks).toContain(head);
	await expect.poll(() => seen.pending).toContain(id);
	for (const stop of stops) stop();
	(await transport({}).value?.getRpcClient())?.close();
});

it("heads, waiting transactions and logs come in Ethereum's forms, null among topics too", async () => {
	const transport = webSocket(url, { retryCount: 0, reconnect: false })({});
	const client = await transport.value?.getRpcClient();
	const found = new Map<string, Record<string, unknown>>();
	for (const params of [["newHeads"], ["newPendingTransactions", true], ["logs", { topics: [[null]] }]]) {
		await transport.value?.subscribe({
			params: params as never,
			onData: ({ result }) => void found.set(String(params[0]), result as Record<string, unknown>),
		});
	}
	const hash = await transfer(13);
	await expect.poll(() => found.size).toBe(3);
	const root = expect.stringMatching(/^0x[0-9a-f]{64}$/);
	expect(found.get("newHeads")).toMatchObject({ stateRoot: root, transactionsRoot: root });
	expect(found.get("newPendingTransactions")).toMatchObject({ hash, blockHash: null, blockTimestamp: null });
	expect(found.get("logs")).toMatchObject({ transactionHash: hash });
	client?.close();
});

it("ethers hears blocks and events", async () => {
	const provider = new WebSocketProvider(url);
	const contract = new Contract(deployed.address20, new Interface(coupon.abi as never), provider);
	const blocks: number[] = [];
	const values: bigint[] = [];
	await provider.on("block", (number: number) => void blocks.push(number));
	await contract.on("Transfer", (_from: string, _to: string, value: bigint) => void values.push(value));
	// Answered behind what the library asks for in the background.
	await provider.getBlockNumber();
	await provider.getBlockNumber();
	await transfer(12);
	const head = Number(await provider.send("eth_blockNumber", []));
	await expect.poll(() => blocks).toContain(head);
	await expect.poll(() => values).toEqual([12n]);
	await provider.destroy();
});
