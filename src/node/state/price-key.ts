/** Keys of the order book's price levels, ordered by pair, then by price from the cheapest (protocol/market §3). */

/** Length of a pair key: two token ids of 19 bytes. */
export const PAIR_KEY_LENGTH = 38;

/** The 64-bit number at a position of a key with one byte per UTF-16 unit. */
function quantityAt(key: string, offset: number): bigint {
	let high = 0;
	for (let i = offset; i < offset + 4; i++) high = high * 256 + key.charCodeAt(i);
	let low = 0;
	for (let i = offset + 4; i < offset + 8; i++) low = low * 256 + key.charCodeAt(i);
	return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
}

/** Quantities of a price key: what a maker sells and asks for. Both are 0 in a pair's head key. */
export function priceOfKey(key: string): { readonly sell: bigint; readonly buy: bigint } {
	return { sell: quantityAt(key, PAIR_KEY_LENGTH), buy: quantityAt(key, PAIR_KEY_LENGTH + 8) };
}

/** Orders price keys; a pair's head key comes before its prices. */
export function comparePriceKeys(a: string, b: string): number {
	const pairA = a.slice(0, PAIR_KEY_LENGTH);
	const pairB = b.slice(0, PAIR_KEY_LENGTH);
	if (pairA !== pairB) return pairA < pairB ? -1 : 1;
	const first = priceOfKey(a);
	const second = priceOfKey(b);
	const firstIsHead = first.sell === 0n || first.buy === 0n;
	const secondIsHead = second.sell === 0n || second.buy === 0n;
	if (firstIsHead || secondIsHead) return Number(secondIsHead) - Number(firstIsHead);
	const left = first.buy * second.sell;
	const right = second.buy * first.sell;
	return left < right ? -1 : left > right ? 1 : 0;
}
