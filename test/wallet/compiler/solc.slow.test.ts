import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { compileStandardInput, findCompiler } from "../../../src/wallet/compiler/solc.js";
import { importsOf, standardInput } from "../../../src/wallet/compiler/sources.js";

const folder = mkdtempSync(join(tmpdir(), "coin-solc-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string, mode = 0o644): string {
	const path = join(folder, name);
	mkdirSync(join(path, ".."), { recursive: true });
	writeFileSync(path, text);
	chmodSync(path, mode);
	return path;
}

const PROGRAM = `if [ "$1" = --version ]; then echo "Version: 0.8.99+commit.1.Linux"; else cat > /dev/null; echo '{"contracts":{}}'; fi`;

describe("finding a compiler", () => {
	it("says what to install where there is none of a version", async () => {
		await expect(findCompiler("0.4.2", "")).rejects.toMatchObject({
			code: "not_found",
			message: expect.stringContaining("0.4.2 isn't installed here"),
			facts: { hint: expect.stringContaining("npm install solc@0.4.2") },
		});
	});

	it("takes the package of a version that is installed beside the program", async () => {
		expect((await findCompiler("0.8.29", "")).version).toMatch(/^0\.8\.29\+/);
	});

	it("takes a package by its path", async () => {
		const path = file(
			"package/index.js",
			'module.exports = { version: () => "9.9.9", compile: (text) => text };',
		);
		const compiler = await findCompiler(path, "");
		expect(compiler.version).toBe("9.9.9");
		expect(await compiler.compile("{}")).toBe("{}");
		await expect(findCompiler(file("other.js", "module.exports = {}"), "")).rejects.toMatchObject({
			code: "bad_value",
		});
		await expect(findCompiler(join(folder, "missing"), "")).rejects.toMatchObject({ code: "bad_value" });
	});

	it("goes on after a package of the project that can't be loaded, and says so where none is left", async () => {
		const own = join(file("broken/package.json", '{ "main": "lost.js" }'), "..");
		expect((await findCompiler("0.8.29", "", own)).version).toMatch(/^0\.8\.29\+/);
		for (const text of [
			"throw new Error('no')",
			"exports.version = () => { throw 0; }",
			"module.exports = 1",
		]) {
			const path = file(`broken${text.length}.js`, text);
			expect((await findCompiler("0.8.29", "", path)).version).toMatch(/^0\.8\.29\+/);
			await expect(findCompiler("0.4.2", "", path)).rejects.toMatchObject({
				code: "not_found",
				message: expect.stringContaining(path),
			});
			await expect(findCompiler(path, "")).rejects.toMatchObject({ code: "bad_value" });
		}
		const fails = file("fails.js", "exports.version = () => '1'; exports.compile = () => { throw 0; };");
		await expect((await findCompiler(fails, "")).compile("{}")).rejects.toMatchObject({ code: "bad_value" });
	});

	it("runs a program", async () => {
		// Scripts are left out of the search, since the package's own command is one; a path names what it names.
		const compiler = await findCompiler(file("bin/solc-native", `#!/bin/sh\n${PROGRAM}`, 0o755), "");
		expect(compiler.version).toBe("0.8.99+commit.1.Linux");
		expect(await compileStandardInput(compiler, {})).toEqual({ contracts: {} });
		await expect(findCompiler(file("bin/echo", "#!/bin/sh\necho hello", 0o755), "")).rejects.toThrow(
			"not a Solidity compiler",
		);
		await expect(findCompiler(file("bin/fails", "#!/bin/sh\nexit 3", 0o755), "")).rejects.toThrow(
			"ended with 3",
		);
	});

	it("hands the compiler's errors on", async () => {
		const answer = {
			errors: [{ severity: "warning" }, { severity: "error", formattedMessage: "ParserError: no\n  here" }],
		};
		const compiler = { version: "1", compile: async () => JSON.stringify(answer) };
		await expect(compileStandardInput(compiler, {})).rejects.toThrow(
			"the sources don't compile: ParserError: no",
		);
		const placed =
			"ParserError: Expected ';' but got '}'\n  --> src/Vault.sol:21:3:\n   |\n21 |   }\n   |   ^\n";
		const errors = [{ severity: "error", formattedMessage: placed }];
		const other = { version: "1", compile: async () => JSON.stringify({ errors }) };
		await expect(compileStandardInput(other, {})).rejects.toThrow(
			"the sources don't compile: src/Vault.sol:21:3: ParserError: Expected ';' but got '}'",
		);
		const broken = { version: "1", compile: async () => "x" };
		await expect(compileStandardInput(broken, {})).rejects.toMatchObject({ code: "bad_value" });
	});
});

describe("sources", () => {
	it.each([
		['import "./a.sol";', ["./a.sol"]],
		["import {A, B as C} from \"lib/b.sol\";\nimport * as D from '../d.sol';", ["lib/b.sol", "../d.sol"]],
		['import {\n  A\n} from "a.sol";', ["a.sol"]],
		['// import "no.sol";\n/* import "no.sol"; */ string s = "import";', []],
		['import "./a.sol"; // lib/*.sol, it\'s\nimport "./a.sol"; import "b//c.sol";', ["./a.sol", "b//c.sol"]],
		['import {A}\nimport "a.sol"; import B "b.sol";', ["a.sol"]],
	])("imports of %j", (text, paths) => {
		expect(importsOf(text)).toEqual(paths);
	});

	it("holds what is imported, beside its importer and in node_modules, each file once", async () => {
		file("src/a.sol", 'import "./b.sol"; import "lib/c.sol";');
		file("src/b.sol", 'import "./a.sol";');
		file("node_modules/lib/c.sol", "contract C {}");
		const input = await standardInput(["src/a.sol"], folder, { optimizerRuns: 5, evmVersion: "istanbul" });
		expect(Object.keys(input["sources"] as object).sort()).toEqual(["lib/c.sol", "src/a.sol", "src/b.sol"]);
		expect(input["settings"]).toMatchObject({
			optimizer: { enabled: true, runs: 5n },
			evmVersion: "istanbul",
		});
	});

	it("names a source that isn't there", async () => {
		file("src/lost.sol", 'import "./nowhere.sol";');
		await expect(standardInput(["src/lost.sol"], folder, {})).rejects.toThrow(
			"the source src/nowhere.sol can't be read",
		);
	});
});
