/** Recorded sets of the program of the test network Nile, with post-quantum signatures (docs/protocol/post-quantum.md), replayed. */

import { describe, expect, it } from "vitest";
import { equalInAll, replaySet, type SetCounts } from "./replayed-set.js";

describe("recorded chains of Nile's program", () => {
	it.each<[string, SetCounts]>([
		["pq-accounts", { blocks: 105, pushes: 93, requests: 377, grpc: 208 }],
		["pq-api", { blocks: 55, requests: 494, grpc: 58 }],
		["pq-blocks", { blocks: 50, pushes: 131, requests: 182 }],
		["pq-gates", { blocks: 167, pushes: 44, requests: 1005, grpc: 11 }],
		["pq-nile-genesis", { blocks: 0, requests: 8 }],
		["pq-peers", { blocks: 25, pushes: 193, requests: 28 }],
		["pq-precompiles", { blocks: 54, requests: 332 }],
	])(
		"%s: blocks, receipts, changed entries, answers and the final state are as recorded",
		async (set, counts) => {
			const { result, differences } = await replaySet(set);
			expect(differences).toBe("");
			expect(result).toMatchObject(equalInAll(counts));
		},
	);
});
