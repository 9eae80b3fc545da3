/** Compiles the contracts of these tests: `npx tsx test/wallet/shielded/contracts/compile.ts` writes Shielded.json. */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SOURCE = new URL("Shielded.sol", import.meta.url);
const TARGET = new URL("Shielded.json", import.meta.url);

interface Compiled {
	readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
	readonly contracts: Record<
		string,
		Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>
	>;
}

/** Hexadecimal bytecode by the contract's name. */
export async function compile(): Promise<Record<string, string>> {
	const { default: solc } = (await import("solc")) as unknown as {
		readonly default: { compile(input: string): string };
	};
	const input = {
		language: "Solidity",
		sources: { "Shielded.sol": { content: readFileSync(SOURCE, "utf8") } },
		settings: {
			evmVersion: "london",
			viaIR: true,
			optimizer: { enabled: true, runs: 200 },
			metadata: { bytecodeHash: "none", appendCBOR: false },
			outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
		},
	};
	const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled;
	const failed = output.errors?.filter(({ severity }) => severity === "error") ?? [];
	if (failed.length > 0) throw new Error(failed.map(({ formattedMessage }) => formattedMessage).join("\n"));
	const contracts = Object.entries(output.contracts["Shielded.sol"] ?? {});
	return Object.fromEntries(contracts.map(([name, { evm }]) => [name, evm.bytecode.object]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	writeFileSync(TARGET, `${JSON.stringify(await compile(), undefined, "\t")}\n`);
}
