/**
 * Lexer of the generic JSON step (protocol/http §3.2): comments, strings in either quotes with escapes, bare
 * names, numbers with type suffixes. Error texts match those known to clients.
 */

import { NamedError } from "../exceptions.js";

/** Returned past the end of the text. */
export const END = "\u001a";

export type LenientToken =
	| "error"
	| "int"
	| "float"
	| "string"
	| "true"
	| "false"
	| "null"
	| "new"
	| "("
	| ")"
	| "{"
	| "}"
	| "["
	| "]"
	| ","
	| ":"
	| ";"
	| "."
	| "ident"
	| "EOF"
	| "Set"
	| "TreeSet"
	| "undefined"
	| "hex";

/** Single-character tokens; two have no name of their own and appear as `Unknown` in messages. */
const PUNCTUATION: Readonly<Record<string, LenientToken>> = {
	"(": "(",
	")": ")",
	"[": "[",
	"]": "]",
	"{": "{",
	"}": "}",
	":": ":",
	";": ";",
	".": ".",
};

const WORDS: Readonly<Record<string, LenientToken>> = {
	new: "new",
	true: "true",
	false: "false",
	undefined: "undefined",
	Set: "Set",
	TreeSet: "TreeSet",
};

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
	b: "\b",
	t: "\t",
	n: "\n",
	v: "\u000b",
	f: "\f",
	F: "\f",
	r: "\r",
	'"': '"',
	"'": "'",
	"/": "/",
	"\\": "\\",
};

/** Maximum digits of a number. The network's node accepts 65,535, in quadratic time. */
const MAX_NUMBER = 1_000;

export function jsonError(text: string): NamedError {
	return new NamedError("JSONException", text);
}

/** Runs of characters without escapes. */
const PLAIN_DOUBLE = /[^"\\]+/y;
const PLAIN_SINGLE = /[^'\\]+/y;

export class LenientLexer {
	private at = 0;
	/** The current character. */
	ch: string;
	token: LenientToken = "error";
	/** Start of the last token, reported as the position in messages. */
	pos = 0;
	/** Text of the last string, number, word or binary literal. */
	text = "";

	constructor(private readonly source: string) {
		this.ch = source.length > 0 ? source.charAt(0) : END;
	}

	get ended(): boolean {
		return this.at >= this.source.length;
	}

	next(): string {
		this.at++;
		this.ch = this.at < this.source.length ? this.source.charAt(this.at) : END;
		return this.ch;
	}

	/** Position, line, column and the whole text, appended to messages. */
	info(): string {
		let line = 1;
		let column = 1;
		for (let i = 0; i < this.at; i++, column++) {
			if (this.source.charAt(i) === "\n") {
				column = 1;
				line++;
			}
		}
		return `pos ${this.at}, line ${line}, column ${column}${this.source.slice(0, 65535)}`;
	}

	tokenName(): string {
		return this.token === ";" || this.token === "." || this.token === "hex" ? "Unknown" : this.token;
	}

	isBlank(): boolean {
		return /^[\s\b]*$/.test(this.source);
	}

	skipSpace(): void {
		for (;;) {
			if (isSpace(this.ch)) this.next();
			else if (this.ch === "/") this.skipComment();
			else return;
		}
	}

	private skipComment(): void {
		let ch = this.next();
		if (ch === "/") {
			do ch = this.next();
			while (ch !== "\n" && ch !== END);
			if (ch === "\n") this.next();
		} else if (ch === "*") {
			ch = this.next();
			while (ch !== END) {
				const star = ch === "*";
				ch = this.next();
				if (star && ch === "/") {
					this.next();
					return;
				}
			}
		} else throw jsonError("invalid comment");
	}

	/** After an array element: like {@link nextToken}, but a separator doesn't update the position. */
	nextSeparator(): void {
		while (isSpace(this.ch)) this.next();
		if (this.ch === "," || this.ch === "}" || this.ch === "]") {
			this.token = this.ch;
			this.next();
		} else if (this.ch === END) this.token = "EOF";
		else this.nextToken();
	}

	/** Before an array element: like {@link nextToken}, but an opening bracket doesn't update the position. */
	nextElement(): void {
		while (isSpace(this.ch)) this.next();
		if (this.ch === "[" || this.ch === "{") {
			this.token = this.ch;
			this.next();
		} else this.nextToken();
	}

	nextToken(): void {
		for (;;) {
			this.pos = this.at;
			const ch = this.ch;
			if (ch === "/") {
				this.skipComment();
				continue;
			}
			if (isSpace(ch)) {
				this.next();
				continue;
			}
			if (ch === '"' || ch === "'") {
				this.scanString(ch);
				return;
			}
			if (ch === ",") {
				this.next();
				this.token = ",";
				return;
			}
			if (isDigit(ch) || ch === "-") {
				this.scanNumber();
				return;
			}
			const punctuation = PUNCTUATION[ch];
			if (punctuation) {
				this.next();
				this.token = punctuation;
				return;
			}
			switch (ch) {
				case "t":
					this.scanWord("true", "true", "error parse true", "scan true error", ":/");
					return;
				case "f":
					this.scanWord("false", "false", "error parse false", "scan false error", ":/");
					return;
				case "n":
					this.scanNullOrNew();
					return;
				case "T":
				case "N":
				case "S":
				case "u":
					this.scanName();
					return;
				case "+":
					this.next();
					this.scanNumber();
					return;
				case "x":
					this.scanBinary();
					return;
			}
			if (this.ended) {
				if (this.token === "EOF") throw jsonError("EOF error");
				this.token = "EOF";
				return;
			}
			if (ch < " " || ch === "\u007f") {
				this.next();
				continue;
			}
			this.token = "error";
			this.next();
			return;
		}
	}

	/** Reads a fixed word, which must be followed by a separator, the end, or one of `enders`. */
	private scanWord(
		word: string,
		token: LenientToken,
		mismatch: string,
		unended: string,
		enders: string,
	): void {
		for (const expected of word) {
			if (this.ch !== expected) throw jsonError(mismatch);
			this.next();
		}
		if (!endsWord(this.ch) && !enders.includes(this.ch)) throw jsonError(unended);
		this.token = token;
	}

	private scanNullOrNew(): void {
		this.next();
		if (this.ch === "u") this.scanWord("ull", "null", "error parse null", "scan null error", ":");
		else this.scanWord("ew", "new", "error parse new", "scan new error", "");
	}

	private scanName(): void {
		const start = this.at;
		do this.next();
		while (/[\p{L}\p{Nd}]/u.test(this.ch));
		this.text = this.source.slice(start, this.at);
		this.token = this.text.toLowerCase() === "null" ? "null" : (WORDS[this.text] ?? "ident");
	}

	private scanBinary(): void {
		if (this.next() !== "'") throw jsonError(`illegal state. ${this.ch}`);
		const start = this.at + 1;
		while (this.next() !== "'") if (!/[0-9A-F]/.test(this.ch)) throw jsonError(`illegal state. ${this.ch}`);
		this.text = this.source.slice(start, this.at);
		this.next();
		this.token = "hex";
	}

	scanNumber(): void {
		const start = this.at;
		let float = false;
		let ch = this.ch === "-" ? this.next() : this.ch;
		ch = this.skipDigits(ch);
		if (ch === ".") {
			float = true;
			ch = this.skipDigits(this.next());
		}
		if (this.at - start > MAX_NUMBER) throw jsonError("scanNumber overflow");
		let end = this.at;
		if (ch === "L" || ch === "S" || ch === "B") this.next();
		else if (ch === "F" || ch === "D") {
			float = true;
			this.next();
		} else if (ch === "e" || ch === "E") {
			float = true;
			ch = this.next();
			if (ch === "+" || ch === "-") ch = this.next();
			ch = this.skipDigits(ch);
			end = this.at;
			if (ch === "D" || ch === "F") this.next();
		}
		this.text = this.source.slice(start, end);
		this.token = float ? "float" : "int";
	}

	private skipDigits(first: string): string {
		let ch = first;
		while (isDigit(ch)) ch = this.next();
		return ch;
	}

	/** Reads a quoted string value; the current character is its quote. */
	scanString(quote: string): void {
		this.text = this.quoted(quote, "unclosed string : ", (ch) => `unclosed string : ${ch}`);
		this.token = "string";
	}

	/** Reads a quoted member name; the current character is its quote. */
	scanMemberName(quote: string): string {
		return this.quoted(quote, "unclosed.str", () => "unclosed.str.lit");
	}

	private quoted(quote: string, unclosed: string, badEscape: (ch: string) => string): string {
		let result = "";
		let start = this.at + 1;
		const plain = quote === '"' ? PLAIN_DOUBLE : PLAIN_SINGLE;
		for (;;) {
			plain.lastIndex = this.at + 1;
			if (plain.test(this.source)) this.at = plain.lastIndex - 1;
			const ch = this.next();
			if (ch === quote) break;
			if (ch === END && this.ended) throw jsonError(unclosed.endsWith(" ") ? unclosed + END : unclosed);
			if (ch !== "\\") continue;
			result += this.source.slice(start, this.at) + this.escape(badEscape);
			start = this.at + 1;
		}
		result += this.source.slice(start, this.at);
		this.next();
		return result;
	}

	/** Reads an escape; leaves its last character as the current one. */
	private escape(bad: (ch: string) => string): string {
		const ch = this.next();
		const simple = SIMPLE_ESCAPES[ch];
		if (simple !== undefined) return simple;
		if (ch >= "0" && ch <= "7") return String.fromCharCode(Number(ch));
		if (ch === "x") {
			const digits = this.next() + this.next();
			if (!/^[0-9a-fA-F]{2}$/.test(digits)) throw jsonError(`invalid escape character \\x${digits}`);
			return String.fromCharCode(Number.parseInt(digits, 16));
		}
		if (ch === "u") {
			const digits = this.next() + this.next() + this.next() + this.next();
			if (!/^\+?[0-9a-fA-F]+$/.test(digits)) {
				throw new NamedError("NumberFormatException", `For input string: "${digits}" under radix 16`);
			}
			return String.fromCharCode(Number.parseInt(digits, 16));
		}
		throw jsonError(bad(ch));
	}

	/** Reads a member name without quotes. */
	scanBareName(): string {
		if (!isNameStart(this.ch)) throw jsonError(`illegal identifier : ${this.ch}${this.info()}`);
		const start = this.at;
		do this.next();
		while (!this.ended && isNamePart(this.ch));
		return this.source.slice(start, this.at);
	}
}

export function isDigit(ch: string): boolean {
	return ch >= "0" && ch <= "9";
}

function isSpace(ch: string): boolean {
	return ch === " " || ch === "\n" || ch === "\t" || ch === "\r" || ch === "\f" || ch === "\b";
}

function endsWord(ch: string): boolean {
	return isSpace(ch) || ch === "," || ch === "}" || ch === "]" || ch === END;
}

function isNameStart(ch: string): boolean {
	return /[A-Za-z_$]/.test(ch) || ch >= "\u0100";
}

function isNamePart(ch: string): boolean {
	return /[A-Za-z_0-9]/.test(ch) || ch >= "\u0100";
}
