import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/node/config/config.js";
import { createApiNode } from "../../../src/node/node-api.js";
import type { NodeCore } from "../../../src/node/node-core.js";

/** A node whose chain has a head and, perhaps, block 1; nothing else of it is asked for. */
function nodeWith(head: bigint, hasFirstBlock: boolean, development: object | undefined = undefined) {
	const state = { blockIndex: { has: () => hasFirstBlock } };
	const open = {
		chain: { head: { number: head }, state, pool: {} },
		rules: { development, genesisId: new Uint8Array(32) },
	};
	const config = parseConfig(`storage { db.directory = "database" }`);
	const options = { config, producers: [], warnings: ["a setting has no effect"] };
	const parts = { production: { warning: () => "a slot was lost", madeElsewhere: new Map() } };
	const core = { open, options, monotonicClock: () => 0, parts } as unknown as NodeCore;
	return createApiNode(core, { list: [] });
}

describe("a node", () => {
	it.each<[string, bigint, boolean, object | undefined, boolean]>([
		["at its genesis block is whole", 0n, false, undefined, false],
		["with all blocks is whole", 7n, true, undefined, false],
		["whose blocks began later has no history", 7n, false, undefined, true],
		["of a development chain is whole, whatever its state was loaded from", 7n, false, {}, false],
	])("%s", (_, head, hasFirstBlock, development, isLite) => {
		expect(nodeWith(head, hasFirstBlock, development).isLite).toBe(isLite);
	});

	it("warns its operator of what holds from the start on, and of what its parts say", () => {
		expect(nodeWith(7n, true).warnings?.()).toEqual(["a setting has no effect", "a slot was lost"]);
	});
});
