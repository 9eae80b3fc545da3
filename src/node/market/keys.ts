/** Keys of the order book (protocol/market §2). */

import { be64, concatBytes } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { PAIR_KEY_LENGTH } from "../state/price-key.js";

const TOKEN_ID_LENGTH = PAIR_KEY_LENGTH / 2;

/** A token id, padded with zero bytes. */
function padded(id: Uint8Array): Uint8Array {
	const bytes = new Uint8Array(TOKEN_ID_LENGTH);
	bytes.set(id.subarray(0, TOKEN_ID_LENGTH));
	return bytes;
}

/** 38 bytes: the token that orders of the pair sell, then the one they buy. */
export function pairKey(sellId: Uint8Array, buyId: Uint8Array): Uint8Array {
	return concatBytes(padded(sellId), padded(buyId));
}

/** The two token ids of a pair key. */
export function tokensOfPair(pair: Uint8Array): { readonly sellId: Uint8Array; readonly buyId: Uint8Array } {
	return {
		sellId: unpadded(pair.subarray(0, TOKEN_ID_LENGTH)),
		buyId: unpadded(pair.subarray(TOKEN_ID_LENGTH)),
	};
}

function unpadded(bytes: Uint8Array): Uint8Array {
	const end = bytes.indexOf(0);
	return end < 0 ? bytes : bytes.subarray(0, end);
}

/** 54 bytes: the pair and the price in lowest terms, so that equal prices share a level. */
export function priceKey(pair: Uint8Array, sell: bigint, buy: bigint): Uint8Array {
	const divisor = greatestDivisor(sell, buy);
	return concatBytes(pair, be64(sell / divisor), be64(buy / divisor));
}

/** The key before all price levels of a pair. */
export function headKey(pair: Uint8Array): Uint8Array {
	return concatBytes(pair, new Uint8Array(16));
}

function greatestDivisor(a: bigint, b: bigint): bigint {
	let [x, y] = [a, b];
	while (y !== 0n) [x, y] = [y, x % y];
	return x;
}

/**
 * The id of a new order, 32 bytes.
 * @param earlierOrders how many orders its owner has placed before
 */
export function orderId(
	owner: Uint8Array,
	sellId: Uint8Array,
	buyId: Uint8Array,
	earlierOrders: bigint,
): Uint8Array {
	return keccak256(concatBytes(owner, padded(sellId), padded(buyId), be64(earlierOrders)));
}
