/**
 * Coin amounts as people write them: always with their unit, since a bare number means coins in one wallet and sun,
 * a millionth of a coin, in another (protocol/command-line §1.3).
 */

import { MAX_INT64 } from "../../protocol/int64.js";
import { Failure } from "../failure.js";

/** Decimals of each unit; the last one is the deployed spelling of the first. */
const DECIMALS: Readonly<Record<string, number>> = { coin: 6, sun: 0, trx: 6 };

/** Whether a word is a unit of coins. */
export function isCoinUnit(word: string): boolean {
	return Object.hasOwn(DECIMALS, word.toLowerCase());
}

/**
 * Reads `12.5coin`, `12_500_000sun` or `0`.
 * @returns sun
 * @throws {Failure} `amount_unit` for a bare number, `bad_value` for anything else
 */
export function parseCoinAmount(text: string): bigint {
	checkAmountText(text);
	const trimmed = text.trim();
	if (trimmed === "0") return 0n;
	const match = /^(-?)([\d_]+)(?:\.([\d_]*))?(?:[eE]([+-]?\d+))?\s*([A-Za-z]*)$/.exec(trimmed);
	if (!match) throw bad(text, "is not an amount: write it like 12.5coin or 12500000sun");
	const [, sign, whole = "", fraction, exponent, unit = ""] = match;
	if (sign) throw bad(text, "is negative");
	if (exponent !== undefined) throw bad(text, "has an exponent: write all digits");
	if (unit === "") {
		throw new Failure("amount_unit", `"${trimmed}" has no unit: write ${trimmed}coin or ${trimmed}sun`);
	}
	const decimals = DECIMALS[unit.toLowerCase()];
	if (decimals === undefined)
		throw bad(text, `has the unknown unit ${unit}: use coin or sun (1coin is 1000000sun)`);
	if (fraction !== undefined && decimals === 0)
		throw bad(text, "is a fraction of a sun, which can't be divided");
	return scaled(text, whole, fraction ?? "", decimals);
}

/** Refuses amounts that aren't text: untyped programs may pass numbers, which have no unit. @throws {Failure} `amount_unit` */
export function checkAmountText(amount: unknown): void {
	if (typeof amount === "string") return;
	throw new Failure("amount_unit", `${String(amount)} has no unit: an amount is a text, such as "5coin"`);
}

/** {@link parseCoinAmount} for amounts that must not be zero. @throws {Failure} also `bad_value` for zero */
export function parsePositiveCoins(text: string): bigint {
	const sun = parseCoinAmount(text);
	if (sun === 0n) throw new Failure("bad_value", "the amount is zero");
	return sun;
}

function scaled(text: string, whole: string, fraction: string, decimals: number, max = MAX_INT64): bigint {
	for (const part of [whole, fraction]) {
		if (part !== "" && !/^\d+(_\d+)*$/.test(part)) throw bad(text, "has a misplaced underscore");
	}
	if (fraction === "" && text.includes(".")) throw bad(text, "has no digit after the point");
	const digits = fraction.replaceAll("_", "");
	if (digits.length > decimals)
		throw bad(text, `has ${digits.length} fraction digits, at most ${decimals} exist`);
	const value = BigInt(whole.replaceAll("_", "") + digits.padEnd(decimals, "0"));
	if (value > max) throw bad(text, `is more than the largest amount, ${max} in smallest units`);
	return value;
}

/**
 * Reads a token amount: in the token's decimals, or in smallest units as `<integer>raw`.
 * @param decimals the token's published decimals; undefined if unknown because of working offline
 * @param max the largest number of smallest units
 * @returns smallest units
 * @throws {Failure} `bad_value`
 */
export function parseTokenAmount(text: string, decimals: number | undefined, max = MAX_INT64): bigint {
	const trimmed = text.trim();
	const raw = /^([\d_]+)raw$/i.exec(trimmed);
	if (raw?.[1] !== undefined) return scaled(text, raw[1], "", 0, max);
	const match = /^([\d_]+)(?:\.([\d_]*))?$/.exec(trimmed);
	if (!match?.[1])
		throw bad(text, "is not a token amount: write it like 12.5, or 12500raw in smallest units");
	if (decimals === undefined)
		throw bad(
			text,
			"needs the token's decimals, which are unknown here: write smallest units, such as 500raw, or state them where the command takes --decimals",
		);
	return scaled(text, match[1], match[2] ?? "", decimals, max);
}

/** Formats an amount in sun as text that {@link parseCoinAmount} reads: `12.5coin`. */
export function formatCoin(sun: bigint): string {
	return `${formatCoinNumber(sun)}coin`;
}

/** Formats only the number, for columns: `12.5`. */
export function formatCoinNumber(sun: bigint): string {
	return formatDecimal(sun, 6);
}

/** The most decimals that a contract can report, in a `uint8`. */
const MAX_DECIMALS = 255;

/** Formats smallest units as a decimal number without trailing zeros; as `<n>raw` if the decimals are out of range. */
export function formatDecimal(value: bigint, decimals: number): string {
	if (!(decimals >= 0 && decimals <= MAX_DECIMALS)) return `${value}raw`;
	const sign = value < 0n ? "-" : "";
	const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
	const whole = digits.slice(0, digits.length - decimals);
	const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
	return sign + whole + (fraction === "" ? "" : `.${fraction}`);
}

function bad(text: string, what: string): Failure {
	return new Failure("bad_value", `"${text}" ${what}`);
}
