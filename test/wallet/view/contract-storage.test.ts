import { describe, expect, test } from "vitest";
import {
	firstElement,
	readStorageLayout,
	type StorageLayout,
	slotOfKey,
	type Variable,
	valueOfKey,
	variablesAt,
	wordOf,
} from "../../../src/abi/storage-layout.js";
import { fromBase58Check } from "../../../src/protocol/address.js";
import {
	formOfKey,
	storedValues,
	variablesNamed,
	walletForms,
	withElements,
} from "../../../src/wallet/view/contract-storage.js";

const inplace = (label: string, bytes: number) => ({
	encoding: "inplace",
	label,
	numberOfBytes: String(bytes),
});
const layout = readStorageLayout({
	storage: [
		{ label: "owner", slot: "0", offset: 0, type: "t_address" },
		{ label: "small", slot: "0", offset: 20, type: "t_uint16" },
		{ label: "name", slot: "1", offset: 0, type: "t_string" },
		{ label: "paid", slot: "2", offset: 0, type: "t_map" },
		{ label: "list", slot: "3", offset: 0, type: "t_list" },
		{ label: "fixed", slot: "4", offset: 0, type: "t_fixed" },
		{ label: "positions", slot: "7", offset: 0, type: "t_positions" },
	],
	types: {
		t_address: inplace("address", 20),
		t_uint16: inplace("uint16", 2),
		t_string: { encoding: "bytes", label: "string", numberOfBytes: "32" },
		t_map: {
			encoding: "mapping",
			label: "mapping(address => mapping(uint256 => struct S.Order))",
			numberOfBytes: "32",
			key: "t_address",
			value: "t_inner",
		},
		t_inner: {
			encoding: "mapping",
			label: "mapping(uint256 => struct S.Order)",
			numberOfBytes: "32",
			key: "t_uint256",
			value: "t_order",
		},
		t_uint256: inplace("uint256", 32),
		t_order: {
			...inplace("struct S.Order", 64),
			members: [
				{ label: "amount", slot: "0", offset: 0, type: "t_uint256" },
				{ label: "by", slot: "1", offset: 0, type: "t_address" },
			],
		},
		t_positions: {
			encoding: "mapping",
			label: "mapping(address => struct S.Position)",
			numberOfBytes: "32",
			key: "t_address",
			value: "t_position",
		},
		t_position: {
			...inplace("struct S.Position", 160),
			members: [
				{ label: "count", slot: "0", offset: 0, type: "t_uint256" },
				{ label: "range", slot: "1", offset: 0, type: "t_range" },
				{ label: "parts", slot: "2", offset: 0, type: "t_fixed" },
			],
		},
		t_range: {
			...inplace("struct S.Range", 32),
			members: [
				{ label: "low", slot: "0", offset: 0, type: "t_uint16" },
				{ label: "high", slot: "0", offset: 2, type: "t_uint16" },
			],
		},
		t_list: { encoding: "dynamic_array", label: "uint16[]", numberOfBytes: "32", base: "t_uint16" },
		t_fixed: { ...inplace("uint256[3]", 96), base: "t_uint256" },
	},
}) as StorageLayout;

const ANN = "7e5f4552091a69125d5dfcb7b8c2659029395bdf";
const forms = walletForms((text) => (text === "ann" ? ANN : undefined));

/** Storage by slot; everything else is zero. */
const reader = (words: ReadonlyMap<bigint, string>) => async (slot: bigint) => words.get(slot) ?? wordOf(0n);

/** An empty storage. */
const none = reader(new Map());

test("an address of a layout that gives it another size shows the bytes that it has", () => {
	expect(fromBase58Check(forms.write("ab"))).toEqual(Buffer.from("41ab", "hex"));
});

describe("variables by name", () => {
	test("of a mapping say how a value is named, a key for each level", async () => {
		const form = async (path: string) =>
			formOfKey(path, (await variablesNamed(layout, path, none, forms))[0] as Variable);
		expect(await form("paid")).toBe("'paid[<address>]'");
		expect(await form("paid[ann]")).toBe("'paid[ann][<uint256>]'");
		expect(await form("name")).toBeUndefined();
	});

	test("share words, which are read once", async () => {
		const asked: bigint[] = [];
		const read = async (slot: bigint) => {
			asked.push(slot);
			return `${"0".repeat(20)}0007${ANN}`;
		};
		const rows = await storedValues(
			(await variablesNamed(layout, undefined, read, forms)).slice(0, 2),
			read,
			forms,
		);
		expect(rows).toEqual([
			{ name: "owner", type: "address", slot: "0", value: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC" },
			{ name: "small", type: "uint16", slot: "0", value: "7" },
		]);
		expect(asked).toEqual([0n]);
	});

	test("are found behind keys, indexes and members", async () => {
		const inner = slotOfKey(2n, "address", "ann", forms) as bigint;
		const order = slotOfKey(inner, "uint256", "5", forms) as bigint;
		const words = new Map([
			[order, wordOf(9n)],
			[3n, wordOf(18n)],
			[firstElement(3n) + 1n, `${"0".repeat(56)}00030000`],
			[6n, wordOf(4n)],
		]);
		const value = async (path: string) =>
			(
				await storedValues(await variablesNamed(layout, path, reader(words), forms), reader(words), forms)
			).map((row) => row.value);
		expect(await value("paid[ann][5].amount")).toEqual(["9"]);
		expect(await value("paid[ann][5]")).toHaveLength(2);
		expect(await value("list[17]")).toEqual(["3"]);
		expect(await value("fixed[2]")).toEqual(["4"]);
		expect(await value("paid")).toEqual(["by key"]);
	});

	test("are found in structures within structures, and behind members of these", async () => {
		const place = slotOfKey(7n, "address", "ann", forms) as bigint;
		const words = new Map([
			[place + 1n, `${"0".repeat(56)}00080003`],
			[place + 3n, wordOf(5n)],
		]);
		const values = async (path: string) =>
			(
				await storedValues(await variablesNamed(layout, path, reader(words), forms), reader(words), forms)
			).map(({ name, value }) => [name, value]);
		expect(await values("positions[ann].range")).toEqual([
			["positions[ann].range.low", "3"],
			["positions[ann].range.high", "8"],
		]);
		expect(await values("positions[ann].range.high")).toEqual([["positions[ann].range.high", "8"]]);
		expect(await values("positions[ann].parts[1]")).toEqual([["positions[ann].parts[1]", "5"]]);
		expect(await values("positions[ann]")).toHaveLength(4);
		const slots = [place + 1n];
		const known = variablesAt(layout, slots, [ANN.padStart(64, "0")], { ...forms, read: () => ANN });
		expect(known.get(place + 1n)?.map(({ name }) => name.replace(/\[.*\]/, "[…]"))).toEqual([
			"positions[…].range.low",
			"positions[…].range.high",
		]);
	});

	test("lists show their elements, up to a bound", async () => {
		const words = new Map([
			[3n, wordOf(2n)],
			[firstElement(3n), wordOf((9n << 16n) + 8n)],
			[6n, wordOf(4n)],
		]);
		const read = reader(words);
		const values = async (path: string) => {
			const variables = await withElements(
				layout,
				await variablesNamed(layout, path, read, forms),
				read,
				forms,
			);
			return (await storedValues(variables, read, forms)).map(({ name, value }) => [name, value]);
		};
		expect(await values("list")).toEqual([
			["list", "a list of 2"],
			["list[0]", "8"],
			["list[1]", "9"],
		]);
		expect(await values("fixed")).toContainEqual(["fixed[2]", "4"]);
		words.set(3n, wordOf(1n << 200n));
		expect(await values("list")).toHaveLength(101);
		expect(await values("owner")).toHaveLength(1);
	});

	test("lists in a structure of a layout from elsewhere show so many elements in all, and are asked one by one", async () => {
		const lists = Array.from({ length: 200 }, (_, at) => ({
			label: `list${at}`,
			slot: String(at),
			offset: 0,
			type: "t_lists",
		}));
		const elsewhere = readStorageLayout({
			storage: [{ label: "all", slot: "0", offset: 0, type: "t_all" }],
			types: {
				t_all: { ...inplace("struct S.All", 6_400), members: lists },
				t_lists: {
					encoding: "dynamic_array",
					label: "struct S.All[]",
					numberOfBytes: "32",
					base: "t_all",
				},
			},
		}) as StorageLayout;
		let open = 0;
		const read = async () => {
			expect(++open).toBe(1);
			await Promise.resolve();
			open--;
			return "f".repeat(64);
		};
		const shown = await withElements(
			elsewhere,
			await variablesNamed(elsewhere, "all", read, forms),
			read,
			forms,
		);
		expect(shown.length).toBeLessThan(2_500);
		expect(shown.filter(({ name }) => /^all\.list\d+$/.test(name))).toHaveLength(200);
	});

	test("elements of a layout from elsewhere are looked for in a bounded number of entries", async () => {
		const members = (count: number, type: string) =>
			Array.from({ length: count }, (_, at) => ({ label: `m${at}`, slot: "0", offset: 0, type }));
		const struct = {
			...inplace("struct S", 32),
			members: [...members(199, "t_1"), ...members(1, "t_uint256")],
		};
		const list = { encoding: "inplace", label: "struct S[99]", numberOfBytes: "3168", base: "t_0" };
		const t_1 = { ...inplace("struct T", 32), members: members(200, "t_0") };
		const elsewhere = readStorageLayout({
			storage: members(200, "t_list"),
			types: { t_uint256: inplace("uint256", 32), t_list: list, t_0: struct, t_1 },
		}) as StorageLayout;
		const variables = await variablesNamed(elsewhere, undefined, none, forms);
		let looked = 0;
		const types = new Proxy(elsewhere.types, {
			get: (map) => (key: string) => {
				if (++looked > 100_000) throw new Error("it goes on");
				return map.get(key);
			},
		});
		const shown = await withElements({ ...elsewhere, types }, variables, async () => wordOf(0n), forms);
		expect(shown.length).toBeLessThan(500);
	});

	test("long texts are read from their own words, up to a bound", async () => {
		const text = "a text of more than thirty-one bytes";
		const digits = Buffer.from(text).toString("hex").padEnd(128, "0");
		const words = new Map([
			[1n, wordOf(BigInt(2 * text.length + 1))],
			[firstElement(1n), digits.slice(0, 64)],
			[firstElement(1n) + 1n, digits.slice(64)],
		]);
		const [name] = await storedValues(
			await variablesNamed(layout, "name", none, forms),
			reader(words),
			forms,
		);
		expect(name?.value).toBe(JSON.stringify(text));
		words.set(1n, wordOf(2n * 1_000_000n + 1n));
		const [long] = await storedValues(
			await variablesNamed(layout, "name", none, forms),
			reader(words),
			forms,
		);
		expect(long?.value).toBe("1000000 bytes, in other slots");
	});

	test.each([
		["ownr", "no variable ownr"],
		["paid[nobody]", "not a key of paid"],
		["paid[ann][5].nothing", "no member nothing"],
		["owner[1]", "not a key of owner"],
		["paid[ann][5][1]", "behind a structure"],
		["positions[ann].range.lo", "no member lo in positions[ann].range"],
		["fixed[3]", "fixed has 3 elements, 0 to 2"],
		["positions[ann].parts[99999999999999999999999999]", "positions[ann].parts has 3 elements, 0 to 2"],
		["list[0]", "list has no elements"],
		["positions[ann]range", "range in positions[ann]range is neither"],
		["positions[ann]..range", ". in positions[ann]..range is neither"],
		["positions[ann].range.low.", "is neither a .member nor a [key]"],
		["fixed[0]x", "x in fixed[0]x is neither"],
		["paid[a]b]", "b] in paid[a]b] is neither"],
		['paid["a b"', "is neither a .member nor a [key]"],
		[String.raw`paid["a\qb"]`, "is not a text in quotes"],
		['paid["a"b]', "is not a text in quotes"],
	])("%s is refused", async (path, message) => {
		await expect(variablesNamed(layout, path, none, forms)).rejects.toThrow(message);
	});

	test.each([
		["bytes32", "0x01", false],
		["bytes2", "0x0102", true],
		["uint8", "255", true],
		["uint8", "256", false],
		["uint256", "-1", false],
		["int8", "-128", true],
		["int8", "0x80", false],
		["enum S.Kind", "256", false],
	])("have keys that their type can be: %s %s", (type, text, isKey) => {
		expect(slotOfKey(0n, type, text, forms) !== undefined).toBe(isKey);
	});

	test("have texts as keys with the blanks at their ends", () => {
		const [plain, padded] = ["a", " a"].map((text) => slotOfKey(0n, "string", text, forms));
		expect(plain).not.toBe(padded);
	});

	test("beyond a list are refused by its length in the storage, and not looked for beyond an array", async () => {
		const read = reader(new Map([[3n, wordOf(1n)]]));
		expect(await variablesNamed(layout, "list[0]", read, forms)).toHaveLength(1);
		await expect(variablesNamed(layout, "list[1]", read, forms)).rejects.toThrow("list has 1 element, 0");
		const [fixed] = await variablesNamed(layout, "fixed", read, forms);
		expect(valueOfKey(layout, fixed as Variable, "3", forms)).toEqual([]);
	});
});
