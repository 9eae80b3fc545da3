import { describe, expect, it } from "vitest";
import { readOverlay, rowsOf } from "../../../src/node/adoption/checkpoint.js";
import { ForeignStoreError } from "../../../src/node/adoption/engine/foreign-file.js";
import { UnwrittenStoreError } from "../../../src/node/adoption/engine/store-directory.js";
import { entriesOfStore } from "../../../src/node/adoption/source-reader.js";
import { fromKey, toKey, utf8 } from "../../../src/protocol/bytes.js";
import { checkpointRow, fakeSource, type Stores } from "./fake-source.js";

const checkpoint = (...rows: [string, Uint8Array][]): Map<string, Uint8Array> => new Map(rows);
const text = (entries: Iterable<readonly [Uint8Array, Uint8Array]>): string =>
	Array.from(entries, ([key, value]) => `${toKey(key)}=${toKey(value)}`).join(" ");

async function read(stores: Stores, checkpoints: Stores, name = "abi", after?: string): Promise<string> {
	const source = fakeSource(stores, checkpoints);
	const overlay = await readOverlay(source);
	const store = source.stores.includes(name) ? await source.open(name) : undefined;
	return text(entriesOfStore(name, store, overlay, after === undefined ? undefined : fromKey(after)));
}

const stored: Stores = new Map([["abi", new Map(["b", "d", "f"].map((key) => [key, utf8("old")]))]]);

describe("a checkpoint", () => {
	it("replaces, deletes and adds entries in their order", async () => {
		const tmp = checkpoint(
			checkpointRow("abi", "a", utf8("1")),
			checkpointRow("abi", "d", utf8("2")),
			checkpointRow("abi", "f", null),
			checkpointRow("abi", "g", utf8("3")),
			checkpointRow("code", "d", utf8("4")),
		);
		const all = new Map([["tmp", tmp]]);
		expect(await read(stored, all)).toBe("a=1 b=old d=2 g=3");
		expect(await read(stored, all, "abi", "b")).toBe("d=2 g=3");
		expect(await read(stored, all, "code")).toBe("d=4");
	});

	it("counts the newest of several, whatever the operator of a longer value is", async () => {
		const [key] = checkpointRow("abi", "b", null);
		const checkpoints: Stores = new Map([
			["checkpoint/1", checkpoint(checkpointRow("abi", "b", null), checkpointRow("abi", "c", utf8("1")))],
			["checkpoint/2", checkpoint([key, Uint8Array.of(2, 0x78)])],
		]);
		expect(await read(stored, checkpoints)).toBe("b=x c=1 d=old f=old");
		expect(rowsOf(await readOverlay(fakeSource(stored, checkpoints)))).toBe(2);
	});

	it("puts an empty value where the operator is not a deletion", async () => {
		const [key] = checkpointRow("abi", "c", null);
		expect(await read(stored, new Map([["tmp", checkpoint([key, Uint8Array.of(1)])]]))).toBe(
			"b=old c= d=old f=old",
		);
	});

	it("is refused where a row isn't one, and where it is larger than memory allows", async () => {
		for (const key of ["", "\0\0\0", "\0\0\0\x09abi", "\xff\0\0\x01a", "\0\0\0\0a"]) {
			const source = fakeSource(new Map(), new Map([["tmp", checkpoint([key, Uint8Array.of(3)])]]));
			await expect(readOverlay(source)).rejects.toThrow("is not a checkpoint's");
		}
		const source = fakeSource(
			new Map(),
			new Map([["tmp", checkpoint(checkpointRow("abi", "a", utf8("12345")))]]),
		);
		await expect(readOverlay(source, { maxBytes: 310 })).rejects.toThrow(
			"take more than 310 bytes of memory",
		);
		expect(rowsOf(await readOverlay(source, { maxBytes: 320 }))).toBe(1);
	});
});

describe("checkpoints of a node that was killed", () => {
	const NEWEST = 1_700_000_200_000;
	const nameOf = (ms: number): string => `checkpoint/${ms}`;
	const row = (key: string, value: string) => checkpoint(checkpointRow("abi", key, utf8(value)));
	/** A source in which opening one checkpoint, or reading on after its first row, fails. */
	const failing = (checkpoints: Stores, failed: string, error: Error, isRead = false) => {
		const source = fakeSource(stored, checkpoints);
		const open = async (name: string) => {
			const store = await source.open(name);
			if (name !== failed) return store;
			if (!isRead) throw error;
			return {
				...store,
				*entries(): ReturnType<typeof store.entries> & Generator<readonly [Uint8Array, Uint8Array]> {
					yield* store.entries() as Generator<readonly [Uint8Array, Uint8Array]>;
					throw error;
				},
			};
		};
		return { ...source, open };
	};
	const checkpoints: Stores = new Map([
		[nameOf(NEWEST - 120_001), row("x", "old")],
		[nameOf(NEWEST - 120_000), row("y", "older")],
		[nameOf(NEWEST), row("z", "new")],
	]);
	const read = async (failed: number, error: Error, isRead = false) => {
		const notes: string[] = [];
		const source = failing(checkpoints, nameOf(failed), error, isRead);
		const overlay = await readOverlay(source, { onNote: (note) => notes.push(note) });
		return {
			keys: overlay
				.get("abi")
				?.map(({ key }) => toKey(key))
				.join(" "),
			notes,
		};
	};
	const unwritten = new UnwrittenStoreError("/d", "holds no store");
	const damaged = new ForeignStoreError("/d/000003.log", "is missing");

	it("count as nothing where nothing was written yet", async () => {
		expect(await read(NEWEST, unwritten)).toEqual({ keys: "x y", notes: [] });
	});

	it("are left out whole and said where an old one was being deleted", async () => {
		for (const isRead of [false, true]) {
			expect(await read(NEWEST - 120_001, damaged, isRead)).toEqual({
				keys: "y z",
				notes: ["left out an old checkpoint, as the reference does: /d/000003.log: is missing"],
			});
		}
	});

	it("are refused where one that the reference applies can't be read", async () => {
		await expect(read(NEWEST - 120_000, damaged)).rejects.toBe(damaged);
		await expect(read(NEWEST, damaged, true)).rejects.toBe(damaged);
		await expect(read(NEWEST - 120_001, new Error("a defect"))).rejects.toThrow("a defect");
	});
});

describe("a store in an order of its own", () => {
	const name = "market_pair_price_to_order";
	const priceKey = (first: string): string => first.padEnd(54, "\0");

	it("is read ascending by bytes, also where it is taken up again", async () => {
		const source = fakeSource(new Map());
		const overlay = await readOverlay(source);
		const store = {
			...(await source.open(name)),
			*entries(): Generator<readonly [Uint8Array, Uint8Array]> {
				for (const key of ["c", "a", "b"]) yield [fromKey(priceKey(key)), utf8("v")];
			},
		};
		const firsts = (after?: Uint8Array) =>
			text(entriesOfStore(name, store, overlay, after)).replaceAll("\0", "");
		expect(firsts()).toBe("a=v b=v c=v");
		expect(firsts(fromKey(priceKey("a")))).toBe("b=v c=v");
	});

	it("is refused with a key of another length, in the store or in a checkpoint", async () => {
		const one = (key: string): Stores => new Map([[name, new Map([[key, utf8("v")]])]]);
		await expect(read(one("abc"), new Map(), name)).rejects.toThrow(
			`the store ${name} has a key of 3 bytes: 616263`,
		);
		const tmp = checkpoint(checkpointRow(name, priceKey("a").slice(1), utf8("v")));
		await expect(read(one(priceKey("a")), new Map([["tmp", tmp]]), name)).rejects.toThrow(
			"has a key of 53 bytes",
		);
	});
});
