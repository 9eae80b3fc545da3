/**
 * Decodes and writes JSON escapes code unit by code unit: a client may send millions in one text, and a call
 * per escape would block the node for seconds.
 */

export const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
const NONE = 0xffff;

/** Meaning of each character after a backslash, by char code. */
const MEANT = new Uint16Array(128).fill(NONE);
for (const [behind, meant] of Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }))
	MEANT[behind.charCodeAt(0)] = meant.charCodeAt(0);
for (const itself of "\"'\\/") MEANT[itself.charCodeAt(0)] = itself.charCodeAt(0);

/**
 * Decodes the escapes of JSON and of single quotes.
 * @param refuse called with the position after the backslash of an invalid escape; throws
 */
export function unescaped(raw: string, refuse: (at: number) => never): string {
	const units = new Uint16Array(raw.length);
	let length = 0;
	let bits = 0;
	for (let at = 0; at < raw.length; at++) {
		const unit = raw.charCodeAt(at);
		bits |= unit;
		if (unit !== BACKSLASH) {
			units[length++] = unit;
			continue;
		}
		const behind = raw.charCodeAt(++at);
		const value = behind === SMALL_U ? fourDigits(raw, at + 1) : undefined;
		if (value !== undefined) {
			units[length++] = value;
			bits |= value;
			at += 4;
			continue;
		}
		const meant = MEANT[behind] ?? NONE;
		if (meant === NONE) refuse(at);
		units[length++] = meant;
	}
	return textOf(units, length, bits);
}

/** Parses four hex digits; undefined if there are fewer or others. */
function fourDigits(text: string, at: number): number | undefined {
	let value = 0;
	for (let i = at; i < at + 4; i++) {
		const unit = text.charCodeAt(i);
		const letter = unit | 0x20;
		if (unit >= 0x30 && unit <= 0x39) value = value * 16 + unit - 0x30;
		else if (letter >= 0x61 && letter <= 0x66) value = value * 16 + letter - 0x57;
		else return undefined;
	}
	return value;
}

/** @param bits OR of all code units; if it fits in eight, the text takes half the memory */
function textOf(units: Uint16Array, length: number, bits: number): string {
	if (bits > 0xff) return Buffer.from(units.buffer, units.byteOffset, 2 * length).toString("utf16le");
	return Buffer.from(new Uint8Array(units.subarray(0, length)).buffer).toString("latin1");
}

/** Code units written at a time, and the maximum length of one's escape. */
const CHUNK = 16_384;
const LONGEST_ESCAPE = 6;
const written = new Uint16Array(CHUNK * LONGEST_ESCAPE);

/** Code units covered by the escape table. */
const IN_TABLE = 256;
const PLACE = LONGEST_ESCAPE + 1;

/** Escapes of code units, at most six characters each. */
interface Escapes {
	/** For each of the first code units its escape's length (0: unescaped), then the escape. */
	readonly table: Uint16Array;
	/** For other units; undefined: unescaped. @param next following unit @param before preceding unit */
	readonly other: (unit: number, next: number, before: number) => string | undefined;
}

/** @param write escape of one of the first code units; undefined: unescaped */
export function escapesOf(write: (unit: number) => string | undefined, other: Escapes["other"]): Escapes {
	const table = new Uint16Array(IN_TABLE * PLACE);
	for (let unit = 0; unit < IN_TABLE; unit++) {
		const letters = write(unit) ?? "";
		table[unit * PLACE] = letters.length;
		for (let i = 0; i < letters.length; i++) table[unit * PLACE + 1 + i] = letters.charCodeAt(i);
	}
	return { table, other };
}

/** Escapes a text. */
export function escaped(text: string, { table, other }: Escapes): string {
	const parts: string[] = [];
	for (let from = 0; from < text.length; from += CHUNK) {
		const end = Math.min(from + CHUNK, text.length);
		let length = 0;
		let bits = 0;
		for (let at = from; at < end; at++) {
			const unit = text.charCodeAt(at);
			if (unit < IN_TABLE) {
				const place = unit * PLACE;
				const count = table[place] as number;
				if (count === 0) written[length++] = unit;
				for (let i = 1; i <= count; i++) written[length++] = table[place + i] as number;
				continue;
			}
			const letters = other(unit, text.charCodeAt(at + 1), text.charCodeAt(at - 1));
			if (letters === undefined) {
				written[length++] = unit;
				bits |= unit;
			} else for (let i = 0; i < letters.length; i++) written[length++] = letters.charCodeAt(i);
		}
		parts.push(textOf(written, length, bits));
	}
	return parts.join("");
}
