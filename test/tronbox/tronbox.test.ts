/**
 * The network's contract toolchain as it comes from the registry, on a project of ours, against a development chain.
 * It looks for its compiler in a folder of the home directory, under a name with the version; npm's solc is that file.
 */

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DevelopmentChain } from "../commands/development-chain.js";

const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));
const tool = join(packages, "tronbox/build/tronbox.js");

describe.each(["a development chain", "a fork of another one"])("tronbox on %s", (where) => {
	let source: DevelopmentChain | undefined;
	let chain: DevelopmentChain;
	let project: string;
	beforeAll(async () => {
		if (where !== "a development chain") source = await DevelopmentChain.start();
		const flags = source ? ["--fork-url", source.gateway] : [];
		chain = await DevelopmentChain.start(flags).catch((error: Error) => {
			// A machine that does much else may keep the source from answering in time.
			if (!/no answer within/.test(error.message)) throw error;
			return DevelopmentChain.start(flags);
		});
		project = join(chain.home.path, "project");
		cpSync(fileURLToPath(new URL("project", import.meta.url)), project, { recursive: true });
		const cache = join(chain.home.path, ".tronbox/solc");
		mkdirSync(cache, { recursive: true });
		symlinkSync(join(packages, "solc-0.8.29/soljson.js"), join(cache, "soljson_v0.8.29.js"));
	});
	afterAll(async () => {
		await chain.stop();
		await source?.stop();
	});

	/** Runs the tool in the project; its word for failures is the exit code. */
	async function tronbox(...words: string[]): Promise<string> {
		const { stdout } = await promisify(execFile)(process.execPath, [tool, ...words], {
			cwd: project,
			env: { PATH: process.env["PATH"] ?? "", HOME: chain.home.path, GATEWAY: chain.gateway, NO_COLOR: "1" },
		}).catch((error: { stdout?: string; stderr?: string }) => {
			throw new Error(`tronbox ${words.join(" ")}: ${error.stdout ?? ""}${error.stderr ?? String(error)}`);
		});
		return stdout;
	}

	// A fork differs in what its contracts find there, which the tests below ask, too.
	it.skipIf(where !== "a development chain")(
		"compiles with the compiler in its cache, and migrates once",
		async () => {
			const output = await tronbox("migrate");
			expect(output).toContain("solc: 0.8.29");
			expect(output).not.toContain("Fetching");
			expect(output).toMatch(/Linking Shares to Pot\n(.*\n)*? +Pot:\n +\(base58\) T\w{33}\n/);
			expect(await tronbox("migrate")).toContain("Network up to date.");
			expect(await tronbox("migrate", "--reset")).toContain("Replacing Pot...");
		},
	);

	it("passes its tests, and shows what contracts log", async () => {
		const output = await tronbox("test");
		expect(output).toContain("11 passing");
		expect(output).not.toContain("failing");
		expect(output).toMatch(/^given T\w{33} 3000000$/m);
		expect(output).toMatch(/^the pot greets$/m);
	});
});
