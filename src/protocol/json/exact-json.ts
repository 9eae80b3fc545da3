/**
 * JSON with exact integers. The runtime's reader is the fastest there is and rounds them, so every number is made a text
 * before and read behind it. PERF: libraries that do the same read character by character; a long text takes them 36 times its bytes.
 */

import { randomBytes } from "node:crypto";
import { endOfJsonString, JSON_QUOTE } from "./modest-json.js";

export type ExactJson = null | boolean | string | bigint | number | readonly ExactJson[] | ExactRecord;
export interface ExactRecord {
	readonly [name: string]: ExactJson;
}

/** Stands before what was a number; no text from outside can have it. */
const MARK = randomBytes(6).toString("base64");
const MAX_DEPTH = 1_000;
/** Digits of a number: nothing of the network has nearly as many. */
export const MAX_DIGITS = 1_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INTEGER = /^-?\d+$/;

/**
 * Reads JSON: integers become bigint, other numbers number. Of members of one name the last counts.
 * @param maxDigits the longest number, in characters: the time for one grows with its square
 * @throws {SyntaxError} also for more than a thousand levels
 */
export function parseExactJson(text: string, maxDigits: number): ExactJson {
	return exact(JSON.parse(withMarks(text, maxDigits)) as Parsed, 0);
}

type Parsed = null | boolean | string | number | Parsed[] | { [name: string]: Parsed };

/** Makes texts of the numbers that the runtime would round, and of those that aren't integers. */
function withMarks(text: string, maxDigits: number): string {
	let marked = "";
	let from = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === JSON_QUOTE) at = endOfJsonString(text, at);
		if (code !== MINUS && !isDigit(code)) continue;
		const short = endOfShortInteger(text, at);
		if (short > at) {
			at = short - 1;
			continue;
		}
		NUMBER.lastIndex = at;
		// What is no number after all is left to the runtime's reader, which refuses it.
		if (!NUMBER.test(text)) continue;
		const end = NUMBER.lastIndex;
		if (end - at > maxDigits) throw new SyntaxError(`a number of ${end - at} characters`);
		marked += `${text.slice(from, at)}"${MARK}${text.slice(at, end)}"`;
		from = end;
		at = end - 1;
	}
	return from === 0 ? text : marked + text.slice(from);
}

/** The end of an integer that the runtime reads exactly; `at`: it isn't one. */
function endOfShortInteger(text: string, at: number): number {
	let end = at + 1;
	while (isDigit(text.charCodeAt(end))) end++;
	const next = text.charCodeAt(end);
	return end - at > EXACT_DIGITS || next === POINT || (next | LOWER) === EXPONENT ? at : end;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Integers of so many characters are below 2^53. */
const EXACT_DIGITS = 15;
const LOWER = 0x20;
const EXPONENT = 0x65;
const POINT = 0x2e;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Reads the numbers in a value that was made for this, in place. */
function exact(value: Parsed, depth: number): ExactJson {
	if (typeof value === "number") return BigInt(value);
	if (typeof value === "string") return value.startsWith(MARK) ? numberIn(value.slice(MARK.length)) : value;
	if (typeof value !== "object" || value === null) return value;
	if (depth > MAX_DEPTH) throw new SyntaxError(`more than ${MAX_DEPTH} levels`);
	if (Array.isArray(value)) {
		for (let at = 0; at < value.length; at++) value[at] = exact(value[at] as Parsed, depth + 1) as Parsed;
		return value as ExactJson;
	}
	for (const name of Object.keys(value)) {
		if (name.startsWith(MARK)) throw new SyntaxError("a number in the place of a name");
		value[name] = exact(value[name] as Parsed, depth + 1) as Parsed;
	}
	return value as ExactJson;
}

function numberIn(text: string): bigint | number {
	return INTEGER.test(text) ? BigInt(text) : Number(text);
}
