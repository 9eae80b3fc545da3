/**
 * Malformed requests against every server of a node, as many as one asks for.
 *
 * npm run fuzz:api -- [--seed N] [--requests N for each server] [--only full,jsonrpc,…]
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
const only = values.only?.split(",");
const node = await startFuzzedNode();
try {
	for (const target of targets) {
		if (only && !only.includes(target.port)) continue;
		const outcome = await attack(node, target, Number(values.requests), Number(values.seed));
		const shown = Object.entries(outcome).map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`);
		process.stdout.write(`${target.port}: ${shown.join(", ")}\n`);
		if (outcome.blocks < Math.floor(outcome.seconds) - 2) throw new Error("blocks were missed");
	}
} finally {
	node.close();
}
