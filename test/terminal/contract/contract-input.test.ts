import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Parser } from "@oclif/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import {
	abiFlag,
	callFlags,
	flagText,
	namedCall,
	valuesOf,
} from "../../../src/terminal/contract/contract-input.js";
import { checkLibrary, deployable } from "../../../src/terminal/contract/deployment-input.js";
import { keepInterface } from "../../../src/wallet/configuration/own-interfaces.js";
import { NamedAmounts } from "../../../src/wallet/token/named-amount.js";
import { answering } from "../../wallet/answering-client.js";

const { client } = answering(
	{ getassetissuebyid: { id: "1000001", precision: 2n } },
	{ tokens: { gold: "1000001" }, contactsFile: "/nowhere/contacts" },
);
const amounts = new NamedAmounts(client, false);
const values = (flags: object): Promise<object> => valuesOf(flags as Parameters<typeof valuesOf>[0], amounts);

test("coins and tokens that go with a call are read in their units", async () => {
	expect(await values({})).toEqual({});
	expect(await values({ value: "1.5coin", "token-id": "1000001", "token-value": "7.5e1" })).toEqual({
		valueSun: 1_500_000n,
		tokenId: 1_000_001n,
		tokenValue: 75n,
	});
	for (const units of ["1_000", "1_000 raw", "1.0e3"])
		expect(await values({ "token-id": "1", "token-value": units })).toMatchObject({ tokenValue: 1000n });
	await expect(values({ "token-id": "GOLD", "token-value": "7" })).rejects.toThrow(
		'--token-id "GOLD" is not a whole number',
	);
	expect(await values({ "token-value": "7.5@gold" })).toEqual({ tokenId: 1_000_001n, tokenValue: 750n });
	expect(amounts.nodesWord).toEqual([{ token: "1000001", decimals: 2, text: "7.5", units: 750n }]);
	await expect(values({ "token-id": "1", "token-value": "7@gold" })).rejects.toThrow("name it once");
	await expect(values({ "token-value": "7" })).rejects.toMatchObject({ code: "usage" });
	await expect(values({ "token-value": "7@coin" })).rejects.toThrow("coin is not an ORC-10 token");
});

test("--as names a contract for its interface wherever --abi may", async () => {
	expect((await Parser.parse(["--as", "logic"], { flags: abiFlag })).flags).toMatchObject({ abi: "logic" });
	const { flags } = await Parser.parse(["--as", "logic"], { flags: callFlags });
	expect([flags.as, flags.abi]).toEqual(["logic", undefined]);
});

test("arguments are known to be given by names that only the node says", async () => {
	const folder = await mkdtemp(join(tmpdir(), "coin-names-"));
	const address = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb";
	const entry = {
		type: "function",
		name: "f",
		inputs: ["to", "from"].map((name) => ({ name, type: "uint8" })),
	};
	const { client: asked } = answering(
		{ getcontract: { abi: { entrys: [entry] } }, getcontractinfo: {} },
		{ contactsFile: join(folder, "contacts.json") },
	);
	const send = async () => ({ status: 404, headers: {}, body: new Uint8Array() });
	const node = Object.assign(asked, { send, baseUrl: () => "http://node" });
	const isByNodesNames = async (signature: string, texts: readonly string[], abi?: string) => {
		const words = { address, signature, arguments: texts, abi, data: undefined };
		return (await namedCall(words, node.settings, node, new NamedAmounts(node, false))).byNodesNames ?? false;
	};
	const named = ["from=1", "to=2"];
	expect(await isByNodesNames("f", named)).toBe(true);
	expect(await isByNodesNames("f(uint8,uint8)", named)).toBe(true);
	expect(await isByNodesNames("f", ["1", "2"])).toBe(false);
	expect(await isByNodesNames("f(uint8 to, uint8 from)", named)).toBe(false);
	expect(await isByNodesNames("f", named, JSON.stringify([entry]))).toBe(false);
	await keepInterface(node.settings, fromHex(`41${"00".repeat(20)}`), [entry]);
	expect(await isByNodesNames("f", named)).toBe(false);
	await rm(folder, { recursive: true });
});

test("a text that names a file that isn't there is not taken for the content", async () => {
	for (const name of ["Store.layuot.json", "out/Store"])
		await expect(flagText(name, "the layout")).rejects.toThrow(
			`there is no file ${name}, from which the layout would be read`,
		);
	for (const text of ['{"a":"x/y"}', "store", "0x6001"])
		expect(await flagText(text, "the layout")).toBe(text);
});

describe("what is deployed", () => {
	let folder = "";
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "coin-deployment-"));
	});
	afterAll(() => rm(folder, { recursive: true }));

	const LIBRARY = new Uint8Array(21).fill(0x41);
	const ABI = [{ type: "function", name: "get", inputs: [], outputs: [] }];
	const from = async (flags: object, words: readonly string[] = []) =>
		(await deployable(flags as Parameters<typeof deployable>[0], words, async () => LIBRARY)).deployed;
	const artifact = async (content: object, name?: string) => {
		const path = join(folder, "artifact.json");
		await writeFile(path, JSON.stringify(content));
		return from({ artifact: path, name });
	};

	test("is code and interface from flags", async () => {
		expect(await from({ bin: "0x6001" })).toEqual({ code: fromHex("6001"), abi: [], name: "" });
		const { abi, name } = await from({ bin: "6001", abi: JSON.stringify(ABI), name: "Store" });
		expect([abi, name]).toEqual([ABI, "Store"]);
		for (const bin of ["", "0x"]) await expect(from({ bin })).rejects.toThrow("the code is empty");
	});

	test("has the libraries that flags name", async () => {
		const bytecode = `0x6001__$${"a".repeat(34)}$__`;
		const linkReferences = { "m.sol": { Sums: [{ start: 2, length: 20 }] } };
		const path = join(folder, "artifact.json");
		await writeFile(path, JSON.stringify({ abi: ABI, bytecode, linkReferences }));
		const { code } = await from({ artifact: path, library: ["Sums=sums"] });
		expect(Buffer.from(code).toString("hex")).toBe(`6001${"41".repeat(20)}`);
		await expect(from({ artifact: path, library: ["Sums"] })).rejects.toThrow("write <name>=<contract>");
	});

	test("has no library at an address without code", async () => {
		const record = (runtimecode: string) => ({ smart_contract: { name: "Sums" }, runtimecode });
		for (const getcontractinfo of [{}, record("")])
			await expect(checkLibrary(answering({ getcontractinfo }).client, LIBRARY)).rejects.toMatchObject({
				code: "not_found",
				message: expect.stringContaining("the address has no code"),
			});
		await checkLibrary(answering({ getcontractinfo: record("6001") }).client, LIBRARY);
	});

	test.each<[tool: string, content: object]>([
		["code as text", { contractName: "Store", abi: ABI, bytecode: "0x6001" }],
		["code in an object", { contractName: "Store", abi: ABI, bytecode: { object: "6001" } }],
		[
			"code in the compiler's object",
			{ contractName: "Store", abi: ABI, evm: { bytecode: { object: "6001" } } },
		],
		[
			"code named bin, the interface as text",
			{ contractName: "Store", abi: JSON.stringify(ABI), bin: "6001" },
		],
	])("is read from a file with %s", async (_, content) => {
		expect(await artifact(content)).toEqual({ code: fromHex("6001"), abi: ABI, name: "Store" });
		expect((await artifact(content, "Other")).name).toBe("Other");
	});

	test("is the one contract of a source file, whatever it imports; of several it says how one is named", async () => {
		const source = join(folder, "T.sol");
		await writeFile(join(folder, "D.sol"), "pragma solidity >=0.8.0; contract D { uint public d; }");
		const text = 'pragma solidity >=0.8.0; import "./D.sol"; contract T { D d = new D(); }';
		await writeFile(source, text);
		expect((await from({}, [source])).name).toBe("T");
		expect((await from({}, [`${source}:D`])).name).toBe("D");
		await writeFile(source, `${text} contract U { uint public u; }`);
		await expect(from({}, [source])).rejects.toMatchObject({
			code: "bad_value",
			message: expect.stringMatching(/several contracts: [^,]*T.sol:T, [^,]*T.sol:U$/),
			facts: { hint: `name one of them, such as ${source}:T` },
		});
		await writeFile(source, 'import "./D.sol";');
		expect((await from({}, [source])).name).toBe("D");
	});

	test("is the contract of the source file itself, also where an import has a number for its name", async () => {
		const project = await mkdtemp(join(folder, "numbered-"));
		const source = join(project, "T.sol");
		await writeFile(join(project, "package.json"), "{}");
		await writeFile(join(project, "7"), "pragma solidity >=0.8.0; contract D { uint public d; }");
		await writeFile(source, 'pragma solidity >=0.8.0; import "7"; contract T { uint public t; }');
		expect((await from({ solc: join(process.cwd(), "node_modules/solc") }, [source])).name).toBe("T");
	});

	test("is the named contract of a compiler's output of several", async () => {
		const contract = { abi: ABI, evm: { bytecode: { object: "6001" } } };
		const output = {
			contracts: { "a.sol": { Store: contract, Base: { abi: ABI, evm: { bytecode: { object: "" } } } } },
		};
		expect((await artifact(output, "Store")).name).toBe("Store");
		await expect(artifact(output, "Base")).rejects.toThrow(/no code of .*Base: is it abstract/);
	});

	test.each<[what: string, flags: object | (() => Promise<object>), message: RegExp]>([
		["nothing", {}, /no code: name a source, such as Token.sol:Token, or give --artifact or --bin/],
		[
			"code that needs a library",
			{ bin: `6001__$${"a".repeat(34)}$__00` },
			/needs the address of a library: __\$a+\$__$/,
		],
		["an interface that isn't one", { bin: "6001", abi: "5" }, /holds no interface/],
		["a file without code", () => artifact({ abi: ABI, bytecode: "0x" }), /holds no code/],
	])("is refused: %s", async (_, flags, message) => {
		await expect(typeof flags === "function" ? flags() : from(flags)).rejects.toThrow(message);
	});
});
