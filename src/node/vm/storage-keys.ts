/** The keys of a contract's slots in the store of rows (protocol/machine §14), and reading one slot outside executions. */

import { concatBytes, equalBytes, fromKey, toKey } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import type { SmartContract } from "../../protocol/messages.js";
import { stores } from "../state/definition.js";
import type { StateView } from "../state/view.js";
import { type Word, writeLowHalf, writeWord } from "./word.js";

/** Bytes of a contract's hash that begin the keys of its rows. */
export const ROW_PREFIX_LENGTH = 16;

/** A contract's hash and a slot. */
const input = Buffer.alloc(64);
const slotBytes = input.subarray(32);
const slotView = new DataView(input.buffer, input.byteOffset + 32, 32);
/** A whole key: strings that are made at once are found faster than those that are put together. */
const key = Buffer.alloc(ROW_PREFIX_LENGTH + 32);
const keyView = new DataView(key.buffer, key.byteOffset, key.length);
/** Whose hash the key begins with. */
let keyOwner: RowKeys | undefined;

/** The slot of a contract that a row's key was made of. */
interface RowOrigin {
	/** 21 bytes. */
	readonly address: Uint8Array;
	readonly slot: Word;
}

/** Called with each row's key as it is made, where someone can't do with the key: a key doesn't tell its slot. */
export const rowWatch: { notice?: (key: string, origin: RowOrigin) => void } = {};

/** PERF: a slot is asked for ahead, and read and written by one call after the other; its key is a hash. */
const MAX_RECENT = 4_096;

/** Keys that were made last, by slot; of contracts that have the same slot, the last one's. */
class RecentKeys {
	private readonly bySlot = new Map<Word, { readonly keys: RowKeys; readonly key: string }>();

	of(keys: RowKeys, slot: Word): string | undefined {
		const known = this.bySlot.get(slot);
		return known?.keys === keys ? known.key : undefined;
	}

	keep(keys: RowKeys, slot: Word, key: string): string {
		if (this.bySlot.size >= MAX_RECENT) this.bySlot.clear();
		this.bySlot.set(slot, { keys, key });
		return key;
	}
}

const recentShared = new RecentKeys();
const recentOwn = new RecentKeys();

export class RowKeys {
	/** What the keys of all rows of the contract begin with, as a key's part. */
	readonly prefix: string;
	private readonly hash: Uint8Array;

	/**
	 * @param address 21 bytes
	 * @param creationId id of the transaction that made the contract, where its record has one
	 * @param version of the contract: those of version 1 hash the slot in the shared key
	 */
	constructor(
		readonly address: Uint8Array,
		creationId: Uint8Array | undefined,
		private readonly version: number | undefined,
	) {
		const salted = creationId?.some((byte) => byte !== 0) ? creationId : undefined;
		this.hash = keccak256(salted ? concatBytes(address, salted) : address);
		this.prefix = toKey(this.hash).slice(0, ROW_PREFIX_LENGTH);
	}

	/** Key of before #99, 32 bytes: of the slot only its last 16 bytes count. */
	shared(slot: Word): string {
		const shared = this.version === 1 ? this.hashedShared(slot) : this.plainShared(slot);
		rowWatch.notice?.(shared, { address: this.address, slot });
		return shared;
	}

	private plainShared(slot: Word): string {
		this.begin();
		writeLowHalf(keyView, ROW_PREFIX_LENGTH, slot);
		return key.toString("latin1", 0, 32);
	}

	private hashedShared(slot: Word): string {
		const known = recentShared.of(this, slot);
		if (known !== undefined) return known;
		this.begin();
		writeWord(slotView, 0, slot);
		key.set(keccak256(slotBytes).subarray(ROW_PREFIX_LENGTH), ROW_PREFIX_LENGTH);
		return recentShared.keep(this, slot, key.toString("latin1", 0, 32));
	}

	/** Key since #99, 48 bytes. */
	own(slot: Word): string {
		const known = recentOwn.of(this, slot);
		if (known !== undefined) return known;
		writeWord(slotView, 0, slot);
		input.set(this.hash);
		this.begin();
		key.set(keccak256(input), ROW_PREFIX_LENGTH);
		return recentOwn.keep(this, slot, key.toString("latin1"));
	}

	private begin(): void {
		if (keyOwner === this) return;
		key.set(this.hash);
		keyOwner = this;
	}
}

const kept = new WeakMap<Readonly<SmartContract>, RowKeys>();

/** The keys of a contract by its record. PERF: they begin with a hash, and go with the record as long as that is in memory. */
export function rowKeysOf(address: Uint8Array, record: Readonly<SmartContract> | undefined): RowKeys {
	const known = record && kept.get(record);
	if (known && equalBytes(known.address, address)) return known;
	const keys = new RowKeys(address, record?.trx_hash, record?.version);
	if (record) kept.set(record, keys);
	return keys;
}

/** A contract and what its record says about the keys of its rows. */
interface StoringContract {
	readonly address: Uint8Array;
	readonly creationId: Uint8Array;
	readonly version: number;
}

const keysOf = ({ address, creationId, version }: StoringContract): RowKeys =>
	new RowKeys(address, creationId, version);

/** Key of before #99 of a contract's slot: 32 bytes. */
export function storageRowKey(contract: StoringContract, slot: Word): Uint8Array {
	return fromKey(keysOf(contract).shared(slot));
}

/** Whether rows have keys of their own (#99). */
const separateRows = (state: StateView): boolean => state.properties.on("ALLOW_OPTIMIZE_TVM_STORAGE");

/** A slot of a contract, 32 bytes; undefined: absent. */
export function readSlot(state: StateView, contract: StoringContract, slot: Word): Uint8Array | undefined {
	const keys = keysOf(contract);
	if (separateRows(state)) {
		const own = state.backend.get(stores.storageRow, keys.own(slot));
		if (own) return own.some((byte) => byte !== 0) ? own : undefined;
	}
	return state.backend.get(stores.storageRow, keys.shared(slot));
}

/** Writes a slot of a contract outside executions as an execution would. @param value 32 bytes */
export function writeSlot(state: StateView, contract: StoringContract, slot: Word, value: Uint8Array): void {
	const keys = keysOf(contract);
	const shared = keys.shared(slot);
	if (separateRows(state)) {
		state.backend.put(stores.storageRow, keys.own(slot), value);
		if (state.backend.get(stores.storageRow, shared)) state.backend.delete(stores.storageRow, shared);
	} else if (value.some((byte) => byte !== 0)) state.backend.put(stores.storageRow, shared, value);
	else state.backend.delete(stores.storageRow, shared);
}
