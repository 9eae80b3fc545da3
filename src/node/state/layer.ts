/**
 * A layer of changes over a view: the writes of a contract execution, until its outcome decides whether they
 * count. The backend below may be read-only, e.g. for a query.
 */

import { fromKey } from "../../protocol/bytes.js";
import { hashOrder, recordHash } from "../../protocol/hash-order.js";
import type { Account } from "../../protocol/messages.js";
import { type StoreDefinition, storeDefinitions, stores } from "./definition.js";
import { addWith, type Entry, GONE, type StateBackend } from "./entry.js";
import { Journal, NONE } from "./journal.js";
import type { KnownProperties } from "./known-properties.js";
import type { SortedKeys } from "./ordered-keys.js";
import { createView, type StateView } from "./view.js";

const ACCOUNT = stores.account.index;
const CODE = stores.code.index;

export class StateLayer implements StateBackend {
	private readonly changes: (Map<string, Entry> | undefined)[] = new Array(storeDefinitions.length).fill(
		undefined,
	);
	private readonly journal = new Journal();
	/** Accounts read or written, in order: their number decides the order of {@link commit}. */
	private readonly touchedAccounts = new Set<string>();
	/** Codes read or written, likewise, for {@link commitUpTo}. */
	private readonly touchedCodes = new Set<string>();

	/** The state including the layer's changes. */
	readonly view: StateView;
	private readonly below: StateBackend;

	constructor(private readonly base: StateView) {
		this.below = base.backend;
		this.view = createView(this, base.seed);
	}

	get<V>(store: StoreDefinition<V>, key: string): V | undefined {
		const changed = this.changes[store.index]?.get(key);
		if (changed !== undefined) return changed === GONE ? undefined : (changed as V);
		const value = this.below.get(store, key);
		if (value === undefined) return undefined;
		if (store.index === ACCOUNT) this.touchedAccounts.add(key);
		else if (store.index === CODE) this.touchedCodes.add(key);
		return value;
	}

	get knownProperties(): KnownProperties | undefined {
		const changed = this.changes[stores.properties.index];
		return changed && changed.size > 0 ? undefined : this.below.knownProperties;
	}

	settled<V>(store: StoreDefinition<V>, key: string): V | undefined {
		return this.below.settled ? this.below.settled(store, key) : this.below.get(store, key);
	}

	put<V>(store: StoreDefinition<V>, key: string, value: V): void {
		let map = this.changes[store.index];
		if (!map) {
			map = new Map();
			this.changes[store.index] = map;
		}
		if (store.index === ACCOUNT) this.touchedAccounts.add(key);
		else if (store.index === CODE) this.touchedCodes.add(key);
		const before = map.get(key);
		if (before === value) return;
		this.journal.record(store.index, key, before === undefined ? NONE : before);
		map.set(key, value);
	}

	delete<V>(store: StoreDefinition<V>, key: string): void {
		this.put(store, key, GONE as never);
	}

	keys<V>(store: StoreDefinition<V>): SortedKeys {
		const below = this.below.keys(store);
		const changed = this.changes[store.index];
		if (!changed || changed.size === 0) return below;
		const all = below.copy();
		for (const [key, value] of changed) {
			if (value === GONE) all.delete(key);
			else all.add(key);
		}
		return all;
	}

	async keysEver(store: StoreDefinition<unknown>, prefix: string): Promise<ReadonlySet<string>> {
		const keys = new Set(await this.below.keysEver(store, prefix));
		addWith(keys, this.changes[store.index]?.keys() ?? [], prefix);
		return keys;
	}

	/** A point {@link revert} can return to. */
	mark(): number {
		return this.journal.length;
	}

	/** Undoes every write since the mark. */
	revert(mark: number): void {
		this.journal.revert(mark, (index, key, before) => {
			const map = this.changes[index] as Map<string, Entry>;
			if (before !== NONE) {
				map.set(key, before);
				return;
			}
			map.delete(key);
			if (index === ACCOUNT && this.below.get(stores.account, key) === undefined) {
				this.touchedAccounts.delete(key);
			}
		});
	}

	/**
	 * Writes all changes below and clears the layer. Accounts are written in the iteration order of the
	 * reference's hash map, since balance history records the write order.
	 */
	commit(): void {
		for (let index = 0; index < this.changes.length; index++) {
			const map = this.changes[index];
			if (!map || map.size === 0) continue;
			if (index === ACCOUNT) {
				this.commitAccounts(map as Map<string, Readonly<Account> | typeof GONE>);
				continue;
			}
			const store = storeDefinitions[index] as StoreDefinition<unknown>;
			for (const [key, value] of map) {
				if (value === GONE) this.below.delete(store, key);
				else this.below.put(store, key, value);
			}
		}
		this.clear();
	}

	private commitAccounts(map: ReadonlyMap<string, Readonly<Account> | typeof GONE>): void {
		for (const key of hashOrder([...this.touchedAccounts], recordHash)) {
			const value = map.get(key);
			if (value === GONE) this.base.account.delete(fromKey(key));
			else if (value !== undefined) this.base.account.put(fromKey(key), value);
		}
	}

	/**
	 * Writes what the reference has written by the time it fails at an empty code: all accounts, and the codes
	 * its map has before the first empty one. Discards the rest.
	 * @param empty keys of the contracts whose code is empty
	 */
	commitUpTo(empty: ReadonlySet<string>): void {
		this.commitAccounts((this.changes[ACCOUNT] ?? new Map()) as Map<string, Readonly<Account> | typeof GONE>);
		const codes = this.changes[CODE];
		for (const key of hashOrder([...new Set([...this.touchedCodes, ...empty])], recordHash)) {
			if (empty.has(key)) break;
			const code = codes?.get(key) as Uint8Array | undefined;
			if (code) this.below.put(stores.code, key, code);
		}
		this.clear();
	}

	/** Discards all changes. PERF: clearing an empty map allocates a new table, and each contract call ends here twice. */
	clear(): void {
		for (const map of this.changes) if (map && map.size > 0) map.clear();
		this.journal.clear();
		if (this.touchedAccounts.size > 0) this.touchedAccounts.clear();
		if (this.touchedCodes.size > 0) this.touchedCodes.clear();
	}
}
