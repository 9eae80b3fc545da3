/** Prints results: one JSON value per line for programs, aligned text and tables for people (protocol/command-line §1.5). */

import type { Failure } from "../../wallet/failure.js";
import { writeJson } from "../../wallet/json.js";
import { paint } from "./colors.js";
import { harmlessJson, harmlessLine, harmlessText, withOwnStyles } from "./harmless-text.js";

let isUnderWay = false;
let isUnread = false;

/** From now on, the command continues even if nobody reads its results: a transaction was sent, and others may follow. */
export function outliveReader(): void {
	isUnderWay = true;
}

/** Whether the reader of standard output had closed it before the last line was written. */
export async function hasLostReader(): Promise<boolean> {
	// The stream reports a failed write only after the current task.
	await new Promise((resolve) => setImmediate(resolve));
	return isUnread;
}

/** Exits if the reader of standard output, such as `head -1`, has closed it, which is not a failure. */
export function endOnBrokenPipe(error: NodeJS.ErrnoException): void {
	if (error.code !== "EPIPE") throw error;
	isUnread = true;
	if (!isUnderWay) process.exit(process.exitCode ?? 0);
}

/** A value that prints as one word. */
export type Scalar = string | bigint | number | boolean | null;

/** Writes a line on standard output. */
export function printLine(line: string): void {
	process.stdout.write(`${withOwnStyles(harmlessLine(plainSigns(line)))}\n`);
}

/** Replacements for this program's own non-ASCII characters on ASCII terminals. */
const PLAIN_SIGNS: Readonly<Record<string, string>> = { "…": "...", "→": "->", "·": "-", "×": "x", "–": "-" };

/** Adapts a text to the characters that the locale supports. @param environment that of the process */
export function plainSigns(text: string, environment = process.env): string {
	const { LC_ALL, LC_CTYPE, LANG } = environment;
	if (!/^(C|POSIX)$/.test(LC_ALL || LC_CTYPE || LANG || "")) return text;
	return text.replace(/[\u2026\u2192\u00b7\u00d7\u2013]/g, (sign) => PLAIN_SIGNS[sign] ?? sign);
}

/** Writes a row for programs that split lines into columns: separated by tabs, without padding. */
export function printCells(cells: readonly string[]): void {
	process.stdout.write(`${cells.map(harmlessLine).join("\t")}\n`);
}

/** Writes text of several lines on standard output. */
export function printText(text: string): void {
	process.stdout.write(`${withOwnStyles(harmlessText(text))}\n`);
}

/** Writes a note, warning or summary, that is anything but the result, on standard error. */
export function printNote(line: string): void {
	process.stderr.write(`${withOwnStyles(harmlessLine(plainSigns(line)))}\n`);
}

export function printJson(value: unknown): void {
	printJsonText(writeJson(value));
}

/** Writes JSON text as a line on standard output. */
export function printJsonText(json: string): void {
	process.stdout.write(`${harmlessJson(json)}\n`);
}

/** Writes a value as a line of JSON on standard error. */
export function printJsonNote(value: unknown): void {
	process.stderr.write(`${harmlessJson(writeJson(value))}\n`);
}

/** Writes a node's response on standard output, escaped so that JSON keeps its meaning. */
export function printAnswer(bytes: Uint8Array): void {
	const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
	process.stdout.write(harmlessJson(text));
	if (process.stdout.isTTY === true && !text.endsWith("\n") && text !== "") process.stdout.write("\n");
}

/** Writes bytes for a program on standard output; on a terminal, control characters are escaped. */
export function printBytes(bytes: Uint8Array): void {
	if (process.stdout.isTTY === true) printText(Buffer.from(bytes).toString("latin1"));
	else process.stdout.write(bytes);
}

const CLEAR_LINE = "\r\u001b[K";

/** Redraws a line in place of the previous one, or clears it. */
export function redrawLine(line: string, stream: NodeJS.WritableStream): void {
	stream.write(CLEAR_LINE + harmlessLine(line));
}

/**
 * Redraws lines in place of the previous ones.
 * @param before number of previous lines
 * @returns number of lines drawn
 */
export function redrawLines(
	lines: readonly string[],
	before: number,
	stream: NodeJS.WritableStream & { readonly columns?: number },
): number {
	const width = stream.columns ?? 80;
	const up = before > 0 ? `\u001b[${before}A` : "";
	// Truncated, since a line wrapped by the terminal would take up two rows.
	const drawn = lines.map((line) => `${CLEAR_LINE}${harmlessLine(line).slice(0, width - 1)}\n`);
	stream.write(`${up}${drawn.join("")}\u001b[J`);
	return lines.length;
}

/** Texts in a record that are printed on separate lines. */
export class TextList {
	constructor(readonly items: readonly string[]) {}
}

/** Formats a record as aligned `name  value` lines; nested records are indented, absent members omitted, empty ones are `none`. */
export function recordLines(value: object, indent = ""): string[] {
	const members = Object.entries(value).filter(([, member]) => member !== undefined);
	const width = Math.max(0, ...members.map(([name]) => name.length));
	const lines: string[] = [];
	for (const [name, value] of members) {
		const member: unknown = value instanceof TextList && value.items.length === 0 ? [] : value;
		if (member instanceof TextList) {
			lines.push(indent + paint("dim", name));
			for (const item of member.items) lines.push(`${indent}  - ${item}`);
		} else if (isNested(member)) {
			lines.push(indent + paint("dim", name));
			for (const line of nestedLines(member, `${indent}  `)) lines.push(line);
		} else {
			lines.push(`${indent}${paint("dim", name.padEnd(width))}  ${memberText(name, member)}`.trimEnd());
		}
	}
	return lines;
}

function isNested(value: unknown): value is object {
	if (typeof value !== "object" || value === null) return false;
	return Array.isArray(value)
		? value.some((item) => typeof item === "object" && item !== null)
		: Object.keys(value).length > 0;
}

function nestedLines(value: object, indent: string): string[] {
	if (!Array.isArray(value)) return recordLines(value, indent);
	return value.flatMap((item: unknown) => {
		if (!isNested(item)) return [`${indent}- ${scalarText(item)}`];
		const lines = nestedLines(item, `${indent}  `);
		const [first = "", ...rest] = lines;
		return [`${indent}- ${first.trimStart()}`, ...rest];
	});
}

/** Members that are times in milliseconds since 1970. */
const TIMES = new Set(["timestamp", "expiration", "created", "due", "blockTime", "blockTimeStamp"]);

function memberText(name: string, value: unknown): string {
	return TIMES.has(name) && typeof value === "bigint" && value > 0n ? localTime(value) : scalarText(value);
}

/** Formats a time in the user's time zone, with its offset. @param ms since 1970 */
export function localTime(ms: bigint): string {
	const time = new Date(Number(ms));
	if (Number.isNaN(time.getTime())) return ms.toString();
	const minutes = -time.getTimezoneOffset();
	const shifted = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, 23).replace("T", " ");
	const two = (value: number): string => String(value).padStart(2, "0");
	const size = Math.abs(minutes);
	return `${shifted} ${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function scalarText(value: unknown): string {
	if (Array.isArray(value)) return value.map(scalarText).join(", ") || "none";
	if (typeof value === "object" && value !== null) return "none";
	return String(value);
}

/** The narrowest column into which the last one is wrapped. */
const MIN_LAST_COLUMN = 16;

/**
 * Formats rows as a table with a header; without rows, a message that says so.
 * @param width of the terminal: if the table doesn't fit, its last column is wrapped; if even
 * that isn't enough, each row is printed as separate lines
 */
export function tableLines(
	rows: readonly object[],
	columns: readonly string[],
	none: string,
	width = process.stdout.isTTY === true ? process.stdout.columns : undefined,
): string[] {
	if (rows.length === 0) return [none];
	const cells = [
		columns,
		...rows.map((row) => columns.map((column) => scalarText((row as Record<string, unknown>)[column] ?? ""))),
	];
	const widths = columns.map((_, index) => Math.max(...cells.map((row) => (row[index] ?? "").length)));
	const before = widths.slice(0, -1).reduce((sum, size) => sum + size + 2, 0);
	const fits = width === undefined || before + (widths.at(-1) ?? 0) <= width;
	if (!fits && width - before < MIN_LAST_COLUMN) return stackedLines(rows, columns);
	const last = fits ? (widths.at(-1) ?? 0) : width - before;
	return cells.flatMap((row, position) => {
		const [first = "", ...more] = wrapped(row.at(-1) ?? "", last);
		const fixed = row.slice(0, -1).map((cell, index) => cell.padEnd(widths[index] ?? 0));
		const line = [...fixed, first].join("  ").trimEnd();
		const rest = more.map((text) => " ".repeat(before) + text);
		return [position === 0 ? paint("bold", line) : line, ...rest];
	});
}

/** Formats rows as `name  value` lines, separated by empty lines. */
function stackedLines(rows: readonly object[], columns: readonly string[]): string[] {
	return rows.flatMap((row, index) => {
		const members = columns.map((name) => [name, (row as Record<string, unknown>)[name]] as const);
		const shown = members.filter(([, value]) => value !== undefined && value !== "");
		return [...(index > 0 ? [""] : []), ...recordLines(Object.fromEntries(shown))];
	});
}

/** Wraps a text to a width at spaces and after commas; parts without either aren't broken. */
function wrapped(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = "";
	for (const word of text.split(/(?<=[ ,])/)) {
		if (line !== "" && (line + word).trimEnd().length > width) {
			lines.push(line.trimEnd());
			line = "";
		}
		line += word;
	}
	return [...lines, line.trimEnd()];
}

/**
 * Marks a failure as temporary: the same call succeeds from a certain time on (protocol/command-line §2.2).
 * @param due that time in epoch milliseconds
 * @param action what can be done then
 */
export function refusedUntil(failure: Failure, due: bigint, action: string): Failure {
	return failure.with({ retry: "later", details: { due }, hint: `${action} from ${localTime(due)}` });
}

/** The earliest of several times; undefined if there are none. */
export function firstDue(dues: readonly bigint[]): bigint | undefined {
	return dues.length > 0 ? dues.reduce((first, next) => (first < next ? first : next)) : undefined;
}
