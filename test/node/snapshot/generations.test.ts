import {
	chmodSync,
	linkSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Generations } from "../../../src/node/snapshot/generations.js";
import { isOwn, signText, writeSnapshot } from "./made-generations.js";

const HOUR = 3_600_000;
const retirement = { keep: 1, graceMs: HOUR };

let root: string;
let folder: string;
let warnings: string[];
const open: Generations[] = [];

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "coin-generations-"));
	folder = join(root, "srv");
	warnings = [];
});
afterEach(async () => {
	for (const generations of open.splice(0)) await generations.close();
	rmSync(root, { recursive: true, force: true });
});

async function opened(nowMs = 0): Promise<Generations> {
	const generations = new Generations(folder, isOwn, (sentence) => warnings.push(sentence));
	await generations.open(nowMs);
	open.push(generations);
	return generations;
}

async function reopened(nowMs = 0): Promise<Generations> {
	await open.pop()?.close();
	return opened(nowMs);
}

async function publish(generations: Generations, number: number, nowMs: number, contents = ["a", "b", "c"]) {
	const manifest = writeSnapshot(await generations.place(), number, nowMs, contents);
	return generations.publish(manifest, signText, nowMs);
}

const names = (): string[] =>
	readdirSync(folder)
		.filter((name) => name !== "service.lock")
		.sort();
const listed = (generations: Generations): string[] => generations.all.map(({ name }) => name);

test("generations are named by their heads, newest first, also after a restart", async () => {
	const generations = await opened();
	await publish(generations, 10, HOUR);
	await publish(generations, 255, 2 * HOUR);
	expect(names()).toEqual(["10-0000000a", "255-000000ff"]);
	expect(listed(generations)).toEqual(["255-000000ff", "10-0000000a"]);
	expect(listed(await reopened())).toEqual(["255-000000ff", "10-0000000a"]);
});

test("files that an earlier one has are one on the disk, and are found by their content", async () => {
	const generations = await opened();
	const first = await publish(generations, 10, 0, ["same", "old"]);
	const second = await publish(generations, 11, 1, ["first", "same"]);
	expect([first?.newBytes, second?.newBytes]).toEqual([7, 5]);
	expect(statSync(join(folder, "10-0000000a/chunks/000000.br")).ino).toBe(
		statSync(join(folder, "11-0000000b/chunks/000001.br")).ino,
	);
	for (const generation of generations.all)
		for (const { sha256, bytes } of generation.files.values())
			expect(generations.find(`files/${sha256}`)?.file.bytes).toBe(bytes);
});

test("a damaged file isn't carried on into the next generation", async () => {
	const generations = await opened();
	await publish(generations, 10, 0, ["same"]);
	writeFileSync(join(folder, "10-0000000a/chunks/000000.br"), "SAME");
	await publish(generations, 11, 1, ["same"]);
	expect(readFileSync(join(folder, "11-0000000b/chunks/000000.br"), "utf8")).toBe("same");
});

test("the same head once more is not listed again", async () => {
	const generations = await opened();
	await publish(generations, 10, 0);
	expect(await publish(generations, 10, 5)).toBeUndefined();
	expect(names()).toEqual(["10-0000000a"]);
});

test("only names of manifests are found", async () => {
	const generations = await opened();
	await publish(generations, 10, 0);
	const [generation] = generations.all;
	const hash = generation?.manifest.chunks[0]?.sha256;
	for (const name of ["manifest.json", "manifest.sig", "chunks/000000.br"])
		expect(generations.find(`10-0000000a/${name}`)?.file.name).toBe(name);
	for (const path of [
		"",
		"files",
		"files/",
		"files/manifest.json",
		`files/../${hash}`,
		`10-0000000a/${hash}`,
		"10-0000000a/",
		"10-0000000a/chunks",
		"10-0000000a/chunks/../manifest.json",
		"10-0000000a/../10-0000000a/manifest.json",
		"10-0000000a/chunks/000003.br",
		"10-0000000a/__proto__",
		"service.lock/LOCK",
		"11-0000000b/manifest.json",
	])
		expect(generations.find(path), path).toBeUndefined();
});

test("what isn't kept goes an hour after a newer one came, and not before", async () => {
	const generations = await opened();
	await publish(generations, 10, 0);
	await publish(generations, 11, HOUR);
	expect(await generations.retire(retirement, 2 * HOUR - 1)).toEqual([]);
	expect(await generations.retire(retirement, 2 * HOUR)).toEqual(["10-0000000a"]);
	expect(names()).toEqual(["11-0000000b"]);
	expect(await generations.retire({ ...retirement, keep: 2 }, 9 * HOUR)).toEqual([]);
});

test("one that is being downloaded stays, as long as no more than are kept wait for that", async () => {
	const generations = await opened();
	for (const number of [10, 11, 12, 13]) await publish(generations, number, number);
	const [, third, second, first] = generations.all;
	for (const one of [third, second, first]) (one as { usedMs: number }).usedMs = 5 * HOUR;
	(first as { active: number }).active = 1;
	// Of the three that aren't kept one waits; the oldest sends what it has begun, but isn't found any more.
	expect(await generations.retire(retirement, 5 * HOUR + 1)).toEqual(["11-0000000b", "10-0000000a"]);
	expect(names()).toEqual(["10-0000000a", "12-0000000c", "13-0000000d"]);
	expect(generations.find("10-0000000a/manifest.json")).toBeUndefined();
	(first as { active: number }).active = 0;
	expect(await generations.retire(retirement, 5 * HOUR + 2)).toEqual([]);
	expect(names()).toEqual(["12-0000000c", "13-0000000d"]);
	expect(await generations.retire(retirement, 5 * HOUR + 599_999)).toEqual([]);
	expect(await generations.retire(retirement, 5 * HOUR + 600_000)).toEqual(["12-0000000c"]);
});

test("what a kill has left is swept, and everything else is left alone", async () => {
	const generations = await opened();
	await publish(generations, 10, 0);
	// Another key's, another name, no snapshot, links, and files of somebody else in what is swept.
	const other = writeSnapshot(join(folder, "20-00000014"), 20, 0, ["x"]);
	writeFileSync(join(folder, "20-00000014/manifest.sig"), "another's");
	writeSnapshot(join(folder, "21-00000000"), other.head.number, 0, ["x"]);
	mkdirSync(join(folder, "22-00000016"));
	symlinkSync("10-0000000a", join(folder, "23-00000017"));
	writeFileSync(join(folder, "notes.txt"), "mine");
	mkdirSync(join(root, "elsewhere/chunks"), { recursive: true });
	writeFileSync(join(root, "elsewhere/chunks/000000.br"), "mine");
	symlinkSync(join(root, "elsewhere"), join(folder, "1-00000001.retired"));
	mkdirSync(join(folder, "2-00000002.retired"));
	symlinkSync(join(root, "elsewhere/chunks"), join(folder, "2-00000002.retired/chunks"));
	writeSnapshot(join(folder, "3-00000003.retired"), 3, 0, ["x"]);
	writeFileSync(join(folder, "3-00000003.retired/chunks/mine"), "mine");
	writeSnapshot(join(folder, "4-00000004.retired"), 4, 0, ["x"]);
	writeSnapshot(join(folder, "generation.new"), 5, 0, ["x"]);
	linkSync(join(folder, "notes.txt"), join(folder, "generation.new/chunks/000001.br.shared"));
	writeSnapshot(join(folder, "generation.new.partial"), 5, 0, ["x"]);
	expect(listed(await reopened())).toEqual(["10-0000000a"]);
	expect(names()).toEqual([
		"1-00000001.retired",
		"10-0000000a",
		"2-00000002.retired",
		"20-00000014",
		"21-00000000",
		"22-00000016",
		"23-00000017",
		"3-00000003.retired",
		"notes.txt",
	]);
	expect(readFileSync(join(root, "elsewhere/chunks/000000.br"), "utf8")).toBe("mine");
	expect(readFileSync(join(folder, "3-00000003.retired/chunks/mine"), "utf8")).toBe("mine");
	expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("mine");
	expect(warnings).toHaveLength(7);
});

test("what can't be read is said to be that, and left alone", async () => {
	await publish(await opened(), 10, HOUR);
	const path = join(folder, "10-0000000a");
	rmSync(join(path, "manifest.json"));
	mkdirSync(join(path, "manifest.json"));
	expect(listed(await reopened())).toEqual([]);
	expect(warnings).toEqual([`${path} can't be read (EISDIR), and is left alone`]);
});

test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
	"so is a generation that its user may not open",
	async () => {
		await publish(await opened(), 10, HOUR);
		const path = join(folder, "10-0000000a");
		chmodSync(path, 0);
		expect(listed(await reopened())).toEqual([]);
		chmodSync(path, 0o700);
		expect(warnings).toEqual([`${path} can't be read (EACCES), and is left alone`]);
	},
);

test("a folder in the way of a generation, and one in the way of making it, are refused", async () => {
	const generations = await opened();
	mkdirSync(join(folder, "10-0000000a"));
	await expect(publish(generations, 10, 0)).rejects.toThrow("is in the way");
	mkdirSync(join(folder, "generation.new"));
	writeFileSync(join(folder, "generation.new/mine"), "mine");
	await expect(generations.place()).rejects.toThrow("it has files that the service didn't make");
});

test("after a restart clients have the time to go on with what they were downloading", async () => {
	const generations = await opened();
	await publish(generations, 10, 0);
	await publish(generations, 11, 1);
	// Their times on the disk are those of the files.
	const nowMs = Date.now() + 9 * HOUR;
	const again = await reopened(nowMs);
	expect(await again.retire(retirement, nowMs + 599_999)).toEqual([]);
	expect(await again.retire(retirement, nowMs + 600_000)).toEqual(["10-0000000a"]);
});

test("a folder that can't be one is refused in a sentence", async () => {
	writeFileSync(folder, "a file");
	await expect(opened()).rejects.toThrow(`${folder} can't be written: ENOTDIR`);
	// A file system that has no such folders, and says so of those above.
	if (process.platform === "linux")
		await expect(new Generations("/proc/srv", isOwn, () => {}).open(0)).rejects.toThrow(
			"/proc/srv can't be written",
		);
});

test("what a start doesn't look at is remembered, for all that share it, and gone with the generation", async () => {
	const generations = await opened();
	await publish(generations, 10, 0, ["same", "old"]);
	await publish(generations, 11, 1, ["same", "new"]);
	await publish(generations, 12, 2, ["other"]);
	const [, damaged] = generations.all;
	const file = damaged?.manifest.chunks[0];
	if (!damaged || !file) throw new Error("not listed");
	writeFileSync(join(damaged.directory, file.name), "SAME");
	await generations.damage(damaged, file, "isn't what was listed");
	expect(warnings).toHaveLength(2);
	const again = await reopened();
	expect(listed(again)).toEqual(["12-0000000c"]);
	expect(warnings.slice(2).sort()).toEqual(
		["10-0000000a", "11-0000000b"].map(
			(name) =>
				`${join(folder, name)} is damaged, and offered no more: damaged says that it was found so before`,
		),
	);
	await again.retire(retirement, Date.now() + 9 * HOUR);
	expect(names()).toEqual(["12-0000000c"]);
});

test("what a start sees is looked at again, and a mark that can't be written is a warning", async () => {
	const generations = await opened();
	await publish(generations, 10, 0, ["a"]);
	await publish(generations, 11, 1, ["b"]);
	const [newest, oldest] = generations.all;
	const [moved, flipped] = [newest?.manifest.chunks[0], oldest?.manifest.chunks[0]];
	if (!newest || !oldest || !moved || !flipped) throw new Error("not listed");
	renameSync(join(newest.directory, moved.name), join(root, "moved"));
	await generations.damage(newest, moved, "can't be read: ENOENT");
	renameSync(join(root, "moved"), join(newest.directory, moved.name));
	mkdirSync(join(oldest.directory, "damaged"));
	await generations.damage(oldest, flipped, "isn't what was listed");
	expect(warnings.at(-1)).toBe(`${join(oldest.directory, "damaged")} can't be written: EEXIST`);
	rmSync(join(oldest.directory, "damaged"), { recursive: true });
	expect(listed(await reopened())).toEqual(["11-0000000b", "10-0000000a"]);
});

test("a second service is kept off the folder", async () => {
	await opened();
	await expect(new Generations(folder, isOwn, () => {}).open(0)).rejects.toThrow(
		"another service uses the folder",
	);
});
