/**
 * Changes single keys of the user's configuration and keeps the rest of the file, including comments. The
 * result is parsed before it is written: files with unsupported syntax are left for their owner to edit.
 */

import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { createPrivateDirectory, ifMissing, writePrivateFile } from "../../keystore/private-file.js";
import { Failure } from "../failure.js";
import { type Configuration, configurationText, parseConfiguration } from "./configuration.js";
import { withFileLock } from "./file-lock.js";

/** A change of one key, by its path; without a value, the key and everything below it is removed. */
export interface ConfigurationEdit {
	readonly path: readonly string[];
	readonly value: string | undefined;
}

/**
 * Applies changes to a file, which is created if it doesn't exist.
 * @param note called with a message when a stale lock is removed
 * @param check refuses a result that wouldn't work
 * @returns what `check` returned for the result
 * @throws {Failure} `bad_value`
 */
export async function editConfiguration<T>(
	file: string,
	edits: readonly ConfigurationEdit[],
	note: (text: string) => void,
	check: (outcome: Configuration) => Promise<T>,
): Promise<T> {
	// A symbolic link to a file kept elsewhere remains a link.
	const target = await realpath(file).catch(ifMissing(file));
	await createPrivateDirectory(dirname(target));
	return withFileLock(target, note, async () => {
		const before = configurationText(target, false) ?? "";
		const after = edits.reduce(applyEdit, before);
		const outcome = await parseConfiguration(after, file);
		for (const edit of edits) {
			if (valueAt(outcome, edit.path) !== edit.value) {
				throw new Failure(
					"bad_value",
					`${file} can't be changed by a program: edit ${edit.path.join(".")} by hand`,
				);
			}
		}
		const checked = await check(outcome);
		await writePrivateFile(target, after, true);
		return checked;
	});
}

function valueAt({ top, profiles }: Configuration, path: readonly string[]): string | undefined {
	const [first = "", name = "", key = "", member = ""] = path;
	if (path.length === 1) return top[first];
	const profile = profiles[name];
	if (path.length === 2) return profile ? "" : undefined;
	if (path.length === 3) return profile?.text[key];
	return key === "tokens" ? profile?.tokens[member] : undefined;
}

/** The text with one key changed: in place if the key exists, else in a new line. */
export function applyEdit(text: string, { path, value }: ConfigurationEdit): string {
	const members = membersOf(text);
	const under = members.filter((found) => path.every((name, index) => found.path[index] === name));
	if (value === undefined) {
		const outer = under.filter((one) => !under.some((other) => other !== one && encloses(other, one)));
		return outer.reverse().reduce((rest, found) => cut(rest, found), text);
	}
	const literal = JSON.stringify(value);
	const present = under.filter((found) => found.path.length === path.length).at(-1);
	if (present) return text.slice(0, present.valueStart) + literal + text.slice(present.valueEnd);
	const objects = members.filter(
		(found) => found.bodyEnd !== undefined && found.path.every((name, index) => path[index] === name),
	);
	const longest = Math.max(0, ...objects.map((found) => found.path.length));
	const holder = objects.filter((found) => found.path.length === longest).at(-1);
	const line = `${path.slice(longest).map(written).join(".")} = ${literal}`;
	if (holder?.bodyEnd === undefined)
		return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
	const head = text.slice(0, holder.bodyEnd).trimEnd();
	const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", holder.start - 1) + 1))?.[0] ?? "";
	const separator = /[{,]$/.test(head) || text.slice(head.length, holder.bodyEnd).includes("\n") ? "" : ",";
	return `${head}${separator}\n${indent}\t${line}\n${indent}${text.slice(holder.bodyEnd)}`;
}

function written(name: string): string {
	return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** A key of the file with the position of its value. */
interface Member {
	readonly path: readonly string[];
	readonly start: number;
	readonly valueStart: number;
	readonly valueEnd: number;
	/** Position of an object's closing brace. */
	readonly bodyEnd?: number;
}

function encloses(outer: Member, inner: Member): boolean {
	return outer.start < inner.start && inner.valueEnd <= outer.valueEnd;
}

/** Removes a key, with its whole line if nothing else is on it, or with its comma. */
function cut(text: string, { start, valueEnd }: Member): string {
	const lineStart = text.lastIndexOf("\n", start - 1) + 1;
	const after = /^[ \t]*,?[ \t]*/.exec(text.slice(valueEnd))?.[0].length ?? 0;
	const end = valueEnd + after;
	const alone = text.slice(lineStart, start).trim() === "";
	if (alone && (end >= text.length || text.charAt(end) === "\n")) {
		return text.slice(0, lineStart) + text.slice(end + 1);
	}
	return text.slice(0, start) + text.slice(end);
}

/** Every key of the text; keys inside objects have their full path. */
function membersOf(text: string): Member[] {
	return new MemberScanner(text).scan();
}

class MemberScanner {
	private at = 0;
	private readonly members: Member[] = [];

	constructor(private readonly text: string) {}

	scan(): Member[] {
		this.body([]);
		return this.members;
	}

	private get char(): string {
		return this.text.charAt(this.at);
	}

	private get isOver(): boolean {
		return this.at >= this.text.length;
	}

	/** Reads members up to the end of the text or a closing brace. */
	private body(prefix: readonly string[]): void {
		for (;;) {
			this.skipBlank(true);
			if (this.isOver || this.char === "}") return;
			const start = this.at;
			if (this.char === "{" && prefix.length === 0) {
				this.at++;
				continue;
			}
			const path = [...prefix, ...this.key()];
			if (this.char === "+") this.at++;
			if (/[=:]/.test(this.char)) this.at++;
			this.skipBlank(false);
			const valueStart = this.at;
			const bodyEnd = this.value(path);
			const valueEnd = this.at;
			this.members.push({
				path,
				start,
				valueStart,
				valueEnd,
				...(bodyEnd === undefined ? {} : { bodyEnd }),
			});
			if (this.at === start) this.at++;
		}
	}

	private skipBlank(commas: boolean): void {
		for (;;) {
			const blank = commas ? /[\s,]*/y : /[ \t]*/y;
			blank.lastIndex = this.at;
			this.at += blank.exec(this.text)?.[0].length ?? 0;
			if (!commas || !(this.char === "#" || this.text.startsWith("//", this.at))) return;
			const end = this.text.indexOf("\n", this.at);
			this.at = end < 0 ? this.text.length : end;
		}
	}

	private key(): string[] {
		const names: string[] = [];
		let name = "";
		while (!this.isOver && !/[=:{}\n,+]/.test(this.char)) {
			if (this.char === '"') name += this.quoted();
			else if (this.char === ".") {
				names.push(name.trim());
				name = "";
				this.at++;
			} else name += this.text.charAt(this.at++);
		}
		return [...names, name.trim()];
	}

	private quoted(): string {
		const { text } = this;
		if (text.startsWith('"""', this.at)) {
			const end = text.indexOf('"""', this.at + 3);
			const inner = text.slice(this.at + 3, end < 0 ? text.length : end);
			this.at = end < 0 ? text.length : end + 3;
			return inner;
		}
		const start = ++this.at;
		while (!this.isOver && this.char !== '"') this.at += this.char === "\\" ? 2 : 1;
		return text.slice(start, this.at++);
	}

	/** Skips a value. @returns the position of an object's closing brace */
	private value(path: readonly string[]): number | undefined {
		if (this.char === "{") {
			this.at++;
			this.body(path);
			return this.at++;
		}
		let depth = 0;
		while (!this.isOver) {
			const { char } = this;
			if (char === '"') {
				this.quoted();
				continue;
			}
			if (char === "[") depth++;
			else if (char === "]") depth--;
			else if (depth === 0 && (/[\n,}#]/.test(char) || this.text.startsWith("//", this.at))) break;
			this.at++;
		}
		while (/[ \t\r]/.test(this.text.charAt(this.at - 1))) this.at--;
		return undefined;
	}
}
