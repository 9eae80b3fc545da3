/** Signed headers of public chains. */

import { describe, expect, it } from "vitest";
import { presetConfig } from "../../src/node/config/config.js";
import { genesisId } from "../../src/node/config/genesis-config.js";
import { networkPreset } from "../../src/node/config/networks/networks.js";
import { toHex } from "../../src/protocol/bytes.js";
import type { PublicNetwork } from "../../src/protocol/public-networks.js";
import { checkHeader, checkLinks, finalAt, type HeaderFacts } from "./chain-facts.js";
import { expectCount, facts } from "./facts.js";

interface Run {
	readonly first: number;
	readonly headers: readonly HeaderFacts[];
	readonly witnesses?: readonly { readonly witness: string; readonly signer: string }[];
	readonly finalAt?: readonly (readonly [block: number, header: number])[];
}

interface Genesis {
	readonly network: PublicNetwork;
	readonly id: string;
}

const { genesis, runs, single } = facts<{ genesis: Genesis[]; runs: Run[]; single: HeaderFacts[] }>(
	"headers.json.br",
);

describe("headers of public chains", () => {
	it.each(genesis)(
		"begin with the block that the network's name stands for: $network",
		async ({ network, id }) => {
			expect(toHex(genesisId(presetConfig(await networkPreset(network)).genesis))).toBe(id);
		},
	);

	it("have their ids, witnesses, versions and signers", () => {
		const all = [...single, ...runs.flatMap(({ headers }) => headers)];
		expectCount(all.length, 126);
		for (const header of all) checkHeader(header);
	});

	it("stand on each other, signed by their witnesses' keys, delegated ones too", () => {
		for (const { headers, witnesses } of runs) {
			checkLinks(headers);
			const keys = new Map(witnesses?.map(({ witness, signer }) => [witness, signer]));
			for (const { witness, signer } of headers) if (witnesses) expect(signer).toBe(keys.get(witness));
		}
		const delegated = runs.flatMap(({ headers }) =>
			headers.filter(({ witness, signer }) => witness !== signer),
		);
		expectCount(delegated.length, 30);
	});

	it("make each other final", () => {
		const pairs = runs.flatMap((run) => (run.finalAt ?? []).map((pair) => ({ run, pair })));
		expectCount(pairs.length, 82);
		for (const { run, pair } of pairs) expect(finalAt(run.headers.slice(pair[0] - run.first))).toBe(pair[1]);
	});
});
