/**
 * JSON bodies as the network reads them since release 4.8.2 (protocol/releases §4): JSON plus bare and
 * single-quoted names, comments, trailing commas, and extra signs, points and zeros in numbers. Only the
 * first value of a text is read. Errors report their position, as clients see it.
 */

import { Decimal } from "./decimal.js";
import { NamedError } from "./exceptions.js";
import { BACKSLASH, unescaped } from "./text-units.js";
import { InsertedObject, type JsonValue } from "./value.js";

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const MAX_DEPTH = 20;
const MAX_TOKENS = 100_000;
const MAX_NUMBER_LENGTH = 1_000;

const SOURCE = "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: ";
const VALUE = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d*)(?:[eE][+-]?\d+)?/y;
/** A number needs at least one digit. */
const NO_DIGITS = /^[+-]?\.(?:[eE]|$)/;
/** Java identifier characters: letters, digits, currency signs, connectors, marks, format characters. */
const WORD_CHARACTER = "\\p{L}\\p{Nl}\\p{Nd}\\p{Sc}\\p{Pc}\\p{Mn}\\p{Mc}\\p{Cf}\\x7f-\\x9f";
/** Maximum reported length of an unknown word, and maximum chunk of a name: regex stack space is limited. */
const MAX_TOLD_WORD = 256;
/** Bare names may start with a digit and contain a few more signs, but no astral characters. */
const BARE_NAME = new RegExp(
	`(?:(?![\\u{10000}-\\u{10ffff}])[${WORD_CHARACTER}@#*+-]){0,${MAX_TOLD_WORD}}`,
	"uy",
);
/** The part of an unknown word repeated in errors; may contain most control characters. */
const WORD = new RegExp(
	`(?:(?![\\u{10000}-\\u{10ffff}])[${WORD_CHARACTER}\\0-\\x08\\x0e-\\x1b]){0,${MAX_TOLD_WORD}}`,
	"uy",
);
const WORD_START = /(?![\u{10000}-\u{10ffff}])[\p{L}\p{Nl}\p{Sc}\p{Pc}]/uy;
/** Matches if a word continues here. */
const WORD_GOES_ON = new RegExp(`(?![\\0-/]|[\\u{10000}-\\u{10ffff}])[${WORD_CHARACTER}]`, "uy");

/** An array or object that is still open. */
interface OpenScope {
	readonly kind: "Array" | "Object";
	/** Position of its bracket. */
	readonly start: string;
}

export function jsonException(text: string): NamedError {
	return new NamedError("org.coin.json.JSONException", text);
}

/** For numbers that the reader accepts but BigDecimal doesn't. */
const noDecimal = (text: string, reason: string): NamedError =>
	jsonException(
		`Value "${text.replace(/^\+/, "")}" can not be deserialized as \`java.math.BigDecimal\`, reason:  ${reason}`,
	);

class RelaxedReader {
	private at = 0;
	private line = 1;
	private lineStart = 0;
	private tokens = 0;
	private readonly scopes: OpenScope[] = [];

	constructor(private readonly text: string) {}

	/** The first value; null for a text without one. */
	document(): JsonValue {
		this.skipSpace();
		return this.atEnd ? null : this.value();
	}

	private value(): JsonValue {
		this.countToken();
		const ch = this.text.charAt(this.at);
		if (ch === "{") return this.object();
		if (ch === "[") return this.array();
		if (ch === '"' || ch === "'") return this.string(ch, "was expecting closing quote for a string value");
		if ((ch === "}" || ch === "]") && this.scopes.at(-1)?.kind !== "Object") throw this.wrongClose(ch);
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
				this.skipBetween("Object");
				if (this.text.charAt(this.at) === "}") break;
			}
			const name = this.name();
			this.skipBetween("Object");
			if (this.text.charAt(this.at) !== ":") {
				throw this.unexpected("was expecting a colon to separate field name and value");
			}
			this.at++;
			this.skipBetween("Object");
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
				this.skipBetween("Array");
				if (this.text.charAt(this.at) === "]") break;
			}
			elements.push(this.value());
		}
		this.close();
		return elements;
	}

	private open(kind: OpenScope["kind"]): void {
		this.scopes.push({ kind, start: this.place(this.at) });
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
		const start = this.at;
		for (let length = -1; length !== 0; this.at += length) {
			BARE_NAME.lastIndex = this.at;
			length = BARE_NAME.exec(this.text)?.[0].length ?? 0;
		}
		if (this.at === start) {
			throw this.unexpected(
				"was expecting either valid name character (for unquoted name) or double-quote (for quoted) to start field name",
			);
		}
		return this.text.slice(start, this.at);
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
				// An earlier invalid escape takes precedence.
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

	/** A slice of the text with escapes decoded. @throws {NamedError} */
	private decoded(from: number, end: number): string {
		return unescaped(this.text.slice(from, end), (at) => this.noEscape(from + at));
	}

	/** @param at just past the backslash @throws {NamedError} */
	private noEscape(at: number): never {
		this.at = at;
		const ch = this.text.charAt(at);
		if (ch === "") throw this.error("Unexpected end-of-input in character escape sequence");
		if (ch !== "u") {
			throw this.error(`Unrecognized character escape ${described(ch)}`);
		}
		const digits = /^[0-9a-fA-F]{0,4}/.exec(this.text.slice(this.at + 1, this.at + 5))?.[0] ?? "";
		this.at += digits.length + 1;
		if (this.atEnd) throw this.error("Unexpected end-of-input in character escape sequence");
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
		const start = this.at;
		this.at += text.length;
		if (/[eE]/.test(this.charHere()) && !/[eE]/.test(text)) {
			this.at++;
			if (/[+-]/.test(this.charHere())) this.at++;
			if (this.atEnd) throw this.error("Unexpected end-of-inputexpected a digit for number exponent");
			// After a leading zero, the reported position is the current one, else the end of the integer.
			const at = /^[+-]?0/.test(text) ? this.at : start + text.search(/[.]|$/);
			throw this.inNumber("Exponent indicator not followed by a digit", at);
		}
		if (this.scopes.length === 0 && !this.atEnd && !/[ \t\r\n]/.test(this.charHere())) {
			throw this.unexpected("Expected space separating root-level values");
		}
		if (NO_DIGITS.test(text)) throw noDecimal(text, "No digits found.");
		try {
			return Decimal.parse(text);
		} catch (error) {
			if (error instanceof NamedError) throw noDecimal(text, error.message);
			throw error;
		}
	}

	/** A sign without a number. */
	private badNumber(): NamedError {
		const start = this.at;
		const sign = this.text.charAt(this.at++);
		if (this.atEnd) return this.error("Unexpected end-of-inputNo digit following sign");
		if (this.charHere() === "I") {
			this.at++;
			if (this.atEnd) return this.error("Unexpected end-of-input in a Number value");
			const full = { N: "INF", n: "Infinity" }[this.charHere()];
			if (full !== undefined) {
				this.at = start + 1;
				if (this.isWord(full)) return this.nonStandard(sign + full);
				return this.unknownWord(start, this.at);
			}
		}
		return this.inNumber(
			sign === "-"
				? "expected digit (0-9) to follow minus sign, for valid numeric value"
				: "expected digit (0-9) for valid numeric value",
		);
	}

	private inNumber(reason: string, at = this.at): NamedError {
		return this.error(`Unexpected character (${described(this.charHere())}) in numeric value: ${reason}`, at);
	}

	private word(): JsonValue {
		WORD_START.lastIndex = this.at;
		if (!WORD_START.test(this.text)) throw this.unexpected(`expected a valid value ${VALUE}`);
		if (this.isWord("null")) return null;
		if (this.isWord("true")) return true;
		if (this.isWord("false")) return false;
		for (const word of ["NaN", "Infinity"]) if (this.isWord(word)) throw this.nonStandard(word);
		throw this.unknownWord(this.at, this.at);
	}

	/** Consumes a word if it is here and doesn't continue. */
	private isWord(word: string): boolean {
		if (!this.text.startsWith(word, this.at)) return false;
		WORD_GOES_ON.lastIndex = this.at + word.length;
		if (WORD_GOES_ON.test(this.text)) return false;
		this.at += word.length;
		return true;
	}

	/** @param start of the reported text @param from start of the word */
	private unknownWord(start: number, from: number): NamedError {
		WORD.lastIndex = from;
		this.at = from + (WORD.exec(this.text)?.[0].length ?? 0);
		const isCut = this.at - start >= MAX_TOLD_WORD;
		if (isCut) this.at = start + MAX_TOLD_WORD;
		const told = this.text.slice(start, this.at) + (isCut ? "..." : "");
		return this.error(`Unrecognized token '${told}': was expecting ${VALUE}`);
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

	/** Skips whitespace and comments. @throws {NamedError} at the end of the text */
	private skipToToken(): void {
		this.skipSpace();
		if (!this.atEnd) return;
		const { kind, start } = this.scopes.at(-1) as OpenScope;
		throw this.error(`Unexpected end-of-input: expected close marker for ${kind} (start marker at ${start})`);
	}

	/** Like {@link skipToToken}, between entries. @throws {NamedError} */
	private skipBetween(kind: OpenScope["kind"]): void {
		this.skipSpace();
		if (this.atEnd) throw this.error(`Unexpected end-of-input within/between ${kind} entries`);
	}

	private skipSpace(): void {
		const { text } = this;
		for (;;) {
			while (text.charCodeAt(this.at) <= SPACE) this.passSpace();
			if (text.charAt(this.at) !== "/") return;
			this.at++;
			if (this.atEnd) throw this.error("Unexpected end-of-input in a comment");
			const second = this.charHere();
			if (second !== "/" && second !== "*") {
				throw this.unexpected("was expecting either '*' or '/' for a comment");
			}
			this.at++;
			if (second === "/") this.skipLine();
			else this.skipComment();
		}
	}

	/** Consumes one whitespace character. @throws {NamedError} if it is none */
	private passSpace(): void {
		const code = this.text.charCodeAt(this.at++);
		if (code === SPACE || code === TAB) return;
		if (code === CR && this.text.charCodeAt(this.at) === LF) this.at++;
		if (code === CR || code === LF) {
			this.line++;
			this.lineStart = this.at;
			return;
		}
		throw this.error(
			`Illegal character ((CTRL-CHAR, code ${code})): only regular white space (\\r, \\n, \\t) is allowed between tokens`,
		);
	}

	private skipLine(): void {
		for (const { line } = this; this.line === line && !this.atEnd; ) {
			if (this.text.charCodeAt(this.at) < SPACE) this.passSpace();
			else this.at++;
		}
	}

	private skipComment(): void {
		while (!this.text.startsWith("*/", this.at)) {
			if (this.atEnd) throw this.error("Unexpected end-of-input in a comment");
			if (this.text.charCodeAt(this.at) < SPACE) this.passSpace();
			else this.at++;
		}
		this.at += 2;
	}

	private get atEnd(): boolean {
		return this.at >= this.text.length;
	}

	private charHere(): string {
		return this.text.charAt(this.at);
	}

	private wrongClose(ch: string): NamedError {
		const scope = this.scopes.at(-1);
		const opened = scope ? `${scope.kind} starting at ${scope.start}` : `root starting at ${SOURCE}1]`;
		return this.error(
			`Unexpected close marker '${ch}': expected '${ch === "]" ? "}" : "]"}' (for ${opened})`,
			this.at,
		);
	}

	private unexpected(reason: string): NamedError {
		return this.error(`Unexpected character (${described(this.charHere())}): ${reason}`, this.at);
	}

	private error(text: string, at = this.at): NamedError {
		return jsonException(`${text}\n at ${this.place(at)}`);
	}

	/** Line feeds inside strings and names are not counted. */
	private place(at: number): string {
		return `${SOURCE}${this.line}, column: ${at - this.lineStart + 1}]`;
	}
}

function described(ch: string): string {
	const code = ch.charCodeAt(0);
	const hex = code > 255 ? ` / 0x${code.toString(16)}` : "";
	const isControl = code < SPACE || (code >= 0x7f && code < 0xa0);
	return isControl ? `(CTRL-CHAR, code ${code})` : `'${ch}' (code ${code}${hex})`;
}

/**
 * The first value of a text; null for a text without one.
 * @throws {NamedError} JSONException
 */
export function parseRelaxed(text: string): JsonValue {
	return new RelaxedReader(text).document();
}
