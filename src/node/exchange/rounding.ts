/** Division of whole numbers, rounded as the exchange's decimals are (protocol/exchange §7.1). */

import { OverflowError } from "../../protocol/int64.js";

/** A pair whose balance a trade would bring to 0. */
export class DivisionByZeroError extends OverflowError {
	constructor() {
		super("Division by zero");
	}
}

/** `a / b` to the nearest whole number, halves away from zero. @param b not 0 */
export function divideHalfUp(a: bigint, b: bigint): bigint {
	const quotient = a / b;
	const rest = a % b;
	const size = (value: bigint): bigint => (value < 0n ? -value : value);
	if (2n * size(rest) < size(b)) return quotient;
	return a < 0n === b < 0n ? quotient + 1n : quotient - 1n;
}
