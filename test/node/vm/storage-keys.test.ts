import { describe, expect, it } from "vitest";
import type { StateView } from "../../../src/node/state/view.js";
import { RowKeys, readSlot, rowKeysOf, writeSlot } from "../../../src/node/vm/storage-keys.js";
import { wordToBytes } from "../../../src/node/vm/word.js";
import { EMPTY, fromHex, fromKey, toHex } from "../../../src/protocol/bytes.js";
import { SmartContract } from "../../../src/protocol/messages.js";
import { CALLER, CONTRACT, emptyState } from "./machine-fixture.js";

const contract = { address: CONTRACT, creationId: EMPTY, version: 0 };
const OLD = fromHex("c44bcb8bbfff632c22bc1bf2b5ccda0d00000000000000000000000000000005");
const NEW = fromHex(
	"c44bcb8bbfff632c22bc1bf2b5ccda0ddad56945f6e3c7b753b22a30a1a16b5d73a41628dce4f7e71877894de116e156",
);
const [ZERO, ONE, TWO] = [0, 1, 2].map((value) => wordToBytes(value)) as [Uint8Array, Uint8Array, Uint8Array];

async function state99(): Promise<StateView> {
	const state = await emptyState();
	state.properties.set("ALLOW_OPTIMIZE_TVM_STORAGE", 1n);
	return state;
}

describe("keys of rows", () => {
	it.each([
		[0, toHex(OLD)],
		[1, "c44bcb8bbfff632c22bc1bf2b5ccda0d0604c104a5fb6f4eb0703f3154bb3db0"],
	])("of contracts of version %i, before and since #99", (version, shared) => {
		const keys = new RowKeys(CONTRACT, undefined, version);
		expect(toHex(fromKey(keys.shared(5)))).toBe(shared);
		expect(toHex(fromKey(keys.own(5)))).toBe(toHex(NEW));
		expect(keys.own(5).startsWith(keys.prefix) && keys.shared(5).startsWith(keys.prefix)).toBe(true);
	});

	it("hold the transaction that made the contract, unless it is zeros", () => {
		const made = new RowKeys(CONTRACT, fromHex("11".repeat(32)), 0);
		expect(toHex(fromKey(made.shared(5)))).toBe(
			"7494e252194a5e81f47fdd1b7d76d16700000000000000000000000000000005",
		);
		expect(made.own(5)).not.toBe(new RowKeys(CONTRACT, undefined, 0).own(5));
		expect(new RowKeys(CONTRACT, new Uint8Array(32), 0).own(5)).toBe(new RowKeys(CONTRACT, EMPTY, 0).own(5));
	});

	it("go with the contract's record, never with another one's or another address", () => {
		const record = SmartContract.create({ trx_hash: fromHex("11".repeat(32)) });
		const first = rowKeysOf(CONTRACT, record);
		expect(rowKeysOf(CONTRACT, record)).toBe(first);
		expect(rowKeysOf(CALLER, record).own(5)).not.toBe(first.own(5));
		const plain = rowKeysOf(CONTRACT, SmartContract.create({}));
		// In turns: the keys of one begin as those of the other until they are made.
		for (let turn = 0; turn < 2; turn++) {
			expect(toHex(fromKey(plain.shared(5)))).toBe(toHex(OLD));
			expect(toHex(fromKey(plain.own(5)))).toBe(toHex(NEW));
			expect(first.shared(5).startsWith(first.prefix)).toBe(true);
		}
	});

	it("are each contract's own for a slot that many have, however many slots were asked for in between", () => {
		const contracts = [CONTRACT, CALLER].map((address) => new RowKeys(address, undefined, 1));
		const keysOf = (slot: number): string[] =>
			contracts.flatMap((keys) => [keys.shared(slot), keys.own(slot)]);
		const first = keysOf(5);
		expect(new Set(first).size).toBe(4);
		const all = Array.from({ length: 5_000 }, (_, slot) => keysOf(slot));
		expect(new Set(all.flat()).size).toBe(20_000);
		expect([all[5], keysOf(5), keysOf(4_999)]).toEqual([first, first, all[4_999]]);
	});
});

describe("one slot outside executions", () => {
	it("is read under the old key alone before #99", async () => {
		const state = await emptyState();
		state.storageRow.put(NEW, TWO);
		expect(readSlot(state, contract, 5)).toBeUndefined();
		state.storageRow.put(OLD, ONE);
		expect(readSlot(state, contract, 5)).toEqual(ONE);
	});

	it("is read under the new key first since #99, where zero is absent", async () => {
		const state = await state99();
		state.storageRow.put(OLD, ONE);
		expect(readSlot(state, contract, 5)).toEqual(ONE);
		state.storageRow.put(NEW, TWO);
		expect(readSlot(state, contract, 5)).toEqual(TWO);
		state.storageRow.put(NEW, ZERO);
		expect(readSlot(state, contract, 5)).toBeUndefined();
	});

	it("is written under the old key before #99, and a zero deletes it", async () => {
		const state = await emptyState();
		writeSlot(state, contract, 5, ONE);
		expect(state.storageRow.get(OLD)).toEqual(ONE);
		writeSlot(state, contract, 5, ZERO);
		expect(state.storageRow.has(OLD)).toBe(false);
	});

	it("is written under the new key since #99, which ends the old row", async () => {
		const state = await state99();
		state.storageRow.put(OLD, ONE);
		writeSlot(state, contract, 5, ZERO);
		expect([state.storageRow.get(NEW), state.storageRow.get(OLD)]).toEqual([ZERO, undefined]);
	});
});
