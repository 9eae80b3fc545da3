import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { fromHex } from "../../../../src/protocol/bytes.js";
import { useFastHashing } from "../../../../src/protocol/hash.js";
import { checkProgram, newTally } from "./check.js";
import { World } from "./world.js";

interface CompiledContracts {
	readonly contracts: Readonly<Record<string, { readonly code: string }>>;
}

describe("random programs under random rules (more: npm run tool fuzz:vm)", () => {
	beforeAll(useFastHashing);

	it("end without a crash, repeat themselves, undo what fails, and calculate as the reference does", async () => {
		const { contracts } = JSON.parse(
			readFileSync("bench/contracts/compiled.json", "utf8"),
		) as CompiledContracts;
		const compiled = Object.values(contracts).map(({ code }) => fromHex(code));
		const world = await World.create();
		const tally = newTally();
		for (let index = 0; index < 400; index++) checkProgram(world, 20261121, index, compiled, tally);
		expect(tally.programs).toBe(300);
		expect(tally.calculations).toBe(2400);
		expect(tally.powers).toBe(100);
		// Not all of them fail at once.
		const succeeded = [...tally.ends].filter(([end]) => end.endsWith(" ok"));
		expect(succeeded.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(12);
	});
});
