/** Interfaces of contracts for a page: their own, and through a proxy that of the contract whose code it runs. */

import { describe, expect, test } from "vitest";
import { addressText } from "../../src/explorer/address-text.js";
import { Contracts, contactsOf, layoutOf } from "../../src/explorer/contracts.js";
import { NodeClient } from "../../src/explorer/node-client.js";

const hex = (digit: string) => digit.repeat(40);
const address = (digit: string) => addressText(`41${hex(digit)}`) ?? "";
const word = (digits: string) => `0x${digits.padStart(64, "0")}`;
const PROXY = "1";
const LOGIC = "2";
const BEACON = "3";

// The standards' own words for the places.
const EIP1967 = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const EIP1967_BEACON = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
const EIP1822 = "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7";

const record = (name: string, ...entrys: object[]) => ({ name, contract_address: "T", abi: { entrys } });
const RECORDS = {
	[address(PROXY)]: record("Box", { type: "Fallback" }, { type: "Event", name: "Upgraded" }),
	[address(LOGIC)]: record("BoxLogic", { type: "Function", name: "value", inputs: [] }),
};

const accounts: Readonly<Record<string, object>> = {
	[address(PROXY)]: { type: "Contract", account_name: "CreatedByContract" },
	[address(BEACON)]: { account_name: "Bea" },
};

interface Answers {
	readonly slots?: Readonly<Record<string, string>>;
	readonly code?: string;
	readonly records?: Readonly<Record<string, object>>;
}

function contracts({ slots, code = "0x60", records = RECORDS }: Answers) {
	const methods: string[] = [];
	const answer = (path: string, body: Record<string, unknown>): unknown => {
		if (path === "/wallet/getaccount") return accounts[String(body["address"])] ?? {};
		if (path === "/wallet/getcontract") return records[String(body["value"])] ?? {};
		if (path !== "/jsonrpc" || !slots) return undefined;
		const { method, params } = body as { method: string; params: readonly unknown[] };
		methods.push(method);
		if (method === "eth_getCode") return { result: code };
		if (method === "eth_call") {
			expect(params[0]).toEqual({ to: `0x${hex(BEACON)}`, data: "0x5c60da1b" });
			return { result: word(hex(LOGIC)) };
		}
		return { result: slots[String(params[1])] ?? word("") };
	};
	const client = new NodeClient(async (path, { body }) => {
		const found = answer(path, JSON.parse(body ?? "{}"));
		return { status: found === undefined ? 404 : 200, text: async () => JSON.stringify(found ?? {}) };
	});
	return { contracts: new Contracts(client), methods };
}

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
const MINIMAL = `0x363d3d373d3d3d363d73${hex(LOGIC)}5af43d82803e903d91602b57fd5bf3`;

describe("a contract's interface", () => {
	test.each<[string, Answers]>([
		["EIP-1967", { slots: { [EIP1967]: word(hex(LOGIC)) } }],
		["a beacon", { slots: { [EIP1967_BEACON]: word(hex(BEACON)) } }],
		["EIP-1822", { slots: { [EIP1822]: word(hex(LOGIC)) } }],
		["EIP-1167", { slots: {}, code: MINIMAL }],
	])("has the functions behind a proxy of %s", async (_, answers) => {
		const { contracts: page } = contracts(answers);
		const { items, name } = await page.factsOf(address(PROXY));
		expect(names(items)).toEqual(["", "Upgraded", "value"]);
		expect(name).toBe("Box");
	});

	test("is its own where it is no proxy, and where the node answers no JSON-RPC here", async () => {
		for (const answers of [{ slots: {} }, { slots: { [EIP1967]: word("ff".repeat(32)) } }, {}]) {
			const { contracts: page } = contracts(answers);
			expect(names(await page.itemsOf(address(PROXY)))).toEqual(["", "Upgraded"]);
		}
	});

	test("gives it its label in lists, as an account's name does", async () => {
		const { contracts: page } = contracts({});
		const labels = [address(PROXY), address(BEACON), address(LOGIC), "not an address"];
		expect(await Promise.all(labels.map((each) => page.labelOf(each)))).toEqual(["Box", "Bea", "", ""]);
	});

	test("costs no questions of storage where its own functions say what it does", async () => {
		const { contracts: page, methods } = contracts({ slots: { [EIP1967]: word(hex(PROXY)) } });
		expect(names(await page.itemsOf(address(LOGIC)))).toEqual(["value"]);
		expect(methods).toEqual([]);
	});
});

test("storage is read by the contract's own layout, or where that has no variables by the one behind the proxy", () => {
	const source = (...labels: readonly string[]) => ({
		storage_layout: {
			storage: labels.map((label) => ({ label, slot: "0", offset: 0, type: "t_bool" })),
			types: { t_bool: { encoding: "inplace", label: "bool", numberOfBytes: "1" } },
		},
	});
	const read = (...given: Parameters<typeof layoutOf>) =>
		layoutOf(...given)?.variables.map(({ name }) => name);
	expect(read(source(), { source: source("value") })).toEqual(["value"]);
	expect(read(undefined, { source: source("value") })).toEqual(["value"]);
	expect(read(source("own"), { source: source("value") })).toEqual(["own"]);
	expect(read(source(), undefined)).toEqual([]);
	// Nothing is said of variables that nobody knows.
	expect(read(source(), { source: undefined })).toBeUndefined();
});

describe("a list of contacts", () => {
	test("gives labels by address", () => {
		const one = { label: "Ann €", address: address("5"), contract: "00".repeat(32), abi: [] };
		const list = { version: 1, contacts: [one], signer: address("5"), signature: "00" };
		expect(contactsOf(JSON.stringify(list))).toEqual(new Map([[address("5"), "Ann €"]]));
	});

	test.each([
		"",
		"null",
		"[]",
		'{"contacts":{}}',
		'{"contacts":[null]}',
		'{"contacts":[{"label":"a","address":"T"}]}',
		JSON.stringify({ contacts: [{ address: address("5"), label: 7 }] }),
	])("is refused where it is none: %.40s", (text) => {
		expect(() => contactsOf(text)).toThrow("no list that coin contact export prints");
	});
});
