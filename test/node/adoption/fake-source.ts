/** A reference node's directory that is only in memory. */

import type { ForeignStore } from "../../../src/node/adoption/engine/foreign-store.js";
import type { Source } from "../../../src/node/adoption/source-directory.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { storeDefinitions } from "../../../src/node/state/definition.js";
import { be32, fromKey, toKey } from "../../../src/protocol/bytes.js";

/** Entries by store; keys have one UTF-16 unit a byte. */
export type Stores = Map<string, Map<string, Uint8Array>>;

export function fakeSource(stores: Stores, checkpoints: Stores = new Map(), fingerprint = "same"): Source {
	return {
		path: "/reference/database",
		stores: [...stores.keys()].sort(),
		checkpoints: [...checkpoints.keys()],
		fingerprint,
		open: async (name) => fakeStore(name, stores.get(name) ?? checkpoints.get(name) ?? new Map()),
	};
}

function fakeStore(name: string, entries: ReadonlyMap<string, Uint8Array>): ForeignStore {
	const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
	const store = {
		name,
		engine: "LevelDB" as const,
		bytes: sorted.length,
		bytesRead: 0,
		notes: [],
		*entries(after?: Uint8Array): Generator<readonly [Uint8Array, Uint8Array]> {
			// One buffer for all keys, as a reader may have.
			const key = Buffer.alloc(256);
			for (const [text, value] of sorted) {
				store.bytesRead++;
				if (after && text <= toKey(after)) continue;
				key.set(fromKey(text));
				yield [key.subarray(0, text.length), value];
			}
		},
		logged: () => [],
		estimate: () => entries.size,
		close: () => undefined,
	};
	return store;
}

/** What a reference node would have of this chain's head state, as one that ran from the start. */
export async function storesOf(open: OpenChain): Promise<Stores> {
	const all: Stores = new Map();
	for (const store of storeDefinitions) {
		const entries = new Map<string, Uint8Array>();
		for await (const [key, value] of open.database.dump(store)) entries.set(key, value);
		all.set(store.name, entries);
	}
	const recent = new Map<string, Uint8Array>();
	for (let number = 1n; number <= open.chain.head.number; number++) {
		const block = open.chain.blockByNumber(number);
		if (!block) throw new Error(`block ${number} is missing`);
		const transactionIds = block.transactions.map(({ idHex }) => idHex);
		const row = JSON.stringify({ num: Number(number), transactionIds });
		recent.set(toKey(block.id.subarray(6, 8)), Buffer.from(row));
	}
	all.set("recent-transaction", recent);
	all.set("account-asset", new Map());
	return all;
}

/** A row of a checkpoint; null deletes. */
export function checkpointRow(store: string, key: string, value: Uint8Array | null): [string, Uint8Array] {
	const name = Buffer.from(store, "latin1");
	const rowKey = Buffer.concat([be32(name.length), name, fromKey(key)]);
	return [toKey(rowKey), value ? Buffer.concat([Uint8Array.of(3), value]) : Uint8Array.of(2)];
}
