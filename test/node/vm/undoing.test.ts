import { describe, expect, it } from "vitest";
import { ContractStorage } from "../../../src/node/vm/contract-storage.js";
import { TransientStorage } from "../../../src/node/vm/machine.js";
import { storageRowKey } from "../../../src/node/vm/storage-keys.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { arrayHash, byteStringHash, hashOrder, recordHash } from "../../../src/protocol/hash-order.js";
import {
	CONTRACT,
	emptyState,
	latestGates,
	putTestContract,
	type RunOptions,
	runCode,
	runContract,
} from "./machine-fixture.js";

const CHILD = fromHex(`41${"55".repeat(20)}`);
const call = (operation: "f1" | "f4") =>
	`6000600060006000${operation === "f1" ? "6000" : ""}73${"55".repeat(20)}620186a0${operation}`;

async function runWithChild(childCode: string, operation: "f1" | "f4", options: RunOptions = {}) {
	const state = await emptyState();
	putTestContract(state, CHILD, childCode);
	// Fills both storages' slot 0 with 1, logs, and calls.
	putTestContract(state, CONTRACT, `600160005d600160005560006000a0${call(operation)}00`);
	return runContract(state, options);
}

describe("what a failed call did", () => {
	// Writes slot 0 and transient slot 0, logs, then reverts.
	const reverting = "600260005560026000 5d60006000a060006000fd".replaceAll(" ", "");

	it("is undone in storage, transient storage and logs, but keeps its internal transaction, rejected", async () => {
		const { machine, stack } = await runWithChild(reverting, "f4");
		expect(stack[0]).toBe(0);
		expect(machine.storage.of(CONTRACT).load(0)).toBe(1);
		expect(machine.transient.load(BigInt(`0x${"33".repeat(20)}`), 0)).toBe(1);
		expect(machine.logs).toHaveLength(1);
		expect(machine.internal.toMessages(false, "neutral")).toMatchObject([{ rejected: true }]);
		expect(machine.internal.nonce).toBe(1);
	});

	it("stays in storage before block version 5", async () => {
		const { machine } = await runWithChild(reverting, "f4", { gates: { energyLimit: false } });
		expect(machine.storage.of(CONTRACT).load(0)).toBe(2);
		expect(machine.logs).toHaveLength(1);
	});

	it("goes from a storage that no frame above had touched, before block version 5 too", async () => {
		// The child's own storage: slot 0, in a call that reverts, then in one that doesn't.
		const { machine } = await runWithChild(reverting, "f1", { gates: { energyLimit: false } });
		expect(machine.storage.of(CHILD).load(0)).toBeUndefined();
		const kept = await runWithChild("600260005500", "f1", { gates: { energyLimit: false } });
		expect(kept.machine.storage.of(CHILD).load(0)).toBe(2);
	});

	it("is kept where the call succeeds", async () => {
		const { machine, stack } = await runWithChild("600260005500", "f4");
		expect(stack[0]).toBe(1);
		expect(machine.storage.of(CONTRACT).load(0)).toBe(2);
		expect(machine.internal.toMessages(false, "neutral")).toMatchObject([{ rejected: false }]);
	});
});

describe("a refused vote", () => {
	it("has taken both arrays out of memory", async () => {
		// One amount is beyond 64 bits; only the first of two witnesses lies in memory in use.
		const code = `6002600052 7f${"80".repeat(32)}602052 6002608052 6080 6002 6000 6002 d8 59`;
		const { stack } = await runCode(code.replaceAll(" ", ""));
		expect(stack.slice(0, 2)).toEqual([0, 0x80 + 3 * 32]);
	});
});

describe("storage of a contract", () => {
	it("keeps slots apart that share a row, and writes the one that the network writes last", async () => {
		const state = await emptyState();
		putTestContract(state, CONTRACT, "00");
		const storage = new ContractStorage(state, latestGates, [], CONTRACT);
		const low = 5;
		const high = (1n << 200n) + 5n;
		storage.store(low, 1);
		storage.store(high, 2);
		expect([storage.load(low), storage.load(high)]).toEqual([1, 2]);
		storage.prepare({ left: Number.POSITIVE_INFINITY })();
		const names = [low, high].map((slot) =>
			Buffer.from(BigInt(slot).toString(16).padStart(64, "0"), "hex").toString("latin1"),
		);
		const last = hashOrder(names).at(-1) === names[0] ? 1 : 2;
		const key = storageRowKey({ address: CONTRACT, creationId: new Uint8Array(0), version: 0 }, low);
		expect(toHex(state.storageRow.get(key) ?? new Uint8Array(0))).toBe(last.toString(16).padStart(64, "0"));
	});

	it("deletes the row of a slot that became zero", async () => {
		const state = await emptyState();
		putTestContract(state, CONTRACT, "00");
		const write = (value: number) => {
			const storage = new ContractStorage(state, latestGates, [], CONTRACT);
			storage.store(7, value);
			storage.prepare({ left: Number.POSITIVE_INFINITY })();
		};
		const key = storageRowKey({ address: CONTRACT, creationId: new Uint8Array(0), version: 0 }, 7);
		write(9);
		expect(state.storageRow.has(key)).toBe(true);
		write(0);
		expect(state.storageRow.has(key)).toBe(false);
		expect(new ContractStorage(state, latestGates, [], CONTRACT).load(7)).toBeUndefined();
	});

	it("ignores writes for an account that doesn't exist", async () => {
		const storage = new ContractStorage(await emptyState(), latestGates, [], CONTRACT);
		storage.store(1, 1);
		expect(storage.load(1)).toBeUndefined();
	});
});

describe("transient storage", () => {
	it("belongs to one contract, and returns to a mark", () => {
		const storage = new TransientStorage();
		storage.store(1, 7, 10);
		const mark = storage.mark();
		storage.store(1, 7, 20);
		storage.store(2, 7, 30);
		expect([storage.load(1, 7), storage.load(2, 7), storage.load(3, 7)]).toEqual([20, 30, 0]);
		storage.revert(mark);
		expect([storage.load(1, 7), storage.load(2, 7)]).toEqual([10, 0]);
	});
});

describe("the walk of the network's hash maps", () => {
	it.each([
		["arrays", arrayHash, 994],
		["byte strings", byteStringHash, 1955],
		["records", recordHash, 23_312],
	])("hashes %s by their own rule", (_, hash, expected) => {
		expect(hash("\u0001\u0002")).toBe(expected);
	});

	it("takes bytes above 127 as negative", () => {
		expect(arrayHash("\u00ff")).toBe(30);
	});

	it("orders two accounts as a recorded balance history does", () => {
		const [owner, contract] = [
			"419cb8bbb1d9ad68145292988567b04f6558724928",
			"410f935b77684448e53f17b7dbb9216422e4222d00",
		].map((hex) => Buffer.from(hex, "hex").toString("latin1")) as [string, string];
		expect(hashOrder([contract, owner], recordHash)).toEqual([owner, contract]);
	});
});
