import { expect, test } from "vitest";
import type { Json } from "../../src/explorer/answer.js";
import {
	BlockFees,
	blockFacts,
	earlierTransactions,
	lastHour,
	lastTransactions,
} from "../../src/explorer/block-facts.js";

test("fees of a block are asked for once, and again where another block has its number", async () => {
	const asked: unknown[] = [];
	const call = async (_: string, body?: unknown): Promise<Json> => {
		asked.push(body);
		return { list: [{ id: "aa", fee: 268_000 }, { id: "bb" }] };
	};
	const fees = new BlockFees({ call });
	const block = { number: 7n, id: "7" };
	expect(await Promise.all(["aa", "bb", "cc"].map((id) => fees.feeOf(block, id)))).toEqual([
		268_000n,
		0n,
		undefined,
	]);
	expect(asked).toEqual([{ num: 7 }]);
	await fees.feeOf({ number: 7n, id: "other" }, "aa");
	expect(asked).toHaveLength(2);
	expect(await fees.feeOf({ number: 0n, id: "0" }, "aa")).toBeUndefined();
	expect(asked).toHaveLength(2);
});

test("a node that gives no receipts leaves fees out", async () => {
	const call = () => Promise.reject(new Error("not served"));
	expect(await new BlockFees({ call }).feeOf({ number: 7n, id: "7" }, "aa")).toBeUndefined();
});

/** A chain with a block every so often, each with so many transactions, at an hour whose beginning is 1000 s. */
function chain(blocks: number, everyMs: number, sent: (number: number) => number) {
	const asked: unknown[] = [];
	const block = (number: number): Json => ({
		block_header: { raw_data: { number, timestamp: 1_000_000 + 3_600_000 - (blocks - number) * everyMs } },
		transactions: Array.from({ length: sent(number) }, () => ({})),
	});
	const call = async (_: string, body?: unknown): Promise<Json> => {
		asked.push(body);
		const { startNum, endNum } = body as { startNum: number; endNum: number };
		return {
			block: Array.from({ length: Math.min(endNum, blocks + 1) - startNum }, (_, at) => block(startNum + at)),
		};
	};
	const newest = Array.from({ length: Math.min(15, blocks) }, (_, at) => blockFacts(block(blocks - at)));
	return { hour: () => lastHour({ call }, newest), asked };
}

test("the last hour is counted where its blocks are few, and asked for at once", async () => {
	const few = chain(10, 60_000, () => 2);
	expect(await few.hour()).toMatchObject({
		sinceMs: 1_000_000,
		counts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 12],
		isSampled: false,
	});
	expect(few.asked).toEqual([]);
	const more = chain(500, 60_000, () => 1);
	expect(await more.hour()).toMatchObject({ counts: [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6] });
	expect(more.asked).toHaveLength(1);
});

test("the last hour of a network is told by a few blocks of each part", async () => {
	const { hour, asked } = chain(20_000, 3_000, (number) => (number >= 19_400 ? 30 : 10));
	const { counts, isSampled, partMs } = (await hour()) ?? {};
	expect({ isSampled, partMs }).toEqual({ isSampled: true, partMs: 300_000 });
	expect(counts).toEqual([...Array(6).fill(1000), ...Array(6).fill(3000)]);
	expect(asked).toHaveLength(12);
});

test("the last transactions are kept however many empty blocks follow, and looked for once, as far back as that goes", async () => {
	const block = (number: number, ...ids: string[]) =>
		blockFacts({
			block_header: { raw_data: { number } },
			transactions: ids.map((txID) => ({ txID })),
		});
	const idsOf = (found: ReturnType<typeof lastTransactions>) => found.map(([{ txID }]) => txID);
	const before = lastTransactions([block(9, "c", "d"), block(8, "b")]);
	expect(idsOf(before)).toEqual(["d", "c", "b"]);
	expect(idsOf(lastTransactions([block(20, "e"), block(19)], before))).toEqual(["e", "d", "c", "b"]);
	expect(idsOf(lastTransactions([block(9, "f")], before))).toEqual(["f", "b"]);
	let questions = 0;
	const between = async (start: bigint, end: bigint) => {
		questions++;
		return start <= 700n && 700n < end ? [block(700, "old")] : [];
	};
	const { signal } = new AbortController();
	expect(idsOf(await earlierTransactions(between, 1_300n, signal))).toEqual(["old"]);
	expect(questions).toBe(7);
	expect(await earlierTransactions(between, 100_000n, signal)).toEqual([]);
	expect(questions).toBe(57);
});
