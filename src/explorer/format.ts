/** Formats numbers, times and untrusted text for people. */

import { bytesOf } from "./address-text.js";

const SUN_DIGITS = 6;

/** Groups the digits of the integer part by three. */
export function grouped(value: bigint | number): string {
	return String(value).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A decimal fraction without trailing zeros. @param digits number of decimal places in `value` */
export function decimal(value: bigint, digits: number): string {
	const sign = value < 0n ? "-" : "";
	const text = (value < 0n ? -value : value).toString().padStart(digits + 1, "0");
	const fraction = text.slice(text.length - digits).replace(/0+$/, "");
	const head = grouped(BigInt(text.slice(0, text.length - digits)));
	return `${sign}${head}${digits > 0 && fraction !== "" ? `.${fraction}` : ""}`;
}

/** An amount of sun in coins, with its unit. */
export function coins(sun: bigint): string {
	return `${decimal(sun, SUN_DIGITS)} coin`;
}

/** A ratio in percent. */
export function share(part: bigint, whole: bigint): string {
	if (whole === 0n) return "0 %";
	const tenths = (part * 1_000n) / whole;
	return `${tenths / 10n}.${tenths % 10n} %`;
}

/** Parses typed coins into sun; undefined for anything else. */
export function wholeCoins(typed: string): bigint | undefined {
	const [, whole, fraction = ""] =
		/^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(typed.trim().replace(/ ?coin$/i, "")) ?? [];
	return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(SUN_DIGITS, "0"));
}

/** Control, bidirectional and zero-width characters, which can make a text look like another. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu;
const LONGEST = 2_000;

/** Untrusted text on one line: misleading characters are escaped, and long text is truncated. */
export function plain(text: string): string {
	const cut =
		text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${grouped(text.length)} characters)` : text;
	return cut.replace(MISLEADING, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Untrusted text of many lines, complete: misleading characters are escaped. */
export function plainLines(text: string): string {
	return text
		.replace(/\r\n?/g, "\n")
		.replace(MISLEADING, (character) =>
			character === "\n" || character === "\t" ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
		);
}

/** The most characters shown of a multi-line text. */
const LONGEST_LINES = 20_000;

/** Like {@link plainLines}, truncated if very long. */
export function plainBlock(text: string): string {
	const rest = text.length > LONGEST_LINES ? `\n… (${grouped(text.length)} characters)` : "";
	return plainLines(text.slice(0, LONGEST_LINES)) + rest;
}

/** Hexadecimal bytes as text, if they are text. */
export function textOfHex(hex: string): string {
	const bytes = bytesOf(hex);
	if (!bytes) return hex;
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return `0x${hex}`;
	}
}

/** A node's failure message without its leading exception class. */
export function failureText(message: string): string {
	return message.replace(/^(?:class )?[\w.$]+(?:Exception|Error) : /, "");
}

/** Start and end of a long text. */
export function shortened(text: string, kept = 6): string {
	return text.length <= 2 * kept + 1 ? text : `${text.slice(0, kept)}…${text.slice(-kept)}`;
}

const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
	[86_400, "d"],
	[3_600, "h"],
	[60, "min"],
	[1, "s"],
];

/** A duration in its two largest units. */
export function span(ms: number): string {
	let rest = Math.max(0, Math.round(ms / 1000));
	const parts: string[] = [];
	for (const [seconds, unit] of STEPS) {
		const count = Math.floor(rest / seconds);
		rest -= count * seconds;
		if (count > 0 || (unit === "s" && parts.length === 0)) parts.push(`${count} ${unit}`);
		if (parts.length === 2) break;
	}
	return parts.join(" ");
}

/** How long ago a time was, or how far ahead it is. */
export function age(ms: number, nowMs: number): string {
	return ms > nowMs + 1000 ? `in ${span(ms - nowMs)}` : `${span(nowMs - ms)} ago`;
}

/** Assumed maximum difference between the clocks of node and browser. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * The current time of a chain, in milliseconds since 1970.
 * @param wallMs the browser's clock
 * @param headMs time of the head, which on a development chain can be ahead of the chain's clock
 * @param aheadMs how far the clock of a development chain was advanced
 */
export function chainTime(wallMs: number, headMs: number, aheadMs: number): number {
	const now = wallMs + aheadMs;
	return headMs > now + CLOCKS_DIFFER_MS ? headMs : now;
}

/** The age of the head; if the chain's clock is ahead of the browser's, by how much. */
export function headAge(headMs: number, wallMs: number, aheadMs: number): string {
	const nowMs = chainTime(wallMs, headMs, aheadMs);
	const clock = nowMs - wallMs > CLOCKS_DIFFER_MS ? ` by a clock that is ${span(nowMs - wallMs)} ahead` : "";
	return `${age(headMs, nowMs)}${clock}`;
}

/** A time in UTC; a dash if it is invalid. */
export function moment(ms: number): string {
	const date = new Date(ms);
	return ms === 0 || Number.isNaN(date.getTime())
		? "–"
		: `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/**
 * A 32-byte word: small ones as numbers, others without leading zeros.
 * @param word with `0x`
 */
export function wordText(word: string): string {
	if (!/^0x[\da-f]{1,64}$/i.test(word)) return word;
	const value = BigInt(word);
	return value < 1n << 64n ? value.toString() : `0x${value.toString(16)}`;
}

/** Types shown under another name. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
	["TriggerSmartContract", "Contract call"],
	["CreateSmartContract", "Contract creation"],
]);

/** `TransferContract` as `Transfer`. */
export function typeName(type: string): string {
	const other = OTHER_NAMES.get(type);
	if (other !== undefined) return other;
	return plain(type.replace(/Contract$/, "").replace(/(?<=[a-z])(?=[A-Z])/g, " "));
}
