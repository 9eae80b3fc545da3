/**
 * The database of a fork: its own, and below it another node's state after one block, of which an entry is fetched when it
 * is first read, and kept.
 *
 * Contract: an entry that was ever written or fetched here is never asked for again, nor is one that the other state was found
 * not to have; so what was read stays readable without the source. What comes from the source is decoded before it is
 * kept. An entry that can't be had is an error of the read, and leaves no trace. Blocks above the one that was forked are
 * never asked for.
 *
 * Beside the entries lie marks of those that are not there, and the keys that ordered stores had.
 */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { EMPTY, fromKey, readBe64, toKey } from "../../protocol/bytes.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import type { BatchChange, DatabaseLevel, KeyValueDatabase } from "../state/database.js";
import { STORE_COUNT, type StoreDefinition, storeDefinitions, stores } from "../state/definition.js";
import { type EncodedValues, type EntryName, ForkReadError, type StateSource } from "./state-source.js";

/** First byte of the marks of entries that are not there, and of the keys of ordered stores, before an entry's own key. */
const ABSENT_PREFIX = 0xfc;
const LISTED_PREFIX = 0xfb;

/** Neighbours that are fetched with an entry of an ordered store: whoever reads one of these mostly walks over all. */
const NEIGHBOURS = 250;
/** Bytes that are fetched and kept for good; beyond it entries are fetched again when memory has forgotten them. */
const MAX_KEPT_BYTES = 4 * 2 ** 30;
/** Entries that wait to be written are written when so many bytes wait, or with the next batch. */
const MAX_WAITING_BYTES = 256 << 10;

const indexesOf = (...list: readonly { readonly index: number }[]): ReadonlySet<number> =>
	new Set(list.map(({ index }) => index));

/** Entries of one address that are read together. */
const OF_CONTRACT = [stores.account, stores.contract, stores.code, stores.contractState] as const;
const CONTRACT_INDEXES = indexesOf(...OF_CONTRACT);

/** Stores whose keys begin with the number of their block. */
const BY_NUMBER = indexesOf(
	stores.block,
	stores.blockIndex,
	stores.transactionResult,
	stores.treeBlockIndex,
	stores.balanceTrace,
);

/** The listed keys of an ordered store, and where each stands. */
interface Listing {
	readonly keys: readonly string[];
	readonly places: ReadonlyMap<string, number>;
}

interface ForkPlace {
	/** The block after which the chains part. */
	readonly number: bigint;
}

export class ForkedDatabase implements KeyValueDatabase {
	readonly compared?: Promise<void>;
	/** What the database doesn't hold yet, by whole key; null: it is deleted. */
	private readonly waiting = new Map<string, Uint8Array | null>();
	/** Fetched entries that no batch brings yet. */
	private fetched: BatchChange[] = [];
	private fetchedBytes = 0;
	private keptBytes = 0;
	/** One batch after the other: a later value must not be written first. */
	private writing: Promise<void> = Promise.resolve();
	private failure: unknown;
	private readonly listings = new Map<number, Listing>();
	/** Keys by what they begin with, as they were listed in this run. */
	private readonly prefixes = new Map<string, readonly string[]>();

	/**
	 * @param isFounded whether the database has a description already: before, nothing may be written but the batch that brings it
	 * @param mostKept bytes of entries that are kept
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

	/** Bytes that were fetched since the start. */
	get bytesFetched(): number {
		return this.keptBytes;
	}

	/**
	 * Takes what a new fork begins with: the keys of ordered stores. They are written with the next batch.
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
			// Something may have been written meanwhile.
			const known = this.known(text);
			return known === undefined ? found.get(text) : (known ?? undefined);
		});
	}

	/** What is known of an entry without the source; null: it isn't there; undefined: nothing. @param key with the store's index */
	private known(key: string): Uint8Array | null | undefined {
		const waiting = this.waiting.get(key);
		if (waiting !== undefined) return waiting;
		const stored = this.own.get(fromKey(key));
		if (stored) return stored;
		return this.own.get(absentKey(key)) ? null : undefined;
	}

	/** Whether the other state may have an entry: what later blocks leave behind isn't there, nor is what it can't give. */
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

	/** The entry, and those that are mostly read after it. */
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

	/** @throws {ForkReadError} if a value isn't one of its store: nothing of the answer is kept */
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
			// What was written while the answer was under way is newer.
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

	/** Writes changes behind what was fetched before them, after the batches that are under way. */
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
	 * As of any database, but for ordered stores, whose entries come in no order, those that weren't fetched without their value.
	 * PERF: all keys that the source had are looked at, once, at the open.
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

	/** Keys that the source has with a prefix; asked for once. */
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
