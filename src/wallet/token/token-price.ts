/** The price at which an issuer sells a token: two whole numbers of 32 bits, sun and smallest units (protocol/tokens §3.1). */

import { Failure } from "../failure.js";
import { parsePositiveCoins, parseTokenAmount } from "../values/amount.js";
import type { Token } from "./token.js";

const MAX_INT32 = 2_147_483_647n;

interface TokenPrice {
	readonly sun: number;
	readonly units: number;
}

/**
 * Reads `<coin amount>/<token amount>`, as in `1coin/100`.
 * @param decimals of the token
 * @throws {Failure} `bad_value`, also if the reduced numbers don't fit 32 bits
 */
export function parseTokenPrice(text: string, decimals: number): TokenPrice {
	const slash = text.indexOf("/");
	if (slash <= 0)
		throw new Failure("bad_value", `"${text}": write <coin amount>/<token amount>, such as 1coin/100`);
	const sun = parsePositiveCoins(text.slice(0, slash));
	const units = parseTokenAmount(text.slice(slash + 1), decimals);
	if (units === 0n) throw new Failure("bad_value", `"${text}" sells nothing`);
	const divisor = greatestCommonDivisor(sun, units);
	const [price, quantity] = [sun / divisor, units / divisor];
	if (price > MAX_INT32 || quantity > MAX_INT32) {
		throw new Failure(
			"bad_value",
			`"${text}" is too fine: ${price} sun for ${quantity} units don't fit 32 bits`,
		);
	}
	return { sun: Number(price), units: Number(quantity) };
}

/** Smallest units that so many sun buy: the network rounds down and keeps the rest (protocol/tokens §5). */
export function unitsFor({ coin_num, num }: Token, sun: bigint): bigint {
	return coin_num > 0 ? (sun * BigInt(num)) / BigInt(coin_num) : 0n;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
	return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
