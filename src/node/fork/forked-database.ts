/**
 * The database of a fork: its own, on top of another node's state after one block, whose entries are fetched
 * on first read and kept.
 *
 * Contract: an entry that was ever written, fetched or found missing is never requested again, so what was read stays
 * readable without the source. Values from the source are decoded before they are stored. An entry that can't be fetched is
 * an error of the read, and leaves no trace. Blocks above the forked one are never requested.
 *
 * Besides entries, it stores markers for missing ones, and the source's keys of ordered stores.
 */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { EMPTY, fromKey, readBe64, toKey } from "../../protocol/bytes.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import type { BatchChange, DatabaseLevel, KeyValueDatabase } from "../state/database.js";
import { STORE_COUNT, type StoreDefinition, storeDefinitions, stores } from "../state/definition.js";
import { type EncodedValues, type EntryName, ForkReadError, type StateSource } from "./state-source.js";

/** Key prefix of missing-entry markers and ordered store keys, followed by the entry's own key. */
const ABSENT_PREFIX = 0xfc;
const LISTED_PREFIX = 0xfb;

/** Neighbours fetched along with an entry of an ordered store: its readers mostly iterate the whole store. */
const NEIGHBOURS = 250;
/** Limit in bytes of stored fetches; beyond it, entries evicted from memory are fetched again. */
const MAX_KEPT_BYTES = 4 * 2 ** 30;
/** Fetched entries are written once this many bytes are waiting, or with the next batch. */
const MAX_WAITING_BYTES = 256 << 10;

const indexesOf = (...list: readonly { readonly index: number }[]): ReadonlySet<number> =>
	new Set(list.map(({ index }) => index));

/** Entries of one address that are read together. */
const OF_CONTRACT = [stores.account, stores.contract, stores.code, stores.contractState] as const;
const CONTRACT_INDEXES = indexesOf(...OF_CONTRACT);

/** Stores whose keys start with a block number. */
const BY_NUMBER = indexesOf(
	stores.block,
	stores.blockIndex,
	stores.transactionResult,
	stores.treeBlockIndex,
	stores.balanceTrace,
);

/** The listed keys of an ordered store, with their positions. */
interface Listing {
	readonly keys: readonly string[];
	readonly places: ReadonlyMap<string, number>;
}

interface ForkPlace {
	/** The block after which the chains diverge. */
	readonly number: bigint;
}

export class ForkedDatabase implements KeyValueDatabase {
	readonly compared?: Promise<void>;
	/** Not yet in the database, by full key; null: deleted. */
	private readonly waiting = new Map<string, Uint8Array | null>();
	/** Fetched entries not yet in any batch. */
	private fetched: BatchChange[] = [];
	private fetchedBytes = 0;
	private keptBytes = 0;
	/** Batches are serialized: a later value must not be written first. */
	private writing: Promise<void> = Promise.resolve();
	private failure: unknown;
	private readonly listings = new Map<number, Listing>();
	/** Keys by prefix, as listed in this run. */
	private readonly prefixes = new Map<string, readonly string[]>();

	/**
	 * @param isFounded whether there is a description: only its own batch may be written before
	 * @param mostKept maximum bytes of stored entries
	 */
	constructor(
		private readonly own: KeyValueDatabase,
		private readonly source: StateSource,
		private readonly place: ForkPlace,
		private isFounded: boolean,
		private readonly mostKept = MAX_KEPT_BYTES,
	) {
		if (own.compared) this.compared = own.compared;
	}

	/** Bytes fetched since the start. */
	get bytesFetched(): number {
		return this.keptBytes;
	}

	/**
	 * Sets the initial keys of ordered stores. They are written with the next batch.
	 * @param keys of each ordered store of the source
	 */
	list(keys: ReadonlyMap<StoreDefinition<unknown>, readonly string[]>): void {
		for (const [{ index }, all] of keys) {
			for (const key of all) this.keep(LISTED_PREFIX, toKey(Uint8Array.of(index)) + key, EMPTY);
			this.listings.set(index, listingOf(all));
		}
	}

	get(key: Uint8Array): Uint8Array | undefined {
		const store = storeDefinitions[key[0] ?? STORE_COUNT];
		if (!store) return this.own.get(key);
		const known = this.known(toKey(key));
		if (known !== undefined) return known ?? undefined;
		const name = { store, key: toKey(key.subarray(1)) };
		if (!this.mayHave(name)) return undefined;
		const wanted = this.withCompanions(name);
		const values = this.decodable(wanted, this.source.entries(wanted));
		this.keepAll(wanted, values);
		return values[0];
	}

	async getMany(keys: readonly Uint8Array[]): Promise<EncodedValues> {
		const missing = new Map<string, EntryName>();
		const texts = keys.map(toKey);
		const values = keys.map((key, at) => {
			const store = storeDefinitions[key[0] ?? STORE_COUNT];
			const known = store ? this.known(texts[at] as string) : this.own.get(key);
			if (known !== undefined || !store) return known ?? undefined;
			const name = { store, key: toKey(key.subarray(1)) };
			if (this.mayHave(name)) missing.set(texts[at] as string, name);
			return undefined;
		});
		if (missing.size === 0) return values;
		const wanted = [...missing.values()];
		const fetched = this.decodable(wanted, await this.source.entriesLater(wanted));
		this.keepAll(wanted, fetched);
		const found = new Map([...missing.keys()].map((text, at) => [text, fetched[at]]));
		return texts.map((text, at) => {
			if (!missing.has(text)) return values[at];
			// It may have been written meanwhile.
			const known = this.known(text);
			return known === undefined ? found.get(text) : (known ?? undefined);
		});
	}

	/**
	 * What is known about an entry without the source; null: missing; undefined: unknown.
	 * @param key with the store's index
	 */
	private known(key: string): Uint8Array | null | undefined {
		const waiting = this.waiting.get(key);
		if (waiting !== undefined) return waiting;
		const stored = this.own.get(fromKey(key));
		if (stored) return stored;
		return this.own.get(absentKey(key)) ? null : undefined;
	}

	/** Whether the source may have an entry: not if later blocks create it or it can't be queried. */
	private mayHave({ store, key }: EntryName): boolean {
		const { number } = this.place;
		if (BY_NUMBER.has(store.index))
			return key.length >= 8 && numberAt(key, 0) <= number && this.source.has(store);
		if (store.index === stores.accountTrace.index) {
			return (
				key.length >= 8 && (numberAt(key, key.length - 8) ^ MAX_INT64) <= number && this.source.has(store)
			);
		}
		return this.source.has(store);
	}

	/** The entry, and those usually read after it. */
	private withCompanions(name: EntryName): readonly EntryName[] {
		const { store, key } = name;
		const companions: EntryName[] = CONTRACT_INDEXES.has(store.index)
			? OF_CONTRACT.map((other) => ({ store: other as StoreDefinition<unknown>, key }))
			: this.neighbours(name);
		const unknown = companions.filter(
			(other) =>
				(other.store.index !== store.index || other.key !== key) &&
				this.source.has(other.store) &&
				this.known(wholeKey(other)) === undefined,
		);
		return [name, ...unknown.slice(0, this.source.mostEntries - 1)];
	}

	private neighbours({ store, key }: EntryName): EntryName[] {
		const listing = this.listings.get(store.index);
		const at = listing?.places.get(key);
		if (!listing || at === undefined) return [];
		return listing.keys.slice(at + 1, at + 1 + NEIGHBOURS).map((other) => ({ store, key: other }));
	}

	/** @throws {ForkReadError} if a value doesn't decode: nothing of the response is stored */
	private decodable(wanted: readonly EntryName[], values: EncodedValues): EncodedValues {
		for (const [at, { store, key }] of wanted.entries()) {
			const value = values[at];
			if (value === undefined) continue;
			try {
				store.codec.decode(value, key);
				if ("packed" in store) (store as PackedStore).packed.decode(value);
			} catch {
				throw new ForkReadError(
					`the fork's source ${this.source.name} gives an entry of the store ${store.name} that can't be read`,
				);
			}
		}
		return values;
	}

	private keepAll(wanted: readonly EntryName[], values: EncodedValues): void {
		if (this.keptBytes > this.mostKept) return;
		for (const [at, name] of wanted.entries()) {
			const key = wholeKey(name);
			// A write during the request is newer.
			if (this.known(key) !== undefined) continue;
			const value = values[at];
			this.waiting.set(key, value ?? null);
			if (value) this.keep(undefined, key, value);
			else this.keep(ABSENT_PREFIX, key, EMPTY);
		}
		if (this.isFounded && this.fetchedBytes > MAX_WAITING_BYTES) void this.append([], false).catch(() => {});
	}

	private keep(prefix: number | undefined, key: string, value: Uint8Array): void {
		const bytes = prefix === undefined ? fromKey(key) : prefixed(prefix, key);
		this.fetched.push({ key: bytes, value });
		this.fetchedBytes += bytes.length + value.length;
		this.keptBytes += bytes.length + value.length;
	}

	write(changes: readonly BatchChange[], sync: boolean): Promise<void> {
		this.isFounded = true;
		return this.append(changes, sync);
	}

	/** Appends changes after earlier fetches and the batches in progress. */
	private append(changes: readonly BatchChange[], sync: boolean): Promise<void> {
		const marks: BatchChange[] = [];
		const handed = new Map<string, Uint8Array | null>();
		for (const { key, value } of this.fetched) {
			if (key[0] === ABSENT_PREFIX) handed.set(toKey(key.subarray(1)), null);
			else if (key[0] !== LISTED_PREFIX) handed.set(toKey(key), value);
		}
		for (const { key, value } of changes) {
			if ((key[0] ?? STORE_COUNT) >= STORE_COUNT) continue;
			const text = toKey(key);
			handed.set(text, value);
			this.waiting.set(text, value);
			if (value === null) marks.push({ key: absentKey(text), value: EMPTY });
		}
		const batch = [...this.fetched, ...changes, ...marks];
		this.fetched = [];
		this.fetchedBytes = 0;
		this.writing = this.writing.then(async () => {
			if (this.failure !== undefined) throw this.failure;
			try {
				await this.own.write(batch, sync);
			} catch (error) {
				this.failure = error;
				throw error;
			}
			for (const [key, value] of handed) if (this.waiting.get(key) === value) this.waiting.delete(key);
		});
		return this.writing;
	}

	/**
	 * As for any database, except that entries of ordered stores come unordered, and without value if not
	 * fetched. PERF: visits all keys of the source, once, when opening.
	 */
	async *entries(prefix: Uint8Array): AsyncGenerator<readonly [Uint8Array, Uint8Array]> {
		const store = storeDefinitions[prefix[0] ?? STORE_COUNT];
		const isListed = prefix.length === 1 ? store?.ordered : prefix.length > ADDRESS_LENGTH;
		if (!store || !isListed || !this.source.has(store)) return yield* this.own.entries(prefix);
		await this.writing;
		const seen = new Set<string>();
		for await (const entry of this.own.entries(prefix)) {
			seen.add(toKey(entry[0].subarray(1)));
			yield entry;
		}
		const listed =
			prefix.length === 1
				? await this.listed(store.index)
				: await this.listedWith(store, toKey(prefix.subarray(1)));
		const head = toKey(prefix.subarray(0, 1));
		for (const key of listed) {
			if (seen.has(key) || this.known(head + key) === null) continue;
			yield [fromKey(head + key), EMPTY];
		}
	}

	/** Keys of the source with a prefix; requested once. */
	private async listedWith(store: StoreDefinition<unknown>, prefix: string): Promise<readonly string[]> {
		const own = Uint8Array.of(store.index);
		const mark = toKey(own) + prefix;
		const known = this.prefixes.get(mark);
		if (known) return known;
		const keys: string[] = [];
		if (this.own.get(prefixed(LISTED_PREFIX, mark))?.length === 1) {
			for await (const [key] of this.own.entries(prefixed(LISTED_PREFIX, mark)))
				keys.push(toKey(key.subarray(2)));
			return keys.filter((key) => key !== prefix);
		}
		const listed = await this.source.keysWith(store, prefix);
		this.keep(LISTED_PREFIX, mark, Uint8Array.of(1));
		for (const key of listed) this.keep(LISTED_PREFIX, toKey(own) + key, EMPTY);
		this.prefixes.set(mark, listed);
		return listed;
	}

	private async listed(index: number): Promise<readonly string[]> {
		const known = this.listings.get(index);
		if (known) return known.keys;
		const keys: string[] = [];
		for await (const [key] of this.own.entries(Uint8Array.of(LISTED_PREFIX, index))) {
			keys.push(toKey(key.subarray(2)));
		}
		this.listings.set(index, listingOf(keys));
		return keys;
	}

	async firstKey(from: Uint8Array, end: Uint8Array): Promise<Uint8Array | undefined> {
		await this.writing;
		return this.own.firstKey(from, end);
	}

	levels(): readonly DatabaseLevel[] {
		return this.own.levels?.() ?? [];
	}

	async close(): Promise<void> {
		try {
			if (this.isFounded && this.failure === undefined) await this.append([], false);
		} finally {
			await this.own.close();
		}
	}
}

type PackedStore = StoreDefinition<unknown> & { readonly packed: { decode(bytes: Uint8Array): unknown } };

const numberAt = (key: string, at: number): bigint => readBe64(fromKey(key.slice(at, at + 8)));

const wholeKey = ({ store, key }: EntryName): string => toKey(Uint8Array.of(store.index)) + key;

const prefixed = (prefix: number, key: string): Uint8Array =>
	Buffer.concat([Uint8Array.of(prefix), fromKey(key)]);

/** @param key with the store's index */
const absentKey = (key: string): Uint8Array => prefixed(ABSENT_PREFIX, key);

const listingOf = (keys: readonly string[]): Listing => ({
	keys,
	places: new Map(keys.map((key, at) => [key, at])),
});
