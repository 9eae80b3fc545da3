/** One hash of the whole state, maintained entry by entry (protocol/state-hash). */

import { be64, readBe64, toKey, utf8 } from "../../../protocol/bytes.js";
import { BY_NAME, hashedEntries, hashedStores } from "./hashed-entries.js";
import { LatticeSums, SUM_BYTES } from "./lattice-sums.js";

/** Version of what is hashed and how: hashes of different versions can't be compared. */
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
	/** Hash of each store, without empty stores. */
	readonly stores: ReadonlyMap<string, StoreHash>;
}

interface Part {
	readonly index: number;
	readonly name: Uint8Array;
	entries: number;
}

/** Index of the total over all stores, computed on request; the store sums precede it. */
const TOTAL = hashedStores.length;
/** Bytes of {@link StateHash.sums}. */
export const STATE_SUMS_BYTES = hashedStores.length * (SUM_BYTES + 8) + 8;
const BALANCES_APART = "ALLOW_ASSET_OPTIMIZATION";

export class StateHash {
	private readonly lattice = new LatticeSums(TOTAL + 1);
	private readonly parts = new Map<string, Part>(
		hashedStores.map((store, index) => [store, { index, name: prefixOf(store), entries: 0 }]),
	);
	private readonly keyLength = new Uint8Array(4);
	/** Number of entries saying that the network dropped balances by name: leftovers by name are then arbitrary. */
	private namesGone = 0;

	private readonly takeIn = (store: string, key: Uint8Array, value: Uint8Array): void => {
		const part = this.partOf(store);
		part.entries++;
		this.lattice.add(part.index, this.pieces(part, key, value));
		if (store === "properties" && isSwitchedOn(key, value)) this.namesGone++;
	};

	private readonly takeOut = (store: string, key: Uint8Array, value: Uint8Array): void => {
		const part = this.partOf(store);
		part.entries--;
		this.lattice.remove(part.index, this.pieces(part, key, value));
		if (store === "properties" && isSwitchedOn(key, value)) this.namesGone--;
	};

	/** Restores the hash from {@link sums}. */
	static of(sums: Uint8Array): StateHash {
		const hash = new StateHash();
		hash.merge(sums);
		return hash;
	}

	/**
	 * Adds an entry as stored in a store that belongs to the state.
	 * @throws {DecodeError} for a record that can't be read
	 */
	add(store: string, key: Uint8Array, value: Uint8Array): void {
		hashedEntries(store, key, value, this.takeIn);
	}

	/** Removes an entry that was added. */
	remove(store: string, key: Uint8Array, value: Uint8Array): void {
		hashedEntries(store, key, value, this.takeOut);
	}

	value(): StateHashValue {
		const { lattice } = this;
		lattice.clear(TOTAL);
		const stores = new Map<string, StoreHash>();
		let entries = 0;
		for (const [store, part] of this.parts) {
			if (store === BY_NAME && this.namesGone > 0) continue;
			const sum = lattice.read(part.index);
			lattice.merge(TOTAL, sum);
			entries += part.entries;
			if (part.entries > 0) {
				stores.set(store, { entries: part.entries, hash: lattice.digest([DOMAIN, part.name, sum]) });
			}
		}
		return { hash: lattice.digest([DOMAIN, lattice.read(TOTAL)]), entries, stores };
	}

	/** Its whole content, for {@link merge}: per store 2,048 bytes and a count of 8, and one more count. */
	sums(): Uint8Array {
		const parts = [...this.parts.values()].flatMap(({ index, entries }) => [
			this.lattice.read(index),
			be64(BigInt(entries)),
		]);
		return Buffer.concat([...parts, be64(BigInt(this.namesGone))]);
	}

	/** Adds a result of {@link sums}, from here or elsewhere: parts of a state may be hashed in any order and place. */
	merge(sums: Uint8Array): void {
		if (sums.length !== STATE_SUMS_BYTES) throw new Error(`sums of ${sums.length} bytes`);
		const count = (at: number): number => Number(BigInt.asIntN(64, readBe64(sums.subarray(at, at + 8))));
		let at = 0;
		for (const part of this.parts.values()) {
			this.lattice.merge(part.index, sums.subarray(at, at + SUM_BYTES));
			part.entries += count(at + SUM_BYTES);
			at += SUM_BYTES + 8;
		}
		this.namesGone += count(at);
	}

	private partOf(store: string): Part {
		const part = this.parts.get(store);
		if (!part) throw new Error(`the store ${store} does not belong to the state`);
		return part;
	}

	/** Store name and key, each length-prefixed, and the value. */
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

function isSwitchedOn(key: Uint8Array, value: Uint8Array): boolean {
	return (
		key.length === BALANCES_APART.length && toKey(key) === BALANCES_APART && value.some((byte) => byte !== 0)
	);
}
