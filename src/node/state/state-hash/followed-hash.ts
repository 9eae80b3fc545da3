/**
 * Maintains the state hash: the changes of each final block go to a thread, which returns the hash after it.
 * The sums are stored with the state they belong to, so that a start continues from them; if missing, they
 * are computed from a database snapshot while blocks continue (protocol/state-hash §5).
 *
 * Contract: no failure here fails a block or a write; there are just no hashes from then on, and the next
 * start recomputes the sums.
 */

import type { BatchChange, DatabaseMoment, KeyValueDatabase } from "../database.js";
import type { StoreDefinition } from "../definition.js";
import { storeDefinitions, stores } from "../definition.js";
import { type Entry, type EntryMaps, GONE, makeMaps, storeAt } from "../entry.js";
import { kindOf } from "../store-kinds.js";
import { hashDatabase } from "./hash-database.js";
import { HashThreads } from "./hash-threads.js";
import { KeptHashes, NO_SUMS, readSums, sumsChange } from "./kept-hashes.js";
import { STATE_SUMS_BYTES, type StateHash } from "./state-hash.js";

/** The base's entries, which the hash covers. */
interface FollowedBase {
	get<V>(store: StoreDefinition<V>, key: string): V | undefined;
	/** Called before each write. */
	recorder: ((store: StoreDefinition<unknown>, key: string) => void) | undefined;
}

export interface FollowedHashOptions {
	/** The block whose state the database has; undefined: none yet. */
	readonly number: bigint | undefined;
	/** Threads for the first pass over the database; 0: none. */
	readonly threads: number;
	/** A first pass over the database starts. */
	readonly onCounting: () => void;
	/** It is complete. */
	readonly onCounted: (entries: number) => void;
	/** Called once, if hashing can't continue. */
	readonly onFailure: (error: unknown) => void;
}

const isHashed: readonly boolean[] = storeDefinitions.map(({ name }) => kindOf(name) === "state");
const NEXT_MAINTENANCE = "NEXT_MAINTENANCE_TIME";
/** Maximum entries with cached encodings: a block often replaces what the previous one wrote. */
const MAX_ENCODED = 32_768;
/** Longer values are encoded again. */
const MAX_ENCODED_BYTES = 2 << 10;

const makeEncoded = () => storeDefinitions.map(() => new Map());

export class FollowedHash {
	private readonly hashing: HashThreads;
	/** Entries written since the last block, with their previous values. */
	private before: EntryMaps = makeMaps();
	/** Cached encodings of entries written by earlier blocks, by store and key. */
	private encoded: Map<string, { readonly entry: Entry; readonly bytes: Uint8Array }>[] = makeEncoded();
	private encodedCount = 0;
	private stage: "counting" | "following" | "failed" | "closed" = "counting";
	private counted = 0;
	private counting: Promise<void> | undefined;
	private last: bigint;
	private flushedTo = 0n;

	private constructor(
		private readonly base: FollowedBase,
		readonly kept: KeptHashes,
		private readonly options: FollowedHashOptions,
	) {
		this.hashing = new HashThreads(Math.min(options.threads, 1));
		this.last = options.number ?? 0n;
		base.recorder = (store, key) => this.note(store, key);
	}

	/** Invalidates stored sums: the database now belongs to a state whose hash isn't maintained. */
	static async forget(database: KeyValueDatabase): Promise<void> {
		if (readSums(database)) await database.write([NO_SUMS], true);
	}

	/** No write to the database may be pending. */
	static async open(
		database: KeyValueDatabase,
		base: FollowedBase,
		options: FollowedHashOptions,
	): Promise<FollowedHash> {
		const { number } = options;
		const stored = readSums(database);
		const isCurrent = stored?.number === number && stored?.sums.length === STATE_SUMS_BYTES;
		const hash = new FollowedHash(base, await KeptHashes.open(database), options);
		if (stored && isCurrent) hash.hashing.merge(stored.sums);
		// A new chain has no state yet: genesis is hashed with the flush that writes it.
		if (number === undefined) hash.stage = "following";
		else if (isCurrent) hash.follow();
		else {
			if (stored) await database.write([NO_SUMS], true);
			options.onCounting();
			const moment = database.moment?.();
			hash.counting = hash.count(moment ?? database, moment);
			if (!moment) await hash.counting;
		}
		return hash;
	}

	/** Entries read by the first pass; undefined once there are hashes. */
	get progress(): number | undefined {
		return this.stage === "counting" ? this.counted : undefined;
	}

	get hasFailed(): boolean {
		return this.stage === "failed";
	}

	private async count(
		database: Pick<KeyValueDatabase, "range" | "entries">,
		moment: DatabaseMoment | undefined,
	): Promise<void> {
		let state: StateHash | undefined;
		try {
			const onHashed = (_: string, entries: number): boolean => {
				this.counted = entries;
				return this.stage === "counting";
			};
			state = await hashDatabase(database, onHashed, this.options.threads);
		} catch (error) {
			this.fail(error);
		} finally {
			await moment?.close();
		}
		if (!state || this.stage !== "counting") return;
		this.hashing.merge(state.sums());
		this.follow();
		this.options.onCounted(this.counted);
	}

	/** The sums now match the state after the last block. */
	private follow(): void {
		this.stage = "following";
		if (!this.kept.at(this.last)) this.keep(this.last, false);
	}

	private keep(number: bigint, endsCycle: boolean): void {
		this.hashing.value().then(
			(value) => this.kept.add({ ...value, number, endsCycle }),
			(error: unknown) => this.fail(error),
		);
	}

	private fail(error: unknown): void {
		if (this.stage === "failed" || this.stage === "closed") return;
		this.stage = "failed";
		this.base.recorder = undefined;
		this.before = makeMaps();
		this.options.onFailure(error);
	}

	private note(store: StoreDefinition<unknown>, key: string): void {
		if (!isHashed[store.index]) return;
		const map = this.before[store.index] as Map<string, Entry>;
		if (!map.has(key)) map.set(key, this.base.get(store, key) ?? GONE);
	}

	/** The state is now that after a block. */
	endBlock(number: bigint): void {
		if (this.stage === "failed" || this.stage === "closed") return;
		const endsCycle = this.sendChanges();
		// A start settles once more what it found; no block did that.
		if (number <= this.last) return;
		this.last = number;
		if (this.stage === "following") this.keep(number, endsCycle);
	}

	/** @returns whether they include the time of the next maintenance */
	private sendChanges(): boolean {
		const { hashing, base } = this;
		let endsCycle = false;
		for (const [index, map] of this.before.entries()) {
			if (map.size === 0) continue;
			const store = storeAt(index);
			for (const [key, before] of map) {
				const after = base.get(store, key) ?? GONE;
				if (before === after) continue;
				if (before !== GONE) hashing.change(false, index, key, this.valueBefore(store, key, before));
				if (after !== GONE) hashing.change(true, index, key, this.valueAfter(store, key, after));
				endsCycle ||= index === stores.properties.index && key === NEXT_MAINTENANCE;
			}
			map.clear();
		}
		return endsCycle;
	}

	private valueBefore(store: StoreDefinition<unknown>, key: string, entry: Entry): Uint8Array {
		const known = this.encoded[store.index]?.get(key);
		return known !== undefined && known.entry === entry ? known.bytes : store.codec.encode(entry, key);
	}

	private valueAfter(store: StoreDefinition<unknown>, key: string, entry: Entry): Uint8Array {
		const bytes = store.codec.encode(entry, key);
		// Re-encoding anything but records is too cheap to cache.
		if (typeof entry !== "object" || bytes.length > MAX_ENCODED_BYTES) return bytes;
		if (this.encodedCount >= MAX_ENCODED) {
			this.encoded = makeEncoded();
			this.encodedCount = 0;
		}
		this.encodedCount++;
		this.encoded[store.index]?.set(key, { entry, bytes });
		return bytes;
	}

	/** @returns changes for the batch that brings the state after the last block to the database */
	async beginFlush(): Promise<readonly BatchChange[]> {
		this.flushedTo = -1n;
		if (this.stage !== "failed" && this.stage !== "closed") this.sendChanges();
		if (this.stage !== "following") return [NO_SUMS];
		if (this.last === 0n && !this.kept.at(0n)) this.keep(0n, false);
		try {
			const { last } = this;
			const sums = await this.hashing.sums();
			this.flushedTo = last;
			return [sumsChange(last, sums), ...this.kept.flush(last)];
		} catch (error) {
			this.fail(error);
			return [NO_SUMS];
		}
	}

	endFlush(isWritten: boolean): void {
		if (isWritten && this.flushedTo >= 0n) this.kept.flushed(this.flushedTo);
	}

	/** Stops hashing. */
	async close(): Promise<void> {
		if (this.stage !== "failed") this.stage = "closed";
		this.base.recorder = undefined;
		await this.hashing.close();
		await this.counting;
	}
}
