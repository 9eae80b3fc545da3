/**
 * The storage of contracts during one transaction (protocol/machine §§11.1 and 14).
 *
 * A slot is absent, zero or not: the database never holds a zero, but a zero written in this transaction is present.
 * Two slots may share one row of the database and still differ here.
 */

import { concatBytes, fromKey, toKey } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { hashOrder } from "../../protocol/hash-order.js";
import { stores } from "../state/definition.js";
import type { StateView } from "../state/view.js";
import { type Word, wordFromBytes, wordToBytes } from "./word.js";

interface Row {
	/** Undefined: absent. */
	readonly value: Word | undefined;
	readonly written: boolean;
}

interface Write {
	readonly rows: Map<Word, Row>;
	readonly slot: Word;
	readonly before: Row | undefined;
}

export class ContractStorage {
	private readonly rows = new Map<Word, Row>();
	private readonly prefix: string;
	private readonly hashedSlots: boolean;
	private readonly exists: boolean;

	constructor(
		private readonly view: StateView,
		private readonly journal: Write[],
		address: Uint8Array,
	) {
		this.exists = view.account.has(address);
		const contract = view.contract.get(address);
		this.prefix = rowPrefix(address, contract?.trx_hash);
		this.hashedSlots = contract?.version === 1;
	}

	/** The value of a slot; undefined: absent. */
	load(slot: Word): Word | undefined {
		const row = this.rows.get(slot);
		if (row) return row.value;
		if (!this.exists) return undefined;
		const bytes = this.view.backend.get(stores.storageRow, this.key(slot));
		const value = bytes && wordFromBytes(bytes);
		this.set(slot, { value, written: false });
		return value;
	}

	/** Writes a slot; ignored for an account that doesn't exist. */
	store(slot: Word, value: Word): void {
		if (this.exists) this.set(slot, { value, written: true });
	}

	private set(slot: Word, row: Row): void {
		this.journal.push({ rows: this.rows, slot, before: this.rows.get(slot) });
		this.rows.set(slot, row);
	}

	private key(slot: Word): string {
		return this.prefix + rowSuffix(slot, this.hashedSlots);
	}

	/** Writes the changed slots to the state, those that share a row in the order of the network's runtime. */
	commit(): void {
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
			const key = this.key(wordFromBytes(fromKey(name)));
			if (value === 0) this.view.backend.delete(stores.storageRow, key);
			else this.view.backend.put(stores.storageRow, key, wordToBytes(value));
		}
	}
}

/** First half of the keys of a contract's rows. */
function rowPrefix(address: Uint8Array, creationId: Uint8Array | undefined): string {
	const salted = creationId?.some((byte) => byte !== 0) ? creationId : undefined;
	return toKey(keccak256(salted ? concatBytes(address, salted) : address)).slice(0, 16);
}

function rowSuffix(slot: Word, hashed: boolean): string {
	const bytes = wordToBytes(slot);
	return toKey(hashed ? keccak256(bytes) : bytes).slice(16);
}

/** Key of a contract's slot in the store of rows: 32 bytes. */
export function storageRowKey(
	contract: { readonly address: Uint8Array; readonly creationId: Uint8Array; readonly version: number },
	slot: Word,
): Uint8Array {
	return fromKey(rowPrefix(contract.address, contract.creationId) + rowSuffix(slot, contract.version === 1));
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

	constructor(private readonly view: StateView) {}

	/** The storage of a contract, whose record must exist by now. */
	of(address: Uint8Array): ContractStorage {
		const key = toKey(address);
		let storage = this.contracts.get(key);
		if (!storage) {
			storage = new ContractStorage(this.view, this.journal, address);
			this.contracts.set(key, storage);
		}
		return storage;
	}

	mark(): StorageMark {
		return { writes: this.journal.length, contracts: this.contracts.size };
	}

	revert({ writes: mark }: StorageMark): void {
		for (let i = this.journal.length - 1; i >= mark; i--) {
			const { rows, slot, before } = this.journal[i] as Write;
			if (before) rows.set(slot, before);
			else rows.delete(slot);
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
}
