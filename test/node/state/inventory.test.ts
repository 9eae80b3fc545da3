import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
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
