import { describe, expect, test } from "vitest";
import { rpcAnswersOf } from "../../../../src/node/api/jsonrpc/answers.js";
import type { LogFilter } from "../../../../src/node/api/jsonrpc/log-filter.js";
import { checkBlockRange, queryLogs as queryInto } from "../../../../src/node/api/jsonrpc/log-query.js";
import type { RpcValue } from "../../../../src/node/api/jsonrpc/method.js";
import type { StateView } from "../../../../src/node/state/view.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { MAX_INT64 } from "../../../../src/protocol/int64.js";
import { threadMs } from "../../../processor-time.js";
import { address, type LogNumbers, SmallChain, topic } from "./small-chain.js";

const STYLE = rpcAnswersOf({ release: "4.8.2" }).objects;

/** The logs as a list. */
async function queryLogs(
	view: () => StateView,
	asked: LogFilter,
	style: typeof STYLE,
	maxSize = 0,
): Promise<RpcValue[]> {
	const found: RpcValue[] = [];
	const sink = {
		add: (log: RpcValue) => void found.push(log),
		drop: () => void found.splice(0),
		admit: () => undefined,
	};
	await queryInto(view, asked, style, maxSize, sink);
	return found;
}

const filter = (fields: Partial<LogFilter> = {}): LogFilter => ({
	addresses: [],
	topics: [],
	from: 0n,
	to: MAX_INT64,
	isOneBlock: false,
	...fields,
});

interface Found {
	readonly address: string;
	readonly blockNumber: string;
	readonly logIndex: string;
	readonly transactionIndex: string;
}

async function found(chain: SmallChain, fields: Partial<LogFilter> = {}): Promise<string[]> {
	const logs = (await queryLogs(() => chain.state, filter(fields), STYLE)) as unknown as Found[];
	return logs.map(
		(log) => `${log.blockNumber} ${log.transactionIndex} ${log.logIndex} ${log.address.slice(-2)}`,
	);
}

describe("a query of logs", () => {
	test("answers what matches, by block and place in it", async () => {
		const chain = await SmallChain.create();
		chain.add(1n, [
			[[1, 7]],
			[
				[2, 7],
				[1, 8],
			],
		]);
		chain.add(2n);
		chain.add(2050n, [[[1, 7]]]);
		expect(await found(chain)).toEqual([
			"0x1 0x0 0x0 01",
			"0x1 0x1 0x1 02",
			"0x1 0x1 0x2 01",
			"0x802 0x0 0x0 01",
		]);
		expect(await found(chain, { addresses: [address(1)], topics: [[topic(7)]] })).toEqual([
			"0x1 0x0 0x0 01",
			"0x802 0x0 0x0 01",
		]);
		expect(await found(chain, { topics: [[topic(8), topic(9)]] })).toEqual(["0x1 0x1 0x2 01"]);
		expect(await found(chain, { from: 2n, to: 2049n })).toEqual([]);
		expect(await found(chain, { from: 2051n })).toEqual([]);
		expect(await found(chain, { from: -5n, to: 1n, addresses: [address(2)] })).toEqual(["0x1 0x1 0x1 02"]);
	});

	test("shows a log with its block and transaction", async () => {
		const chain = await SmallChain.create();
		const { block, infos } = chain.add(3n, [[[1, 7]]]);
		expect(await queryLogs(() => chain.state, filter(), STYLE)).toEqual([
			{
				address: `0x${toHex(address(1))}`,
				blockHash: `0x${block.idHex}`,
				blockNumber: "0x3",
				blockTimestamp: "0x9",
				data: "0x",
				logIndex: "0x0",
				removed: false,
				topics: [`0x${toHex(topic(7))}`],
				transactionHash: `0x${toHex(infos[0]?.id as Uint8Array)}`,
				transactionIndex: "0x0",
			},
		]);
	});

	test("finds blocks outside of the index only without conditions", async () => {
		const chain = await SmallChain.create();
		chain.add(1n, [[[1, 7]]], { indexed: false });
		expect(await found(chain)).toEqual(["0x1 0x0 0x0 01"]);
		expect(await found(chain, { addresses: [address(1)] })).toEqual([]);
	});

	test("answers ten thousand logs and refuses one more", async () => {
		const chain = await SmallChain.create();
		const many = (count: number): LogNumbers[][] => [Array.from({ length: count }, () => [1] as const)];
		chain.add(1n, many(9_999));
		chain.add(2n, many(1));
		expect(await found(chain)).toHaveLength(10_000);
		chain.add(3n, many(1));
		await expect(found(chain)).rejects.toMatchObject({
			code: -32005,
			message: "query returned more than 10000 results",
		});
	});

	test("of something rare reads a few entries for a hundred thousand blocks", async () => {
		const chain = await SmallChain.create();
		for (const number of [10n, 20_000n, 99_999n]) chain.add(number, [[[1, 7]]]);
		for (const number of [11n, 50_000n, 100_000n]) chain.add(number, [[[2, 7]]]);
		const { state } = chain;
		let rows = 0;
		let blocks = 0;
		const counted = {
			...state,
			properties: state.properties,
			sectionBloom: { get: (key: Uint8Array) => [rows++, state.sectionBloom.get(key)][1] },
			transactionResult: { get: (key: Uint8Array) => [blocks++, state.transactionResult.get(key)][1] },
		} as unknown as StateView;
		expect(await queryLogs(() => counted, filter({ addresses: [address(1)] }), STYLE)).toHaveLength(3);
		expect(blocks).toBe(3);
		expect(rows).toBeLessThan(100);
	});

	test("looks through fewer than ten thousand blocks", async () => {
		const chain = await SmallChain.create();
		chain.add(9_999n);
		expect(await found(chain, { from: 1n })).toEqual([]);
		await expect(found(chain, { from: 0n })).rejects.toMatchObject({ code: -32005 });
		expect(await found(chain, { from: 0n, addresses: [address(1)] })).toEqual([]);
	});

	test.each<[bigint, bigint, number, boolean]>([
		[0n, 10n, 10, true],
		[0n, 11n, 10, false],
		[90n, MAX_INT64, 10, true],
		[89n, MAX_INT64, 10, false],
		[0n, MAX_INT64, 0, true],
		[0n, MAX_INT64, -1, true],
	])("from %s to %s passes a limit of %s: %s", async (from, to, limit, passes) => {
		const chain = await SmallChain.create();
		chain.add(100n);
		const check = () => checkBlockRange(chain.state, filter({ from, to }), limit);
		if (passes) expect(check).not.toThrow();
		else expect(check).toThrow(`exceed max block range: ${limit}`);
		expect(() => checkBlockRange(chain.state, filter({ from, to, isOneBlock: true }), limit)).not.toThrow();
	});
});

describe("a heavy query", () => {
	test("lets others in while it looks for ten thousand addresses in one section", async () => {
		const chain = await SmallChain.create();
		chain.add(1n, [[[1, 7]]]);
		const addresses = Array.from({ length: 10_000 }, (_, i) => Buffer.alloc(20, `${i}`));
		let longestMs = 0;
		let before = threadMs();
		let isOver = false;
		// What the processor does between two rounds of the event loop, which a busy machine doesn't change.
		const round = (): void => {
			const now = threadMs();
			longestMs = Math.max(longestMs, now - before);
			before = now;
			if (!isOver) setImmediate(round);
		};
		setImmediate(round);
		const queries = Array.from({ length: 5 }, () =>
			queryLogs(() => chain.state, filter({ addresses: [...addresses, address(1)] }), STYLE),
		);
		for (const logs of await Promise.all(queries)) expect(logs).toHaveLength(1);
		isOver = true;
		// The time slices of all queries together are 20 ms.
		expect(longestMs).toBeLessThan(250);
	});

	test("is refused once its answer would be too long", async () => {
		const chain = await SmallChain.create();
		chain.add(1n, [Array.from({ length: 100 }, () => [1] as const)]);
		expect(await queryLogs(() => chain.state, filter(), STYLE, 100 * 340)).toHaveLength(100);
		await expect(queryLogs(() => chain.state, filter(), STYLE, 100 * 340 - 1)).rejects.toMatchObject({
			code: -32003,
			message: "Response exceeds the limit of 33999 bytes",
		});
	});

	test("is refused for the number of its logs also where its answer would be too long before", async () => {
		const chain = await SmallChain.create();
		chain.add(1n, [Array.from({ length: 10_000 }, () => [1] as const)]);
		await expect(queryLogs(() => chain.state, filter(), STYLE, 1_000)).rejects.toMatchObject({
			code: -32003,
		});
		chain.add(2n, [[[1]]]);
		await expect(queryLogs(() => chain.state, filter(), STYLE, 1_000)).rejects.toMatchObject({
			code: -32005,
		});
	});
});
