/**
 * JSON with exact integers. JSON.parse is the fastest reader but rounds, so numbers become marked strings
 * before it. PERF: character-by-character libraries take 36 times a long text's size.
 */

import { randomBytes } from "node:crypto";
import { endOfJsonString, JSON_QUOTE } from "./modest-json.js";

export type ExactJson = null | boolean | string | bigint | number | readonly ExactJson[] | ExactRecord;
export interface ExactRecord {
	readonly [name: string]: ExactJson;
}

/** Marks strings that were numbers; random, so that no input can contain it. */
const MARK = randomBytes(6).toString("base64");
const MAX_DEPTH = 1_000;
/** Maximum digits of a number, far more than anything on the network. */
export const MAX_DIGITS = 1_000;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON: integers become bigint, other numbers number. The last of duplicate members wins.
 * @param maxDigits maximum length of a number: converting one is quadratic
 * @throws {SyntaxError} also if nested deeper than 1000 levels
 */
export function parseExactJson(text: string, maxDigits: number): ExactJson {
	return exact(JSON.parse(withMarks(text, maxDigits)) as Parsed, 0);
}

type Parsed = null | boolean | string | number | Parsed[] | { [name: string]: Parsed };

/** Turns numbers that JSON.parse would round, and non-integers, into marked strings. */
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
		// Malformed numbers are left for JSON.parse to reject.
		if (!NUMBER.test(text)) continue;
		const end = NUMBER.lastIndex;
		if (end - at > maxDigits) throw new SyntaxError(`a number of ${end - at} characters`);
		marked += `${text.slice(from, at)}"${MARK}${text.slice(at, end)}"`;
		from = end;
		at = end - 1;
	}
	return from === 0 ? text : marked + text.slice(from);
}

/** End of an integer that JSON.parse reads exactly; `at` if it isn't one. */
function endOfShortInteger(text: string, at: number): number {
	let end = at + 1;
	while (isDigit(text.charCodeAt(end))) end++;
	const next = text.charCodeAt(end);
	return end - at > EXACT_DIGITS || next === POINT || (next | LOWER) === EXPONENT ? at : end;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Integers of this length are below 2^53. */
const EXACT_DIGITS = 15;
const LOWER = 0x20;
const EXPONENT = 0x65;
const POINT = 0x2e;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Converts the marked numbers of a parsed value, in place. */
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
