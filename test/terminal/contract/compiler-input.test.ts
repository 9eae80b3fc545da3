import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contractsFrom } from "../../../src/terminal/contract/compiler-input.js";

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
