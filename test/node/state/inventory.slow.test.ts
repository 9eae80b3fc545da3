import { randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { shareCacheBytes } from "../../../src/node/state/cache-budget.js";
import { openLevelDatabase } from "../../../src/node/state/database.js";
import { DamagedFileError, Inventory } from "../../../src/node/state/inventory.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-inventory-"));
	for (const number of [5, 7, 9]) writeFileSync(join(directory, `00000${number}.ldb`), `table ${number}`);
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

const listPath = (): string => join(directory, "TABLES");
const listedNames = (): string[] => readFileSync(listPath(), "latin1").match(/^\S+/gm) ?? [];

it("adds lines behind the last whole one after a loss of power, so that the start after the next one reads them", async () => {
	const first = await Inventory.open(directory);
	await first.add([5]);
	first.end();
	appendFileSync(listPath(), "000007.ldb 7 12");
	const second = await Inventory.open(directory);
	await second.add([5, 7, 9]);
	second.end();
	expect(listedNames()).toEqual(["000005.ldb", "000007.ldb", "000009.ldb"]);
	await Inventory.open(directory);
});

it("takes back what a full disk took of a line before it adds the next one", async () => {
	const inventory = await Inventory.open(directory);
	await inventory.add([5]);
	appendFileSync(listPath(), "000007.ld");
	await inventory.add([5, 7]);
	expect(listedNames()).toEqual(["000005.ldb", "000007.ldb"]);
});

it("goes on behind the list of a clean close", async () => {
	const first = await Inventory.open(directory);
	await first.add([5]);
	first.end();
	await first.seal();
	const second = await Inventory.open(directory);
	await second.add([5, 7, 9]);
	second.end();
	await Inventory.open(directory);
	expect(new Set(listedNames())).toEqual(new Set(["000005.ldb", "000007.ldb", "000009.ldb", "end"]));
});

it("takes a broken line before whole ones for damage", async () => {
	const first = await Inventory.open(directory);
	await first.add([5, 7, 9]);
	first.end();
	writeFileSync(listPath(), readFileSync(listPath(), "latin1").replace("000007", "000008"));
	await expect(Inventory.open(directory)).rejects.toThrow(DamagedFileError);
});

describe("tables that a kill left unlisted", () => {
	/** Two tables of a database that was killed: an older one of 17 MiB, and a newer one. */
	async function killed(): Promise<readonly string[]> {
		rmSync(directory, { recursive: true });
		const database = await openLevelDatabase(directory, { ...shareCacheBytes(), writeBytes: 64 << 20 });
		const value = randomBytes(17 << 20);
		await database.write([{ key: Buffer.of(1), value }], true);
		await database.close();
		const again = await openLevelDatabase(directory);
		await again.write([{ key: Buffer.of(2), value: value.subarray(0, 3 << 20) }], true);
		await again.close();
		rmSync(join(directory, "SEAL"));
		return readdirSync(directory)
			.filter((name) => name.endsWith(".ldb"))
			.sort();
	}
	const damage = (name: string): void => {
		const bytes = readFileSync(join(directory, name));
		bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
		writeFileSync(join(directory, name), bytes);
	};

	it("are compared before an open is done if they are the newest, whatever their size", async () => {
		const [large, small] = (await killed()) as [string, string];
		rmSync(join(directory, small));
		damage(large);
		await expect(Inventory.open(directory)).rejects.toThrow(DamagedFileError);
	});

	it("are not sealed as good where one is damaged, compared before or not", async () => {
		const [large] = (await killed()) as [string, string];
		damage(large);
		for (const isCompared of [false, true]) {
			const inventory = await Inventory.open(directory);
			if (isCompared) await expect(inventory.compareRest()).rejects.toThrow(DamagedFileError);
			inventory.end();
			await expect(inventory.seal()).rejects.toThrow(DamagedFileError);
			expect(readdirSync(directory)).not.toContain("SEAL");
		}
	});
});
