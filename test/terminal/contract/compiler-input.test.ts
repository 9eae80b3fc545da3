import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
	buildOfStored,
	compiledJson,
	compilerSettings,
	contractsFrom,
	namedSources,
} from "../../../src/terminal/contract/compiler-input.js";

test("flags turn settings of foundry.toml off", () => {
	expect(
		compilerSettings({ "optimizer-runs": "off", "evm-version": undefined, "via-ir": false, json: undefined }),
	).toStrictEqual({
		optimizerRuns: undefined,
		viaIr: false,
	});
});

test("the name of the contract may follow its source, once", () => {
	expect(namedSources(["src/A.sol:A", "in.json"], undefined)).toEqual({
		paths: ["src/A.sol", "in.json"],
		name: "A",
	});
	expect(namedSources(["A.sol", "B.sol:A"], "A")).toEqual({ paths: ["A.sol", "B.sol"], name: "A" });
	expect(() => namedSources(["A.sol:A"], "B")).toThrow("one contract is named");
});

test("a build file without an answer is compiled from what was asked", async () => {
	const directory = mkdtempSync(join(tmpdir(), "coin-build-"));
	try {
		const input = { language: "Solidity", sources: { "a.sol": { content: "contract A {}" } }, settings: {} };
		const file = join(directory, "build.json");
		writeFileSync(file, JSON.stringify({ _format: "hh3-sol-build-info-1", solcVersion: "0.8.28", input }));
		await expect(contractsFrom([file], join(directory, "no-solc"), {})).rejects.toThrow("no-solc");
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test("the version that foundry.toml asks for is looked for, and named as its", async () => {
	const directory = mkdtempSync(join(tmpdir(), "coin-build-"));
	try {
		writeFileSync(join(directory, "foundry.toml"), "[profile.default]\nsolc = '0.1.98'");
		const message =
			"foundry.toml asks for another compiler: the Solidity compiler 0.1.98 isn't installed here";
		await expect(contractsFrom([join(directory, "A.sol")], undefined, {})).rejects.toThrow(message);
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test("the compiler of the working directory's project compiles what has no file, or a file of it", async () => {
	const directory = mkdtempSync(join(tmpdir(), "coin-build-"));
	const cwd = vi.spyOn(process, "cwd").mockReturnValue(directory);
	try {
		mkdirSync(join(directory, "node_modules/solc"), { recursive: true });
		writeFileSync(join(directory, "package.json"), "{}");
		writeFileSync(join(directory, "node_modules/solc/package.json"), '{ "main": "solc.cjs" }');
		writeFileSync(
			join(directory, "node_modules/solc/solc.cjs"),
			`exports.version = () => "0.1.99+x"; exports.compile = () => '{ "contracts": {} }';`,
		);
		const stored = { compiler: "0.1.99+x", settings: {}, sources: { "a.sol": "contract A {}" } };
		expect(await buildOfStored(stored)).toMatchObject({ output: { contracts: {} } });
		cwd.mockReturnValue(tmpdir());
		expect(await compiledJson(input, undefined, join(directory, "in.json"))).toEqual({ contracts: {} });
	} finally {
		cwd.mockRestore();
		rmSync(directory, { recursive: true });
	}
});

const input = { language: "Solidity", sources: {}, settings: {} };
const code = (name: string) => ({ [name]: { abi: [], evm: { deployedBytecode: { object: "6001" } } } });

test("files of hardhat are read together with those that belong to them", async () => {
	const directory = mkdtempSync(join(tmpdir(), "coin-build-"));
	const write = (name: string, value: unknown): string => {
		writeFileSync(join(directory, name), JSON.stringify(value));
		return join(directory, name);
	};
	const contracts = { "a.sol": { ...code("A"), ...code("B") } };
	try {
		const asked = write("b.json", { _format: "hh3-sol-build-info-1", solcLongVersion: "0.8.28+x", input });
		const answer = write("b.output.json", { _format: "hh3-sol-build-info-output-1", output: { contracts } });
		for (const path of [asked, answer])
			expect(await contractsFrom([path], "no-solc", {})).toMatchObject({
				compiler: "0.8.28+x",
				input,
				contracts: [{ name: "a.sol:A" }, { name: "a.sol:B" }],
			});
		mkdirSync(join(directory, "build-info"));
		write("build-info/c.json", { solcLongVersion: "0.8.26+y", input, output: { contracts } });
		const artifact = {
			_format: "hh-sol-artifact-1",
			sourceName: "a.sol",
			contractName: "B",
			deployedBytecode: "0x6002",
		};
		const path = write("B.json", artifact);
		expect((await contractsFrom([path], "no-solc", {})).contracts).toMatchObject([{ name: "B" }]);
		write("B.dbg.json", { buildInfo: "build-info/c.json" });
		expect(await contractsFrom([path], "no-solc", {})).toMatchObject({
			compiler: "0.8.26+y",
			contracts: [{ name: "a.sol:B" }],
		});
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test("what a node says of a compiler is a version, never a program or module of this machine", async () => {
	const directory = mkdtempSync(join(tmpdir(), "coin-build-"));
	try {
		const ran = join(directory, "ran");
		const module = join(directory, "evil.cjs");
		writeFileSync(
			module,
			`require("node:fs").writeFileSync(${JSON.stringify(ran)}, ""); exports.version = () => "0.8.28";`,
		);
		for (const compiler of [module, "./evil.cjs", "0.8.28/../evil", "0.8.28+/../evil", "", undefined]) {
			const row = {
				sources: { "a.sol": "contract A {}" },
				settings: {},
				...(compiler === undefined ? {} : { compiler }),
			};
			await expect(buildOfStored(row)).rejects.toMatchObject({ code: "bad_value" });
		}
		expect(existsSync(ran)).toBe(false);
	} finally {
		rmSync(directory, { recursive: true });
	}
});
