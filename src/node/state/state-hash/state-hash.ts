/** One hash for the whole state, which follows it entry by entry (protocol/state-hash). */

import { toKey, utf8 } from "../../../protocol/bytes.js";
import { BY_NAME, hashedEntries, hashedStores } from "./hashed-entries.js";
import { LatticeSums } from "./lattice-sums.js";

/** The number of what is hashed and how: hashes of another one can't be compared. */
export const STATE_HASH_VERSION = 1;
const DOMAIN = utf8(`coin state hash ${STATE_HASH_VERSION}`);

interface StoreHash {
	readonly entries: number;
	/** 32 bytes. */
	readonly hash: Uint8Array;
}

export interface StateHashValue {
	/** 32 bytes. */
	readonly hash: Uint8Array;
	readonly entries: number;
	/** Of each store by itself, without those that have nothing. */
	readonly stores: ReadonlyMap<string, StoreHash>;
}

interface Part {
	readonly index: number;
	readonly name: Uint8Array;
	entries: number;
}

/** The sum of all stores, made when it is asked for; before it stand theirs. */
const TOTAL = hashedStores.length;
const BALANCES_APART = "ALLOW_ASSET_OPTIMIZATION";

export class StateHash {
	private readonly sums = new LatticeSums(TOTAL + 1);
	private readonly parts = new Map<string, Part>(
		hashedStores.map((store, index) => [store, { index, name: prefixOf(store), entries: 0 }]),
	);
	private readonly keyLength = new Uint8Array(4);
	/** Whether the network has given up balances by name: where one still stands is chance. */
	private namesAreGone = false;

	private readonly takeIn = (store: string, key: Uint8Array, value: Uint8Array): void => {
		const part = this.partOf(store);
		part.entries++;
		this.sums.add(part.index, this.pieces(part, key, value));
		if (store === "properties" && isSwitch(key)) this.namesAreGone = value.some((byte) => byte !== 0);
	};

	private readonly takeOut = (store: string, key: Uint8Array, value: Uint8Array): void => {
		const part = this.partOf(store);
		part.entries--;
		this.sums.remove(part.index, this.pieces(part, key, value));
		if (store === "properties" && isSwitch(key)) this.namesAreGone = false;
	};

	/**
	 * Adds an entry as it lies in a store that belongs to the state.
	 * @throws {DecodeError} for a record that can't be read
	 */
	add(store: string, key: Uint8Array, value: Uint8Array): void {
		hashedEntries(store, key, value, this.takeIn);
	}

	/** Takes an entry out that is in. */
	remove(store: string, key: Uint8Array, value: Uint8Array): void {
		hashedEntries(store, key, value, this.takeOut);
	}

	value(): StateHashValue {
		const { sums } = this;
		sums.clear(TOTAL);
		const stores = new Map<string, StoreHash>();
		let entries = 0;
		for (const [store, part] of this.parts) {
			if (store === BY_NAME && this.namesAreGone) continue;
			const sum = sums.read(part.index);
			sums.merge(TOTAL, sum);
			entries += part.entries;
			if (part.entries > 0) {
				stores.set(store, { entries: part.entries, hash: sums.digest([DOMAIN, part.name, sum]) });
			}
		}
		return { hash: sums.digest([DOMAIN, sums.read(TOTAL)]), entries, stores };
	}

	private partOf(store: string): Part {
		const part = this.parts.get(store);
		if (!part) throw new Error(`the store ${store} does not belong to the state`);
		return part;
	}

	/** The store's name and the key each with its length before it, and the value. */
	private pieces(part: Part, key: Uint8Array, value: Uint8Array): readonly Uint8Array[] {
		const { keyLength } = this;
		for (let i = 0; i < 4; i++) keyLength[i] = key.length >>> (8 * (3 - i));
		return [part.name, keyLength, key, value];
	}
}

function prefixOf(store: string): Uint8Array {
	const name = utf8(store);
	return Uint8Array.of(name.length, ...name);
}

function isSwitch(key: Uint8Array): boolean {
	return key.length === BALANCES_APART.length && toKey(key) === BALANCES_APART;
}
