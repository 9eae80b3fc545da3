import { beforeEach, describe, expect, it } from "vitest";
import { ContractSources } from "../../../src/node/history/contract-sources.js";
import { toKey } from "../../../src/protocol/bytes.js";

const CONTRACT = Buffer.from(`41${"7".repeat(40)}`, "hex");
const OTHER = Buffer.from(`41${"8".repeat(40)}`, "hex");
const EVENT = { type: "event", name: "Paid", inputs: [{ name: "who", type: "address", indexed: true }] };
const RECORD = {
	contract: "Shop.sol:Shop",
	compiler: "0.8.37",
	match: "exact",
	language: "Solidity",
	settings: { optimizer: { enabled: true } },
	sources: { "Shop.sol": "contract Shop {}" },
	abi: [EVENT, { type: "error", name: "No", inputs: [] }],
};

let code: Map<string, Uint8Array>;
let records: Map<string, Uint8Array>;
/** Names of the records that were read. */
let read: string[];

function sources(...hash: readonly ((code: Uint8Array) => string)[]): ContractSources {
	const state = {
		code: { get: (address: Uint8Array) => code.get(toKey(address)) },
	};
	const side = {
		sideRecord: (name: string) => {
			read.push(name);
			return records.get(name);
		},
		putSideRecord: (name: string, value: Uint8Array) => void records.set(name, value),
		chain: { state },
	};
	return new ContractSources(side as never, ...hash);
}

const named = (store: ContractSources, name: string) =>
	[...store.named(name)].filter((found) => found !== undefined);

beforeEach(() => {
	code = new Map([[toKey(CONTRACT), Uint8Array.of(1, 2, 3)]]);
	records = new Map();
	read = [];
});

describe("sources of contracts", () => {
	it("are what was stored, also after a restart", () => {
		expect(sources().get(CONTRACT)).toBeUndefined();
		const first = sources();
		expect(first.get(CONTRACT)).toBeUndefined();
		first.put(CONTRACT, JSON.stringify({ ...RECORD, stranger: "left out" }));
		for (const store of [first, sources()]) {
			expect(store.get(CONTRACT)).toEqual(RECORD);
			expect(store.itemsOf(CONTRACT)?.map(({ name }) => name)).toEqual(["Paid", "No"]);
			expect(store.get(OTHER)).toBeUndefined();
		}
	});

	it("may say where variables stand", () => {
		const storage_layout = { storage: [{ label: "paid", slot: "0", offset: 0, type: "t_bool" }], types: {} };
		const store = sources();
		store.put(CONTRACT, JSON.stringify({ ...RECORD, storage_layout }));
		expect(sources().get(CONTRACT)).toEqual({ ...RECORD, storage_layout });
		expect(() => store.put(CONTRACT, JSON.stringify({ ...RECORD, storage_layout: [] }))).toThrow(
			"the record's storage_layout is not an object",
		);
	});

	it("tell which contracts have a name or a selector, the last stored first, also after a restart", () => {
		const transfer = { type: "function", name: "transferAll", inputs: [{ name: "to", type: "address" }] };
		code.set(toKey(OTHER), Uint8Array.of(4));
		const first = sources();
		expect(named(first, "paid")).toEqual([]);
		first.put(CONTRACT, JSON.stringify(RECORD));
		first.put(OTHER, JSON.stringify({ ...RECORD, contract: "Till.sol:Till", abi: [EVENT, transfer] }));
		const [shop, till] = [
			{ address: CONTRACT, contract: "Shop.sol:Shop" },
			{ address: OTHER, contract: "Till.sol:Till" },
		];
		for (const store of [first, sources()]) {
			expect(named(store, "Paid")).toEqual([till, shop]);
			expect(named(store, "hop")).toEqual([shop]);
			expect(named(store, "RALL")).toEqual([till]);
			expect(named(store, "0xa3a7e7f3")).toEqual([till]);
			expect(named(store, "a3a7e7f3")).toEqual([]);
			expect(named(store, "0xa3")).toEqual([]);
		}
		// One contract a step.
		expect([...first.named("hop")]).toEqual([undefined, shop]);
		code.delete(toKey(OTHER));
		expect(named(first, "paid")).toEqual([shop]);
		code.set(toKey(CONTRACT), Uint8Array.of(9));
		expect(named(first, "paid")).toEqual([]);
	});

	it("are searched without reading a record, in a list that keeps no code", () => {
		const first = sources();
		first.put(CONTRACT, JSON.stringify(RECORD));
		expect(named(first, "paid")).toHaveLength(1);
		first.put(CONTRACT, JSON.stringify(RECORD));
		const store = sources();
		read = [];
		for (let search = 0; search < 2; search++) expect(named(store, "paid")).toHaveLength(1);
		expect(read).toHaveLength(1);
		const list = JSON.parse(Buffer.from(records.get(read[0] as string) as Uint8Array).toString());
		expect(Object.keys(list[0][1]).sort()).toEqual(["codeHash", "contract", "words"]);
	});

	it("give way to other code", () => {
		const store = sources();
		store.put(CONTRACT, JSON.stringify(RECORD));
		code.set(toKey(CONTRACT), Uint8Array.of(9));
		expect(store.get(CONTRACT)).toBeUndefined();
		expect(store.itemsOf(CONTRACT)).toBeUndefined();
	});

	it("hash a code once, and other code again", () => {
		let hashed = 0;
		const store = sources((bytes) => {
			hashed++;
			return bytes.join();
		});
		store.put(CONTRACT, JSON.stringify(RECORD));
		hashed = 0;
		const right = Uint8Array.of(1, 2, 3);
		for (const [known, times] of [
			[right, 1],
			// The state may read it anew.
			[Uint8Array.from(right), 1],
			[Uint8Array.of(9), 2],
			[Uint8Array.of(9), 2],
			[right, 3],
		] as const) {
			code.set(toKey(CONTRACT), known);
			for (let log = 0; log < 100; log++) expect(store.itemsOf(CONTRACT) !== undefined).toBe(known[0] === 1);
			expect(hashed).toBe(times);
		}
	});

	it("stay in memory while they are asked for, whatever else is", () => {
		sources().put(CONTRACT, JSON.stringify(RECORD));
		const store = sources();
		read = [];
		for (let other = 0; other < 2_000; other++) {
			store.itemsOf(Buffer.from(`41${other.toString(16).padStart(40, "0")}`, "hex"));
			store.itemsOf(CONTRACT);
		}
		expect(read.filter((name) => name.endsWith("7".repeat(40)))).toHaveLength(1);
	});

	it("are remembered up to a number of bytes", () => {
		const long = { ...RECORD, sources: { "Shop.sol": "x".repeat(3 << 20) } };
		const addresses = Array.from({ length: 12 }, (_, n) => Buffer.from(`41${n}`.padEnd(42, "a"), "hex"));
		const store = sources();
		for (const address of addresses) {
			code.set(toKey(address), Uint8Array.of(1));
			store.put(address, JSON.stringify(long));
		}
		expect(store.sizeOf(addresses[0] as Buffer)).toBeGreaterThan(3 << 20);
		read = [];
		for (const address of addresses.toReversed()) store.get(address);
		// 32 MiB hold ten; the first was read just now, and took the place of another.
		expect(read.length).toBeGreaterThanOrEqual(2);
		expect(read.length).toBeLessThan(6);
		expect(store.sizeOf(OTHER)).toBe(0);
	});

	it.each([
		["no JSON", "the record is not JSON"],
		["[]", "the record is not an object"],
		[{ ...RECORD, compiler: 8 }, "the record lacks its member compiler"],
		[{ ...RECORD, settings: [] }, "the record lacks its member settings"],
		[{ ...RECORD, sources: { a: 1 } }, "the record's sources aren't texts by file"],
		[{ ...RECORD, abi: "[]" }, "the record's interface is not a list of entries"],
		[{ ...RECORD, sources: { a: "x".repeat(4 << 20) } }, "the record is more than 4194304 bytes"],
	])("are refused with a sentence: %#", (record, message) => {
		const text = typeof record === "string" ? record : JSON.stringify(record);
		expect(() => sources().put(CONTRACT, text)).toThrow(message);
		expect(records.size).toBe(0);
	});

	it("need a contract", () => {
		expect(() => sources().put(OTHER, JSON.stringify(RECORD))).toThrow(
			"there is no contract at this address",
		);
	});
});
