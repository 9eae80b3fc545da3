/** Contract cases of public chains: results, energies, logs and storage as the networks have them. */

import { describe, expect, it } from "vitest";
import { type ContractCase, playCase } from "./contract-case.js";
import { expectCount, factFilesIn, facts } from "./facts.js";

/** Steps of each of our files. */
const STEPS: Readonly<Record<string, number>> = {
	"chain.json.br": 8,
	"dollar-14151095.json.br": 40,
	"dollar-69604276.json.br": 10,
	"golden-tron.json.br": 2,
	"nile-point-evaluation.json": 4,
	"rules.json": 94,
	"shared-row-sets.json.br": 240,
	"shared-rows.json": 38,
	"versions-37-38.json": 37,
};

const files = factFilesIn("contracts");

it("plays all files", () => {
	expectCount(files.length, Object.keys(STEPS).length);
});

describe.each(files)("%s", (file) => {
	const cases = facts<ContractCase[]>(file);

	it("has all its steps, and each says what it comes to", () => {
		const all = cases.flatMap((one) => one.steps);
		expectCount(all.length, STEPS[file.slice("contracts/".length)] ?? 0);
		const executed = all.filter((step) => step.op === "call" || step.op === "deploy");
		expect(executed.filter(({ expect: must, after }) => !must && !after)).toEqual([]);
	});

	it.each(cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
		const compared = await playCase(one);
		expect(compared.length).toBeGreaterThan(0);
		const named = (part: "actual" | "expected") => compared.map((row) => `${row.what}: ${text(row[part])}`);
		expect(named("actual")).toEqual(named("expected"));
	});
});

function text(value: unknown): string {
	return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)) ?? "nothing";
}
