/** Recorded sets of the reference node, replayed. More of them: `npm run replay -- FOLDER…`. */

import { describe, expect, it } from "vitest";
import { describeFinding, type Finding } from "../src/replay/finding.js";
import { openNode } from "../src/replay/node-target.js";
import { openRecordings } from "../src/replay/recording.js";
import { replay, type SetResult } from "../src/replay/replay.js";

/** Replays a set of test/golden. */
async function replaySet(set: string, params?: string): Promise<{ result: SetResult; differences: string }> {
	const findings: Finding[] = [];
	const [recording] = openRecordings(`test/golden/${set}/${set}.conf`);
	if (recording === undefined) throw new Error(`no set ${set}`);
	const target = await openNode(recording, params);
	try {
		const options = { heal: false, onlyBlocks: false, until: undefined, path: undefined };
		const result = await replay(recording, target, { ...options, report: (one) => findings.push(one) });
		return { result, differences: findings.slice(0, 3).map(describeFinding).join("\n") };
	} finally {
		await target.close();
	}
}

describe("recorded chains", () => {
	it.each<[string, { blocks: number; pushes?: number; requests: number }]>([
		["apis-jsonrpc", { blocks: 209, requests: 3296 }],
		["core-accounts", { blocks: 115, requests: 527 }],
		["core-fork", { blocks: 26, pushes: 84, requests: 201 }],
		["core-http", { blocks: 66, requests: 576 }],
		["core-invalid", { blocks: 21, pushes: 127, requests: 157 }],
		["core-permissions", { blocks: 76, requests: 524 }],
		["core-queries", { blocks: 39, requests: 1393 }],
		["core-zero", { blocks: 100, requests: 238 }],
		["vm-contracts", { blocks: 300, requests: 524 }],
	])(
		"%s: blocks, receipts, changed entries, answers and the final state are as recorded",
		async (set, counts) => {
			const { result, differences } = await replaySet(set);
			expect(differences).toBe("");
			expect(result).toMatchObject({
				blocks: { passed: counts.blocks, failed: 0 },
				pushes: { passed: counts.pushes ?? 0, failed: 0 },
				requests: { passed: counts.requests, failed: 0, skipped: 0 },
				state: true,
			});
		},
		60_000,
	);

	it.each([
		["shielded-gate", { blocks: 47, pushes: 0, requests: 83, grpc: 99 }],
		["shielded-native", { blocks: 34, pushes: 10, requests: 152, grpc: 135 }],
		["shielded-tools", { blocks: 6, pushes: 0, requests: 421, grpc: 237 }],
	])(
		"%s: with the keys of their proofs, and what is random as its rules say",
		async (set, counts) => {
			const { result, differences } = await replaySet(set, "test/golden/shielded");
			expect(differences).toBe("");
			expect(result).toMatchObject({
				blocks: { passed: counts.blocks, failed: 0 },
				pushes: { passed: counts.pushes, failed: 0 },
				requests: { passed: counts.requests, failed: 0, skipped: 0 },
				grpc: { passed: counts.grpc, failed: 0 },
				state: true,
			});
		},
		60_000,
	);
});
