/**
 * JSON as the network's JSON-RPC servers read it (sheet 07 §2): strict, numbers exact, and only the first value of the
 * text counts. Of members with the same name the last one counts.
 */

/** A number as it was written. */
export class JsonNumber {
	constructor(readonly text: string) {}

	get isInteger(): boolean {
		return !/[.eE]/.test(this.text);
	}
}

export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export type JsonObject = ReadonlyMap<string, JsonValue>;

export function isJsonArray(value: JsonValue | undefined): value is JsonArray {
	return Array.isArray(value);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
	return value instanceof Map;
}

/** The text doesn't begin with a JSON value. */
export class JsonTextError extends Error {
	override readonly name = "JsonTextError";
}

/** Deeper texts are refused: no request needs them, and reading them needs a call for each level. */
const MAX_DEPTH = 500;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[0-9A-Za-z_$]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must be escaped in a string
const PLAIN = /[^"\\\u0000-\u001f]*/y;

const ESCAPES: Readonly<Record<string, string>> = {
	'"': '"',
	"\\": "\\",
	"/": "/",
	b: "\b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
};

const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
	["null", null],
	["true", true],
	["false", false],
]);

/**
 * Reads the first JSON value of a text.
 * @throws {JsonTextError}
 */
export function readJson(text: string): JsonValue {
	return new JsonReader(text).document();
}

class JsonReader {
	private at = 0;

	constructor(private readonly text: string) {}

	document(): JsonValue {
		const value = this.value(0);
		// What follows isn't read, but a number or word must end where it ends.
		if (typeof value !== "string" && !isJsonArray(value) && !isJsonObject(value)) {
			if (this.at < this.text.length && !/[ \t\n\r]/.test(this.text.charAt(this.at))) throw this.error();
		}
		return value;
	}

	private error(): JsonTextError {
		return new JsonTextError(`unexpected text at ${this.at}`);
	}

	/** Takes what the pattern matches here. */
	private take(pattern: RegExp): string {
		pattern.lastIndex = this.at;
		const match = pattern.exec(this.text)?.[0] ?? "";
		this.at += match.length;
		return match;
	}

	/** The next character that isn't blank; it stays unread. */
	private peek(): string {
		this.take(SPACE);
		return this.text.charAt(this.at);
	}

	private value(depth: number): JsonValue {
		if (depth > MAX_DEPTH) throw this.error();
		const ch = this.peek();
		if (ch === "{") return this.object(depth);
		if (ch === "[") return this.array(depth);
		if (ch === '"') return this.string();
		if (ch === "-" || (ch >= "0" && ch <= "9")) return this.number();
		const word = WORDS.get(this.take(WORD));
		if (word === undefined) throw this.error();
		return word;
	}

	private number(): JsonNumber {
		const text = this.take(NUMBER);
		if (text === "" || /[0-9A-Za-z_$.+-]/.test(this.text.charAt(this.at))) throw this.error();
		return new JsonNumber(text);
	}

	private string(): string {
		this.at++;
		let result = "";
		for (;;) {
			result += this.take(PLAIN);
			const ch = this.text.charAt(this.at++);
			if (ch === '"') return result;
			if (ch !== "\\") throw this.error();
			result += this.escape();
		}
	}

	private escape(): string {
		const ch = this.text.charAt(this.at++);
		if (ch === "u") {
			const digits = this.text.slice(this.at, this.at + 4);
			if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.error();
			this.at += 4;
			return String.fromCharCode(Number.parseInt(digits, 16));
		}
		const meant = ESCAPES[ch];
		if (meant === undefined) throw this.error();
		return meant;
	}

	private array(depth: number): JsonArray {
		this.at++;
		const items: JsonValue[] = [];
		if (this.peek() === "]") {
			this.at++;
			return items;
		}
		for (;;) {
			items.push(this.value(depth + 1));
			if (this.ends("]")) return items;
		}
	}

	private object(depth: number): JsonObject {
		this.at++;
		const members = new Map<string, JsonValue>();
		if (this.peek() === "}") {
			this.at++;
			return members;
		}
		for (;;) {
			if (this.peek() !== '"') throw this.error();
			const name = this.string();
			if (this.peek() !== ":") throw this.error();
			this.at++;
			members.set(name, this.value(depth + 1));
			if (this.ends("}")) return members;
		}
	}

	/** Takes a comma, or the closing bracket. */
	private ends(bracket: string): boolean {
		const ch = this.peek();
		if (ch !== "," && ch !== bracket) throw this.error();
		this.at++;
		return ch === bracket;
	}
}
