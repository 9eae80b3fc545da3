import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { encodeCall } from "../../../src/abi/coder.js";
import { fromHex, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import { TriggerSmartContract } from "../../../src/protocol/messages.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import { keepInterface } from "../../../src/wallet/configuration/own-interfaces.js";
import type { Json, JsonRecord } from "../../../src/wallet/json.js";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import {
	callMembers,
	callText,
	describedCall,
	describedCallLines,
} from "../../../src/wallet/transaction/described-call.js";
import { implementationInterface, storedInterface } from "../../../src/wallet/view/contract-record.js";
import { answering } from "../answering-client.js";

const [VAULT, BEHIND] = ["11", "22"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [
	Uint8Array,
	Uint8Array,
];
const SET = parseSignature("set(string note)");

const folder = mkdtempSync(join(tmpdir(), "interfaces-"));
afterAll(() => rmSync(folder, { recursive: true }));

const entry = (name: string, type: string, more: JsonRecord = {}): JsonRecord => ({
	type: "function",
	name,
	inputs: [{ name: "x", type, ...more }],
});

interface Node {
	readonly records?: Readonly<Record<string, Json>>;
	readonly sources?: Readonly<Record<string, Json>>;
	readonly storage?: Readonly<Record<string, string>>;
	readonly code?: string;
	readonly contactsFile?: string;
}

/** A node with contracts, by the hexadecimal of their addresses, their sources, and the storage of the vault. */
function node({ records = {}, sources = {}, storage = {}, code = "", contactsFile = "" }: Node): NodeClient {
	const { client } = answering(
		{
			getcontract: ({ value }) =>
				String(value) in records ? { bytecode: "00", abi: { entrys: records[String(value)] as Json } } : {},
			getcontractinfo: { smart_contract: { version: 1n }, runtimecode: code },
		},
		{ contactsFile, jsonrpc: "http://node/jsonrpc" },
	);
	const send = async ({ method, url, body = "" }: { method: string; url: string; body?: string }) => {
		if (method === "GET") {
			const abi = Object.entries(sources).find(([base58]) => url.includes(base58))?.[1];
			return answer(abi === undefined ? '{"data":[]}' : JSON.stringify({ data: [{ abi }] }));
		}
		const [, slot] = (JSON.parse(body) as { params: string[] }).params;
		return answer(`{"result":"0x${(storage[slot ?? ""] ?? "").padStart(64, "0")}"}`);
	};
	return Object.assign(client, { send, baseUrl: () => "http://node" }) as NodeClient;
}

const answer = (text: string) => ({ status: 200, headers: {}, body: utf8(text) });

const call = async (data?: Uint8Array) =>
	TriggerSmartContract.create({
		contract_address: VAULT,
		data: data ?? (await encodeCall(SET, ['pay "all", to eve'])),
	});

const slot = (name: string): string =>
	`0x${(BigInt(`0x${toHex(keccak256(utf8(`eip1967.proxy.${name}`)))}`) - 1n).toString(16)}`;

describe("a call is shown to whoever signs it", () => {
	test("by the interface that was given, with texts in quotes", async () => {
		const described = await describedCall(await call(), { client: undefined, given: [SET] });
		expect(described).toEqual({
			signature: "set(string)",
			arguments: { note: 'pay "all", to eve' },
			source: "given",
			text: 'set(note="pay \\"all\\", to eve")',
		});
		expect(described && callText(described)).toEqual({
			call: 'set(note="pay \\"all\\", to eve")',
			"named by": "the interface that the call was made by, or that --abi gives",
		});
	});

	test("with the names of arguments, unless one could look like further arguments, and each of those that share one", async () => {
		const of = async (...names: readonly string[]) => {
			const inputs = names.map((name) => ({ name, type: "uint8" }));
			const item = { kind: "function", name: "f", inputs } as const;
			const data = await call(encodeCall(item, [1n, 2n]));
			const described = await describedCall(data, { client: undefined, given: [item] });
			return described && { ...callText(described), ...callMembers(described) };
		};
		expect(await of("to", "from")).toMatchObject({
			call: "f(to=1, from=2)",
			arguments: { to: 1n, from: 2n },
		});
		expect(await of("to", "to")).toMatchObject({ call: "f(1, 2)", arguments: { 0: 1n, 1: 2n } });
		expect(await of("a=5, b", "\u202ec")).toMatchObject({ call: "f(1, 2)" });
	});

	test("by the kept one before the node's, the stored source before the record, and the list of common ones last", async () => {
		const contactsFile = join(folder, "contacts.json");
		const record = { [toHex(VAULT)]: [entry("set", "string")] };
		const sources = { T: [entry("set", "string")] };
		const source = async (client: NodeClient | undefined, more: object = {}) =>
			((await describedCall(await call(), { client, ...more })) as { source?: string } | undefined)?.source;
		expect(await source(node({ records: record }))).toBe("record");
		expect(await source(node({ records: record, sources }))).toBe("source");
		await keepInterface({ contactsFile }, VAULT, [entry("set", "string")]);
		expect(await source(node({ records: record, sources, contactsFile }))).toBe("own");
		expect(await source(undefined, { contactsFile })).toBe("own");
		// A node that knows no such contract, or doesn't answer, doesn't take it away.
		expect(await source(node({ contactsFile }))).toBe("own");
		const transfer = await call(
			await encodeCall(parseSignature("transferOwnership(address)"), [`0x${"33".repeat(20)}`]),
		);
		const common = await describedCall(transfer, { client: undefined });
		expect(common).toMatchObject({ source: "common" });
		// Any contract may do anything under such a name.
		const data = `0x${toHex(transfer.data)}`;
		expect(common && describedCallLines(common).slice(2)).toEqual([
			`  data        ${data}`,
			expect.stringMatching(/^ {2}warning {5}nothing tells what this contract does under that name/),
		]);
		expect(common && callMembers(common)).toMatchObject({ source: "common", data });
	});

	test("with all of its bytes and a warning where nothing names it", async () => {
		const data = fromHex(`12345678${"ab".repeat(300)}`);
		const described = await describedCall(await call(data), {
			client: node({ records: { [toHex(VAULT)]: [] } }),
		});
		expect(described).toEqual({ data: `0x${toHex(data)}` });
		expect(describedCallLines(described as { data: string })).toEqual([
			`  data        0x${toHex(data)}`,
			expect.stringContaining("warning"),
		]);
		// Those who approve or decode it are warned too.
		expect(callText(described as { data: string })).toEqual({
			data: `0x${toHex(data)}`,
			warning: expect.stringContaining("nobody can tell"),
		});
		// A selector that fits with arguments that don't is not that function.
		const broken = await call((await encodeCall(SET, ["x"])).subarray(0, 40));
		expect(await describedCall(broken, { client: undefined, given: [SET] })).toHaveProperty("data");
	});

	test("by the contract behind a proxy", async () => {
		const records = { [toHex(VAULT)]: [], [toHex(BEHIND)]: [entry("set", "string")] };
		const proxy = node({ records, storage: { [slot("implementation")]: toHex(BEHIND.subarray(1)) } });
		expect(await describedCall(await call(), { client: proxy })).toMatchObject({ source: "implementation" });
		const minimal = node({
			records,
			code: `363d3d373d3d3d363d73${toHex(BEHIND.subarray(1))}5af43d82803e903d91602b57fd5bf3`,
		});
		expect(await implementationInterface(minimal, VAULT)).toHaveLength(1);
		expect(await implementationInterface(node({ records }), VAULT)).toBeUndefined();
	});
});

test("a stored source hides what the record has lost of tuples", async () => {
	const components = [{ name: "to", type: "address" }];
	const records = { [toHex(VAULT)]: [entry("batch", "tuple[]"), entry("last", "uint256")] };
	const items = await storedInterface(
		node({ records, sources: { T: [entry("batch", "tuple[]", { components })] } }),
		VAULT,
	);
	expect(items.map(({ name }) => name)).toEqual(["batch", "last"]);
	expect(items[0]?.inputs[0]?.components).toHaveLength(1);
});

test("a name with the selector of another function doesn't hide what the bytes say", async () => {
	const transfer = await encodeCall(parseSignature("transfer(address to, uint256 amount)"), [
		`0x${"22".repeat(20)}`,
		0n,
	]);
	const given = [parseSignature("many_msg_babbage(bytes1 x)")];
	expect(toHex(transfer.subarray(0, 4))).toBe("a9059cbb");
	const call = TriggerSmartContract.create({ contract_address: VAULT, data: transfer });
	expect(await describedCall(call, { client: undefined, given })).toMatchObject({
		signature: "transfer(address,uint256)",
		source: "common",
	});
});

describe("the amount of a token that a call moves", () => {
	const word = (value: bigint) => value.toString(16).padStart(64, "0");
	const selector = (signature: string) => toHex(keccak256(utf8(signature)).subarray(0, 4));
	/** A node whose contract has 2 decimals and the symbol GOLD, or isn't a token of units. */
	const token = (hasUnit: boolean): NodeClient => {
		const { client } = answering({
			triggerconstantcontract: ({ data }) => {
				const isSymbol = String(data).startsWith(selector("symbol()"));
				const gold = `${word(32n)}${word(4n)}${toHex(utf8("GOLD")).padEnd(64, "0")}`;
				const constant_result = [hasUnit ? (isSymbol ? gold : word(2n)) : ""];
				return { result: { result: true }, constant_result };
			},
			getcontract: {},
		});
		return client;
	};
	const text = async (
		client: NodeClient | undefined,
		signature: string,
		values: readonly (string | bigint)[],
	) => {
		const data = await encodeCall(parseSignature(signature), [...values]);
		const described = await describedCall(await call(data), { client, given: [parseSignature(signature)] });
		return (callText(described as NonNullable<typeof described>) as { amount?: string }).amount;
	};
	const bob = `0x${"22".repeat(20)}`;

	test("is shown in the unit that the contract gives", async () => {
		expect(await text(token(true), "transfer(address to,uint256 amount)", [bob, 500n])).toMatch(
			/^5 "GOLD" \(500 smallest units, 2 decimals\) of the token T/,
		);
		expect(await text(token(true), "burn(uint256 amount)", [1n])).toMatch(/^0\.01 "GOLD"/);
	});

	test("is left out where there is none: an id of an NFT, an unlimited allowance, no node", async () => {
		expect(await text(token(false), "transferFrom(address,address,uint256)", [bob, bob, 7n])).toBeUndefined();
		expect(await text(token(true), "approve(address,uint256)", [bob, 2n ** 256n - 1n])).toBeUndefined();
		expect(await text(undefined, "transfer(address,uint256)", [bob, 5n])).toBeUndefined();
	});
});
