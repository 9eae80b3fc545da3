import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWholeTable, tablesOfManifest } from "../../../src/node/state/table-checksums.js";

let directory: string;
let table: Buffer;
let name: string;

beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-table-"));
	const db = new ClassicLevel(directory);
	for (let key = 0; key < 1_000; key++) await db.put(`key ${key}`, `value ${key % 7} `.repeat(5));
	await db.compactRange("", "~");
	await db.close();
	name = readdirSync(directory).find((each) => each.endsWith(".ldb")) as string;
	table = readFileSync(join(directory, name));
});
afterAll(() => {
	rmSync(directory, { recursive: true, force: true });
});

describe("a table of LevelDB", () => {
	it("is whole as the library made it", () => {
		expect(table.length).toBeGreaterThan(4_096);
		expect(isWholeTable(table)).toBe(true);
	});

	it("is not whole when any byte differs", () => {
		for (let at = 0; at < table.length; at++) {
			const copy = Buffer.from(table);
			copy[at] = (copy[at] as number) ^ (1 << (at % 8));
			if (isWholeTable(copy)) throw new Error(`a change at ${at} goes unseen`);
		}
	});

	it("is not whole when its end is missing", () => {
		for (let at = 0; at < table.length; at += 17) expect(isWholeTable(table.subarray(0, at))).toBe(false);
	});

	it("is named in the list of files", () => {
		const manifest = readdirSync(directory).find((each) => each.startsWith("MANIFEST")) as string;
		const bytes = readFileSync(join(directory, manifest));
		expect([...tablesOfManifest(bytes)]).toEqual([Number.parseInt(name, 10)]);
		// What follows a torn record was never there.
		expect([...tablesOfManifest(bytes.subarray(0, 20))]).toEqual([]);
	});
});
