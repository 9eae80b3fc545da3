/**
 * Contract storage during one transaction (protocol/machine §§11.1 and 14).
 *
 * A slot is absent, zero or nonzero. A zero written in this transaction counts as present; a zero in the database, which only
 * #99 leaves there, as absent. Before #99, two slots may share a database row yet differ here; since block version 38
 * touching both ends the transaction. Of the two, the one that the network's runtime writes last wins; its iteration order
 * depends on the order in which slots were added to each frame's map, so the journal records that.
 */

import { fromKey, toKey } from "../../protocol/bytes.js";
import { arrayHash } from "../../protocol/hash-order.js";
import { capacityFor, HashTable, SMALLEST_WITH_TREES, spread } from "../../protocol/hash-table.js";
import { stores } from "../state/definition.js";
import type { StateView } from "../state/view.js";
import type { Frame } from "./frame.js";
import type { Gates } from "./gates.js";
import type { ReadSlots } from "./slot-guesses.js";
import { type RowKeys, rowKeysOf } from "./storage-keys.js";
import { outOfTime } from "./vm-error.js";
import { type Word, wordFromBytes, wordToBytes } from "./word.js";

/** Where a lookup found a slot: under its own key, under the shared key used before #99, or nowhere. */
enum Found {
	OWN = 0,
	SHARED = 1,
	NOWHERE = 2,
}

/** Result of a slot's first lookup, since #99. */
interface LookUp {
	readonly found: Found;
	/** The slot's own key. */
	readonly own: string;
	/** The shared key used before #99, if it was looked up. */
	readonly shared: string | undefined;
}

interface Row {
	/** Undefined: absent. */
	readonly value: Word | undefined;
	readonly written: boolean;
	/** The row's key; before #99 only. */
	readonly key: string | undefined;
	readonly lookUp: LookUp | undefined;
}

interface Write {
	readonly storage: ContractStorage;
	readonly slot: Word;
	readonly before: Row | undefined;
	/** Key of a shared row that this write made the slot the owner of. */
	readonly owned: string | undefined;
	/** Whether the network's map contains the slot from then on; reading an absent slot doesn't add it. */
	readonly isKept: boolean;
}

/** A frame started on a copy of the parent frame's map. */
interface Copy {
	readonly storage: ContractStorage;
	readonly slot: undefined;
	/** Depth of the frame. */
	readonly depth: number;
}

type Entry = Write | Copy;

/** Steps left for finding the network's write order: journal entries read, and slots added to tables. */
interface Steps {
	left: number;
}

/** A table of more keys has the same capacity however it grew. Smaller ones may have doubled for a long bucket. */
const MAX_UNSETTLED = (SMALLEST_WITH_TREES * 0.75) / 2;

/** The rules that affect storage. */
export type StorageRules = Pick<Gates, "separateRows" | "endsSharedRows" | "energyLimit">;

export class ContractStorage {
	private readonly rows = new Map<Word, Row>();
	/** The slot that owns each shared row, if the rules track it. */
	private readonly owners = new Map<string, Word>();
	private readonly keys: RowKeys;
	private readonly exists: boolean;
	private readonly asksOwner: boolean;
	/** Whether writing a slot makes it the owner of its shared row. */
	private readonly tracksOwners: boolean;
	/** Whether slot order can matter, so that frames have their own maps. */
	private readonly tracksCopies: boolean;
	/** The latest frame of each depth that has its own map. */
	private readonly holders: Frame[] = [];
	private isEmpty = true;

	constructor(
		private readonly view: StateView,
		private readonly rules: StorageRules,
		private readonly journal: Entry[],
		address: Uint8Array,
	) {
		this.exists = view.account.has(address);
		this.keys = rowKeysOf(address, view.contract.get(address));
		this.asksOwner = rules.endsSharedRows && !rules.separateRows;
		this.tracksOwners = rules.endsSharedRows || rules.separateRows;
		this.tracksCopies = this.exists && rules.energyLimit && !this.tracksOwners;
	}

	/**
	 * Called when a frame starts using the storage. It gets a copy of its parent's map, and the parent one first if it has
	 * none. When a frame succeeds its map replaces the parent's; when it fails its map is discarded.
	 */
	usedBy(frame: Frame): void {
		if (!this.tracksCopies) return;
		const path: Frame[] = [];
		let above: Frame | undefined = frame;
		for (; above && this.holders[above.context.depth] !== above; above = above.opener) path.push(above);
		for (const holder of path.reverse()) {
			const { depth } = holder.context;
			this.holders[depth] = holder;
			if (depth > 0 && !this.isEmpty) this.journal.push({ storage: this, slot: undefined, depth });
		}
	}

	/** The value of a slot; undefined: absent. @throws {VmError} if the rules forbid a second slot of a row */
	load(slot: Word): Word | undefined {
		const row = this.rows.get(slot);
		if (row) return row.value;
		if (!this.exists) return undefined;
		if (this.rules.separateRows) return this.loadSeparate(slot);
		const shared = this.keys.shared(slot);
		const owned = this.asksOwner ? this.own(slot, shared) : undefined;
		const bytes = this.read(shared);
		const value = bytes && wordFromBytes(bytes);
		this.set(slot, { value, written: false, key: shared, lookUp: undefined }, undefined, owned);
		return value;
	}

	/** Looks up a slot's own row, then the shared row from before #99 unless another slot owns it. */
	private loadSeparate(slot: Word): Word | undefined {
		const own = this.keys.own(slot);
		const bytes = this.read(own);
		if (bytes) {
			const word = wordFromBytes(bytes);
			// A stored zero counts as absent, and is not written again.
			const value = word === 0 ? undefined : word;
			const found = value === undefined ? Found.NOWHERE : Found.OWN;
			const lookUp = { found, own, shared: undefined };
			const owned = value === undefined ? undefined : this.own(slot, this.keys.shared(slot));
			this.set(slot, { value, written: false, key: undefined, lookUp }, undefined, owned);
			return value;
		}
		const shared = this.keys.shared(slot);
		const old = this.owners.has(shared) ? undefined : this.read(shared);
		const value = old && wordFromBytes(old);
		const owned = old && this.own(slot, shared);
		const lookUp = { found: old ? Found.SHARED : Found.NOWHERE, own, shared };
		this.set(slot, { value, written: false, key: undefined, lookUp }, undefined, owned);
		return value;
	}

	/** Writes a slot; no-op for an account that doesn't exist. @throws {VmError} as {@link load} */
	store(slot: Word, value: Word): void {
		if (!this.exists) return;
		const before = this.rows.get(slot);
		const owned = this.tracksOwners && !before?.written ? this.own(slot, this.keys.shared(slot)) : undefined;
		this.set(slot, { value, written: true, key: before?.key, lookUp: before?.lookUp }, before, owned);
	}

	/** Makes a slot the owner of an unowned shared row. @returns the row's key if the slot became its owner */
	private own(slot: Word, shared: string): string | undefined {
		const owner = this.owners.get(shared);
		if (owner === undefined) {
			this.owners.set(shared, slot);
			return shared;
		}
		if (this.asksOwner && owner !== slot) throw outOfTime("CPU timeout for storage check");
		return undefined;
	}

	/** The slots that were read, with the keys of their rows. */
	get readSlots(): ReadSlots {
		return { keys: this.keys, isSeparate: this.rules.separateRows, slots: this.looksOf() };
	}

	private *looksOf(): Generator<{ readonly slot: Word; readonly isShared: boolean }> {
		for (const [slot, { lookUp }] of this.rows) yield { slot, isShared: lookUp?.shared !== undefined };
	}

	private read(key: string): Uint8Array | undefined {
		return this.view.backend.get(stores.storageRow, key);
	}

	private set(slot: Word, row: Row, before: Row | undefined, owned: string | undefined): void {
		const isKept = row.written || row.value !== undefined;
		this.journal.push({ storage: this, slot, before, owned, isKept });
		this.rows.set(slot, row);
		this.isEmpty = false;
	}

	/** Undoes one journaled write. */
	undo({ slot, before, owned }: Write): void {
		if (before) this.rows.set(slot, before);
		else this.rows.delete(slot);
		if (owned !== undefined) this.owners.delete(owned);
	}

	/** Prepares writing the changed slots. @returns writes them to the state @throws {VmAbort} if no steps are left */
	prepare(steps: Steps): () => void {
		if (this.rules.separateRows) return () => this.commitSeparate();
		const values = this.sharedValues(steps);
		return () => this.commitShared(values);
	}

	/** The values of written rows. PERF: computes the network's write order only if two slots share a row. */
	private sharedValues(steps: Steps): ReadonlyMap<string, Word> {
		const values = new Map<string, Word>();
		let written = 0;
		for (const [slot, row] of this.rows) {
			if (!row.written) continue;
			written++;
			values.set(row.key ?? this.keys.shared(slot), row.value as Word);
		}
		if (values.size < written) {
			for (const slot of this.orderByBucket() ?? this.walk(steps)) {
				const row = this.rows.get(slot);
				if (row?.written) values.set(this.keys.shared(slot), row.value as Word);
			}
		}
		return values;
	}

	private commitShared(values: ReadonlyMap<string, Word>): void {
		for (const [key, value] of values) {
			if (value === 0) this.view.backend.delete(stores.storageRow, key);
			else this.view.backend.put(stores.storageRow, key, wordToBytes(value));
		}
	}

	/**
	 * The written slots by their buckets in the network's final map; undefined if that isn't enough to tell which slot of a
	 * row comes last. PERF: {@link walk} grows with the slots of every copy, and only slots that were chosen for it need it.
	 */
	private orderByBucket(): Word[] | undefined {
		let count = 0;
		for (const { written, value } of this.rows.values()) if (written || value !== undefined) count++;
		if (count <= MAX_UNSETTLED) return undefined;
		const capacity = capacityFor(count);
		const places = new Set<string>();
		const found: { readonly slot: Word; readonly bucket: number }[] = [];
		for (const [slot, { written }] of this.rows) {
			if (!written) continue;
			const bucket = spread(arrayHash(toKey(wordToBytes(slot)))) & (capacity - 1);
			const place = this.keys.shared(slot) + bucket;
			if (places.has(place)) return undefined;
			places.add(place);
			found.push({ slot, bucket });
		}
		return found.sort((a, b) => a.bucket - b.bucket).map(({ slot }) => slot);
	}

	/** The slots in the order in which the network's runtime iterates its final map. */
	private walk(steps: Steps): Word[] {
		let table = new HashTable(arrayHash);
		for (const entry of this.journal) {
			steps.left--;
			if (entry.storage === this) {
				if (entry.slot !== undefined) {
					if (entry.isKept) table.add(toKey(wordToBytes(entry.slot)));
				} else {
					const copy = table.copy();
					if (copy !== table) steps.left -= copy.size;
					table = copy;
				}
			}
			if (steps.left < 0) throw outOfTime("CPU timeout for storage copies");
		}
		return table.keys().map((name) => wordFromBytes(fromKey(name)));
	}

	/**
	 * Writes changed slots under their own keys, including zeros, and migrates slots that were only read under the shared key.
	 */
	private commitSeparate(): void {
		const { backend } = this.view;
		for (const [slot, { value, written, lookUp }] of this.rows) {
			const isOld = lookUp?.found === Found.SHARED;
			if (!written && !isOld) continue;
			backend.put(stores.storageRow, lookUp?.own ?? this.keys.own(slot), wordToBytes(value as Word));
			if (isOld || !lookUp) backend.delete(stores.storageRow, lookUp?.shared ?? this.keys.shared(slot));
		}
	}
}

/** A point that the transaction's storage can be reverted to. */
export interface StorageMark {
	readonly entries: number;
	/** Number of contracts whose storage had been touched. */
	readonly contracts: number;
}

/** The storage of every contract that a transaction has touched. */
export class TransactionStorage {
	private readonly contracts = new Map<string, ContractStorage>();
	private readonly journal: Entry[] = [];

	constructor(
		private readonly view: StateView,
		private readonly rules: StorageRules,
	) {}

	/** The storage of a contract, whose record must already exist. */
	of(address: Uint8Array): ContractStorage {
		const key = toKey(address);
		let storage = this.contracts.get(key);
		if (!storage) {
			storage = new ContractStorage(this.view, this.rules, this.journal, address);
			this.contracts.set(key, storage);
		}
		return storage;
	}

	mark(): StorageMark {
		return { entries: this.journal.length, contracts: this.contracts.size };
	}

	/** Reverts a frame of that depth. Copies made for its ancestors stay. */
	revert({ entries: mark }: StorageMark, depth: number): void {
		const stays: Copy[] = [];
		for (let i = this.journal.length - 1; i >= mark; i--) {
			const entry = this.journal[i] as Entry;
			if (entry.slot !== undefined) entry.storage.undo(entry);
			else if (entry.depth < depth) stays.push(entry);
		}
		this.journal.length = mark;
		this.journal.push(...stays.reverse());
	}

	/**
	 * Reverts a frame under the rules before block version 5: it shared storage objects with its ancestors
	 * that had already touched a contract, so its writes there stay; contracts it touched first are dropped.
	 */
	forgetSince(mark: StorageMark): void {
		for (const key of [...this.contracts.keys()].slice(mark.contracts)) this.contracts.delete(key);
	}

	/** @param maxSteps for finding the network's write order @throws {VmAbort} if it takes more; nothing is written */
	commit(maxSteps = Number.POSITIVE_INFINITY): void {
		const steps = { left: maxSteps };
		const commits = [...this.contracts.values()].map((storage) => storage.prepare(steps));
		for (const commit of commits) commit();
	}

	/** What was read of each contract. */
	*readSlots(): Generator<ReadSlots> {
		for (const storage of this.contracts.values()) yield storage.readSlots;
	}
}
