import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { describe, expect, it } from "vitest";
import { ForeignStoreError } from "../../../../src/node/adoption/engine/foreign-file.js";
import { openForeignStore } from "../../../../src/node/adoption/engine/foreign-store.js";
import {
	batch,
	block,
	internalKey,
	type MadeTable,
	put,
	type Row,
	table,
	tableStore,
	youngStore,
} from "./made-files.js";
import {
	inDirectory,
	outcome,
	type Read,
	readAll,
	recordedStore,
	recordedStores,
	writeFiles,
} from "./recorded-stores.js";

/** Opens a changed copy of a recorded store. */
async function changed(name: string, change: (directory: string) => void) {
	return inDirectory(name, async (directory) => {
		writeFiles(directory, recordedStore(name).files);
		change(directory);
		return outcome(directory);
	});
}

describe("a store of a reference node", () => {
	it.each([...recordedStores])("%s has the reference's entries", async (name, { files, entries }) => {
		await inDirectory(name, async (directory) => {
			writeFiles(directory, files);
			const read = await readAll(directory);
			expect(read.entries).toEqual(entries);
			expect(read.notes).toEqual([]);
			expect(read.engine).toBe(/^level-(?!converted)/.test(name) ? "LevelDB" : "RocksDB");
		});
	});

	it("is walked in the order of its comparator, and from any key on", async () => {
		const pair = `${"1".padStart(19, "0")}${"2".padStart(19, "0")}`;
		const priceKey = (sell: bigint, buy: bigint) => {
			const key = Buffer.alloc(54);
			key.write(pair);
			key.writeBigUInt64BE(sell, 38);
			key.writeBigUInt64BE(buy, 46);
			return key;
		};
		// From the cheapest on: the bytes have another order.
		const keys = [priceKey(0n, 0n), priceKey(7n, 1n), priceKey(2n, 1n), priceKey(3n, 2n), priceKey(1n, 5n)];
		const written = [3, 1, 4, 0, 2].map((i) => put(keys[i] as Buffer, String(i)));
		await inDirectory("market_pair_price_to_order", async (directory) => {
			writeFiles(directory, youngStore([batch(1, written)]));
			const store = await openForeignStore(directory);
			const walk = (after?: Uint8Array) => [...store.entries(after)].map(([, value]) => value.length);
			const values = () => Array.from(store.entries(), ([, value]) => String.fromCharCode(...value)).join("");
			expect(values()).toBe("01234");
			for (const [i, key] of keys.entries()) expect(walk(key)).toHaveLength(keys.length - i - 1);
			store.close();
		});
	});

	it("says how much there is to read and how much was read", async () => {
		const name = "level-clean/proposal";
		await inDirectory(name, async (directory) => {
			const { files } = recordedStore(name);
			writeFiles(directory, files);
			const store = await openForeignStore(directory);
			const live = [...files].filter(([file]) => /sst|log/.test(file));
			expect(store.bytes).toBe(live.reduce((sum, [, bytes]) => sum + bytes.length, 0));
			for (const _ of store.entries());
			expect(store.bytesRead).toBe(store.bytes);
			store.close();
		});
	});
});

it("guesses how many entries there are by the blocks of its tables", async () => {
	const row = (key: string, sequence: number): Row => [internalKey(key, sequence, 1), key];
	const made = (...blocks: readonly (readonly Row[])[]): MadeTable => {
		const rows = blocks.flat();
		const indexKeys = blocks.map((each) => each.at(-1)?.[0] as Uint8Array);
		const bytes = table({ blocks: blocks.map((each) => block(each)), indexKeys });
		const [smallest, largest] = [rows[0]?.[0] as Uint8Array, rows.at(-1)?.[0] as Uint8Array];
		return { level: 1, bytes, smallest, largest };
	};
	await inDirectory("account", async (directory) => {
		writeFiles(directory, tableStore([made([row("a", 1), row("b", 2)]), made([row("c", 3)], [row("d", 4)])]));
		const store = await openForeignStore(directory);
		expect(store.estimate()).toBe(4);
		store.close();
	});
});

describe("a store that was written by the library of ours", () => {
	it("has every key once with its newest value, over tables, logs and restarts", async () => {
		await inDirectory("made", async (directory) => {
			const model = new Map<string, string>();
			let seed = 1;
			const chance = (below: number) => {
				seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
				return (seed >>> 8) % below;
			};
			for (let run = 0; run < 6; run++) {
				const db = new ClassicLevel(directory, { writeBufferSize: 40_000 });
				await db.open();
				for (let i = 0; i < 40; i++) {
					const batch = db.batch();
					for (let j = 0; j < 25; j++) {
						const key = `key ${chance(700)}`;
						if (chance(4) === 0) {
							model.delete(key);
							batch.del(key);
						} else {
							const value = `${run} ${i} `.repeat(chance(60));
							model.set(key, value);
							batch.put(key, value);
						}
					}
					await batch.write();
				}
				if (run === 2) await db.compactRange("", "~");
				await db.close();
				const wanted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
				const { entries, engine } = await readAll(directory);
				expect(engine).toBe("LevelDB");
				expect(
					Object.entries(entries).map(([key, value]) => [
						Buffer.from(key, "hex").toString(),
						Buffer.from(value, "hex").toString(),
					]),
				).toEqual(wanted);
				const middle = wanted[wanted.length >> 1] as [string, string];
				const rest = await readAll(directory, Buffer.from(middle[0]));
				expect(Object.keys(rest.entries)).toEqual(
					wanted.filter(([key]) => key > middle[0]).map(([key]) => Buffer.from(key).toString("hex")),
				);
			}
		});
	});
});

describe("a damaged store is refused in a sentence that names the file", () => {
	const name = "level-clean/market_pair_price_to_order";
	const files = [...recordedStore(name).files.keys()];
	const needed = files.filter((file) => file !== "LOCK");

	it.each(needed)("without %s", async (file) => {
		const error = await changed(name, (directory) => rmSync(join(directory, file)));
		expect(error).toBeInstanceOf(ForeignStoreError);
		expect((error as Error).message).toContain(`market_pair_price_to_order/${file}: is missing`);
	});

	it("with a table cut off", async () => {
		const error = await changed(name, (directory) => truncateSync(join(directory, "000008.sst"), 1000));
		expect(error).toBeInstanceOf(ForeignStoreError);
		expect((error as Error).message).toContain(
			"000008.sst: is damaged: it has 1000 bytes, and the manifest says 1815",
		);
	});

	it("with one bit of a table flipped", async () => {
		const error = await changed(name, (directory) => {
			const bytes = Buffer.from(recordedStore(name).files.get("000008.sst") as Buffer);
			bytes[60] = (bytes[60] as number) ^ 1;
			writeFileSync(join(directory, "000008.sst"), bytes);
		});
		expect(error).toBeInstanceOf(ForeignStoreError);
		expect((error as Error).message).toMatch(
			/000008\.sst: is damaged: its data block at byte 0 \(\d+ bytes\) is not what its checksum says/,
		);
	});

	it("under another store's name, whose order is another", async () => {
		const error = await inDirectory("proposal", async (directory) => {
			writeFiles(directory, recordedStore(name).files);
			return outcome(directory);
		});
		expect((error as Error).message).toContain("names the order MarketOrderPriceComparator");
	});

	it("when there is no store, or no directory", async () => {
		await inDirectory("proposal", async (directory) => {
			expect(String(await outcome(directory))).toContain("holds no store of LevelDB or RocksDB");
			expect(String(await outcome(join(directory, "none")))).toContain("none: is missing");
		});
	});

	it("when its logs are larger than what may be held in memory", async () => {
		await inDirectory(name, async (directory) => {
			writeFiles(directory, recordedStore(name).files);
			await expect(openForeignStore(directory, { maxLogBytes: 4138 })).rejects.toThrow(
				"has logs of 4139 bytes together, more than 4138",
			);
		});
	});
});

describe("what a kill leaves", () => {
	it("is a record cut off, which is left out with a note", async () => {
		const name = "level-clean/proposal";
		const whole = recordedStore(name);
		const read = await changed(name, (directory) => truncateSync(join(directory, "000009.log"), 300));
		expect(read).not.toBeInstanceOf(Error);
		const { entries, notes } = read as Read;
		expect(notes).toHaveLength(1);
		expect(notes[0]).toMatch(/000009\.log ends within the record at byte \d+, as a kill leaves it/);
		expect(entries).not.toEqual(whole.entries);
		expect(Object.keys(entries).length).toBeGreaterThan(5);
	});

	it("is room taken in advance behind logs and manifests", async () => {
		const name = "level-clean/proposal";
		const zeros = Buffer.alloc(65_536);
		const read = await changed(name, (directory) => {
			for (const file of ["000009.log", "MANIFEST-000007"]) {
				const bytes = recordedStore(name).files.get(file) as Buffer;
				writeFileSync(join(directory, file), Buffer.concat([bytes, zeros]));
			}
		});
		expect(read).toMatchObject({ entries: recordedStore(name).entries, notes: [] });
	});

	it("is a table that the manifest doesn't name, which is left out with a note", async () => {
		const name = "level-clean/proposal";
		const read = await changed(name, (directory) => {
			writeFileSync(join(directory, "000099.sst"), "half of a tab");
		});
		expect(read).toMatchObject({ entries: recordedStore(name).entries });
		expect((read as Read).notes[0]).toContain("doesn't name 1 of the tables beside it (000099.sst)");
	});
});
