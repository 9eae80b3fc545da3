import { describe, expect, it } from "vitest";
import type { StateView } from "../../../src/node/state/view.js";
import { type StorageRules, TransactionStorage } from "../../../src/node/vm/contract-storage.js";
import type { Frame } from "../../../src/node/vm/frame.js";
import { RowKeys } from "../../../src/node/vm/storage-keys.js";
import { type Word, wordFromBytes, wordToBytes } from "../../../src/node/vm/word.js";
import { fromKey, toHex, toKey } from "../../../src/protocol/bytes.js";
import { arrayHash } from "../../../src/protocol/hash-order.js";
import { HashTable } from "../../../src/protocol/hash-table.js";
import { TransactionResultContractResult as Result } from "../../../src/protocol/messages.js";
import { assemble } from "./assembler.js";
import { CONTRACT, emptyState, putTestContract, runContract } from "./machine-fixture.js";
import { seededRandom } from "./random.js";

/** Three slots whose last 16 bytes agree. */
const LOW = 5;
const HIGH = (1n << 200n) + 5n;
const HIGHER = (1n << 201n) + 5n;

const guarded: StorageRules = { separateRows: false, endsSharedRows: true, energyLimit: true };
const separate: StorageRules = { separateRows: true, endsSharedRows: true, energyLimit: true };
const endsInTime = expect.objectContaining({
	result: Result.OUT_OF_TIME,
	message: "CPU timeout for storage check",
	name: "VmAbort",
});

async function stateWithContract(version = 0): Promise<StateView> {
	const state = await emptyState();
	putTestContract(state, CONTRACT, "00", { version });
	return state;
}

const keys = new RowKeys(CONTRACT, undefined, 0);
const rowAt = (state: StateView, key: string): Word | undefined => {
	const row = state.storageRow.get(fromKey(key));
	return row && wordFromBytes(row);
};
const putRow = (state: StateView, key: string, value: Word): void =>
	state.storageRow.put(fromKey(key), wordToBytes(value));

describe("block version 38, without #99", () => {
	it.each<[string, (storage: TransactionStorage) => void]>([
		["read and read", (storage) => void storage.of(CONTRACT).load(HIGH)],
		["read and written", (storage) => storage.of(CONTRACT).store(HIGH, 1)],
	])("ends a transaction by two slots of one row, %s", async (_, second) => {
		const storage = new TransactionStorage(await stateWithContract(), guarded);
		expect(storage.of(CONTRACT).load(LOW)).toBeUndefined();
		expect(() => second(storage)).toThrow(endsInTime);
	});

	it("does so after a write as well, and lets the same slot be used again", async () => {
		const storage = new TransactionStorage(await stateWithContract(), guarded).of(CONTRACT);
		storage.store(LOW, 1);
		storage.store(LOW, 2);
		expect(storage.load(LOW)).toBe(2);
		expect(() => storage.load(HIGH)).toThrow(endsInTime);
		expect(() => storage.store(HIGH, 1)).toThrow(endsInTime);
	});

	it("forgets the slots of frames that were undone, but not those of before", async () => {
		const storage = new TransactionStorage(await stateWithContract(), guarded);
		const mark = storage.mark();
		storage.of(CONTRACT).load(LOW);
		storage.revert(mark, 0);
		expect(storage.of(CONTRACT).load(HIGH)).toBeUndefined();
		const later = storage.mark();
		storage.of(CONTRACT).store(HIGH, 1);
		storage.revert(later, 0);
		expect(() => storage.of(CONTRACT).load(LOW)).toThrow(endsInTime);
	});

	it("looks at contracts of version 1 too, whose slots don't meet", async () => {
		const storage = new TransactionStorage(await stateWithContract(1), guarded).of(CONTRACT);
		expect([LOW, HIGH, HIGHER].map((slot) => storage.load(slot))).toEqual([undefined, undefined, undefined]);
	});

	it("is not asked before", async () => {
		const rules = { separateRows: false, endsSharedRows: false, energyLimit: true };
		const storage = new TransactionStorage(await stateWithContract(), rules).of(CONTRACT);
		expect([storage.load(LOW), storage.load(HIGH)]).toEqual([undefined, undefined]);
	});

	it("holds in code, across frames", async () => {
		const state = await stateWithContract();
		// Calls itself with one byte of input to read the other slot.
		const text = `CALLDATASIZE @inner JUMPI 0x05 SLOAD POP
			PUSH0 PUSH0 0x01 PUSH0 PUSH0 ADDRESS GAS CALL STOP inner: 0x${HIGH.toString(16)} SLOAD STOP`;
		state.code.put(CONTRACT, assemble(text));
		expect(() => runContract(state, { gates: { endsSharedRows: true } })).toThrow(endsInTime);
		expect(
			runContract(state, { gates: { endsSharedRows: true, separateRows: true } }).failure,
		).toBeUndefined();
	});
});

describe("rows of their own (#99)", () => {
	it("are read before the old ones", async () => {
		const state = await stateWithContract();
		putRow(state, keys.shared(LOW), 1);
		putRow(state, keys.own(LOW), 2);
		expect(new TransactionStorage(state, separate).of(CONTRACT).load(LOW)).toBe(2);
	});

	it("are absent with a zero, whatever the old one says", async () => {
		const state = await stateWithContract();
		putRow(state, keys.shared(LOW), 1);
		putRow(state, keys.own(LOW), 0);
		const storage = new TransactionStorage(state, separate);
		expect(storage.of(CONTRACT).load(LOW)).toBeUndefined();
		storage.commit();
		expect([rowAt(state, keys.own(LOW)), rowAt(state, keys.shared(LOW))]).toEqual([0, 1]);
	});

	it.each<[string, (storage: TransactionStorage) => void, Word]>([
		["a read", () => {}, 7],
		["a write", (storage) => storage.of(CONTRACT).store(LOW, 8), 8],
		["a write of zero", (storage) => storage.of(CONTRACT).store(LOW, 0), 0],
	])("take an old row over by %s", async (_, use, value) => {
		const state = await stateWithContract();
		putRow(state, keys.shared(LOW), 7);
		const storage = new TransactionStorage(state, separate);
		expect(storage.of(CONTRACT).load(LOW)).toBe(7);
		use(storage);
		storage.commit();
		expect([rowAt(state, keys.own(LOW)), rowAt(state, keys.shared(LOW))]).toEqual([value, undefined]);
	});

	it("leave the old row if the read was undone", async () => {
		const state = await stateWithContract();
		putRow(state, keys.shared(LOW), 7);
		const storage = new TransactionStorage(state, separate);
		const mark = storage.mark();
		storage.of(CONTRACT).load(LOW);
		storage.revert(mark, 0);
		storage.commit();
		expect([rowAt(state, keys.own(LOW)), rowAt(state, keys.shared(LOW))]).toEqual([undefined, 7]);
		// And it is anyone's again.
		expect(storage.of(CONTRACT).load(HIGH)).toBe(7);
	});

	it("delete the old row under a write that wasn't looked for", async () => {
		const state = await stateWithContract();
		putRow(state, keys.shared(LOW), 7);
		const storage = new TransactionStorage(state, separate);
		storage.of(CONTRACT).store(LOW, 9);
		storage.commit();
		expect([rowAt(state, keys.own(LOW)), rowAt(state, keys.shared(LOW))]).toEqual([9, undefined]);
	});

	it("share an old row with nobody: the first reader has it", async () => {
		const state = await stateWithContract();
		putRow(state, keys.shared(LOW), 7);
		const storage = new TransactionStorage(state, separate);
		expect([storage.of(CONTRACT).load(HIGH), storage.of(CONTRACT).load(LOW)]).toEqual([7, undefined]);
		storage.of(CONTRACT).store(LOW, 3);
		storage.commit();
		expect(rowAt(state, keys.own(HIGH))).toBe(7);
		expect(rowAt(state, keys.own(LOW))).toBe(3);
		expect(rowAt(state, keys.shared(LOW))).toBeUndefined();
	});

	it("give an old row to a writer as well", async () => {
		const state = await stateWithContract();
		const storage = new TransactionStorage(state, separate);
		storage.of(CONTRACT).load(LOW);
		storage.of(CONTRACT).store(LOW, 3);
		putRow(state, keys.shared(LOW), 7);
		expect(storage.of(CONTRACT).load(HIGH)).toBeUndefined();
		storage.commit();
		// The slot was looked for and not found: the row that came later stays.
		expect([rowAt(state, keys.own(LOW)), rowAt(state, keys.shared(LOW))]).toEqual([3, 7]);
	});

	it("write nothing for slots that were only read from them, or not found", async () => {
		const state = await stateWithContract();
		putRow(state, keys.own(LOW), 7);
		const storage = new TransactionStorage(state, separate);
		expect([LOW, HIGH].map((slot) => storage.of(CONTRACT).load(slot))).toEqual([7, undefined]);
		storage.commit();
		expect([keys.own(LOW), keys.shared(LOW), keys.own(HIGH)].map((key) => rowAt(state, key))).toEqual([
			7,
			undefined,
			undefined,
		]);
	});

	it.each<[string, Word | undefined, string, number]>([
		["a value after a zero of the same transaction", undefined, "PUSH0 0x05 SSTORE 0x01 0x05 SSTORE", 10_000],
		["a value over a stored zero", 0, "0x01 0x05 SSTORE", 20_000],
		["a value over another", 3, "0x01 0x05 SSTORE", 5_000],
		["a value in an absent slot", undefined, "0x01 0x05 SSTORE", 20_000],
	])("cost as ever: %s", async (_, stored, text, cost) => {
		const state = await stateWithContract();
		if (stored !== undefined) putRow(state, keys.own(LOW), stored);
		state.code.put(CONTRACT, assemble(text));
		const frame = runContract(state, { gates: { separateRows: true, energyAdjustment: true } });
		const pushes = text
			.split(" ")
			.reduce((sum, word) => sum + (word === "PUSH0" ? 2 : word === "SSTORE" ? 0 : 3), 0);
		expect(frame.used).toBe(cost + pushes);
	});

	it("are what code reads and writes", async () => {
		const state = await stateWithContract();
		putRow(state, keys.shared(LOW), 7);
		state.code.put(
			CONTRACT,
			assemble(`0x05 SLOAD 0x${HIGH.toString(16)} SLOAD 0x08 MSTORE 0x09 0x06 SSTORE`),
		);
		const { machine } = runContract(state, { gates: { separateRows: true } });
		machine.commit();
		const rows = [keys.own(LOW), keys.shared(LOW), keys.own(6), keys.shared(6)].map((key) =>
			rowAt(state, key),
		);
		expect(rows).toEqual([7, undefined, 9, undefined]);
		expect(toHex(fromKey(keys.own(LOW)))).toHaveLength(96);
	});
});

describe("slots of one row, before block version 38", () => {
	const rules: StorageRules = { separateRows: false, endsSharedRows: false, energyLimit: true };
	const nameOf = (slot: Word): string => toKey(wordToBytes(slot));
	const frame = (depth: number, opener?: Frame): Frame =>
		({ context: { depth }, opener }) as unknown as Frame;
	/** Slots of one hash. Those whose numbers agree in the last eight bits share a row. */
	const alike = (n: number): bigint =>
		Array.from({ length: 12 }, (_, i) => ((n >> i) & 1 ? 0x0100n : 0x001fn) << BigInt(16 * i)).reduce(
			(sum, part) => sum | part,
		);
	const FIRST = alike(0);
	const SAME_HASH = alike(256);
	const OTHER_HASH = FIRST + (9n << 248n);

	/** Writes 1 and 2 to two slots of one row; then each frame writes a slot more. */
	async function written(two: readonly [Word, Word], slots: readonly Word[]) {
		const state = await stateWithContract();
		const storage = new TransactionStorage(state, rules);
		const own = storage.of(CONTRACT);
		const root = frame(0);
		own.usedBy(root);
		let table = new HashTable(arrayHash);
		for (const [i, slot] of [...two, ...slots].entries()) {
			if (i >= two.length) {
				own.usedBy(frame(1, root));
				table = table.copy();
			}
			own.store(slot, i + 1);
			table.add(nameOf(slot));
		}
		const [first, second] = two.map((slot) => table.keys().indexOf(nameOf(slot))) as [number, number];
		return { state, storage, expected: first > second ? 1 : 2 };
	}

	const row = (state: StateView): Word | undefined => rowAt(state, keys.shared(FIRST));

	it.each([100, 400])("are ordered without copying the slots of %i frames", async (frames) => {
		const { state, storage, expected } = await written(
			[FIRST, OTHER_HASH],
			Array.from({ length: frames }, (_, n) => n + 1),
		);
		storage.commit(0);
		expect(row(state)).toBe(expected);
	});

	it("are written as by the walk over all copies", async () => {
		const random = seededRandom(5);
		const kinds: (() => Word)[] = [
			() => random(1_000) + 1,
			() => alike((random(2) << 9) + random(63) + 1),
			// Their hashes agree in the last bits.
			() => 64 * (random(4) + (random(4) << 8) + (random(4) << 16) + 1),
		];
		for (let run = 0; run < 90; run++) {
			const slots = new Set(Array.from({ length: random(90) }, kinds[run % 3] as () => Word));
			const other = run % 2 ? SAME_HASH : OTHER_HASH + (BigInt(random(1 << 20)) << 200n);
			const { state, storage, expected } = await written([FIRST, other], [...slots]);
			storage.commit();
			expect([run, row(state)]).toEqual([run, expected]);
		}
	});

	it("end a transaction whose frames copy too many slots, where they have one hash; it has written nothing then", async () => {
		const slots = Array.from({ length: 255 }, (_, n) => alike(n + 1));
		const { state, storage, expected } = await written([FIRST, SAME_HASH], slots);
		const ends = expect.objectContaining({ result: Result.OUT_OF_TIME, name: "VmAbort" });
		expect(() => storage.commit(30_000)).toThrow(ends);
		expect(row(state)).toBeUndefined();
		storage.commit(40_000);
		expect(row(state)).toBe(expected);
	});
});
