import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openForeignStore } from "../../../../src/node/adoption/engine/foreign-store.js";
import { LastUsed } from "../../../../src/node/adoption/engine/last-used.js";
import { identityOf, TableLookup } from "../../../../src/node/adoption/engine/table-lookup.js";
import { block, internalKey, type MadeTable, type Row, table, tableStore } from "./made-files.js";
import { inDirectory, recordedStore, recordedStores, writeFiles } from "./recorded-stores.js";

const row = (key: string, sequence: number, value: string, type = 1): Row => [
	internalKey(key, sequence, type),
	value,
];

/** A table with a block for each list of rows. */
function made(level: number, ...blocks: readonly (readonly Row[])[]): MadeTable {
	const rows = blocks.flat();
	const bytes = table({
		blocks: blocks.map((each) => block(each)),
		indexKeys: blocks.map((each) => each.at(-1)?.[0] as Uint8Array),
	});
	return {
		level,
		bytes,
		smallest: rows[0]?.[0] as Uint8Array,
		largest: rows.at(-1)?.[0] as Uint8Array,
	};
}

async function lookedUp(tables: readonly MadeTable[], keys: string): Promise<(string | undefined)[]> {
	return inDirectory("account", async (directory) => {
		writeFiles(directory, tableStore(tables));
		const lookup = await TableLookup.open(directory);
		try {
			return Array.from(keys, (key) => {
				const value = lookup.get(Buffer.from(key));
				return value && Buffer.from(value).toString();
			});
		} finally {
			lookup.close();
		}
	});
}

describe("looking up single entries", () => {
	it("finds the newest of each key, on whatever level it is, and nothing where that is a deletion", async () => {
		const tables = [
			made(0, [row("b", 20, "b20"), row("d", 21, "", 0)]),
			made(0, [row("b", 30, "b30"), row("c", 31, "c31")]),
			made(1, [row("a", 5, "a5")], [row("c", 7, "c7"), row("c", 6, "c6"), row("d", 8, "d8")]),
			made(2, [row("c", 1, "c1"), row("e", 2, "e2")], [row("g", 3, "g3")]),
		];
		expect(await lookedUp(tables, "0abcdefgh")).toEqual([
			...[undefined, "a5", "b30", "c31", undefined, "e2", undefined, "g3", undefined],
		]);
	});

	it("can be preceded by a guess at how many there are", async () => {
		const tables = [
			made(1, [row("a", 1, "a"), row("b", 2, "b")]),
			made(1, [row("c", 3, "c")], [row("d", 4, "d")]),
		];
		await inDirectory("account", async (directory) => {
			writeFiles(directory, tableStore(tables));
			const store = await openForeignStore(directory);
			expect(store.estimate()).toBe(4);
			store.close();
		});
	});

	it("finds a key whose entries two blocks or two tables share", async () => {
		expect(await lookedUp([made(1, [row("a", 9, "new")], [row("a", 4, "old")])], "a")).toEqual(["new"]);
		const two = [made(1, [row("a", 9, "new")]), made(1, [row("a", 4, "old"), row("b", 3, "b")])];
		expect(await lookedUp(two, "ab")).toEqual(["new", "b"]);
	});

	it("refuses types of entries that no reference node writes", async () => {
		await expect(lookedUp([made(1, [row("a", 9, "", 2)])], "a")).rejects.toThrow(
			/000005\.ldb: .* has an entry that is a merge operand/,
		);
	});

	it("finds every entry of recorded stores that isn't in a log, of both engines", async () => {
		let inTables = 0;
		for (const [name, { files }] of recordedStores) {
			await inDirectory(name, async (directory) => {
				writeFiles(directory, files);
				const store = await openForeignStore(directory);
				if (name.endsWith("market_pair_price_to_order")) {
					await expect(TableLookup.open(directory)).rejects.toThrow("is in the order of prices");
					return;
				}
				const lookup = await TableLookup.open(directory);
				const logged = new Set(Array.from(store.logged(), ([key]) => Buffer.from(key).toString("hex")));
				for (const [key, value] of store.entries()) {
					if (logged.has(Buffer.from(key).toString("hex"))) continue;
					expect(Buffer.from(lookup.get(key) ?? [])).toEqual(Buffer.from(value));
					inTables++;
				}
				lookup.close();
				store.close();
			});
		}
		expect(inTables).toBe(46);
	});

	it("says which table is damaged or gone, when it is read", async () => {
		const tables = [made(1, [row("a", 1, "x".repeat(50))]), made(1, [row("b", 2, "y")])];
		await inDirectory("account", async (directory) => {
			writeFiles(directory, tableStore(tables));
			const lookup = await TableLookup.open(directory);
			const path = join(directory, "000005.ldb");
			const bytes = readFileSync(path);
			bytes[30] = (bytes[30] as number) ^ 1;
			writeFileSync(path, bytes);
			expect(() => lookup.get(Buffer.from("a"))).toThrow(/000005\.ldb: .*is not what its checksum says/);
			rmSync(join(directory, "000006.ldb"));
			expect(() => lookup.get(Buffer.from("b"))).toThrow(/000006\.ldb: is missing/);
			lookup.close();
		});
	});
});

it("a store has another identity once its manifest is another", async () => {
	await inDirectory("level-clean/proposal", async (directory) => {
		writeFiles(directory, recordedStore("level-clean/proposal").files);
		const before = identityOf(directory);
		expect(before).toMatch(/^[0-9a-f]{64}$/);
		const manifest = readdirSync(directory).find((name) => name.startsWith("MANIFEST")) as string;
		writeFileSync(join(directory, manifest), "");
		expect(identityOf(directory)).not.toBe(before);
		rmSync(join(directory, manifest));
		expect(() => identityOf(directory)).toThrow(/MANIFEST-\d+: is missing/);
		writeFileSync(join(directory, "CURRENT"), "../elsewhere\n");
		expect(() => identityOf(directory)).toThrow("doesn't name a manifest");
	});
});

it("what was used last is kept, within number and bytes", () => {
	const released: number[] = [];
	const kept = new LastUsed<number>(3, 10, (value) => released.push(value));
	for (const value of [1, 2, 3]) kept.add(String(value), value, 2);
	expect(kept.get("1")).toBe(1);
	kept.add("4", 4, 2);
	expect(released).toEqual([2]);
	kept.add("5", 5, 7);
	expect(released).toEqual([2, 3, 1]);
	expect([kept.get("4"), kept.get("5"), kept.get("1")]).toEqual([4, 5, undefined]);
	kept.add("6", 6, 100);
	expect(released).toEqual([2, 3, 1, 4, 5]);
	kept.clear();
	expect(released.at(-1)).toBe(6);
	expect(kept.get("6")).toBeUndefined();
});
