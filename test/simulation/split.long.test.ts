import { expect, it } from "vitest";
import { runScenario } from "./scenario.js";

it("tells a chain that the rules of consensus split, both halves with final blocks, from a fault", async () => {
	const result = await runScenario({ seed: 438, isReal: true, isNile: true });
	expect([result.failures, result.isSplit]).toEqual([[], true]);
});
