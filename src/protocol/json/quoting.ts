/** String escaping of the two writers (protocol/http §2.2 rule 6 and §2.3). */

import { escaped, escapesOf } from "./text-units.js";

const SHORT: Readonly<Record<string, string>> = {
	"\b": "\\b",
	"\f": "\\f",
	"\n": "\\n",
	"\r": "\\r",
	"\t": "\\t",
	'"': '\\"',
	"\\": "\\\\",
};

const hex4 = (unit: number): string => unit.toString(16).padStart(4, "0");

/** Escape of one of the first code units. @param digits of units without a short escape */
const writerOf =
	(special: RegExp, digits: (unit: number) => string) =>
	(unit: number): string | undefined => {
		const ch = String.fromCharCode(unit);
		return special.test(ch) ? (SHORT[ch] ?? `\\u${digits(unit)}`) : undefined;
	};

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that get escaped
const PRINTED = /["\\\u0000-\u001f\ud800-\udfff]/;
const printedEscapes = escapesOf(writerOf(PRINTED, hex4), (unit, next, before) => {
	const isOfPair = (isHigh(unit) && isLow(next)) || (isLow(unit) && isHigh(before));
	return isOfPair ? `\\u${hex4(unit)}` : undefined;
});

/** The printed form: lower-case escapes for controls, two escapes for a surrogate pair, all else raw. */
export function quotePrinted(text: string): string {
	return PRINTED.test(text) ? `"${escaped(text, printedEscapes)}"` : `"${text}"`;
}

const eventEscapes = escapesOf(
	writerOf(PRINTED, (unit) => hex4(unit).toUpperCase()),
	(unit, next, before) => {
		const isHalf = (isHigh(unit) && !isLow(next)) || (isLow(unit) && !isHigh(before));
		return isHalf ? `\\u${hex4(unit).toUpperCase()}` : undefined;
	},
);

/** The form of events: upper-case escapes for controls and lone surrogates, all else raw. */
export function quoteEvent(text: string): string {
	return PRINTED.test(text) ? `"${escaped(text, eventEscapes)}"` : `"${text}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that get escaped
const MAP_ORDERED = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const mapOrderedEscapes = escapesOf(
	writerOf(MAP_ORDERED, (unit) => hex4(unit).toUpperCase()),
	(unit) => (unit === 0x2028 || unit === 0x2029 ? `\\u${hex4(unit)}` : undefined),
);

/** The map-ordered form: upper-case escapes for controls, escaped line separators, all else raw. */
export function quoteMapOrdered(text: string): string {
	return MAP_ORDERED.test(text) ? `"${escaped(text, mapOrderedEscapes)}"` : `"${text}"`;
}
