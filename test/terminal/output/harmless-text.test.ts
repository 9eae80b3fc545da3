import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { asFailure, reportFailure } from "../../../src/terminal/output/failure-report.js";
import {
	harmlessJson,
	harmlessLine,
	harmlessText,
	ownStyle,
	withOwnStyles,
} from "../../../src/terminal/output/harmless-text.js";
import {
	printAnswer,
	printJson,
	printJsonNote,
	printLine,
	printNote,
	printText,
	recordLines,
	tableLines,
} from "../../../src/terminal/output/output.js";
import { Failure } from "../../../src/wallet/failure.js";

/** What a stranger sends: colours, a title (OSC), C1, bidirectional and invisible characters, a forged line. */
const EVIL = "a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\u202ee\u2066f\u200bg\ufeffh\u007fi\rj\u2028k";
const STEERS = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe("harmless text", () => {
	test.each<[string, string]>([
		["plain ä 漢 😀", "plain ä 漢 😀"],
		["\u001b[31m", "\\u{1b}[31m"],
		["\u202e", "\\u{202e}"],
		["\u{e0001}", "\\u{e0001}"],
		["a\nb\tc", "a\\u{a}b\\u{9}c"],
	])("of %j as a line is %j", (text, expected) => {
		expect(harmlessLine(text)).toBe(expected);
	});

	test("may have lines of its own", () => {
		expect(harmlessText("a\nb\tc\r")).toBe("a\nb\tc\\u{d}");
	});

	test("as JSON means the same", () => {
		const value = { [EVIL]: [EVIL, "\u{e0001}\ud800"] };
		const json = harmlessJson(JSON.stringify(value));
		expect(json).not.toMatch(STEERS);
		expect(JSON.parse(json)).toEqual(value);
		expect(harmlessJson('{"a":1}\r\n')).toBe('{"a":1}\n');
	});

	test("keeps our own styles, and nobody else's", () => {
		const styled = ownStyle("name", styleText("red", "name", { validateStream: false }));
		const line = withOwnStyles(harmlessLine(`${styled} \u001b[31mforged \ufdd0`));
		expect(line).toBe(`${styleText("red", "name", { validateStream: false })} \\u{1b}[31mforged \ufdd0`);
	});
});

describe("what is printed", () => {
	afterEach(() => vi.restoreAllMocks());

	test.each<[string, () => void]>([
		["a line", () => printLine(EVIL)],
		["a text", () => printText(EVIL)],
		["a note", () => printNote(EVIL)],
		["JSON", () => printJson({ [EVIL]: EVIL })],
		["a note of JSON", () => printJsonNote({ error: EVIL })],
		["an answer", () => printAnswer(Buffer.from(`{"Error":"${EVIL}"}`))],
		["a record", () => recordLines({ name: EVIL, list: [{ url: EVIL }] }).forEach(printLine)],
		["a table", () => tableLines([{ name: EVIL }], ["name"], "none").forEach(printLine)],
		["a refusal", () => reportFailure(new Failure("network", EVIL, { hint: EVIL }), false)],
		["a refusal for programs", () => reportFailure(new Failure("network", EVIL), true)],
		["a defect", () => reportFailure(asFailure(new Error(EVIL)), false)],
	])("holds nothing that steers a terminal: %s", (_name, print) => {
		let printed = "";
		for (const stream of [process.stdout, process.stderr]) {
			vi.spyOn(stream, "write").mockImplementation((text) => {
				printed += String(text);
				return true;
			});
		}
		print();
		vi.restoreAllMocks();
		expect(printed).not.toBe("");
		expect(printed).not.toMatch(STEERS);
	});
});

/** Files that write to the terminal by themselves, and why nothing of a stranger passes there. */
const EDGES: ReadonlyMap<string, string> = new Map([
	["src/terminal/output/output.ts", "the edge"],
	["src/terminal/prompt/prompts.ts", "messages and lines pass the same function"],
	["src/terminal/progress/progress.ts", "the text of the spinner passes the same function"],
	["src/terminal/progress/rate-bar.ts", "a task of our own and numbers"],
	["src/commands/chain/files.ts", "blocks as bytes, for a pipe"],
	["src/launch/node-log.ts", "JSON lines pass the same function"],
]);

function sources(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".ts"))
		.map((name) => join(folder, name).replaceAll("\\", "/"));
}

test("nothing else writes to standard output, standard error or the terminal", () => {
	const files = ["src/commands", "src/terminal", "src/launch", "src/wallet", "src/keystore"].flatMap(sources);
	const writing = [...files, "src/main.ts"].filter((file) =>
		/(?:stdout|stderr|output|stream)\s*(?:\.write\(|\)\.write)|console\.\w+\(|return process\.std(?:out|err)|stream: process\.std(?:out|err)|dest: 1|this\.log\(/.test(
			readFileSync(file, "utf8"),
		),
	);
	expect(writing.filter((file) => !EDGES.has(file))).toEqual([]);
	expect(files.length).toBeGreaterThan(200);
});
