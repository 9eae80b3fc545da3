import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
	importsOf,
	projectOf,
	remapped,
	remappingOf,
	standardInput,
} from "../../../src/wallet/compiler/sources.js";

let top: string;
beforeEach(() => {
	top = mkdtempSync(join(tmpdir(), "coin-project-"));
});
afterEach(() => rmSync(top, { recursive: true }));

function put(path: string, text: string): void {
	mkdirSync(join(top, path, ".."), { recursive: true });
	writeFileSync(join(top, path), text);
}

test("a project begins where its files mark it, and brings its compiler along", () => {
	put("app/package.json", "{}");
	put("app/contracts/deep/A.sol", "");
	expect(projectOf("contracts/deep/A.sol", join(top, "app"))).toEqual({
		root: join(top, "app"),
		remappings: [],
		settings: expect.any(Function),
		compiler: undefined,
	});
	put("node_modules/solc/package.json", "{}");
	const { root, compiler } = projectOf(join(top, "app/contracts/deep/A.sol"), top);
	expect([root, compiler]).toEqual([join(top, "app"), join(top, "node_modules", "solc")]);
});

test.skipIf(process.getuid === undefined)(
	"a compiler isn't run that others may change, by a link neither",
	() => {
		put("app/package.json", "{}");
		put("shared/package.json", "{}");
		mkdirSync(join(top, "app/node_modules"));
		symlinkSync(join(top, "shared"), join(top, "app/node_modules/solc"));
		const compiler = () => projectOf("A.sol", join(top, "app")).compiler;
		expect(compiler()).toBe(join(top, "app/node_modules/solc"));
		chmodSync(join(top, "shared"), 0o777);
		expect(compiler()).toBeUndefined();
		chmodSync(join(top, "shared"), 0o755);
		chmodSync(join(top, "app/node_modules"), 0o777);
		expect(compiler()).toBeUndefined();
	},
);

test("remappings come from both files and from the libraries of foundry", () => {
	put("remappings.txt", "@a/=vendor/a/\n# no line\n\nctx:b/=vendor/b/\n");
	put(
		"foundry.toml",
		"[profile.default]\nremappings = [\n  \"c/=vendor/c/\",\n  'solmate/=vendor/solmate/'\n]\n",
	);
	put("lib/solmate/src/x.sol", "");
	put("lib/plain/x.sol", "");
	expect(projectOf("A.sol", top).remappings).toEqual([
		"@a/=vendor/a/",
		"ctx:b/=vendor/b/",
		"c/=vendor/c/",
		"solmate/=vendor/solmate/",
		"plain/=lib/plain/",
	]);
});

test.each([
	["optimizer_runs = 1_000\nvia_ir = true # slow", { optimizerRuns: 1000, viaIr: true }],
	["optimizer = true\nevm_version = 'Paris'", { optimizerRuns: 200, evmVersion: "paris" }],
	["optimizer = false\noptimizer-runs = 9\n# via_ir = true", {}],
	['[profile."my-ci"]\noptimizer_runs = 9', {}],
	["solc = '0.8.29'\nbytecode_hash = \"none\"", { solc: "0.8.29", bytecodeHash: "none" }],
	['solc_version = "0.8.29"', { solc: "0.8.29" }],
])("settings of the default profile of foundry are read: %j", (text, settings) => {
	put("foundry.toml", `[profile.default]\n${text}\n[[profile.default.more]]\nvia_ir = true\n`);
	expect(projectOf("A.sol", top).settings({})).toEqual(settings);
});

const RUNS_OFF = { optimizerRuns: undefined };
test.each([
	["[ profile.default ] # it\nvia_ir = true", {}, { viaIr: true }],
	['profile.default.optimizer = true\n["profile" . "x"]\nvia_ir = true', {}, { optimizerRuns: 200 }],
	[
		'[profile]\ndefault.via_ir = true\r\n[profile.default]\r\n"optimizer" = true',
		{},
		{ optimizerRuns: 200, viaIr: true },
	],
	['[profile.default]\nallow = [\n["x"], # ]\n["[y"]\n]\noptimizer = true', {}, { optimizerRuns: 200 }],
	['[profile.default]\ntext = \'\'\'\noptimizer = true\n\'\'\'\nmore = """\\"""\nvia_ir = true"""', {}, {}],
	[
		"[profile.default]\noptimizer = true\nvia_ir = true",
		{ ...RUNS_OFF, viaIr: false },
		{ ...RUNS_OFF, viaIr: false },
	],
	[
		'[profile.default]\ncbor_metadata = true\ncompilation_restrictions = [ ]\nrevert_strings = "default"\noptimizer_details = {}',
		{},
		{},
	],
	["[profile.default]\noptimizer = yes", { optimizerRuns: 9 }, { optimizerRuns: 9 }],
	["profile = { default = { optimizer = true } }", RUNS_OFF, RUNS_OFF],
	[
		"no TOML",
		{ ...RUNS_OFF, evmVersion: "paris", viaIr: true, solc: "0.8.29" },
		{ ...RUNS_OFF, evmVersion: "paris", viaIr: true, solc: "0.8.29" },
	],
	["[profile.default]\nsolc = '/bin/solc'", { solc: "0.8.29" }, { solc: "0.8.29" }],
])("settings are read wherever TOML has them, and given ones go before: %j %j", (text, given, settings) => {
	put("foundry.toml", text);
	expect(projectOf("A.sol", top).settings(given)).toStrictEqual(settings);
});

test.each([
	["profile = { default = { optimizer = true } }", "optimizer"],
	["[profile]\ndefault = {\n via_ir = true }", "via_ir"],
	["[profile.default]\noptimizer = yes", "optimizer"],
	["[profile.default]\noptimizer_runs = 1e3", "optimizer_runs"],
	["[profile.default]\nevm_version = '''paris'''", "evm_version"],
	["[profile.default]\nlibs = [\noptimizer = true", "profile.default.libs"],
	["[profile.default]\noptimizer", "optimizer"],
	["[default]\noptimizer = true", "default.optimizer"],
	["[profile.default]\ncbor_metadata = false", "profile.default.cbor_metadata"],
	["[profile]\ndefault = { cbor-metadata = false }", "cbor_metadata"],
	['[profile.default]\nrevert_strings = "strip"', "profile.default.revert_strings"],
	["[profile.default.optimizer_details]\nyul = false", "profile.default.optimizer_details.yul"],
	[
		'[[profile.default.compilation_restrictions]]\npaths = "a.sol"',
		"profile.default.compilation_restrictions.paths",
	],
	["[profile.default]\nsolc = '/bin/solc'", "solc"],
	["[profile.default]\nextends = 'base.toml'\noptimizer = true", "evm_version"],
])("settings that can't be read are refused: %j", (text, name) => {
	put("foundry.toml", text);
	const message = `${join(top, "foundry.toml")}: ${name} can't be read`;
	expect(() => projectOf("A.sol", top).settings({})).toThrow(message);
});

test("what can't be said by flags is said by standard JSON", () => {
	put("foundry.toml", "[profile.default]\ncbor_metadata = false");
	const hint = expect.stringMatching(/^give the compiler's standard JSON input in place of the source/);
	expect(() => projectOf("A.sol", top).settings({})).toThrow(expect.objectContaining({ facts: { hint } }));
});

test("another profile says what it says, and the default one the rest", () => {
	put("foundry.toml", "[profile.default]\nsolc = '0.8.29'\nvia_ir = true\n[profile.my-ci]\nvia_ir = false");
	expect(projectOf("A.sol", top).settings({}, "my-ci")).toEqual({ solc: "0.8.29" });
});

test("the longest remapping counts, where its context fits", () => {
	const lines = ["a/=one/", "a/b/=two/", "lib:a/=three/", "no line"].flatMap(remappingOf);
	expect(remapped("a/x.sol", "src/A.sol", lines)).toBe("one/x.sol");
	expect(remapped("a/b/x.sol", "src/A.sol", lines)).toBe("two/x.sol");
	expect(remapped("a/b/x.sol", "lib/A.sol", lines)).toBe("three/b/x.sol");
	expect(remapped("c/x.sol", "src/A.sol", lines)).toBe("c/x.sol");
});

test("imports are read by remappings, and the compiler is told of them", async () => {
	put("foundry.toml", "");
	put("src/A.sol", 'import "dep/D.sol"; import {B} from "./B.sol";');
	put("src/B.sol", "// B");
	put("lib/dep/src/D.sol", "// D");
	const project = projectOf("src/A.sol", top);
	const input = await standardInput(["src/A.sol"], top, { bytecodeHash: "none" }, project);
	expect(Object.keys(input["sources"] as object).sort()).toEqual([
		"lib/dep/src/D.sol",
		"src/A.sol",
		"src/B.sol",
	]);
	expect(input["settings"]).toMatchObject({
		remappings: ["dep/=lib/dep/src/"],
		metadata: { bytecodeHash: "none" },
	});
});

test("imports are read from node_modules above a project too, unless others may write there", async () => {
	put("app/package.json", "{}");
	put("app/A.sol", 'import "base/B.sol";');
	put("node_modules/base/B.sol", "// B");
	const sources = async () =>
		(await standardInput(["A.sol"], join(top, "app"), {}, projectOf("A.sol", join(top, "app"))))["sources"];
	expect(await sources()).toMatchObject({ "base/B.sol": { content: "// B" } });
	if (process.getuid === undefined) return;
	chmodSync(join(top, "node_modules"), 0o777);
	await expect(sources()).rejects.toThrow("base/B.sol can't be read");
});

test.skipIf(process.getuid === undefined)(
	"nothing of other users marks a project or is compiled in",
	async () => {
		put("foundry.toml", "[profile.default]\noptimizer = true");
		put("node_modules/@oz/T.sol", "// T");
		put("u/A.sol", 'import "@oz/T.sol";');
		const at = (directory: string) => {
			const project = projectOf(join(top, "u/A.sol"), directory);
			return { ...project, settings: project.settings({}) };
		};
		expect(at(join(top, "u"))).toMatchObject({ root: top, settings: { optimizerRuns: 200 } });
		chmodSync(top, 0o1777);
		chmodSync(join(top, "node_modules"), 0o777);
		for (const directory of [top, join(top, "u")]) {
			expect(at(directory)).toMatchObject({ root: join(top, "u"), settings: {} });
			const input = standardInput([join(top, "u/A.sol")], directory, {}, at(directory));
			await expect(input).rejects.toThrow("@oz/T.sol can't be read");
		}
		// In a directory of its own, which others can't write in, another user's project is whole: a container's root compiles it.
		if (process.getuid?.() === 0) {
			for (const place of ["", "u", "node_modules"]) chownSync(join(top, place), 65_534, 65_534);
			for (const place of ["", "node_modules"]) chmodSync(join(top, place), 0o755);
			const { sources } = await standardInput(["A.sol"], join(top, "u"), {}, at(join(top, "u")));
			expect(sources).toMatchObject({ "@oz/T.sol": { content: "// T" } });
		}
		// So are directories that WSL and containers mount.
		for (const place of ["", "u", "node_modules"]) chmodSync(join(top, place), 0o777);
		expect(at(join(top, "u"))).toMatchObject({ root: top, settings: { optimizerRuns: 200 } });
	},
);

test("settings that are longer than settings are get refused, and more remappings than a project has", () => {
	put("remappings.txt", "x".repeat((1 << 20) + 1));
	expect(() => projectOf("A.sol", top)).toThrow("is larger than 65536 bytes");
	put("remappings.txt", "a/=b/\n".repeat(501));
	expect(() => projectOf("A.sol", top)).toThrow("has 501 remappings, at most 500 are read");
});

test.skipIf(process.platform === "win32")(
	"neither settings nor sources are read from a device or a pipe",
	async () => {
		put("A.sol", 'import "/dev/zero";');
		put("B.sol", 'import "./pipe.sol";');
		execFileSync("mkfifo", [join(top, "pipe.sol")]);
		for (const name of ["A.sol", "B.sol"])
			await expect(standardInput([name], top, {})).rejects.toThrow(/the source .* can't be read/);
		symlinkSync("/dev/zero", join(top, "foundry.toml"));
		expect(() => projectOf("A.sol", top)).toThrow("foundry.toml is not a regular file");
	},
);

test("a hostile source or file of settings is looked through once", async () => {
	// Looking through the rest at each of these would take hours.
	expect(importsOf('import "a";'.repeat(1 << 17))).toEqual(["a"]);
	for (const text of ["import\n", "/*", '\\"', "import from "])
		expect(importsOf(text.repeat(1 << 17))).toEqual([]);
	put("A.sol", Array.from({ length: 50_001 }, (_, at) => `import "${at}";`).join(""));
	await expect(standardInput(["A.sol"], top, {})).rejects.toThrow("50000 imports or 16 MiB");
	for (const rest of ['\'\n\\"""', 'x = \\"', "x = '''a"]) {
		put("foundry.toml", `[profile.default]\nvia_ir = true\n${rest.repeat(4001)}`);
		expect(() => projectOf("A.sol", top).settings({})).toThrow("can't be read as it is written there");
	}
});
