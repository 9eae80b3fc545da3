/**
 * The state after a final block, read from change history and base.
 *
 * Contract: its answers stay valid however the chain continues, as long as the history reaches back to the block.
 */

import type { ChangeHistory } from "./change-history.js";
import type { StoreDefinition } from "./definition.js";
import { type Entry, GONE, readOnly, type StateBackend } from "./entry.js";
import { formerByItself, isRecorded } from "./history-stores.js";
import { KeysAtBlock } from "./keys-at-block.js";

/** Cache size per block: enough for a few calls. */
const KEPT_BYTES = 4 << 20;
/** Size counted for values other than bytes: most are shared with the base and take no extra memory. */
const COUNTED_BYTES = 256;

/**
 * Values of one block, cleared when there are too many. PERF: maps are created lazily, so that a view reading
 * a single entry doesn't allocate one per store.
 */
class BlockCache {
	private stores: (Map<string, Entry> | undefined)[] = [];
	private bytes = 0;

	get(index: number, key: string): Entry | undefined {
		return this.stores[index]?.get(key);
	}

	keep(index: number, key: string, value: Entry): void {
		this.bytes += COUNTED_BYTES + (value instanceof Uint8Array ? value.length : 0);
		if (this.bytes > KEPT_BYTES) {
			this.stores = [];
			this.bytes = 0;
		}
		const map = this.stores[index];
		if (map) map.set(key, value);
		else this.stores[index] = new Map([[key, value]]);
	}
}

/** @param base as it is now, at or above the block */
export function stateInHistory(
	history: ChangeHistory,
	base: Pick<StateBackend, "get" | "keys" | "keysEver">,
	number: bigint,
): StateBackend {
	const cache = new BlockCache();
	const block = Number(number);
	const find = <V>(store: StoreDefinition<V>, key: string): V | undefined => {
		if (!isRecorded(store.index)) {
			return formerByItself((other, otherKey) => base.get(other, otherKey), store, key, number);
		}
		const former = history.valueAfter(store, key, block);
		if (former === undefined) return base.get(store, key);
		return former === GONE ? undefined : (former as V);
	};
	const get = <V>(store: StoreDefinition<V>, key: string): V | undefined => {
		const cached = cache.get(store.index, key);
		if (cached !== undefined) return cached === GONE ? undefined : (cached as V);
		const value = find(store, key);
		cache.keep(store.index, key, value === undefined ? GONE : value);
		return value;
	};
	return {
		get,
		put: readOnly,
		delete: readOnly,
		keysEver: (store, prefix) => base.keysEver(store, prefix),
		keys: (store) => new KeysAtBlock(base.keys(store), history.formerKeys.of(store), store, get),
	};
}
