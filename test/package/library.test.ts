/** The package's entries for programs: every example runs as it stands, and the types fit. */

import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const EXAMPLES = "examples";

test.each(readdirSync(EXAMPLES).filter((name) => name.endsWith(".mjs")))("%s runs", async (name) => {
	const { stdout, stderr } = await run(process.execPath, [join(EXAMPLES, name)]);
	expect(stderr).toBe("");
	expect(stdout).not.toBe("");
});

/** @param more options of the compiler @returns what it says of a program inside the package */
async function compile(program: string, more: object = {}): Promise<string> {
	const directory = mkdtempSync(resolve("test/package/types-"));
	try {
		writeFileSync(join(directory, "program.mts"), program);
		const options = { extends: resolve("tsconfig.json"), include: ["program.mts"], compilerOptions: more };
		writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(options));
		const compiler = resolve("node_modules/typescript/bin/tsc");
		return await run(process.execPath, [compiler, "-p", directory]).then(
			({ stdout }) => stdout,
			({ stdout }: { stdout: string }) => stdout,
		);
	} finally {
		rmSync(directory, { recursive: true });
	}
}

test("programs are compiled against its types", async () => {
	const program = (amount: string): string => `
		import { type RunningDevelopmentChain, startDevelopmentChain } from "coin/node";
		import { ML_DSA_44, SignedTransaction } from "coin/protocol";
		import { newPostQuantumKey, type SentResult, unlockKeyFile, Wallet } from "coin/wallet";

		export async function pay(): Promise<SentResult> {
			const chain: RunningDevelopmentChain = await startDevelopmentChain({ seal: 3 });
			const wallet = new Wallet({ node: chain.url, privateKey: "11".repeat(32) });
			const sent = await wallet.transfer({ to: wallet.address, amount: ${amount} });
			return sent.wait();
		}
		export const vera = async (node: string, path: string): Promise<readonly Wallet[]> => [
			new Wallet({ node, privateKey: await newPostQuantumKey(ML_DSA_44, new Uint8Array(32)) }),
			new Wallet({ node, privateKey: await unlockKeyFile(path, "password") }),
		];
		export const idOf = (bytes: Uint8Array): string => SignedTransaction.decode(bytes).idHex;
	`;
	expect(await compile(program('"1coin"'))).toBe("");
	expect(await compile(program("1"))).toContain("Type 'number' is not assignable to type 'string'");
});

test("its types need nothing but Node.js's own, and those of a chain nothing of the node's inside", async () => {
	const entries = ["node", "protocol", "wallet"].map((name) => `export * as ${name} from "coin/${name}";`);
	expect(await compile(entries.join("\n"), { skipLibCheck: false })).toBe("");
	const files = (await compile('export * from "coin/node";', { listFiles: true })).split("\n");
	expect(files.filter((file) => file.includes("/dist/types/node/")).map((file) => basename(file))).toEqual([
		"node-log.d.ts",
	]);
});
