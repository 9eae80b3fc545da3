/** Signed headers of public chains. */

import { describe, expect, it } from "vitest";
import { checkHeader, checkLinks, finalAt, type HeaderFacts } from "./chain-facts.js";
import { facts } from "./facts.js";

interface Run {
	readonly first: number;
	readonly headers: readonly HeaderFacts[];
	readonly witnesses?: readonly { readonly witness: string; readonly signer: string }[];
	readonly finalAt?: readonly (readonly [block: number, header: number])[];
}

const { runs, single } = facts<{ runs: Run[]; single: HeaderFacts[] }>("headers.json.br");

describe("headers of public chains", () => {
	it("have their ids, witnesses, versions and signers", () => {
		const all = [...single, ...runs.flatMap(({ headers }) => headers)];
		expect(all).toHaveLength(126);
		for (const header of all) checkHeader(header);
	});

	it("stand on each other, signed by their witnesses' keys, delegated ones too", () => {
		for (const { headers, witnesses } of runs) {
			checkLinks(headers);
			const keys = new Map(witnesses?.map(({ witness, signer }) => [witness, signer]));
			for (const { witness, signer } of headers) if (witnesses) expect(signer).toBe(keys.get(witness));
		}
		const delegated = runs.map(
			({ headers }) => headers.filter(({ witness, signer }) => witness !== signer).length,
		);
		expect(delegated).toEqual([6, 24]);
	});

	it("make each other final", () => {
		const pairs = runs.flatMap((run) => (run.finalAt ?? []).map((pair) => ({ run, pair })));
		expect(pairs.length).toBeGreaterThan(50);
		for (const { run, pair } of pairs) expect(finalAt(run.headers.slice(pair[0] - run.first))).toBe(pair[1]);
	});
});
