/**
 * JSON as the network's JSON-RPC servers parse it (protocol/json-rpc §2): strict, with exact numbers, reading
 * only the first value of the text. Of members with the same name, the last one wins.
 */

import { BACKSLASH } from "../../../protocol/json/text-units.js";

/** A number as written. */
export class JsonNumber {
	constructor(readonly text: string) {}

	get isInteger(): boolean {
		return !/[.eE]/.test(this.text);
	}
}

export type RawValue = null | boolean | string | JsonNumber | RawArray | RawObject;
export type RawArray = readonly RawValue[];
export type RawObject = ReadonlyMap<string, RawValue>;

export function isRawArray(value: RawValue | undefined): value is RawArray {
	return Array.isArray(value);
}

export function isRawObject(value: RawValue | undefined): value is RawObject {
	return value instanceof Map;
}

/** The text doesn't begin with a JSON value. */
export class JsonTextError extends Error {
	override readonly name = "JsonTextError";
}

/** The text exceeds its budget. */
export class JsonLimitError extends JsonTextError {
	constructor(
		readonly limit: "depth" | "tokens",
		/** How much the text used. */
		readonly reached: number,
		readonly most: number,
	) {
		super(`more than ${most} ${limit === "depth" ? "levels" : "tokens"}`);
	}
}

/** Parser limits for one text. */
export interface JsonBudget {
	/** Total values, member names and closing brackets. */
	readonly tokens: number;
	/** Nesting depth, since parsing recurses. */
	readonly depth: number;
	/** Characters of one number, since converting its base is quadratic. */
	readonly numberLength: number;
}

/** For texts we requested, or whose size is already bounded. */
const PLAIN_BUDGET: JsonBudget = { tokens: Number.MAX_SAFE_INTEGER, depth: 500, numberLength: 1_000 };

/** For client requests; more than any needs: a hundred log queries with two hundred topics each stay below. */
export const RPC_BUDGET: JsonBudget = { ...PLAIN_BUDGET, tokens: 100_000 };

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[0-9A-Za-z_$]*/y;

/** A short string without escapes. */
const PLAIN_STRING = /^[ !#-[\]-~]{0,256}$/;

const WORDS: ReadonlyMap<string, RawValue> = new Map<string, RawValue>([
	["null", null],
	["true", true],
	["false", false],
]);

/**
 * Reads the first JSON value of a text.
 * @throws {JsonTextError} also where the text exceeds its budget
 */
export function readRawJson(text: string, budget: JsonBudget = PLAIN_BUDGET): RawValue {
	return new JsonReader(text, budget).document();
}

class JsonReader {
	private at = 0;
	private tokens = 0;

	constructor(
		private readonly text: string,
		private readonly budget: JsonBudget,
	) {}

	document(): RawValue {
		const value = this.value(0);
		// The rest isn't read, but a number or word must end at a delimiter.
		if (typeof value !== "string" && !isRawArray(value) && !isRawObject(value)) {
			if (this.at < this.text.length && !isSpace(this.text.charCodeAt(this.at))) throw this.error();
		}
		return value;
	}

	private error(): JsonTextError {
		return new JsonTextError(`unexpected text at ${this.at}`);
	}

	private countToken(): void {
		const { tokens } = this.budget;
		if (++this.tokens > tokens) throw new JsonLimitError("tokens", this.tokens, tokens);
	}

	/** @param depth brackets that are open around it */
	private open(depth: number): void {
		if (depth >= this.budget.depth) throw new JsonLimitError("depth", depth + 1, this.budget.depth);
		this.at++;
	}

	private close(): void {
		this.countToken();
		this.at++;
	}

	/** Consumes what the pattern matches here. */
	private take(pattern: RegExp): string {
		pattern.lastIndex = this.at;
		const match = pattern.exec(this.text)?.[0] ?? "";
		this.at += match.length;
		return match;
	}

	/** The next non-blank character, not consumed. */
	private peek(): string {
		while (isSpace(this.text.charCodeAt(this.at))) this.at++;
		return this.text.charAt(this.at);
	}

	private value(depth: number): RawValue {
		this.countToken();
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
		if (text.length > this.budget.numberLength) throw new JsonTextError("a number has too many digits");
		return new JsonNumber(text);
	}

	/** JSON.parse follows the same rules for strings and is many times faster. */
	private string(): string {
		const start = this.at;
		let end = this.text.indexOf('"', start + 1);
		while (end >= 0 && this.isEscaped(end, start)) end = this.text.indexOf('"', end + 1);
		if (end < 0) throw this.error();
		this.at = end + 1;
		const written = this.text.slice(start + 1, end);
		if (PLAIN_STRING.test(written)) return written;
		try {
			return JSON.parse(this.text.slice(start, end + 1)) as string;
		} catch (error) {
			throw new JsonTextError(`no string at ${start}`, { cause: error });
		}
	}

	/** Whether the quote at a position is escaped in the string starting at `start`. */
	private isEscaped(place: number, start: number): boolean {
		let first = place;
		while (first - 1 > start && this.text.charCodeAt(first - 1) === BACKSLASH) first--;
		return (place - first) % 2 === 1;
	}

	private array(depth: number): RawArray {
		this.open(depth);
		if (this.peek() === "]") {
			this.close();
			return [];
		}
		// Pushing to an empty array reserves 17 slots: 140 bytes per bracket.
		const items = [this.value(depth + 1)];
		while (!this.ends("]")) items.push(this.value(depth + 1));
		return items;
	}

	private object(depth: number): RawObject {
		this.open(depth);
		const members = new Map<string, RawValue>();
		if (this.peek() === "}") {
			this.close();
			return members;
		}
		for (;;) {
			if (this.peek() !== '"') throw this.error();
			this.countToken();
			const name = this.string();
			if (this.peek() !== ":") throw this.error();
			this.at++;
			members.set(name, this.value(depth + 1));
			if (this.ends("}")) return members;
		}
	}

	/** Consumes a comma or the closing bracket. */
	private ends(bracket: string): boolean {
		const ch = this.peek();
		if (ch === bracket) {
			this.close();
			return true;
		}
		if (ch !== ",") throw this.error();
		this.at++;
		return false;
	}
}

function isSpace(code: number): boolean {
	return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
