import { describe, expect, test } from "vitest";
import {
	firstElement,
	readStorageLayout,
	type StorageLayout,
	slotOfKey,
	type Variable,
	valueIn,
	valueOfKey,
	variablesAt,
	variablesOf,
	wordOf,
} from "../../src/abi/storage-layout.js";

import { ADDRESS_FORMS } from "../../src/explorer/address-text.js";

const ADDRESS = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const inplace = (label: string, bytes: number) => ({
	encoding: "inplace",
	label,
	numberOfBytes: String(bytes),
});
const json = {
	storage: [
		{ label: "count", slot: "0", offset: 0, type: "t_uint8" },
		{ label: "owner", slot: "0", offset: 1, type: "t_address" },
		{ label: "pair", slot: "1", offset: 0, type: "t_pair" },
		{ label: "paid", slot: "3", offset: 0, type: "t_map" },
		{ label: "loop", slot: "4", offset: 0, type: "t_loop" },
	],
	types: {
		t_uint8: inplace("uint8", 1),
		t_address: inplace("address", 20),
		t_pair: {
			...inplace("struct S.Pair", 64),
			members: [
				{ label: "a", slot: "0", offset: 0, type: "t_uint8" },
				{ label: "b", slot: "1", offset: 0, type: "t_address" },
			],
		},
		t_map: {
			encoding: "mapping",
			label: "mapping(address => struct S.Pair)",
			numberOfBytes: "32",
			key: "t_address",
			value: "t_pair",
		},
		t_loop: {
			...inplace("struct S.Loop", 32),
			members: [{ label: "x", slot: "0", offset: 0, type: "t_loop" }],
		},
	},
};

const layout = readStorageLayout(json) as StorageLayout;

describe("variables of a layout", () => {
	const variables = variablesOf(layout);

	test("are told with their places, structures by their members", () => {
		expect(variables.map(({ name, slot, offset }) => [name, slot, offset])).toEqual([
			["count", 0n, 0],
			["owner", 0n, 1],
			["pair.a", 1n, 0],
			["pair.b", 2n, 0],
			["paid", 3n, 0],
		]);
	});

	test("are looked for in a bounded number of entries, whatever structures name", () => {
		for (const next of [(n: number) => n, (n: number) => n + 1, (n: number) => (n + 1) % 2]) {
			const types = Array.from({ length: 20 }, (_, n) => {
				const type = `t_${next(n)}`;
				const members = [1, 2, 3].map((m) => ({ label: `m${m}`, slot: "0", offset: 0, type }));
				return [`t_${n}`, { ...inplace("struct S", 32), members }];
			});
			const entries = [{ label: "a", slot: "0", offset: 0, type: "t_0" }];
			const deep = readStorageLayout({ storage: entries, types: Object.fromEntries(types) }) as StorageLayout;
			let looked = 0;
			const counting = new Proxy(deep.types, {
				get: (map) => (key: string) => {
					if (++looked > 10_000) throw new Error("it goes on");
					return map.get(key);
				},
			});
			expect(variablesOf({ ...deep, types: counting })).toEqual([]);
			looked = 0;
			const list = { element: "t_0", isDynamic: false };
			const elements: Variable = { name: "a", type: "", slot: 0n, offset: 0, bytes: 32, list };
			expect(valueOfKey({ ...deep, types: counting }, elements, "1", ADDRESS_FORMS)).toEqual([]);
		}
	});

	test("share a word", () => {
		const word = `${"0".repeat(22)}7e5f4552091a69125d5dfcb7b8c2659029395bdf05`;
		expect(variables.slice(0, 2).map((each) => valueIn(each, word, ADDRESS_FORMS))).toEqual(["5", ADDRESS]);
	});

	test("of a mapping are found by key", () => {
		const places = valueOfKey(layout, variables[4] as Variable, ADDRESS, ADDRESS_FORMS);
		expect(places.map(({ name }) => name)).toEqual([`paid[${ADDRESS}].a`, `paid[${ADDRESS}].b`]);
		expect((places[1]?.slot ?? 0n) - (places[0]?.slot ?? 0n)).toBe(1n);
		expect(valueOfKey(layout, variables[4] as Variable, "nobody", ADDRESS_FORMS)).toEqual([]);
		expect(valueOfKey(layout, variables[0] as Variable, "1", ADDRESS_FORMS)).toEqual([]);
	});
});

test("a mapping's slot is the hash of key and place", () => {
	// Keccak-256 of 64 zero bytes, a well-known value.
	expect(slotOfKey(0n, "uint256", "0", ADDRESS_FORMS)?.toString(16)).toBe(
		"ad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5",
	);
	expect(slotOfKey(0n, "uint256", "x", ADDRESS_FORMS)).toBeUndefined();
	expect(slotOfKey(0n, "bool", "true", ADDRESS_FORMS)).toBe(slotOfKey(0n, "uint256", "1", ADDRESS_FORMS));
});

test.each([
	["int16", 2, `${"0".repeat(60)}fffe`, "-2"],
	["bool", 1, `${"0".repeat(63)}1`, "true"],
	["bytes4", 4, `${"0".repeat(56)}01020304`, "0x01020304"],
	["string", 32, `6869${"0".repeat(58)}04`, '"hi"'],
	["bytes", 32, `${"0".repeat(62)}81`, "64 bytes, in other slots"],
	["uint256[]", 32, `${"0".repeat(63)}3`, "a list of 3"],
	["uint256[2]", 64, `${"0".repeat(63)}3`, "2 elements"],
	["uint8[][1]", 32, `${"0".repeat(63)}3`, "1 element"],
	["enum S.Kind", 1, `${"0".repeat(63)}2`, "2"],
])("a value of %s is read from its word", (type, bytes, word, text) => {
	const variable: Variable = { name: "", type, slot: 0n, offset: 0, bytes };
	expect(valueIn(variable, word, ADDRESS_FORMS)).toBe(text);
});

test("what is no layout is refused", () => {
	expect(readStorageLayout(undefined)).toBeUndefined();
	expect(readStorageLayout({})).toBeUndefined();
	expect(readStorageLayout({ storage: [{ label: 1, slot: "-1" }], types: null })?.variables).toEqual([
		{ name: "", type: "", slot: 0n, offset: 0 },
	]);
});

describe("names of slots", () => {
	const lists = readStorageLayout({
		storage: [
			{ label: "total", slot: "0", offset: 0, type: "t_uint256" },
			{ label: "allowed", slot: "1", offset: 0, type: "t_outer" },
			{ label: "flags", slot: "2", offset: 0, type: "t_list" },
			{ label: "name", slot: "3", offset: 0, type: "t_text" },
			{ label: "low", slot: "4", offset: 0, type: "t_uint64" },
			{ label: "high", slot: "4", offset: 8, type: "t_uint64" },
		],
		types: {
			t_uint256: inplace("uint256", 32),
			t_uint64: inplace("uint64", 8),
			t_address: inplace("address", 20),
			t_outer: {
				...mapping("t_address", "t_inner"),
				label: "mapping(address => mapping(uint256 => uint256))",
			},
			t_inner: { ...mapping("t_uint256", "t_uint256"), label: "mapping(uint256 => uint256)" },
			t_list: { encoding: "dynamic_array", label: "uint64[]", numberOfBytes: "32", base: "t_uint64" },
			t_text: { encoding: "bytes", label: "string", numberOfBytes: "32" },
		},
	}) as StorageLayout;
	const digits = ADDRESS_FORMS.read(ADDRESS) as string;
	const words = [digits.padStart(64, "0"), wordOf(7n)];
	const named = (...slots: bigint[]) =>
		[...variablesAt(lists, slots, words, ADDRESS_FORMS)].map(([slot, found]) => [
			slots.indexOf(slot),
			...found.map(({ name }) => name),
		]);

	test("are those of variables that share a word, and of values of mappings whose keys are among the words", () => {
		const outer = slotOfKey(1n, "address", ADDRESS, ADDRESS_FORMS) as bigint;
		const inner = slotOfKey(outer, "uint256", "7", ADDRESS_FORMS) as bigint;
		const other = slotOfKey(outer, "uint256", "8", ADDRESS_FORMS) as bigint;
		expect(named(4n, 0n, inner, other)).toEqual([
			[0, "low", "high"],
			[1, "total"],
			[2, `allowed[${ADDRESS}][7]`],
		]);
	});

	test("are those of a list's length and elements, and of a long text's parts", () => {
		const [flags, name] = [firstElement(2n), firstElement(3n)];
		expect(named(2n, flags + 1n, name + 2n, 9n)).toEqual([
			[0, "flags"],
			[1, "flags[4]", "flags[5]", "flags[6]", "flags[7]"],
			[2, "name, bytes from 64"],
		]);
	});

	test("are looked for no longer than a bound, however many words there are", () => {
		const many = Array.from({ length: 30_000 }, (_, at) => wordOf(BigInt(at)));
		expect(variablesAt(lists, [123n], many, ADDRESS_FORMS).size).toBe(0);
	});

	test("are looked for in a bounded number of entries, however many the values of a mapping have", () => {
		const entries = (count: number, type: string) =>
			Array.from({ length: count }, (_, at) => ({ label: `m${at}`, slot: String(at), offset: 0, type }));
		const outer = { ...inplace("struct S", 32), members: [...entries(199, "t_1"), ...entries(1, "t_map")] };
		const hostile = readStorageLayout({
			storage: entries(200, "t_map"),
			types: {
				t_uint256: inplace("uint256", 32),
				t_map: { ...mapping("t_uint256", "t_0"), label: "mapping(uint256 => struct S)" },
				t_0: outer,
				t_1: { ...inplace("struct T", 32), members: entries(200, "t_0") },
			},
		}) as StorageLayout;
		let looked = 0;
		const types = new Proxy(hostile.types, {
			get: (map) => (key: string) => {
				if (++looked > 30_000) throw new Error("it goes on");
				return map.get(key);
			},
		});
		const keys = Array.from({ length: 100 }, (_, at) => wordOf(BigInt(at)));
		expect(variablesAt({ ...hostile, types }, [5n], keys, ADDRESS_FORMS).size).toBe(1);
	});
});

function mapping(key: string, value: string) {
	return { encoding: "mapping", numberOfBytes: "32", key, value };
}
