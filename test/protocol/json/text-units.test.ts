/** Escapes are decoded and written unit by unit as they were character by character. */

import { describe, expect, test } from "vitest";
import { quoteEvent, quoteMapOrdered, quotePrinted } from "../../../src/protocol/json/quoting.js";
import { unescaped } from "../../../src/protocol/json/text-units.js";

const decode = (raw: string): string =>
	unescaped(raw, (at) => {
		throw new Error(`no escape at ${at}`);
	});

test.each([
	["a\\nb", "a\nb"],
	["\\u0041\\u00e9\\uD83D\\uDE00", "Aé😀"],
	["\\\\u0041", "\\u0041"],
	["\\'\\\\\\/\\\"\\b\\f\\r\\t", "'\\/\"\b\f\r\t"],
	["", ""],
])("%j is %j", (raw, text) => {
	expect(decode(raw)).toBe(text);
});

test.each([
	["\\q", 1],
	["ab\\", 3],
	["\\u12", 1],
	["\\u12g4", 1],
	["é\\€", 2],
])("%j is refused at %i", (raw, at) => {
	expect(() => decode(raw)).toThrow(`no escape at ${at}`);
});

describe("texts are quoted", () => {
	const all = Array.from({ length: 0x120 }, (_, unit) => String.fromCharCode(unit)).join("");

	test("printed: controls in lower case, pairs as two escapes, halves as they are", () => {
		// The platform's own form, which differs in pairs and halves alone.
		expect(quotePrinted(all)).toBe(JSON.stringify(all));
		expect(quotePrinted("a😀\ud83d\ud83d\ude00\ude00")).toBe('"a\\ud83d\\ude00\ud83d\\ud83d\\ude00\ude00"');
	});

	test("map-ordered: controls in upper case, line separators too", () => {
		expect(quoteMapOrdered('\u001f\u007f\u009f\u00a0"\n😀\u2028')).toBe(
			'"\\u001F\\u007F\\u009F\u00a0\\"\\n😀\\u2028"',
		);
	});

	test("of events: controls and halves in upper case, pairs and escaped backslashes as they are", () => {
		expect(quoteEvent('\u001f\\u001f\n\u007f😀\udc0f"')).toBe('"\\u001F\\\\u001f\\n\u007f😀\\uDC0F\\""');
	});

	test("across the parts in which they are written", () => {
		const text = `${"x".repeat(16_383)}😀${"\u0001".repeat(20_000)}`;
		expect(quotePrinted(text)).toBe(`"${"x".repeat(16_383)}\\ud83d\\ude00${"\\u0001".repeat(20_000)}"`);
	});
});
