/**
 * JSON bodies as the network reads them from release 4.8.2 on (protocol/releases §4): JSON with bare and single-quoted
 * names, comments, a comma at the end, signs, points and zeros where JSON has none. Only the first value of a text is
 * read. Its errors name their place, as clients see them.
 */

import { Decimal } from "./decimal.js";
import { NamedError } from "./exceptions.js";
import { BACKSLASH, unescaped } from "./text-units.js";
import { InsertedObject, type JsonValue } from "./value.js";

const MAX_DEPTH = 20;
const MAX_TOKENS = 100_000;
const MAX_NUMBER_LENGTH = 1_000;

const SOURCE = "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: ";
const VALUE = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
/** What may be in a name of the reference's language: letters, digits, currency signs, connectors, marks, format characters. */
const WORD_CHARACTER = "\\p{L}\\p{Nl}\\p{Nd}\\p{Sc}\\p{Pc}\\p{Mn}\\p{Mc}\\p{Cf}\\x7f-\\x9f";
/** A bare name may begin with a digit, and has a few signs more. Characters beyond 16 bits are in none. */
const BARE_NAME = new RegExp(`(?:(?![\\u{10000}-\\u{10ffff}])[${WORD_CHARACTER}@#*+-])+`, "uy");
const WORD = new RegExp(`(?:(?![\\u{10000}-\\u{10ffff}])[${WORD_CHARACTER}])+`, "uy");
/** So much of an unknown word is repeated. */
const MAX_TOLD_WORD = 256;

/** An array or object whose end has not been read. */
interface OpenScope {
	readonly kind: "Array" | "Object";
	/** Position of its bracket. */
	readonly start: number;
}

export function jsonException(text: string): NamedError {
	return new NamedError("org.coin.json.JSONException", text);
}

class RelaxedReader {
	private at = 0;
	private tokens = 0;
	private readonly scopes: OpenScope[] = [];

	constructor(private readonly text: string) {}

	/** The first value; null for a text without one. */
	document(): JsonValue {
		this.skipSpace();
		return this.at >= this.text.length ? null : this.value();
	}

	private value(): JsonValue {
		this.countToken();
		const ch = this.text.charAt(this.at);
		if (ch === "{") return this.object();
		if (ch === "[") return this.array();
		if (ch === '"' || ch === "'") return this.string(ch, "was expecting closing quote for a string value");
		if (ch === "}" || ch === "]") throw this.wrongClose(ch);
		if (/[-+.\d]/.test(ch)) return this.number();
		return this.word();
	}

	private object(): JsonValue {
		const members = new InsertedObject();
		this.open("Object");
		for (let first = true; ; first = false) {
			this.skipToToken();
			if (this.text.charAt(this.at) === "}") break;
			if (!first) {
				this.expectSeparator("Object");
				this.skipToToken();
				if (this.text.charAt(this.at) === "}") break;
			}
			const name = this.name();
			this.skipToToken();
			if (this.text.charAt(this.at) !== ":") {
				throw this.unexpected("was expecting a colon to separate field name and value");
			}
			this.at++;
			this.skipToToken();
			members.set(name, this.value());
		}
		this.close();
		return members;
	}

	private array(): JsonValue {
		const elements: JsonValue[] = [];
		this.open("Array");
		for (let first = true; ; first = false) {
			this.skipToToken();
			if (this.text.charAt(this.at) === "]") break;
			if (!first) {
				this.expectSeparator("Array");
				this.skipToToken();
				if (this.text.charAt(this.at) === "]") break;
			}
			elements.push(this.value());
		}
		this.close();
		return elements;
	}

	private open(kind: OpenScope["kind"]): void {
		this.scopes.push({ kind, start: this.at });
		if (this.scopes.length > MAX_DEPTH) {
			throw jsonException(
				`Document nesting depth (${this.scopes.length}) exceeds the maximum allowed (${MAX_DEPTH}, from \`StreamReadConstraints.getMaxNestingDepth()\`)`,
			);
		}
		this.at++;
	}

	private close(): void {
		this.countToken();
		this.scopes.pop();
		this.at++;
	}

	private expectSeparator(kind: OpenScope["kind"]): void {
		const ch = this.text.charAt(this.at);
		if (ch === "}" || ch === "]") throw this.wrongClose(ch);
		if (ch !== ",") throw this.unexpected(`was expecting comma to separate ${kind} entries`);
		this.at++;
	}

	private name(): string {
		this.countToken();
		const ch = this.text.charAt(this.at);
		if (ch === '"' || ch === "'") return this.string(ch, "in field name");
		if (ch === "]") throw this.wrongClose(ch);
		BARE_NAME.lastIndex = this.at;
		const bare = BARE_NAME.exec(this.text)?.[0];
		if (bare === undefined) {
			throw this.unexpected(
				"was expecting either valid name character (for unquoted name) or double-quote (for quoted) to start field name",
			);
		}
		this.at += bare.length;
		return bare;
	}

	private string(quote: string, atEnd: string): string {
		const { text } = this;
		const from = ++this.at;
		const closing = quote.charCodeAt(0);
		let hasEscapes = false;
		for (; ; this.at++) {
			const unit = text.charCodeAt(this.at);
			if (unit === closing) break;
			if (Number.isNaN(unit)) {
				// What is no escape before it is the error.
				if (hasEscapes) this.decoded(from, text.length);
				throw this.error(`Unexpected end-of-input${atEnd.startsWith("in ") ? " " : ": "}${atEnd}`);
			}
			if (unit !== BACKSLASH) continue;
			hasEscapes = true;
			this.at++;
		}
		const end = this.at++;
		return hasEscapes ? this.decoded(from, end) : text.slice(from, end);
	}

	/** A part of the text with its escapes decoded. @throws {NamedError} */
	private decoded(from: number, end: number): string {
		return unescaped(this.text.slice(from, end), (at) => this.noEscape(from + at));
	}

	/** @param at behind a backslash @throws {NamedError} */
	private noEscape(at: number): never {
		this.at = at;
		const ch = this.text.charAt(at);
		if (ch === "") throw this.error("Unexpected end-of-input in character escape sequence");
		if (ch !== "u") {
			this.at++;
			throw this.error(`Unrecognized character escape ${described(ch)}`);
		}
		const digits = /^[0-9a-fA-F]{0,4}/.exec(this.text.slice(this.at + 1, this.at + 5))?.[0] ?? "";
		this.at += digits.length + 1;
		if (this.at >= this.text.length) throw this.error("Unexpected end-of-input in character escape sequence");
		throw this.unexpected("expected a hex-digit for character escape sequence");
	}

	private number(): Decimal {
		NUMBER.lastIndex = this.at;
		const text = NUMBER.exec(this.text)?.[0];
		if (text === undefined) throw this.badNumber();
		if (text.length > MAX_NUMBER_LENGTH) {
			throw jsonException(
				`Number value length (${text.length}) exceeds the maximum allowed (${MAX_NUMBER_LENGTH}, from \`StreamReadConstraints.getMaxNumberLength()\`)`,
			);
		}
		this.at += text.length;
		if (/[eE]/.test(this.charHere()) && !/[eE]/.test(text)) {
			this.at++;
			if (/[+-]/.test(this.charHere())) this.at++;
			throw this.inNumber("Exponent indicator not followed by a digit");
		}
		if (this.scopes.length === 0 && this.at < this.text.length && !/\s/.test(this.charHere())) {
			throw this.unexpected("Expected space separating root-level values");
		}
		return Decimal.parse(text);
	}

	private badNumber(): NamedError {
		const sign = this.text.charAt(this.at);
		WORD.lastIndex = this.at + 1;
		const word = WORD.exec(this.text)?.[0];
		if (sign !== "." && (word === "Infinity" || word === "INF" || word === "NaN")) {
			this.at += 1 + word.length;
			return this.nonStandard(sign + word);
		}
		this.at++;
		if (sign === ".") return this.inNumber("Decimal point not followed by a digit");
		return this.inNumber(
			`expected digit (0-9) to follow ${sign === "-" ? "minus" : "plus"} sign, for valid numeric value`,
		);
	}

	private inNumber(reason: string): NamedError {
		if (this.at >= this.text.length) return this.error(`Unexpected end-of-input in VALUE_NUMBER_FLOAT`);
		return this.error(
			`Unexpected character (${described(this.charHere())}) in numeric value: ${reason}`,
			this.at,
		);
	}

	private word(): JsonValue {
		WORD.lastIndex = this.at;
		const word = WORD.exec(this.text)?.[0];
		if (word === undefined) throw this.unexpected(`expected a valid value ${VALUE}`);
		const start = this.at;
		this.at += word.length;
		if (word === "null") return null;
		if (word === "true" || word === "false") return word === "true";
		if (word === "NaN" || word === "Infinity") throw this.nonStandard(word);
		const isCut = word.length >= MAX_TOLD_WORD;
		if (isCut) this.at = start + MAX_TOLD_WORD;
		const told = isCut ? `${word.slice(0, MAX_TOLD_WORD)}...` : word;
		throw this.error(`Unrecognized token '${told}': was expecting ${VALUE}`);
	}

	private nonStandard(word: string): NamedError {
		return this.error(
			`Non-standard token '${word}': enable \`JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS\` to allow`,
		);
	}

	private countToken(): void {
		if (++this.tokens <= MAX_TOKENS) return;
		throw jsonException(
			`Token count (${this.tokens}) exceeds the maximum allowed (${MAX_TOKENS}, from \`StreamReadConstraints.getMaxTokenCount()\`)`,
		);
	}

	/** Moves to the next character that is neither space nor comment. @throws {NamedError} at the end of the text */
	private skipToToken(): void {
		this.skipSpace();
		if (this.at < this.text.length) return;
		const { kind, start } = this.scopes.at(-1) as OpenScope;
		throw this.error(
			`Unexpected end-of-input: expected close marker for ${kind} (start marker at ${this.place(start)})`,
		);
	}

	private skipSpace(): void {
		const { text } = this;
		for (;;) {
			while (text.charCodeAt(this.at) <= 0x20) this.at++;
			if (text.charAt(this.at) !== "/") return;
			const second = text.charAt(this.at + 1);
			if (second === "/") {
				const end = text.indexOf("\n", this.at);
				this.at = end < 0 ? text.length : end;
			} else if (second === "*") {
				const end = text.indexOf("*/", this.at + 2);
				this.at = end < 0 ? text.length : end + 2;
				if (end < 0) throw this.error("Unexpected end-of-input in a comment");
			} else {
				this.at++;
				throw this.unexpected("was expecting either '*' or '/' for a comment");
			}
		}
	}

	private charHere(): string {
		return this.text.charAt(this.at);
	}

	private wrongClose(ch: string): NamedError {
		const scope = this.scopes.at(-1);
		const expected = scope?.kind === "Object" ? "}" : "]";
		const opened = scope
			? `${scope.kind} starting at ${this.place(scope.start)}`
			: `root starting at ${SOURCE}1]`;
		return this.error(`Unexpected close marker '${ch}': expected '${expected}' (for ${opened})`, this.at);
	}

	private unexpected(reason: string): NamedError {
		return this.error(`Unexpected character (${described(this.charHere())}): ${reason}`, this.at);
	}

	private error(text: string, at = this.at): NamedError {
		return jsonException(`${text}\n at ${this.place(at)}`);
	}

	private place(at: number): string {
		const before = this.text.slice(0, at);
		const lineStart = before.lastIndexOf("\n") + 1;
		return `${SOURCE}${before.split("\n").length}, column: ${at - lineStart + 1}]`;
	}
}

function described(ch: string): string {
	const code = ch.charCodeAt(0);
	const hex = code > 255 ? ` / 0x${code.toString(16)}` : "";
	return code < 0x20 ? `(CTRL-CHAR, code ${code})` : `'${ch}' (code ${code}${hex})`;
}

/**
 * The first value of a text; null for a text without one.
 * @throws {NamedError} JSONException
 */
export function parseRelaxed(text: string): JsonValue {
	return new RelaxedReader(text).document();
}
