import { execFileSync } from "node:child_process";
import {
	chmodSync,
	constants,
	existsSync,
	lstatSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const { loadKept } = (await import(pathToFileURL("bin/kept-code.js").href)) as {
	loadKept: (file: string, keepAfterMs: number) => { readonly answer: () => number; readonly path: string };
};

const LONG_AGO = new Date(0);
let folder: string;
let file: string;
/** Where its code was kept. */
let keptName: string;

const writeBundle = (answer: number, hash: string): void =>
	writeFileSync(
		file,
		`(function (exports, require, module, __filename, __dirname) {exports.answer=()=>${answer};exports.path=require("node:path").join(__dirname,"x")})\n//${hash}\n`,
	);
const kept = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".cache"));
const keptPath = (): string => join(folder, kept()[0] ?? "");

/** Loads the bundle, and waits until its code is kept. */
async function loadAndKeep(): Promise<number> {
	const { answer } = loadKept(file, 0);
	const result = answer();
	await new Promise((resolve) => setTimeout(resolve, 30));
	return result;
}

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "coin-kept-"));
	file = join(folder, "bundle.cjs");
	writeBundle(1, "aaaa");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a bundle with kept code", () => {
	it("runs as a module does", () => {
		const { answer, path } = loadKept(file, 0);
		expect([answer(), path]).toEqual([1, join(folder, "x")]);
	});

	it("has its code kept by the first start, and used by the next ones", async () => {
		expect(await loadAndKeep()).toBe(1);
		expect(kept()).toHaveLength(1);
		utimesSync(keptPath(), LONG_AGO, LONG_AGO);
		expect(await loadAndKeep()).toBe(1);
		expect(statSync(keptPath()).mtimeMs).toBe(0);
	});

	it("doesn't run the code of another bundle, even of the same length", async () => {
		await loadAndKeep();
		writeBundle(2, "bbbb");
		expect(await loadAndKeep()).toBe(2);
		expect(kept()).toHaveLength(2);
	});

	it.each<[string, (bytes: Buffer) => Buffer]>([
		["changed", (bytes) => Buffer.from(bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte)))],
		["emptied", (bytes) => Buffer.alloc(bytes.length)],
		["cut", (bytes) => bytes.subarray(0, bytes.length - 9)],
		["gone", () => Buffer.alloc(0)],
	])("does without code that the disk has %s, and keeps it anew", async (_, damage) => {
		await loadAndKeep();
		const whole = readFileSync(keptPath());
		writeFileSync(keptPath(), damage(whole));
		expect(await loadAndKeep()).toBe(1);
		expect(readFileSync(keptPath()).length).toBe(whole.length);
	});

	it("doesn't run the code of other bytes, even under the same hash", async () => {
		await loadAndKeep();
		writeBundle(2, "aaaa");
		expect(await loadAndKeep()).toBe(2);
	});

	it.runIf(process.getuid).each<[string, () => void]>([
		["others may change", () => chmodSync(keptPath(), 0o666)],
		[
			"is a link to elsewhere",
			() => {
				renameSync(keptPath(), join(folder, "elsewhere"));
				symlinkSync(join(folder, "elsewhere"), join(folder, "moved"));
				renameSync(join(folder, "moved"), keptName);
			},
		],
		[
			"never ends",
			() => {
				rmSync(keptPath());
				execFileSync("mkfifo", [keptName]);
			},
		],
	])("does without code that %s, and keeps it anew", async (_, damage) => {
		await loadAndKeep();
		keptName = keptPath();
		damage();
		expect(await loadAndKeep()).toBe(1);
		const { mode } = lstatSync(keptName);
		expect(mode).toBe(constants.S_IFREG | 0o644);
	});

	it("doesn't write through a link that lies in its way", async () => {
		const other = join(folder, "other");
		writeFileSync(other, "other");
		await loadAndKeep();
		keptName = keptPath();
		rmSync(keptName);
		symlinkSync(other, `${keptName}.${process.pid}`);
		await loadAndKeep();
		expect(readFileSync(other, "utf8")).toBe("other");
		expect(kept()).toHaveLength(1);
	});

	it("leaves nothing behind where its code can't be kept", async () => {
		const { answer } = loadKept(file, 0);
		rmSync(folder, { recursive: true });
		await new Promise((resolve) => setTimeout(resolve, 30));
		expect(answer()).toBe(1);
		expect(existsSync(folder)).toBe(false);
	});
});
