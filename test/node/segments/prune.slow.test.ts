import { beforeAll, expect, test } from "vitest";
import { BlockMover } from "../../../src/node/segments/block-mover.js";
import { SegmentedDatabase } from "../../../src/node/segments/segmented-database.js";
import { Segments } from "../../../src/node/segments/segments.js";
import { type BatchChange, DatabaseError } from "../../../src/node/state/database.js";
import { stores } from "../../../src/node/state/definition.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import { be64, toHex } from "../../../src/protocol/bytes.js";
import { openSmall, produce, transfer, users } from "../chain/small-chain.js";
import { everything, Machine } from "./machine.js";
import { keyIn } from "./rows.js";

const BLOCKS = 23;
const KEPT = 9;
let blocks: readonly SignedBlock[];

beforeAll(async () => {
	const open = await openSmall();
	blocks = Array.from({ length: BLOCKS }, (_, at) => {
		open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, BigInt(at + 1)));
		return produce(open);
	});
	await open.close();
});

const index = (number: bigint): Uint8Array => keyIn(stores.sectionBloom, Buffer.from(`section ${number}`));

async function machineWithBlocks(): Promise<Machine> {
	const machine = new Machine();
	const database = await machine.database();
	const entries = blocks.flatMap(({ id, number, bytes, transactions }): BatchChange[] => [
		{ key: keyIn(stores.blockIndex, be64(number)), value: id },
		{ key: keyIn(stores.block, id), value: bytes },
		{ key: keyIn(stores.transactionResult, be64(number)), value: be64(number) },
		{ key: index(number), value: be64(1n) },
		...transactions.map((transaction) => ({
			key: keyIn(stores.transaction, transaction.id),
			value: be64(number),
		})),
	]);
	await database.write(entries, true);
	machine.steps = 0;
	return machine;
}

async function start(machine: Machine) {
	const database = await machine.database();
	const segments = await Segments.open(database, "segments", machine.files);
	let clock = 0;
	const mover = new BlockMover({
		database,
		segments,
		stored: () => BigInt(BLOCKS),
		limits: { kept: 3, blocks: 5, bytes: 1 << 20, groupBytes: 1_000 },
		keep: KEPT,
		*keysOf(first, last) {
			for (let number = first; number <= last; number++) yield index(number);
		},
		now: () => clock++,
		pause: () => Promise.resolve(),
	});
	return { database, segments, mover, all: new SegmentedDatabase(database, segments) };
}

/** Segments of five blocks: 1 to 5 and 6 to 10 go, for the newest nine are 15 to 23. */
const LOWEST = 11n;

async function expectPruned(machine: Machine): Promise<void> {
	const { all, database, segments } = await start(machine);
	for (const { id, number, bytes, transactions } of blocks) {
		const isKept = number >= LOWEST;
		expect(all.get(keyIn(stores.blockIndex, be64(number)))).toEqual(isKept ? id : undefined);
		const found = all.get(keyIn(stores.block, id));
		expect(found && toHex(found)).toBe(isKept ? toHex(bytes) : undefined);
		expect(all.get(keyIn(stores.transactionResult, be64(number))) !== undefined).toBe(isKept);
		expect(all.get(index(number)) !== undefined).toBe(isKept);
		for (const { id: transaction } of transactions) {
			expect(all.get(keyIn(stores.transaction, transaction)) !== undefined).toBe(isKept);
		}
	}
	expect(segments.list.map(({ first }) => first)).toEqual([11n, 16n]);
	expect([...machine.names.keys()].sort()).toEqual([
		"segments/000000000011.seg",
		"segments/000000000016.seg",
	]);
	const left = (await everything(database)).filter(([key]) => key[0] === stores.block.index);
	expect(left).toHaveLength(3);
}

test("the oldest segments go while enough blocks are left, with all that indexes them", async () => {
	const machine = await machineWithBlocks();
	const running = await start(machine);
	await running.mover.run();
	await expectPruned(machine);
	// A second run finds nothing to do.
	const { steps } = machine;
	await running.mover.run();
	expect(machine.steps).toBe(steps);
});

test.each(["kill", "power"] as const)(
	"after a %s at any step the next run ends as if nothing had been",
	async (end) => {
		const whole = await machineWithBlocks();
		await (await start(whole)).mover.run();
		for (let step = 0; step < whole.steps; step++) {
			const machine = await machineWithBlocks();
			machine.stepsLeft = step;
			const stopped = await start(machine);
			await expect(stopped.mover.run()).rejects.toThrow(DatabaseError);
			machine.stepsLeft = Number.POSITIVE_INFINITY;
			if (end === "power") machine.losePower();
			await (await start(machine)).mover.run();
			await expectPruned(machine);
		}
	},
);
