import { expect, test } from "vitest";
import { BlockMover } from "../../../src/node/segments/block-mover.js";
import { SegmentedDatabase } from "../../../src/node/segments/segmented-database.js";
import { Segments } from "../../../src/node/segments/segments.js";
import type { KeyValueDatabase } from "../../../src/node/state/database.js";
import { stores } from "../../../src/node/state/definition.js";
import { be64 } from "../../../src/protocol/bytes.js";
import { everything, KilledError, Machine } from "./machine.js";
import { entriesOf, keyIn, rowAt } from "./rows.js";

/** Two segments of ten blocks fit before the five newest, which stay. */
const BLOCKS = 27;
const limits = { kept: 5, blocks: 10, bytes: 1 << 20, groupBytes: 150 };

async function machineWithBlocks(first = 0): Promise<Machine> {
	const machine = new Machine();
	const database = await machine.database();
	const genesis = first > 0 ? entriesOf(0) : [];
	const blocks = Array.from({ length: BLOCKS - first }, (_, at) => entriesOf(first + at)).flat();
	// Others that stand beside these stores, and in them.
	const others = [keyIn(stores.transaction, be64(1n)), keyIn(stores.contractState, be64(1n))];
	await database.write([...genesis, ...blocks, ...others.map((key) => ({ key, value: key }))], true);
	machine.steps = 0;
	return machine;
}

interface Process {
	readonly database: KeyValueDatabase;
	readonly segments: Segments;
	readonly all: SegmentedDatabase;
	readonly mover: BlockMover;
}

async function start(machine: Machine, changed: Partial<typeof limits> = {}): Promise<Process> {
	const database = await machine.database();
	const segments = await Segments.open(database, "segments", machine.files);
	let clock = 0;
	const mover = new BlockMover({
		database,
		segments,
		stored: () => BigInt(BLOCKS - 1),
		limits: { ...limits, ...changed },
		now: () => clock++,
		pause: () => Promise.resolve(),
	});
	return { database, segments, all: new SegmentedDatabase(database, segments), mover };
}

function expectAllBlocks({ all }: Process, first = 0): void {
	for (let number = first; number < BLOCKS; number++) {
		const { id, block, receipts } = rowAt(number);
		expect(all.get(keyIn(stores.blockIndex, be64(BigInt(number))))).toEqual(id);
		expect(all.get(keyIn(stores.block, id))).toEqual(block);
		expect(all.get(keyIn(stores.transactionResult, be64(BigInt(number))))).toEqual(receipts);
	}
}

async function entriesIn(database: KeyValueDatabase): Promise<string[]> {
	const entries: string[] = [];
	for (const { index } of [stores.block, stores.blockIndex, stores.transactionResult, stores.transaction]) {
		for await (const [key, value] of database.entries(Uint8Array.of(index))) {
			entries.push(`${Buffer.from(key).toString("hex")} ${Buffer.from(value).toString("hex")}`);
		}
	}
	return entries;
}

test("old blocks move into segments, and every reader gets what it got before", async () => {
	const machine = await machineWithBlocks();
	const before = await entriesIn(await machine.database());
	const running = await start(machine);
	await running.mover.run();
	expect(running.segments.list.map(({ first, last, isMoved }) => [first, last, isMoved])).toEqual([
		[1n, 10n, true],
		[11n, 20n, true],
	]);
	expectAllBlocks(running);
	expect(await entriesIn(running.all)).toEqual(before);
	// What has moved is not in the database any more; the genesis block and the newest are.
	const left = (await everything(running.database)).filter(([key]) => key[0] === stores.block.index);
	expect(left.map(([key]) => Buffer.from(key).readBigUInt64BE(1))).toEqual([
		0n,
		21n,
		22n,
		23n,
		24n,
		25n,
		26n,
	]);
	const restarted = await start(machine);
	await restarted.all.compared;
	expectAllBlocks(restarted);
});

test("the first id at or after a height is found in either place", async () => {
	const running = await start(await machineWithBlocks(4));
	await running.mover.run();
	const end = Uint8Array.of(stores.blockIndex.index + 1);
	const first = async (number: number): Promise<bigint | undefined> => {
		const key = await running.all.firstKey(keyIn(stores.blockIndex, be64(BigInt(number))), end);
		return key && Buffer.from(key).readBigUInt64BE(1);
	};
	expect(await Promise.all([0, 1, 4, 9, 22, 26, 27].map(first))).toEqual([
		0n,
		4n,
		4n,
		9n,
		22n,
		26n,
		undefined,
	]);
});

test("a segment ends where its bytes do", async () => {
	const running = await start(await machineWithBlocks(), { bytes: 400 });
	await running.mover.run();
	expect(running.segments.list.length).toBeGreaterThan(2);
	expectAllBlocks(running);
});

test("data that begin at a later block keep the genesis block where it is", async () => {
	const running = await start(await machineWithBlocks(4));
	await running.mover.run();
	expect(running.segments.list[0]?.first).toBe(4n);
	expectAllBlocks(running, 4);
	expect(running.all.get(keyIn(stores.blockIndex, be64(0n)))).toEqual(rowAt(0).id);
	expect(running.all.get(keyIn(stores.blockIndex, be64(1n)))).toBeUndefined();
});

test("an id that no block has is not found, though a segment holds its height", async () => {
	const running = await start(await machineWithBlocks());
	await running.mover.run();
	const other = Buffer.concat([be64(7n), Buffer.alloc(24, 9)]);
	expect(running.all.get(keyIn(stores.block, other))).toBeUndefined();
	expect(running.all.get(keyIn(stores.block, be64(7n)))).toBeUndefined();
	expect(running.all.get(Uint8Array.of(stores.blockIndex.index))).toBeUndefined();
});

test.each(["kill", "power"] as const)("a %s at any step loses nothing", async (end) => {
	const steps = await (async () => {
		const machine = await machineWithBlocks();
		await (await start(machine)).mover.run();
		return machine.steps;
	})();
	expect(steps).toBeGreaterThan(20);
	for (let step = 0; step < steps; step++) {
		const machine = await machineWithBlocks();
		const stopped = await start(machine);
		machine.stepsLeft = step;
		const cause = await stopped.mover.run().then(
			() => undefined,
			(error: Error) => error.cause,
		);
		expect(cause).toBeInstanceOf(KilledError);
		machine.stepsLeft = Number.POSITIVE_INFINITY;
		if (end === "power") machine.losePower();
		const again = await start(machine);
		expectAllBlocks(again);
		await again.mover.run();
		expect(again.segments.list.map(({ last, isMoved }) => [last, isMoved])).toEqual([
			[10n, true],
			[20n, true],
		]);
		expectAllBlocks(again);
		const left = (await everything(again.database)).filter(([key]) => key[0] === stores.block.index);
		expect(left).toHaveLength(7);
		expect([...machine.names.keys()].filter((name) => name.endsWith(".new"))).toEqual([]);
	}
});

test("a mover that is told to stop ends within a piece of work, and the next start goes on", async () => {
	const machine = await machineWithBlocks();
	const running = await start(machine);
	const moving = running.mover.run();
	await running.mover.stop();
	await moving;
	expect(running.segments.list.every(({ isMoved }) => isMoved)).toBe(true);
	expect(running.segments.list.length).toBeLessThan(2);
	expectAllBlocks(running);
});

test("what is missing or changed is said at the start or when it is read, by the file's name", async () => {
	const machine = await machineWithBlocks();
	await (await start(machine)).mover.run();
	const name = "segments/000000000011.seg";
	const file = machine.names.get(name) as { bytes: Buffer; synced: Buffer };
	machine.names.delete(name);
	await expect(start(machine)).rejects.toThrow(`the segment ${name} is damaged: it is missing`);
	machine.names.set(name, { ...file, bytes: file.bytes.subarray(1) });
	await expect(start(machine)).rejects.toThrow(/is damaged: it has \d+ bytes instead of \d+/);
	const footer = Buffer.from(file.bytes);
	footer.writeUInt8(footer.readUInt8(footer.length - 20) ^ 1, footer.length - 20);
	machine.names.set(name, { ...file, bytes: footer });
	await expect(start(machine)).rejects.toThrow("its footer can't be read");
	const group = Buffer.from(file.bytes);
	group.writeUInt8(group.readUInt8(300) ^ 1, 300);
	machine.names.set(name, { ...file, bytes: group });
	const running = await start(machine);
	expect(() => [...running.segments.check(running.segments.list[1] as never)]).toThrow(
		/is damaged: its bytes from \d+ on have changed/,
	);
	expect(() => expectAllBlocks(running)).toThrow(`the segment ${name} is damaged`);
});

test("a list with a gap, or a line that can't be read, is refused", async () => {
	const machine = await machineWithBlocks();
	await (await start(machine)).mover.run();
	const notes = machine.entries.filter(([key]) => key[0] === 0xff);
	const database = await machine.database();
	await database.write([{ key: notes[1]?.[0] as Uint8Array, value: Buffer.from("{}") }], true);
	await expect(start(machine)).rejects.toThrow("a line can't be read");
	const moved = Buffer.from(notes[1]?.[0] as Uint8Array);
	moved.writeUInt8(13, moved.length - 1);
	await database.write(
		[
			{ key: notes[1]?.[0] as Uint8Array, value: null },
			{ key: moved, value: notes[1]?.[1] as Uint8Array },
		],
		true,
	);
	await expect(start(machine)).rejects.toThrow("it lacks blocks 11 to 12");
});
