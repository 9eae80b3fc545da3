import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	type BloomGroup,
	bloomBits,
	bloomOfBlock,
	candidateSteps,
	indexLogs,
	sections,
} from "../../../src/node/chain/section-bloom.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import type { PropertySeed } from "../../../src/node/state/property-table.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { TransactionInfo, TransactionInfoLog } from "../../../src/protocol/messages.js";

const SEED: PropertySeed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 0n, committee: () => 0n };

async function emptyState(): Promise<StateView> {
	return createView((await StateDatabase.open(createMemoryDatabase())).headBackend, SEED);
}

function candidates(
	state: StateView,
	groups: readonly BloomGroup[],
	range: { readonly from: bigint; readonly to: bigint },
): bigint[] {
	return [...candidateSteps(() => state, groups, range)].filter((number) => number !== undefined);
}

/** What one transaction with these logs leaves behind. Each log: its address, then its topics. */
function infosOf(...logs: readonly (readonly Uint8Array[])[]): TransactionInfo[] {
	const log = logs.map(([address, ...topics]) =>
		TransactionInfoLog.create({ address: address as Uint8Array, topics }),
	);
	return [TransactionInfo.create({ log })];
}

const item = (n: number, length: number): Uint8Array => Buffer.alloc(length, n);

/** Block 55 of the recorded set apis-jsonrpc has this one log. */
const RECORDED = [
	"a84facdc58a07cc4134f34462c9d817237902334",
	"d230a480afecb0a1cc9901381b40f5b7927469c012685752083538d810e65ec8",
	"0000000000000000000000001246a88bd862d40593526df4a57b255c34f636ef",
].map(fromHex);
const RECORDED_ROWS = ["c5", "f8", "362", "3a2", "499", "563", "5bd", "627", "707"];

describe("the index of logs", () => {
	test("answers queries that are looked at in turns, and one that is left before its end", async () => {
		const state = await emptyState();
		const [a, b] = [item(1, 20), item(2, 20)];
		for (const [number, address] of [
			[3n, a],
			[4n, b],
			[9n, a],
			[2000n, b],
		] as const) {
			indexLogs(state, number, infosOf([address]));
		}
		const range = { from: 0n, to: 2047n };
		const query = (address: Uint8Array) => candidateSteps(() => state, [[bloomBits(address)]], range);
		const left = query(a);
		expect(left.next().value).toBe(3n);
		const [first, second] = [query(a), query(b)];
		const seen = [first.next(), second.next(), left.return(undefined), first.next(), second.next()];
		expect(seen.map(({ value }) => value)).toEqual([3n, 4n, undefined, 9n, 2000n]);
		expect([first.next().done, second.next().done]).toEqual([true, true]);
		expect([...query(a), ...query(b)]).toEqual([3n, 9n, 4n, 2000n]);
	});

	test("takes no more of a row than a section has", async () => {
		const state = await emptyState();
		indexLogs(state, 7n, infosOf([item(1, 20)]));
		for (const bit of bloomBits(item(1, 20))) {
			const key = Buffer.from(bit.toString(16));
			state.sectionBloom.put(
				key,
				Buffer.concat([state.sectionBloom.get(key) as Uint8Array, Buffer.alloc(300, 255)]),
			);
		}
		expect(candidates(state, [[bloomBits(item(1, 20))]], { from: 0n, to: 15n })).toContain(7n);
	});

	test("marks a recorded block in the recorded rows", () => {
		const rows = [...bloomOfBlock(infosOf(RECORDED))].map((row) => row.toString(16));
		expect(rows.sort()).toEqual([...RECORDED_ROWS].sort());
	});

	test("keeps a row a bit of the bloom and section, without zero bytes at the end", async () => {
		const state = await emptyState();
		indexLogs(state, 55n, infosOf(RECORDED));
		indexLogs(state, 2048n + 3n, infosOf(RECORDED));
		for (const row of RECORDED_ROWS) {
			const second = (1_000_000 + Number.parseInt(row, 16)).toString(16);
			expect(toHex(state.sectionBloom.get(Buffer.from(row)) ?? fromHex(""))).toBe("00000000000080");
			expect(toHex(state.sectionBloom.get(Buffer.from(second)) ?? fromHex(""))).toBe("08");
		}
	});

	test("parts a range by sections", () => {
		const part = (from: bigint, to: bigint) => [...sections({ from, to })].map((one) => [one.from, one.to]);
		expect(part(5n, 5n)).toEqual([[5n, 5n]]);
		expect(part(2000n, 4096n)).toEqual([
			[2000n, 2047n],
			[2048n, 4095n],
			[4096n, 4096n],
		]);
		expect(part(6n, 5n)).toEqual([]);
	});

	test("finds every block that matches, in order, and none outside of the range", async () => {
		const block = fc.record({
			number: fc.integer({ min: 0, max: 5000 }),
			address: fc.integer({ min: 0, max: 3 }),
			topic: fc.integer({ min: 0, max: 3 }),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.array(block, { maxLength: 30 }),
				fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1 }),
				fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 5000 })),
				async (blocks, addresses, [a, b]) => {
					const [from, to] = a <= b ? [a, b] : [b, a];
					const state = await emptyState();
					for (const { number, address, topic } of blocks) {
						indexLogs(state, BigInt(number), infosOf([item(address, 20), item(topic, 32)]));
					}
					const groups = [addresses.map((n) => bloomBits(item(n, 20))), [bloomBits(item(1, 32))]];
					const found: number[] = [];
					for (const part of sections({ from: BigInt(from), to: BigInt(to) })) {
						found.push(...candidates(state, groups, part).map(Number));
					}
					const wanted = blocks.filter(
						(one) =>
							one.number >= from && one.number <= to && addresses.includes(one.address) && one.topic === 1,
					);
					expect(found).toEqual([...new Set(found)].sort((x, y) => x - y));
					expect(found.every((number) => number >= from && number <= to)).toBe(true);
					expect(found).toEqual(expect.arrayContaining(wanted.map(({ number }) => number)));
				},
			),
			{ numRuns: 60 },
		);
	});

	test("leaves out blocks that lack one of the groups", async () => {
		const state = await emptyState();
		indexLogs(state, 1n, infosOf([item(1, 20), item(9, 32)]));
		indexLogs(state, 2n, infosOf([item(1, 20), item(8, 32)]));
		indexLogs(state, 3n, infosOf([item(2, 20), item(9, 32)]));
		const groups = [[bloomBits(item(1, 20))], [bloomBits(item(9, 32)), bloomBits(item(7, 32))]];
		expect(candidates(state, groups, { from: 0n, to: 2047n })).toEqual([1n]);
	});
});
