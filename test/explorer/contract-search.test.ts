/** Finding contracts by name and selector among those of the newest blocks. */

import { describe, expect, test } from "vitest";
import { addressText } from "../../src/explorer/address-text.js";
import {
	commonNamed,
	contractOf,
	contractsNamed,
	seenContracts,
	selectorFacts,
	storedContracts,
} from "../../src/explorer/contract-search.js";
import { Contracts } from "../../src/explorer/contracts.js";
import { NodeClient } from "../../src/explorer/node-client.js";
import { kindOf } from "../../src/explorer/tokens.js";
import { contractAddress, toBase58Check } from "../../src/protocol/address.js";
import { fromHex } from "../../src/protocol/bytes.js";

const address = (digit: string): string => addressText(`41${digit.repeat(40)}`) ?? "";
const [GOLD, VAULT, MADE] = [address("1"), address("2"), address("3")];
const OWNER = `41${"7".repeat(40)}`;
const ID = "ab".repeat(32);

const transaction = (type: string, value: object) => ({
	txID: ID,
	raw_data: { contract: [{ type, parameter: { value } }] },
});
const call = (contract: string) => transaction("TriggerSmartContract", { contract_address: contract });
const block = (number: number, ...transactions: object[]) => ({
	block_header: { raw_data: { number } },
	transactions,
});

const RECORDS: Record<string, object> = {
	[GOLD]: { name: "Gold", bytecode: "6063A9059CBB14", contract_address: GOLD },
	[VAULT]: {
		name: "",
		contract_address: VAULT,
		abi: { entrys: [{ type: "Function", name: "set", inputs: [{ type: "uint8" }] }] },
	},
};
const TOKENS = [{ contract_address: GOLD, symbol: "GLD", name: "Golden" }];

/** A node of 30 blocks that keeps a source of one contract, with tokens or without. */
function node(hasHistory = true): { readonly client: NodeClient; readonly asked: string[] } {
	const asked: string[] = [];
	const answers: Readonly<Record<string, (body: Record<string, unknown>) => unknown>> = {
		"/wallet/getblockbylatestnum": () => ({ block: [block(29, call(GOLD)), block(30, call(VAULT))] }),
		"/wallet/getblockbylimitnext": () => ({ block: [block(0), block(1, call(GOLD))] }),
		"/wallet/getcontract": ({ value }) => RECORDS[String(value)] ?? {},
		"/jsonrpc": ({ method }) =>
			method === "eth_getLogs"
				? { result: [{ address: `0x${"3".repeat(40)}`, topics: ["0x", "0x"] }] }
				: { result: "0x1e" },
	};
	const client = new NodeClient(async (path, { body }) => {
		asked.push(path);
		const known = answers[path]?.(JSON.parse(body ?? "{}"));
		const told = path.endsWith(`${VAULT}/source`) ? [{ contract: "a/Vault.sol:Vault" }] : undefined;
		const stored = path === "/v1/contracts?name=set%20it" ? [{ contract_address: VAULT }] : told;
		const list = path.startsWith("/v1/orc20/info") ? TOKENS : stored;
		const found = known ?? (hasHistory && list ? { data: list } : undefined);
		return { status: found === undefined ? 404 : 200, text: async () => JSON.stringify(found ?? {}) };
	});
	return { client, asked };
}

const named = async (typed: string, hasHistory = true) => {
	const { client } = node(hasHistory);
	return contractsNamed(client, new Contracts(client), [GOLD, VAULT], typed);
};

describe("contracts of the newest blocks", () => {
	test("are found back to the first block, then by what tokens logged", async () => {
		const { client, asked } = node();
		expect(await seenContracts(client)).toEqual({ addresses: [VAULT, GOLD, MADE], since: 0 });
		expect(asked).toHaveLength(4);
	});

	test("are joined by those that the node knows by their stored sources, where it has a history", async () => {
		expect(await storedContracts(node().client, "set it")).toEqual([VAULT]);
		expect(await storedContracts(node(false).client, "set it")).toEqual([]);
	});

	test("are known by the address that follows from their creation", () => {
		const created = transaction("CreateSmartContract", { owner_address: addressText(OWNER) });
		expect(contractOf(created)).toBe(toBase58Check(contractAddress(fromHex(ID), fromHex(OWNER))));
		expect(contractOf(transaction("TransferContract", {}))).toBeUndefined();
	});
});

describe("a name", () => {
	test.each([
		["gld", GOLD],
		["Golden", GOLD],
		["vaul", VAULT],
	])("%s is that of a token, a contract or its source", async (typed, wanted) => {
		expect((await named(typed)).map((match) => match.address)).toEqual([wanted]);
	});

	test("is that of a function, after contracts that are called so", async () => {
		expect(await named("SET", false)).toEqual([
			expect.objectContaining({ address: VAULT, text: `contract ${VAULT}, function set(uint8)` }),
		]);
		RECORDS[GOLD] = { ...RECORDS[GOLD], name: "Reset" };
		expect((await named("set", false)).map(({ address }) => address)).toEqual([VAULT, GOLD]);
		expect((await named("se", false)).map(({ address }) => address)).toEqual([GOLD, VAULT]);
		RECORDS[GOLD] = { ...RECORDS[GOLD], name: "Gold" };
		expect(commonNamed("transferownership")).toEqual([
			"function transferOwnership(address), selector 0xf2fde38b",
		]);
	});

	test("is that of the contract where the node keeps no history", async () => {
		expect(await named("gold", false)).toMatchObject([{ address: GOLD, text: `contract: Gold at ${GOLD}` }]);
		expect(await named("gld", false)).toEqual([]);
	});
});

test("a selector names a function, and contracts have it by interface or code", async () => {
	const { client } = node();
	const facts = (selector: string) => selectorFacts(new Contracts(client), [GOLD, VAULT], selector);
	expect(await facts("a9059cbb")).toMatchObject({
		signatures: ["function transfer(address,uint256)"],
		contracts: [{ address: GOLD }],
	});
	// set(uint8)
	expect(await facts("24b8ba5f")).toMatchObject({
		signatures: ["function set(uint8)"],
		contracts: [{ address: VAULT, text: `contract ${VAULT}, by its interface` }],
	});
	expect(await facts("ffffffff")).toEqual({ signatures: [], contracts: [] });
});

test("kinds of tokens are written as their standards", () => {
	expect([kindOf({ type: "orc20" }), kindOf({ type: "orc721" }), kindOf({})]).toEqual([
		"ORC-20",
		"ORC-721",
		"ORC-20",
	]);
});
