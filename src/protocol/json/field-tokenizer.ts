/** Tokenizer of the field decoder (protocol/http §3.3); its grammar is not JSON. */

import { NamedError } from "./exceptions.js";
import { BACKSLASH, unescaped } from "./text-units.js";

/**
 * Not an integer, or out of range; the message follows `Couldn't parse integer: `. Integers are decimal, `0x`
 * hexadecimal, or octal with a leading zero (protocol/http §3.3).
 */
class IntegerTextError extends Error {
	override readonly name = "IntegerTextError";
}

/** Longest text parsed as a plain number; longer ones are checked group by group. */
const SHORT = 15;
/** More than a 64-bit integer has in any radix. */
const MAX_DIGITS = 25;
const BEYOND = 1n << 70n;
const GROUP: Readonly<Record<number, number>> = { 8: 10, 10: 9, 16: 7 };
const DIGITS: Readonly<Record<number, RegExp>> = { 8: /^[0-7]+$/, 10: /^[0-9]+$/, 16: /^[0-9a-fA-F]+$/ };
const PREFIX: Readonly<Record<number, string>> = { 8: "0o", 10: "", 16: "0x" };

function bad(text: string, radix: number): IntegerTextError {
	return new IntegerTextError(`For input string: "${text}"${radix === 10 ? "" : ` under radix ${radix}`}`);
}

function magnitude(digits: string, radix: number): bigint {
	return BigInt(PREFIX[radix] + digits);
}

function parseShort(text: string, radix: number): bigint {
	const signed = text.startsWith("-") || text.startsWith("+");
	const digits = signed ? text.slice(1) : text;
	if (!(DIGITS[radix] as RegExp).test(digits)) throw bad(text, radix);
	const value = magnitude(digits, radix);
	return text.startsWith("-") ? -value : value;
}

function parseLong(text: string, radix: number): bigint {
	const minus = text.lastIndexOf("-");
	const plus = text.lastIndexOf("+");
	if (minus > 0 || plus > 0 || (minus === 0 && plus === 0)) {
		throw new IntegerTextError("Illegal embedded sign character");
	}
	const digits = minus === 0 || plus === 0 ? text.slice(1) : text;
	const significant = digits.replace(/^0+/, "");
	if (significant === "") return 0n;
	const size = GROUP[radix] as number;
	let at = 0;
	let length = significant.length % size || size;
	while (at < significant.length) {
		const group = significant.slice(at, at + length);
		if (!(DIGITS[radix] as RegExp).test(group)) throw bad(group, radix);
		at += length;
		length = size;
	}
	// Out of range whatever the digits: the value of a long text is never computed.
	const value = significant.length > MAX_DIGITS ? BEYOND : magnitude(significant, radix);
	return minus === 0 ? -value : value;
}

/**
 * Parses a signed 32-bit or 64-bit integer.
 * @throws {IntegerTextError}
 */
function parseIntegerText(text: string, bits: 32 | 64): bigint {
	const negative = text.startsWith("-");
	let rest = negative ? text.slice(1) : text;
	let radix = 10;
	if (rest.startsWith("0x")) {
		radix = 16;
		rest = rest.slice(2);
	} else if (rest.startsWith("0")) radix = 8;
	const unsigned = rest.length <= SHORT ? parseShort(rest, radix) : parseLong(rest, radix);
	const value = negative ? -unsigned : unsigned;
	if (value !== BigInt.asIntN(bits, value)) {
		throw new IntegerTextError(`Number out of range for ${bits}-bit signed integer: ${text}`);
	}
	return value;
}

const WORD = /[a-zA-Z_][0-9a-zA-Z_+-]*|[.]?[0-9+-][0-9a-zA-Z_.+-]*/y;
const SPACE = /(?:[ \t\n\v\f\r]|#.*)+/y;

/** More than the largest transaction needs; a member takes four (name, colon, value, comma). */
const MAX_TOKENS = 500_000;

export class FieldTokenizer {
	/** The current token including quotes; empty at the end. */
	token = "";
	private start = 0;
	private end = 0;
	private previousStart = 0;
	private count = 0;

	constructor(private readonly text: string) {
		this.skipSpace();
		this.advance();
	}

	get atEnd(): boolean {
		return this.token === "";
	}

	private skipSpace(): void {
		SPACE.lastIndex = this.end;
		if (SPACE.test(this.text)) this.end = SPACE.lastIndex;
	}

	/** Advances to the next token. */
	advance(): void {
		this.previousStart = this.start;
		this.start = this.end;
		if (++this.count > MAX_TOKENS) throw this.error(`More than ${MAX_TOKENS} tokens.`);
		const ch = this.text.charAt(this.start);
		if (ch === "") {
			this.token = "";
			return;
		}
		WORD.lastIndex = this.start;
		if (ch === '"' || ch === "'") this.end = this.endOfString(ch);
		else if (WORD.test(this.text)) this.end = WORD.lastIndex;
		else this.end = this.start + 1;
		this.token = this.text.slice(this.start, this.end);
		this.skipSpace();
	}

	/** A string ends after its quote, or unterminated at the end of its line. */
	private endOfString(quote: string): number {
		const text = this.text;
		const closing = quote.charCodeAt(0);
		let at = this.start + 1;
		while (at < text.length) {
			const unit = text.charCodeAt(at);
			if (unit === LINE_FEED) return at;
			at++;
			if (unit === closing) return at;
			if (unit === BACKSLASH) {
				if (at >= text.length || isLineEnd(text.charAt(at))) return at;
				at++;
			}
		}
		return at;
	}

	/** An error at the current token. */
	error(message: string): NamedError {
		return parseError(this.text, this.start, message);
	}

	/** An error at the token before the current one. */
	errorBefore(message: string): NamedError {
		return parseError(this.text, this.previousStart, message);
	}

	tryConsume(token: string): boolean {
		if (this.token !== token) return false;
		this.advance();
		return true;
	}

	consume(token: string): void {
		if (!this.tryConsume(token)) throw this.error(`Expected "${token}".`);
	}

	get looksLikeInteger(): boolean {
		return /^[0-9+-]/.test(this.token);
	}

	get looksLikeBoolean(): boolean {
		return this.token === "true" || this.token === "false";
	}

	/** An identifier, optionally with double quotes. */
	identifier(): string {
		const illegal = /[^a-zA-Z0-9_."]/.exec(this.token);
		if (illegal) throw this.error(`Expected identifier. -${illegal[0]}`);
		const name = this.token.replaceAll('"', "");
		this.advance();
		return name;
	}

	integer(bits: 32 | 64): bigint {
		try {
			const value = parseIntegerText(this.token, bits);
			this.advance();
			return value;
		} catch (error) {
			if (error instanceof IntegerTextError) throw this.error(`Couldn't parse integer: ${error.message}`);
			throw error;
		}
	}

	boolean(): boolean {
		const value = this.token === "true";
		if (!this.looksLikeBoolean) throw this.error('Expected "true" or "false".');
		this.advance();
		return value;
	}

	double(): number {
		const value = Number(this.token);
		if (this.token === "" || Number.isNaN(value)) {
			throw this.error(`Couldn't parse number: For input string: "${this.token}"`);
		}
		this.advance();
		return value;
	}

	/** The raw characters of a string token, escapes untouched; doesn't advance. */
	rawString(): string {
		const quote = this.token.charAt(0);
		if (quote !== '"' && quote !== "'") throw this.error("Expected string.");
		if (this.token.length < 2 || !this.token.endsWith(quote))
			throw this.error("String missing ending quote.");
		return this.token.slice(1, -1);
	}

	/** A string with its escapes decoded. */
	string(): string {
		const raw = this.rawString();
		const value = raw.includes("\\") ? this.unescape(raw) : raw;
		this.advance();
		return value;
	}

	private unescape(raw: string): string {
		return unescaped(raw, (at) => {
			throw this.error(`Invalid escape sequence: '\\${raw.charAt(at)}'`);
		});
	}
}

const LINE_FEED = 0x0a;

function isLineEnd(ch: string): boolean {
	return ch === "\n" || ch === "\r" || ch === "\u0085" || ch === "\u2028" || ch === "\u2029";
}

function parseError(text: string, at: number, message: string): NamedError {
	const before = text.slice(0, at);
	const lineStart = before.lastIndexOf("\n") + 1;
	const line = before.split("\n").length;
	return new NamedError("JsonFormat$ParseException", `${line}:${at - lineStart + 1}: ${message}`);
}
