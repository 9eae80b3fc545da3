/**
 * Conversion between addresses (21 bytes with the network's prefix) and the machine's words (20 bytes;
 * protocol/machine §9.1).
 */

import { ADDRESS_LENGTH, addressFromHash, addressPrefix } from "../../protocol/address.js";
import { be64, concatBytes } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { type Word, wordFromBytes, wordToBytes, writeWord } from "./word.js";

const RECENT_LIMIT = 4096;
const recent = new Map<Word, Uint8Array>();
let recentPrefix = -1;

/** The address in the last 20 bytes of a word. The result is cached and shared: don't modify it. */
export function toAddress(word: Word): Uint8Array {
	const prefix = addressPrefix();
	if (prefix !== recentPrefix || recent.size >= RECENT_LIMIT) {
		recent.clear();
		recentPrefix = prefix;
	}
	let address = recent.get(word);
	if (!address) {
		address = addressOf(word, prefix);
		recent.set(word, address);
	}
	return address;
}

const scratch = new Uint8Array(32);
const scratchView = new DataView(scratch.buffer);
const scratchAddress = scratch.subarray(32 - ADDRESS_LENGTH);

/** PERF: must be cheap, since account queries cost a contract as little as 20 energy and may miss the cache each time. */
function addressOf(word: Word, prefix: number): Uint8Array {
	writeWord(scratchView, 0, word);
	scratchAddress[0] = prefix;
	const address = Buffer.allocUnsafe(ADDRESS_LENGTH);
	address.set(scratchAddress);
	return address;
}

/** The word of an address, without the network's prefix. */
export function addressWord(address: Uint8Array): Word {
	return wordFromBytes(address.subarray(address.length - 20));
}

/** The word of an address including the network's prefix, as creations and COINBASE push it. */
export function prefixedWord(address: Uint8Array): Word {
	return wordFromBytes(address);
}

/** Address of a contract created by CREATE. */
export function createdAddress(rootId: Uint8Array, nonce: number): Uint8Array {
	return addressFromHash(keccak256(concatBytes(rootId, be64(BigInt(nonce)))));
}

/** Address of a contract created by CREATE2. */
export function saltedAddress(sender: Uint8Array, salt: Word, initCode: Uint8Array): Uint8Array {
	return addressFromHash(keccak256(concatBytes(sender, wordToBytes(salt), keccak256(initCode))));
}
