import { describe, expect, it } from "vitest";
import { LIES } from "./liars.js";
import { runScenario } from "./scenario.js";

describe("a network under faults", () => {
	// More of them: npm run sim -- --seeds 1000
	it.each([2, 4, 20, 145])("agrees again afterwards: seed %d", async (seed) => {
		const result = await runScenario({ seed });
		expect(result.failures).toEqual([]);
		expect(result.convergedAfterMs).toBeDefined();
		expect(result.headNumber).toBeGreaterThan(10);
	});

	it.each(LIES)("survives a %s", async (lie) => {
		const result = await runScenario({ seed: 42, nodeCount: 4, lies: [lie] });
		expect(result.failures).toEqual([]);
		expect(result.headNumber).toBeGreaterThan(10);
	});

	it("repeats a seed event by event", async () => {
		const run = async (): Promise<string[]> => {
			const lines: string[] = [];
			await runScenario({ seed: 9, nodeCount: 4, trace: (line) => lines.push(line) });
			return lines;
		};
		const first = await run();
		expect(first.length).toBeGreaterThan(1_000);
		expect(first.join("\n") === (await run()).join("\n")).toBe(true);
	});

	it("would notice if no two nodes agreed", async () => {
		const result = await runScenario({ seed: 5, nodeCount: 4, lies: [], isHealed: false });
		expect(result.failures.join()).toMatch(/no agreement/);
	});

	it("bans no peer whose question for blocks crossed a list that has none", async () => {
		const result = await runScenario({ seed: 259, isReal: true });
		expect(result.failures).toEqual([]);
	});

	it("holds with the rules of Nile where a branch was lost below what is final, and bans nobody for it", async () => {
		const result = await runScenario({ seed: 103, isReal: true, isNile: true });
		expect(result.failures).toEqual([]);
	});
});
