/**
 * Compiles the Solidity sources in this folder into compiled.json: creation code and selectors per contract.
 *
 * npx tsx bench/contracts/compile.ts
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

interface Compiled {
	readonly evm: {
		readonly bytecode: { readonly object: string };
		readonly methodIdentifiers: Readonly<Record<string, string>>;
	};
}

interface CompilerOutput {
	readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
	readonly contracts?: Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
}

const compiler = createRequire(import.meta.url)("solc") as {
	compile(input: string): string;
	version(): string;
};
const folder = new URL("./", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".sol"));
const input = {
	language: "Solidity",
	sources: Object.fromEntries(
		files.map((name) => [name, { content: readFileSync(new URL(name, folder), "utf8") }]),
	),
	settings: {
		evmVersion: "shanghai",
		optimizer: { enabled: true, runs: 200 },
		// Reproducible on any machine.
		metadata: { bytecodeHash: "none", appendCBOR: false },
		outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.methodIdentifiers"] } },
	},
};
const output = JSON.parse(compiler.compile(JSON.stringify(input))) as CompilerOutput;
const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
const contracts = Object.fromEntries(
	Object.values(output.contracts ?? {}).flatMap((file) =>
		Object.entries(file).map(([name, { evm }]) => [
			name,
			{ code: evm.bytecode.object, selectors: evm.methodIdentifiers },
		]),
	),
);
writeFileSync(
	new URL("compiled.json", folder),
	`${JSON.stringify({ compiler: compiler.version(), contracts }, null, "\t")}\n`,
);
