/**
 * Parses HOCON (https://github.com/lightbend/config/blob/main/HOCON.md) as used by node configurations
 * (protocol/configuration §1.1): nested braces or dotted paths, `=` or `:`, comments, quoted or unquoted
 * text, `+=`, later keys override earlier ones, objects merge. Substitutions and includes are rejected, as
 * the network's node doesn't resolve them in files from disk either.
 *
 * Numbers keep their text, so that 64-bit amounts stay exact, and values know their line for error messages.
 */

import { OperatorError } from "../protocol/operator-error.js";

/** An invalid configuration. The message names file, position, key and defect. */
export class ConfigError extends OperatorError {
	override readonly name = "ConfigError";

	/**
	 * @param missing full path of the required key, or the file, if the error is that it is missing
	 * @param path full path of the rejected value; if absent, the rest of the file is unknown
	 */
	constructor(
		message: string,
		readonly missing: { readonly key?: string; readonly file?: string } = {},
		readonly path?: string,
	) {
		super(message);
	}
}

export interface HoconObject {
	readonly kind: "object";
	readonly line: number;
	readonly members: Map<string, HoconValue>;
}

interface HoconList {
	readonly kind: "list";
	readonly line: number;
	readonly items: readonly HoconValue[];
}

export interface HoconScalar {
	readonly kind: "text" | "number" | "boolean" | "null";
	readonly line: number;
	/** The value as written, without quotes. */
	readonly text: string;
}

export type HoconValue = HoconObject | HoconList | HoconScalar;

const END = "";
const NUMBER = /^-?\d+(\.\d+)?([eE]-?\d+)?$/;
/** What follows the word "include" if it is not a key. */
const INCLUDED = /^\s*("|(required|file|url|classpath)\()/;
/** Characters not allowed in unquoted text. */
const RESERVED = new Set('$"{}[]:=,+#`^?!@*&\\');
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

/**
 * Parses a whole file.
 * @param file name for messages
 * @param spell maps each key part to the spelling that is stored
 * @param isOnce rejects duplicate keys, so that no later one overrides the one that was read
 * @throws {ConfigError}
 */
export function parseHocon(
	text: string,
	file: string,
	spell: (key: string) => string = (key) => key,
	isOnce = false,
): HoconObject {
	return new HoconReader(text, file, spell, isOnce).root();
}

/** The value at a dotted path, with list items by index in brackets; undefined if absent or null. */
export function valueAt(object: HoconObject, path: string): HoconValue | undefined {
	let value: HoconValue | undefined = object;
	for (const name of path.split(".")) {
		// PERF: a configuration is queried for hundreds of paths, few of which are list items.
		const [, key = "", index] = name.endsWith("]")
			? (/^(.*?)(?:\[(\d+)\])?$/.exec(name) ?? [])
			: [name, name];
		value = value?.kind === "object" ? value.members.get(key) : undefined;
		if (index !== undefined) value = value?.kind === "list" ? value.items[Number(index)] : undefined;
	}
	return value?.kind === "null" ? undefined : value;
}

/** Merges one object over another, as if its text followed; all else is replaced. `lower` gets line 0. */
export function layered(lower: HoconObject, upper: HoconObject): HoconObject {
	return merge(withoutLines(lower), upper) as HoconObject;
}

function withoutLines(value: HoconValue): HoconValue {
	if (value.kind === "list") return { ...value, line: 0, items: value.items.map(withoutLines) };
	if (value.kind !== "object") return { ...value, line: 0 };
	const members = [...value.members].map(([name, member]) => [name, withoutLines(member)] as const);
	return { ...value, line: 0, members: new Map(members) };
}

/** Removes a value as if the file lacked it; for a list item that is no object, removes the list. */
export function removeValue(object: HoconObject, path: string): void {
	const [, parentPath, name = ""] = /^(?:(.*)\.)?([^.]+?)(?:\[\d+\])?$/.exec(path) ?? [];
	const parent = parentPath === undefined ? object : valueAt(object, parentPath);
	if (parent?.kind === "object") parent.members.delete(name);
}

class HoconReader {
	private pos = 0;
	private line = 1;

	constructor(
		private readonly text: string,
		private readonly file: string,
		private readonly spell: (key: string) => string,
		private readonly isOnce: boolean,
	) {}

	root(): HoconObject {
		this.skip(true);
		if (this.peek() !== "{") return this.members(END);
		this.pos++;
		const object = this.members("}");
		this.skip(true);
		if (this.peek() !== END) throw this.error(`unexpected '${this.peek()}' after the closing '}'`);
		return object;
	}

	/** Reads members up to and including the closing brace, or to the end of the text. */
	private members(close: "}" | typeof END): HoconObject {
		const object: HoconObject = { kind: "object", line: this.line, members: new Map() };
		for (;;) {
			this.skip(true);
			if (this.atClose(close)) return object;
			this.member(object);
			this.separator(close);
		}
	}

	private member(object: HoconObject): void {
		const path = this.key();
		this.skip(true);
		const line = this.line;
		const append = this.text.startsWith("+=", this.pos);
		if (append) this.pos += 2;
		else if (this.peek() === "=" || this.peek() === ":") this.pos++;
		else if (this.peek() !== "{") {
			throw this.error(`expecting '=', ':' or '{' after the key ${path.join(".")}, not ${this.here()}`);
		}
		this.skip(true);
		const value = this.value(path.join("."));
		if (this.isOnce && !append) this.refuseAgain(object, path, line);
		put(object, path, append ? appended(lookUp(object, path), value, line) : value, line);
	}

	/** Rejects a duplicate key: a human reader might see the one without effect. */
	private refuseAgain(object: HoconObject, path: readonly string[], line: number): void {
		const taken = path.findIndex((_, at) => {
			const old = lookUp(object, path.slice(0, at + 1));
			return old !== undefined && (at === path.length - 1 || old.kind !== "object");
		});
		if (taken >= 0) throw this.error(`${path.slice(0, taken + 1).join(".")} is there already`, line);
	}

	private key(): string[] {
		const segments: string[] = [];
		let segment = "";
		let filled = false;
		let blank = "";
		const finish = () => {
			if (!filled) throw this.error("a key has an empty part");
			segments.push(this.spell(segment));
			segment = "";
			filled = false;
			blank = "";
		};
		for (;;) {
			const c = this.peek();
			if (c === '"') {
				segment += blank + this.quoted();
				filled = true;
				blank = "";
			} else if (c === ".") {
				this.pos++;
				finish();
			} else if (isBlank(c) && c !== "\n") {
				if (filled) blank += c;
				this.pos++;
				if (
					segment === "include" &&
					segments.length === 0 &&
					INCLUDED.test(this.text.slice(this.pos, this.pos + 40))
				) {
					throw this.error("include is not supported: write everything in one file");
				}
			} else if (c === END || c === "\n" || RESERVED.has(c) || this.atComment()) {
				if (!filled && segments.length === 0) throw this.error(`expecting a key, not ${this.here()}`);
				finish();
				return segments;
			} else {
				segment += blank + c;
				filled = true;
				blank = "";
				this.pos++;
			}
		}
	}

	/** Reads one value; adjacent parts on a line are concatenated. */
	private value(key: string): HoconValue {
		const parts: HoconValue[] = [];
		let text = "";
		let blank = "";
		for (;;) {
			const c = this.peek();
			const line = this.line;
			let part: HoconValue;
			if (c === END || c === "," || c === "]" || c === "}" || c === "\n" || this.atComment()) break;
			if (isBlank(c)) {
				blank += c;
				this.pos++;
				continue;
			}
			if (c === "{") {
				this.pos++;
				part = this.members("}");
			} else if (c === "[") {
				part = this.list(key);
			} else if (c === '"') {
				part = { kind: "text", line, text: this.quoted() };
			} else {
				part = scalar(this.unquoted(key), line);
			}
			if (part.kind !== "object" && part.kind !== "list") text += (parts.length > 0 ? blank : "") + part.text;
			blank = "";
			parts.push(part);
		}
		const [first] = parts;
		if (first === undefined) throw this.error(`a value is missing for ${key}`);
		if (parts.length === 1) return first;
		if (parts.every((part) => part.kind === "object") && !this.isOnce) {
			return parts.reduce<HoconValue>((merged, part) => merge(merged, part), first);
		}
		if (parts.every((part) => part.kind === "list")) {
			return { kind: "list", line: first.line, items: parts.flatMap((part) => part.items) };
		}
		if (parts.some((part) => part.kind === "object" || part.kind === "list")) {
			throw this.error(`the value of ${key} joins things of different kinds`);
		}
		return { kind: "text", line: first.line, text };
	}

	private list(key: string): HoconList {
		const line = this.line;
		const items: HoconValue[] = [];
		this.pos++;
		for (;;) {
			this.skip(true);
			if (this.atClose("]")) return { kind: "list", line, items };
			items.push(this.value(`${key}[${items.length}]`));
			this.separator("]");
		}
	}

	/** Members and items are separated by a comma, a newline, or both. */
	private separator(close: string): void {
		const line = this.line;
		this.skip(true);
		if (this.peek() === ",") this.pos++;
		else if (this.line === line && this.peek() !== close && this.peek() !== END) {
			throw this.error(`expecting a comma or a new line, not ${this.here()}`);
		}
	}

	private atClose(close: string): boolean {
		const c = this.peek();
		if (c === END && close !== END) throw this.error(`expecting '${close}', not the end of the file`);
		if (c !== close) return false;
		this.pos += close.length;
		return true;
	}

	private quoted(): string {
		const start = this.line;
		if (this.text.startsWith('"""', this.pos)) return this.tripleQuoted();
		let result = "";
		for (this.pos++; ; this.pos++) {
			const c = this.peek();
			if (c === END || c === "\n") throw this.error("a quoted text is not closed", start);
			if (c === '"') break;
			result += c === "\\" ? this.escape() : c;
		}
		this.pos++;
		return result;
	}

	private escape(): string {
		const c = this.text.charAt(++this.pos);
		if (c === "u") {
			const digits = this.text.slice(this.pos + 1, this.pos + 5);
			if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.error("\\u needs four hexadecimal digits");
			this.pos += 4;
			return String.fromCharCode(Number.parseInt(digits, 16));
		}
		const plain = ESCAPES[c];
		if (plain === undefined)
			throw this.error(`\\${c} is not an escape sequence; a backslash is written \\\\`);
		return plain;
	}

	private tripleQuoted(): string {
		const start = this.pos + 3;
		let end = this.text.indexOf('"""', start);
		if (end < 0) throw this.error("a text in triple quotes is not closed");
		while (this.text.charAt(end + 3) === '"') end++;
		const result = this.text.slice(start, end);
		this.line += result.split("\n").length - 1;
		this.pos = end + 3;
		return result;
	}

	private unquoted(key: string): string {
		const start = this.pos;
		while (this.peek() !== END && !isBlank(this.peek()) && !RESERVED.has(this.peek()) && !this.atComment()) {
			this.pos++;
		}
		if (this.pos > start) return this.text.slice(start, this.pos);
		if (this.text.startsWith("${", this.pos)) {
			throw this.error(
				`the value of ${key} uses a substitution, which is not supported: write the value out`,
			);
		}
		throw this.error(`the value of ${key} holds '${this.peek()}', which needs quotes`);
	}

	/** Skips blanks and comments, and optionally newlines. */
	private skip(newlines: boolean): void {
		for (;;) {
			const c = this.peek();
			if (this.atComment()) {
				while (this.peek() !== END && this.peek() !== "\n") this.pos++;
			} else if (c === "\n") {
				if (!newlines) return;
				this.line++;
				this.pos++;
			} else if (isBlank(c)) {
				this.pos++;
			} else {
				return;
			}
		}
	}

	private atComment(): boolean {
		return this.peek() === "#" || this.text.startsWith("//", this.pos);
	}

	private peek(): string {
		return this.text.charAt(this.pos);
	}

	private here(): string {
		const c = this.peek();
		if (c === END) return "the end of the file";
		return c === "\n" ? "the end of the line" : `'${c}'`;
	}

	private error(what: string, line = this.line): ConfigError {
		return new ConfigError(`${this.file}: ${line}: ${what}`);
	}
}

function isBlank(c: string): boolean {
	return c !== END && (c === "\uFEFF" || /\s/.test(c));
}

function scalar(text: string, line: number): HoconScalar {
	if (text === "null") return { kind: "null", line, text };
	if (text === "true" || text === "false") return { kind: "boolean", line, text };
	return { kind: NUMBER.test(text) ? "number" : "text", line, text };
}

function put(object: HoconObject, path: readonly string[], value: HoconValue, line: number): void {
	const [head, ...rest] = path;
	if (head === undefined) return;
	let added = value;
	if (rest.length > 0) {
		const inner: HoconObject = { kind: "object", line, members: new Map() };
		put(inner, rest, value, line);
		added = inner;
	}
	const old = object.members.get(head);
	object.members.set(head, old === undefined ? added : merge(old, added));
}

/** Merges objects member by member; anything else is replaced. */
function merge(old: HoconValue, added: HoconValue): HoconValue {
	if (old.kind !== "object" || added.kind !== "object") return added;
	const members = new Map(old.members);
	for (const [key, value] of added.members) {
		const before = members.get(key);
		members.set(key, before === undefined ? value : merge(before, value));
	}
	return { kind: "object", line: added.line, members };
}

function lookUp(object: HoconObject, path: readonly string[]): HoconValue | undefined {
	let value: HoconValue | undefined = object;
	for (const part of path) value = value?.kind === "object" ? value.members.get(part) : undefined;
	return value;
}

function appended(old: HoconValue | undefined, item: HoconValue, line: number): HoconList {
	return { kind: "list", line, items: [...(old?.kind === "list" ? old.items : []), item] };
}
