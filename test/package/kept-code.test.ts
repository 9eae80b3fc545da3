import { execFileSync, spawnSync } from "node:child_process";
import {
	chmodSync,
	constants,
	existsSync,
	lstatSync,
	mkdirSync,
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
	loadKept: (
		file: string,
		use: { readonly part: string; readonly topic: string; readonly keepAfterMs?: number },
		findOwn?: () => string | undefined,
	) => { readonly answer: () => number; readonly path: string };
};
const AT_ONCE = { part: "node", topic: "start", keepAfterMs: 0 };

const LONG_AGO = new Date(0);
let folder: string;
/** The user's own folder, where there is one. */
let own: string | undefined;
let file: string;
/** Where its code was kept. */
let keptName: string;

const writeBundle = (answer: number, hash: string): void =>
	writeFileSync(
		file,
		`(function (exports, require, module, __filename, __dirname) {exports.answer=()=>${answer};exports.path=require("node:path").join(__dirname,"x")})\n//${hash}\n`,
	);
const kept = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".cache"));
const keptNameOf = (hash: string): string =>
	`bundle.cjs.node-${hash}-${process.version}-${process.arch}.cache`;
const keptPath = (): string => join(folder, kept()[0] ?? "");

/** Loads the bundle, and waits until its code is kept. */
async function loadAndKeep(): Promise<number> {
	const { answer } = loadKept(file, AT_ONCE, () => own);
	const result = answer();
	await new Promise((resolve) => setTimeout(resolve, 30));
	return result;
}

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "coin-kept-"));
	own = undefined;
	file = join(folder, "bundle.cjs");
	writeBundle(1, "aaaa");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a bundle with kept code", () => {
	it("runs as a module does", () => {
		const { answer, path } = loadKept(file, AT_ONCE, () => own);
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

	it("has its code kept in the user's own folder where the bundle's can't be written", async () => {
		const elsewhere = mkdtempSync(join(tmpdir(), "coin-own-"));
		writeFileSync(join(elsewhere, "bundle.cjs.node-of-an-older-one.cache"), "");
		own = elsewhere;
		// Not even the system's own user can replace a folder by a file.
		mkdirSync(join(folder, keptNameOf("aaaa")));
		await loadAndKeep();
		expect(readdirSync(elsewhere)).toEqual([keptNameOf("aaaa")]);
		const [path] = readdirSync(elsewhere).map((name) => join(elsewhere, name));
		utimesSync(path as string, LONG_AGO, LONG_AGO);
		await loadAndKeep();
		expect(statSync(path as string).mtimeMs).toBe(0);
		rmSync(elsewhere, { recursive: true });
	});

	it("has code of its own for each part, to which each topic adds what it needs, once it has succeeded", () => {
		const run = (topic: string, code = 0): string[] => {
			const use = JSON.stringify({ part: "commands", topic });
			const script = `import { loadKept } from ${JSON.stringify(pathToFileURL("bin/kept-code.js").href)};
				loadKept(${JSON.stringify(file)}, ${use}, () => undefined).answer(); process.exitCode = ${code};`;
			spawnSync(process.execPath, ["--input-type=module", "-e", script]);
			const name = kept().find((kept) => kept.includes(".commands-"));
			if (name === undefined) return [];
			const bytes = readFileSync(join(folder, name)).subarray(0, -6);
			return bytes
				.subarray(-readFileSync(join(folder, name)).readUInt16LE(bytes.length))
				.toString()
				.split("\n");
		};
		expect(run("send", 1)).toEqual([]);
		expect(run("send")).toEqual(["send"]);
		expect(run("balance")).toEqual(["send", "balance"]);
		expect(run("send")).toEqual(["send", "balance"]);
	});

	it("leaves nothing behind where its code can't be kept", async () => {
		const { answer } = loadKept(file, AT_ONCE, () => own);
		rmSync(folder, { recursive: true });
		await new Promise((resolve) => setTimeout(resolve, 30));
		expect(answer()).toBe(1);
		expect(existsSync(folder)).toBe(false);
	});
});
