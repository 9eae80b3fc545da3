import { describe, expect, test } from "vitest";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { type StoreDefinition, stores } from "../../../src/node/state/definition.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";

const STORE = stores.accountIndex as StoreDefinition<Uint8Array>;
const VALUE = Uint8Array.of(1);

async function opened(database: KeyValueDatabase = createMemoryDatabase()) {
	const state = await StateDatabase.open(database);
	let height = 0n;
	const block = (change: (head: StateDatabase["headBackend"]) => void): void => {
		change(state.headBackend);
		state.commitBlock(++height);
	};
	const keys = async (): Promise<readonly string[]> =>
		[...(await state.headBackend.keysEver(STORE, "a"))].sort();
	return { state, block, keys };
}

describe("the keys that an entry has or had", () => {
	test("are found at every level, and only those with the prefix", async () => {
		const { state, block, keys } = await opened();
		block((head) => head.put(STORE, "a1", VALUE));
		block((head) => head.put(STORE, "b1", VALUE));
		state.settle(2n);
		await state.flush(false);
		block((head) => head.put(STORE, "a2", VALUE));
		state.settle(3n);
		block((head) => head.put(STORE, "a3", VALUE));
		state.headBackend.put(STORE, "a4", VALUE);
		state.headBackend.put(STORE, "b4", VALUE);
		expect(await keys()).toEqual(["a1", "a2", "a3", "a4"]);
	});

	test("include one that a block made and the next one deleted", async () => {
		const { state, block, keys } = await opened();
		block((head) => head.put(STORE, "a1", VALUE));
		block((head) => head.delete(STORE, "a1"));
		expect(await keys()).toEqual(["a1"]);
		expect([...(state.stateAfter(1n)?.get(STORE, "a1") ?? [])]).toEqual([...VALUE]);
		expect(state.stateAfter(2n)?.get(STORE, "a1")).toBeUndefined();
	});

	test("include those of past states, where these are kept", async () => {
		for (const isFlushed of [true, false]) {
			const { state, block, keys } = await opened();
			await state.keepChanges(0n, undefined);
			block((head) => head.put(STORE, "a1", VALUE));
			block((head) => head.delete(STORE, "a1"));
			state.settle(2n);
			if (isFlushed) await state.flush(false);
			expect(await keys(), `${isFlushed}`).toEqual(["a1"]);
			expect([...(state.stateAfter(1n)?.get(STORE, "a1") ?? [])]).toEqual([...VALUE]);
		}
	});

	test("include what a flush brought to the database while they were looked up", async () => {
		const memory = createMemoryDatabase();
		let between = async (): Promise<void> => {};
		const slow: KeyValueDatabase = Object.create(memory, {
			entries: {
				value: async function* (prefix: Uint8Array) {
					const rows: (readonly [Uint8Array, Uint8Array])[] = [];
					for await (const row of memory.entries(prefix)) rows.push(row);
					await between();
					yield* rows;
				},
			},
		});
		const { state, block, keys } = await opened(slow);
		block((head) => head.put(STORE, "a1", VALUE));
		state.settle(1n);
		between = () => state.flush(false);
		expect(await keys()).toEqual(["a1"]);
	});
});
