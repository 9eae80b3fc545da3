/** A short campaign of malformed requests; `npm run tool fuzz:api` is the long one. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attack, targets } from "./fuzz/campaign.js";
import { type FuzzedNode, startFuzzedNode } from "./fuzz/fuzzed-node.js";

const REQUESTS = 150;
const SEED = 20_261_121;

let node: FuzzedNode;
beforeAll(async () => {
	node = await startFuzzedNode();
});
afterAll(() => node.close());

describe("malformed requests", () => {
	it.each(targets)("leave the server $port as it was", async (target) => {
		const { heapGrowthMiB } = await attack(node, target, REQUESTS, SEED);
		expect(heapGrowthMiB).toBeLessThan(24);
	});

	it("don't keep the node from making blocks", async () => {
		const { head } = await node.vitals();
		await expect.poll(async () => (await node.vitals()).head).toBeGreaterThan(head);
	});
});
