/**
 * The storage of contracts during one transaction (protocol/machine §§11.1 and 14).
 *
 * A slot is absent, zero or not. A zero written in this transaction is present; a zero in the database, which only #99
 * leaves there, is absent. Before #99 two slots may share one row of the database and still differ here, until block
 * version 38 ends a transaction that touches both.
 */

import { fromKey, toKey } from "../../protocol/bytes.js";
import { hashOrder } from "../../protocol/hash-order.js";
import { stores } from "../state/definition.js";
import type { StateView } from "../state/view.js";
import type { Gates } from "./gates.js";
import type { ReadSlots } from "./slot-guesses.js";
import { RowKeys } from "./storage-keys.js";
import { outOfTime } from "./vm-error.js";
import { type Word, wordFromBytes, wordToBytes } from "./word.js";

/** Where a look-up found a slot: under its own key, under the key of before #99, or nowhere. */
enum Found {
	OWN = 0,
	SHARED = 1,
	NOWHERE = 2,
}

/** What the first look-up of a slot came to, since #99. */
interface LookUp {
	readonly found: Found;
	/** The slot's own key. */
	readonly own: string;
	/** The key of before #99, where it was looked for. */
	readonly shared: string | undefined;
}

interface Row {
	/** Undefined: absent. */
	readonly value: Word | undefined;
	readonly written: boolean;
	readonly lookUp: LookUp | undefined;
}

interface Write {
	readonly storage: ContractStorage;
	readonly slot: Word;
	readonly before: Row | undefined;
	/** Key of a shared row that the slot came to own. */
	readonly owned: string | undefined;
}

/** What of the rules concerns storage. */
export type StorageRules = Pick<Gates, "separateRows" | "endsSharedRows">;

export class ContractStorage {
	private readonly rows = new Map<Word, Row>();
	/** The slot that each shared row belongs to, where the rules ask. */
	private readonly owners = new Map<string, Word>();
	private readonly keys: RowKeys;
	private readonly exists: boolean;
	private readonly asksOwner: boolean;
	/** Whether written slots come to own shared rows. */
	private readonly tracksOwners: boolean;

	constructor(
		private readonly view: StateView,
		private readonly rules: StorageRules,
		private readonly journal: Write[],
		address: Uint8Array,
	) {
		this.exists = view.account.has(address);
		const contract = view.contract.get(address);
		this.keys = new RowKeys(address, contract?.trx_hash, contract?.version);
		this.asksOwner = rules.endsSharedRows && !rules.separateRows;
		this.tracksOwners = rules.endsSharedRows || rules.separateRows;
	}

	/** The value of a slot; undefined: absent. @throws {VmError} if the rules don't allow another slot of a row */
	load(slot: Word): Word | undefined {
		const row = this.rows.get(slot);
		if (row) return row.value;
		if (!this.exists) return undefined;
		if (this.rules.separateRows) return this.loadSeparate(slot);
		const shared = this.keys.shared(slot);
		const owned = this.asksOwner ? this.own(slot, shared) : undefined;
		const bytes = this.read(shared);
		const value = bytes && wordFromBytes(bytes);
		this.set(slot, { value, written: false, lookUp: undefined }, undefined, owned);
		return value;
	}

	/** Looks for a slot's own row, then for the one of before #99 unless that is another slot's. */
	private loadSeparate(slot: Word): Word | undefined {
		const own = this.keys.own(slot);
		const bytes = this.read(own);
		if (bytes) {
			const word = wordFromBytes(bytes);
			// A zero is as good as no row, and is not written again.
			const value = word === 0 ? undefined : word;
			const found = value === undefined ? Found.NOWHERE : Found.OWN;
			this.set(
				slot,
				{ value, written: false, lookUp: { found, own, shared: undefined } },
				undefined,
				undefined,
			);
			return value;
		}
		const shared = this.keys.shared(slot);
		const old = this.owners.has(shared) ? undefined : this.read(shared);
		const value = old && wordFromBytes(old);
		const owned = old && this.own(slot, shared);
		const lookUp = { found: old ? Found.SHARED : Found.NOWHERE, own, shared };
		this.set(slot, { value, written: false, lookUp }, undefined, owned);
		return value;
	}

	/** Writes a slot; ignored for an account that doesn't exist. @throws {VmError} as {@link load} */
	store(slot: Word, value: Word): void {
		if (!this.exists) return;
		const before = this.rows.get(slot);
		const owned = this.tracksOwners && !before?.written ? this.own(slot, this.keys.shared(slot)) : undefined;
		this.set(slot, { value, written: true, lookUp: before?.lookUp }, before, owned);
	}

	/** Gives a slot a shared row that nobody has. @returns the row's key if the slot didn't have it before */
	private own(slot: Word, shared: string): string | undefined {
		const owner = this.owners.get(shared);
		if (owner === undefined) {
			this.owners.set(shared, slot);
			return shared;
		}
		if (this.asksOwner && owner !== slot) throw outOfTime("CPU timeout for storage check");
		return undefined;
	}

	/** The slots that were looked at, and how their rows are called. */
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
		this.journal.push({ storage: this, slot, before, owned });
		this.rows.set(slot, row);
	}

	/** Takes a write of the journal back. */
	undo({ slot, before, owned }: Write): void {
		if (before) this.rows.set(slot, before);
		else this.rows.delete(slot);
		if (owned !== undefined) this.owners.delete(owned);
	}

	/** Writes the changed slots to the state. */
	commit(): void {
		if (this.rules.separateRows) this.commitSeparate();
		else this.commitShared();
	}

	/** Slots that share a row are written in the order of the network's runtime. */
	private commitShared(): void {
		const written: string[] = [];
		const values = new Map<string, Word>();
		for (const [slot, row] of this.rows) {
			const name = toKey(wordToBytes(slot));
			written.push(name);
			if (row.written) values.set(name, row.value as Word);
		}
		for (const name of hashOrder(written)) {
			const value = values.get(name);
			if (value === undefined) continue;
			const key = this.keys.shared(wordFromBytes(fromKey(name)));
			if (value === 0) this.view.backend.delete(stores.storageRow, key);
			else this.view.backend.put(stores.storageRow, key, wordToBytes(value));
		}
	}

	/** Writes changed slots under their own keys, zeros too, and moves what was only read under its old key. */
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

/** A point to which the storage of a transaction can return. */
export interface StorageMark {
	readonly writes: number;
	/** Contracts whose storage was touched by then. */
	readonly contracts: number;
}

/** All contract storage that a transaction has touched. */
export class TransactionStorage {
	private readonly contracts = new Map<string, ContractStorage>();
	private readonly journal: Write[] = [];

	constructor(
		private readonly view: StateView,
		private readonly rules: StorageRules,
	) {}

	/** The storage of a contract, whose record must exist by now. */
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
		return { writes: this.journal.length, contracts: this.contracts.size };
	}

	revert({ writes: mark }: StorageMark): void {
		for (let i = this.journal.length - 1; i >= mark; i--) {
			const write = this.journal[i] as Write;
			write.storage.undo(write);
		}
		this.journal.length = mark;
	}

	/**
	 * Undoes a frame under the rules before block version 5: a frame shared the storage of contracts with the frames above
	 * it that had touched it, so what it stored there stays; what it was the first to touch goes.
	 */
	forgetSince(mark: StorageMark): void {
		for (const key of [...this.contracts.keys()].slice(mark.contracts)) this.contracts.delete(key);
	}

	commit(): void {
		for (const storage of this.contracts.values()) storage.commit();
	}

	/** What was looked at of each contract. */
	*readSlots(): Generator<ReadSlots> {
		for (const storage of this.contracts.values()) yield storage.readSlots;
	}
}
