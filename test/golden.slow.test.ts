/** Recorded sets of the reference node's release 4.8.0, replayed. More of them: `npm run replay -- FOLDER…`. */

import { describe, expect, it } from "vitest";
import { equalInAll, replaySet, type SetCounts } from "./replayed-set.js";

describe("recorded chains", () => {
	it.each<[string, SetCounts]>([
		["apis-jsonrpc", { blocks: 209, requests: 3296 }],
		["core-accounts", { blocks: 115, requests: 527 }],
		["core-fork", { blocks: 26, pushes: 84, requests: 201 }],
		["core-http", { blocks: 66, requests: 576, grpc: 10 }],
		["core-invalid", { blocks: 21, pushes: 127, requests: 157 }],
		["core-permissions", { blocks: 76, requests: 524 }],
		["core-queries", { blocks: 39, requests: 1393, grpc: 56 }],
		["core-zero", { blocks: 100, requests: 238 }],
		["corner-empty-code", { blocks: 170, requests: 542 }],
		["corner-orphans", { blocks: 41, pushes: 44, requests: 507, grpc: 2 }],
		["corner-order66", { blocks: 149, requests: 82 }],
		["corner-texts", { blocks: 84, requests: 766 }],
		["vm-contracts", { blocks: 300, requests: 524 }],
	])(
		"%s: blocks, receipts, changed entries, answers and the final state are as recorded",
		async (set, counts) => {
			const { result, differences } = await replaySet(set);
			expect(differences).toBe("");
			expect(result).toMatchObject(equalInAll(counts));
		},
	);

	it.each<[string, SetCounts]>([
		["shielded-gate", { blocks: 47, requests: 83, grpc: 99 }],
		["shielded-native", { blocks: 34, pushes: 10, requests: 152, grpc: 135 }],
		["shielded-orc20", { blocks: 91, requests: 855, grpc: 22, skipped: 1 }],
		["shielded-tools", { blocks: 6, requests: 421, grpc: 237 }],
	])("%s: with the keys of their proofs, and what is random as its rules say", async (set, counts) => {
		const { result, differences } = await replaySet(set, "test/golden/shielded");
		expect(differences).toBe("");
		expect(result).toMatchObject(equalInAll(counts));
	});
});
