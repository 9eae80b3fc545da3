/** Integers and their quotients as people write them (protocol/command-line §1.3). */

import { plainDigits } from "../../abi/parameter.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import { Failure } from "../failure.js";

/** Significant digits of prices, which are quotients of integers. */
const DIGITS = 9;

/**
 * A quotient with nine significant digits, rounded down.
 * @param divisor above 0
 */
export function quotientText(dividend: bigint, divisor: bigint): string {
	if (dividend === 0n) return "0";
	const whole = dividend / divisor;
	// Small quotients need more decimal places up to their first significant digit.
	let places = Math.max(0, DIGITS - (whole === 0n ? 0 : whole.toString().length));
	if (whole === 0n) for (let rest = dividend * 10n; rest < divisor; rest *= 10n) places++;
	const digits = ((dividend * 10n ** BigInt(places)) / divisor).toString().padStart(places + 1, "0");
	const point = digits.length - places;
	const fraction = digits.slice(point).replace(/0+$/, "");
	return fraction === "" ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}

/** Reads a 64-bit integer in the forms of {@link plainDigits} but hexadecimal. @throws {Failure} `bad_value` */
export function parseInteger(text: string): bigint {
	const digits = plainDigits(text.trim());
	if (!digits || /x/i.test(digits)) throw new Failure("bad_value", `"${text}" is not a whole number`);
	const value = BigInt(digits);
	if (value > MAX_INT64 || value < -MAX_INT64 - 1n)
		throw new Failure("bad_value", `"${text}" doesn't fit 64 bits`);
	return value;
}

/** Reads an integer above zero. @throws {Failure} `bad_value` */
export function parseCount(text: string): bigint {
	const value = parseInteger(text);
	if (value <= 0n) throw new Failure("bad_value", `"${text}" must be above zero`);
	return value;
}

/** Reads an integer that is not negative. @throws {Failure} `bad_value` */
export function parseNatural(text: string): bigint {
	const value = parseInteger(text);
	if (value < 0n) throw new Failure("bad_value", `"${text}" is negative`);
	return value;
}

/** Reads a percentage from 0 to 100. @throws {Failure} `bad_value` */
export function parsePercent(text: string): number {
	const value = parseInteger(text.trim().replace(/ ?%$/, ""));
	if (value < 0n || value > 100n)
		throw new Failure("bad_value", `"${text}" is not a percentage: it goes from 0 to 100`);
	return Number(value);
}

/** `1 payment`, `2 payments`. */
export function counted(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
