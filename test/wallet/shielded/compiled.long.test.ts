import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compile } from "./contracts/compile.js";

it("the contracts of these tests are compiled from their source (else: npx tsx test/wallet/shielded/contracts/compile.ts)", async () => {
	const stored: unknown = JSON.parse(
		readFileSync(new URL("contracts/Shielded.json", import.meta.url), "utf8"),
	);
	expect(await compile()).toEqual(stored);
});
