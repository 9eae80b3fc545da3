/**
 * Malformed requests against every server of a node, as many as one asks for.
 *
 * npm run tool fuzz:api -- [--seed N] [--requests N for each server] [--only full,jsonrpc,…]
 */

import { parseArgs } from "node:util";
import { attack, targets } from "./campaign.js";
import { startFuzzedNode } from "./fuzzed-node.js";

const { values } = parseArgs({
	options: {
		seed: { type: "string", default: "1" },
		requests: { type: "string", default: "100000" },
		only: { type: "string" },
	},
});
/** What the node may take, and keep, whatever it is sent. */
const MAX_RSS_MIB = 1_000;
const MAX_GROWTH_MIB = 96;

const only = values.only?.split(",");
const node = await startFuzzedNode();
try {
	for (const target of targets) {
		if (only && !only.includes(target.port)) continue;
		const outcome = await attack(node, target, Number(values.requests), Number(values.seed));
		const shown = Object.entries(outcome).map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`);
		process.stdout.write(`${target.port}: ${shown.join(", ")}\n`);
		if (outcome.rssMiB > MAX_RSS_MIB || outcome.heapGrowthMiB > MAX_GROWTH_MIB) {
			throw new Error("too much memory is held");
		}
		if (outcome.blocks < Math.floor(outcome.seconds) - 2) throw new Error("blocks were missed");
	}
} finally {
	node.close();
}
