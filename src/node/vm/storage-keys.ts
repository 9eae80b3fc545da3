/** Database keys of contract storage slots (protocol/machine §14), and access to single slots outside executions. */

import { concatBytes, equalBytes, fromKey, toKey } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import type { SmartContract } from "../../protocol/messages.js";
import { stores } from "../state/definition.js";
import type { StateView } from "../state/view.js";
import { type Word, writeLowHalf, writeWord } from "./word.js";

/** Bytes of the contract's hash that prefix its row keys. */
export const ROW_PREFIX_LENGTH = 16;

/** Hash input: the contract's hash and a slot. */
const input = Buffer.alloc(64);
const slotBytes = input.subarray(32);
const slotView = new DataView(input.buffer, input.byteOffset + 32, 32);
/** Buffer for a whole key: strings created in one go are faster as map keys than concatenated ones. */
const key = Buffer.alloc(ROW_PREFIX_LENGTH + 32);
const keyView = new DataView(key.buffer, key.byteOffset, key.length);
/** Whose hash is currently in the key buffer. */
let keyOwner: RowKeys | undefined;

/** The contract and slot that a row's key was derived from. */
interface RowOrigin {
	/** 21 bytes. */
	readonly address: Uint8Array;
	readonly slot: Word;
}

/** Optional hook, called with each row key created; for tools that need the slot, which can't be recovered from the key. */
export const rowWatch: { notice?: (key: string, origin: RowOrigin) => void } = {};

/** PERF: a slot is prefetched, read and written by consecutive calls, and computing its key takes a hash. */
const MAX_RECENT = 4_096;

/** Cache of recent keys by slot; if contracts share a slot number, only the last one's key is kept. */
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
	/** Common prefix of all of the contract's row keys, as part of a key string. */
	readonly prefix: string;
	private readonly hash: Uint8Array;

	/**
	 * @param address 21 bytes
	 * @param creationId id of the transaction that created the contract, if its record has one
	 * @param version of the contract: version 1 hashes the slot in the shared key
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

	/** Shared key used before #99, 32 bytes; includes only the last 16 bytes of the slot. */
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

/** Row keys of a contract. PERF: computing them takes a hash, so they are cached as long as its record stays in memory. */
export function rowKeysOf(address: Uint8Array, record: Readonly<SmartContract> | undefined): RowKeys {
	const known = record && kept.get(record);
	if (known && equalBytes(known.address, address)) return known;
	const keys = new RowKeys(address, record?.trx_hash, record?.version);
	if (record) kept.set(record, keys);
	return keys;
}

/** The parts of a contract's record that determine its row keys. */
interface StoringContract {
	readonly address: Uint8Array;
	readonly creationId: Uint8Array;
	readonly version: number;
}

const keysOf = ({ address, creationId, version }: StoringContract): RowKeys =>
	new RowKeys(address, creationId, version);

/** The shared key of a contract's slot, used before #99: 32 bytes. */
export function storageRowKey(contract: StoringContract, slot: Word): Uint8Array {
	return fromKey(keysOf(contract).shared(slot));
}

/** Whether rows have their own keys (#99). */
const separateRows = (state: StateView): boolean => state.properties.on("ALLOW_OPTIMIZE_TVM_STORAGE");

/** Value of a contract's slot, 32 bytes; undefined: absent. */
export function readSlot(state: StateView, contract: StoringContract, slot: Word): Uint8Array | undefined {
	const keys = keysOf(contract);
	if (separateRows(state)) {
		const own = state.backend.get(stores.storageRow, keys.own(slot));
		if (own) return own.some((byte) => byte !== 0) ? own : undefined;
	}
	return state.backend.get(stores.storageRow, keys.shared(slot));
}

/** Writes a contract's slot outside an execution, with the same effect as an execution. @param value 32 bytes */
export function writeSlot(state: StateView, contract: StoringContract, slot: Word, value: Uint8Array): void {
	const keys = keysOf(contract);
	const shared = keys.shared(slot);
	if (separateRows(state)) {
		state.backend.put(stores.storageRow, keys.own(slot), value);
		if (state.backend.get(stores.storageRow, shared)) state.backend.delete(stores.storageRow, shared);
	} else if (value.some((byte) => byte !== 0)) state.backend.put(stores.storageRow, shared, value);
	else state.backend.delete(stores.storageRow, shared);
}
