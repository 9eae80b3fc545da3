import { describe, expect, it } from "vitest";
import { fromHex as bufferOf, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import { interfaceOf } from "../../../src/wallet/abi/interface.js";
import {
	compareCode,
	constructorArguments,
	isUnlistedImmutable,
	metadataLength,
} from "../../../src/wallet/compiler/comparison.js";
import {
	buildFile,
	type CompiledCode,
	type CompiledContract,
	chosenContract,
	compiledContracts,
	contractsNamed,
	linkedCode,
	readCode,
} from "../../../src/wallet/compiler/output.js";
import { readJson } from "../../../src/wallet/json.js";

const fromHex = (text: string) => new Uint8Array(bufferOf(text));
const read = (value: unknown) => compiledContracts(readJson(JSON.stringify(value)));
const GET = { type: "function", name: "get", inputs: [], outputs: [] };
const SET = { type: "function", name: "set", inputs: [], outputs: [] };
const OUTPUT = {
	contracts: {
		"a.sol": {
			Store: { abi: [GET], evm: { bytecode: { object: "6001" }, deployedBytecode: { object: "6002" } } },
			Face: { abi: [GET], evm: { bytecode: { object: "" }, deployedBytecode: { object: "" } } },
		},
		"b.sol": {
			Other: { abi: [SET], evm: { bytecode: { object: "6003" }, deployedBytecode: { object: "6004" } } },
		},
	},
};

describe("files of compilers", () => {
	it("says what the compiler was asked where the toolchain keeps its answer apart, and reads that answer", () => {
		const input = { language: "Solidity", sources: {}, settings: {} };
		const file = { _format: "hh3-sol-build-info-1", solcLongVersion: "0.8.28+commit.7893614a", input };
		expect(buildFile(readJson(JSON.stringify(file)))).toMatchObject({ input, output: undefined });
		const names = read({ _format: "hh3-sol-build-info-output-1", output: OUTPUT }).map(({ name }) => name);
		expect(names).toContain("a.sol:Store");
	});

	it("yields the contracts of a toolchain's build file, with what its compiler was asked", () => {
		const file = {
			_format: "hh-sol-build-info-1",
			solcLongVersion: "0.8.26+commit.8a97fa7a",
			input: { language: "Solidity", sources: {}, settings: {} },
			output: OUTPUT,
		};
		expect(read(file)).toHaveLength(3);
		expect(interfaceOf(readJson(JSON.stringify(file)))).toHaveLength(2);
		const { compiler, input } = buildFile(readJson(JSON.stringify(file))) ?? {};
		expect(compiler).toBe("0.8.26+commit.8a97fa7a");
		expect(input).toMatchObject({ language: "Solidity" });
		expect(buildFile(readJson(JSON.stringify(OUTPUT)))).toBeUndefined();
	});

	it("puts libraries into code by name, file and name, or the placeholder of either", () => {
		const address = new Uint8Array(21).fill(0xab).fill(0x41, 0, 1);
		const linked = (code: CompiledCode, name: string): string =>
			toHex(linkedCode(code, new Map([[name, address]])));
		const library = "ab".repeat(20);
		// keccak-256 of "src/Sums.sol:Sums", and solc's former form.
		const hashed = `__$${toHex(keccak256(utf8("src/Sums.sol:Sums"))).slice(0, 34)}$__`;
		const former = "__src/Sums.sol:Sums".padEnd(40, "_");
		for (const placeholder of [hashed, former])
			expect(linked(readCode(`60${placeholder}01`, {}), "src/Sums.sol:Sums")).toBe(`60${library}01`);
		const linkReferences = { "src/Sums.sol": { Sums: [{ start: 1, length: 20 }] } };
		const listed = readCode(`60${hashed}01`, { linkReferences });
		for (const name of ["Sums", "src/Sums.sol:Sums"]) expect(linked(listed, name)).toBe(`60${library}01`);
		expect(() => linked(listed, "ums")).toThrow("needs the address of a library: src/Sums.sol:Sums");
		expect(() => linked(readCode("6001", {}), "Sums")).toThrow("no place for a library Sums");
	});

	it("finds the places of immutables and libraries beside the code of an artifact", () => {
		const places = [{ start: 1, length: 32 }];
		const [found] = read({
			contractName: "Store",
			bytecode: `0x60${"00".repeat(33)}`,
			deployedBytecode: `0x61${"00".repeat(33)}`,
			linkReferences: { "l.sol": { Lib: [{ start: 2, length: 20 }] } },
			deployedLinkReferences: {},
			immutableReferences: { "7": places },
		});
		expect(found?.runtime?.immutables).toEqual(new Map([["7", places]]));
		expect([...(found?.creation?.libraries.keys() ?? [])]).toEqual(["l.sol:Lib"]);
		expect([found?.runtime?.libraries.size, found?.creation?.immutables.size]).toEqual([0, 0]);
	});

	it("yields every contract of a standard output", () => {
		expect(read(OUTPUT).map(({ name, runtime }) => [name, toHex(runtime?.bytes ?? fromHex(""))])).toEqual([
			["a.sol:Store", "6002"],
			["a.sol:Face", ""],
			["b.sol:Other", "6004"],
		]);
	});

	it("reads the combined form and the files of toolchains", () => {
		const combined = { contracts: { "a.sol:Store": { abi: [GET], bin: "6001", "bin-runtime": "6002" } } };
		expect(read(combined)).toMatchObject([{ name: "a.sol:Store", runtime: { bytes: fromHex("6002") } }]);
		expect(read({ contractName: "Store", bytecode: "0x6001", deployedBytecode: "0x6002" })).toMatchObject([
			{ name: "Store", creation: { bytes: fromHex("6001") }, runtime: { bytes: fromHex("6002") } },
		]);
	});

	it("chooses the named contract, or the only one with code", () => {
		const contracts = read(OUTPUT);
		expect(chosenContract(contracts, "Store").name).toBe("a.sol:Store");
		expect(chosenContract(contracts, "b.sol:Other").name).toBe("b.sol:Other");
		expect(chosenContract(contracts.slice(0, 2), undefined).name).toBe("a.sol:Store");
		expect(() => chosenContract(contracts, undefined)).toThrow("several contracts: a.sol:Store, b.sol:Other");
		expect(() => contractsNamed(contracts, "None")).toThrow("no contract None");
	});

	it("names contracts without code where there are no others, and says that there is none", () => {
		const [, face] = read(OUTPUT) as [CompiledContract, CompiledContract];
		expect(() => chosenContract([face, { ...face, name: "b.sol:Face" }], undefined)).toThrow(
			expect.objectContaining({
				message: "the file holds several contracts: a.sol:Face, b.sol:Face",
				facts: expect.objectContaining({ hint: "name one of them, such as a.sol:Face" }),
			}),
		);
		expect(() => chosenContract([], undefined)).toThrow("the file holds no contract");
	});

	it("is an interface too: of all its contracts, the same function once", () => {
		expect(interfaceOf(readJson(JSON.stringify(OUTPUT))).map(({ name }) => name)).toEqual(["get", "set"]);
	});

	it("knows the places of libraries and immutable values", () => {
		const placeholder = `__$${"ab".repeat(17)}$__`;
		const object = `73${placeholder}7f${"00".repeat(32)}`;
		const link = { "l.sol": { Lib: [{ start: 1, length: 20 }] } };
		const code = { object, linkReferences: link, immutableReferences: { 7: [{ start: 22, length: 32 }] } };
		const [contract] = read({ evm: { deployedBytecode: code } });
		expect(contract?.runtime?.libraries).toEqual(new Map([["l.sol:Lib", [{ start: 1, length: 20 }]]]));
		expect([...(contract?.runtime?.immutables.values() ?? [])]).toEqual([[{ start: 22, length: 32 }]]);
		expect(read({ bytecode: object })[0]?.creation?.libraries).toEqual(
			new Map([[placeholder, [{ start: 1, length: 20 }]]]),
		);
	});

	it("takes zeros behind PUSH32 for an immutable value where nothing tells of any", () => {
		const object = `6001 7f${"00".repeat(32)} 00`.replaceAll(" ", "");
		const code = (more: object) =>
			read({ evm: { deployedBytecode: { object, ...more } } })[0]?.runtime as CompiledCode;
		const found = [2, 3, 34, 35].map((at) => isUnlistedImmutable(code({}), at));
		expect(found).toEqual([false, true, true, false]);
		const told = code({ immutableReferences: { 7: [{ start: 3, length: 32 }] } });
		expect(isUnlistedImmutable(told, 3)).toBe(false);
	});

	it.each([
		[{ bytecode: "60zz" }, "not hexadecimal"],
		[
			{ evm: { bytecode: { object: "6001", immutableReferences: { 1: [{ start: 1, length: 32 }] } } } },
			"outside of its code",
		],
		[
			{ evm: { bytecode: { object: "6001", immutableReferences: { 1: [{ start: -1, length: 1 }] } } } },
			"not a number of bytes",
		],
		[{ contracts: {} }, "holds no contract"],
		[[], "holds no contract"],
	])("refuses %j", (file, message) => {
		expect(() => read(file)).toThrow(message);
	});
});

/** Metadata as the compiler appends it: hash of the sources' description, version, length. */
const metadata = (hash: string, version = "000825") =>
	`a2646970667358221220${hash.repeat(32)}64736f6c6343${version}0033`;
const code = (text: string, rest: Partial<CompiledCode> = {}): CompiledCode => ({
	bytes: fromHex(text),
	libraries: new Map(),
	immutables: new Map(),
	...rest,
});

describe("comparing code", () => {
	it("is exact for the same bytes, and without metadata for other comments", () => {
		const compiled = code(`6001600255${metadata("aa")}`);
		expect(compareCode(compiled, fromHex(`6001600255${metadata("aa")}`)).match).toBe("exact");
		expect(compareCode(compiled, fromHex(`6001600255${metadata("bb")}`))).toMatchObject({
			match: "code",
			deployedBy: "0.8.37",
		});
		expect(compareCode(compiled, fromHex("6001600255"))).toMatchObject({
			match: "code",
			deployedBy: undefined,
		});
	});

	it("tells where code differs", () => {
		const compiled = code(`6001600255${metadata("aa")}`);
		expect(compareCode(compiled, fromHex(`6001600355${metadata("aa")}`))).toMatchObject({
			match: undefined,
			differsAt: 3,
		});
		expect(compareCode(compiled, fromHex(`600160025500${metadata("aa")}`))).toMatchObject({
			match: undefined,
			differsAt: 5,
		});
		expect(compareCode(compiled, fromHex(""))).toMatchObject({ match: undefined, differsAt: 0 });
	});

	it("leaves immutable values and libraries aside, and says what they are", () => {
		const zeros = "00".repeat(20);
		const compiled = code(`73${zeros}60ff`, {
			libraries: new Map([["l.sol:Lib", [{ start: 1, length: 20 }]]]),
			immutables: new Map([["seven", [{ start: 22, length: 1 }]]]),
		});
		const { match, immutables, libraries } = compareCode(compiled, fromHex(`73${"ab".repeat(20)}6007`));
		expect(match).toBe("exact");
		expect(immutables).toEqual(new Map([["seven", fromHex("07")]]));
		expect(libraries).toEqual(new Map([["l.sol:Lib", fromHex("ab".repeat(20))]]));
	});

	it("knows a library by its own address, and metadata in the middle of a contract that makes others", () => {
		const library = (self: string) => `73${self.repeat(20)}301460806001`;
		expect(compareCode(code(library("00")), fromHex(library("cd"))).match).toBe("exact");
		expect(
			compareCode(code(library("00")), fromHex(library("cd").replace("6001", "6002"))).match,
		).toBeUndefined();
		const factory = (hash: string) => `6001${metadata(hash)}6002${metadata(hash)}`;
		expect(compareCode(code(factory("aa")), fromHex(factory("bb"))).match).toBe("code");
		expect(
			compareCode(code(factory("aa")), fromHex(factory("bb").replace("6002", "6003"))).match,
		).toBeUndefined();
	});

	it("changes neither side, though a node's answer comes as a Buffer", () => {
		const deployed = bufferOf("6007");
		compareCode(code("6000", { immutables: new Map([["x", [{ start: 1, length: 1 }]]]) }), deployed);
		expect(toHex(deployed)).toBe("6007");
	});

	it("finds the constructor's arguments", () => {
		const compiled = code(`6001${metadata("aa")}`);
		expect(constructorArguments(compiled, fromHex(`6001${metadata("bb")}${"00".repeat(31)}2a`))).toEqual(
			fromHex(`${"00".repeat(31)}2a`),
		);
		expect(constructorArguments(compiled, fromHex("6001"))).toBeUndefined();
	});

	it.each([["6001ffff"], ["00"], [""], ["6001600160000002"]])("sees no metadata in %s", (text) => {
		expect(metadataLength(fromHex(text))).toBe(0);
	});
});
