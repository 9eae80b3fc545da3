import { describe, expect, it } from "vitest";
import { readOverlay, rowsOf } from "../../../src/node/adoption/checkpoint.js";
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
		await expect(readOverlay(source, 10)).rejects.toThrow("hold more than 10 bytes");
	});
});

describe("a store in an order of its own", () => {
	it("is read ascending by bytes, also where it is taken up again", async () => {
		const name = "market_pair_price_to_order";
		const source = fakeSource(new Map());
		const overlay = await readOverlay(source);
		const store = {
			...(await source.open(name)),
			*entries(): Generator<readonly [Uint8Array, Uint8Array]> {
				for (const key of ["c", "a", "b"]) yield [fromKey(key), utf8("v")];
			},
		};
		expect(text(entriesOfStore(name, store, overlay))).toBe("a=v b=v c=v");
		expect(text(entriesOfStore(name, store, overlay, fromKey("a")))).toBe("b=v c=v");
	});
});
