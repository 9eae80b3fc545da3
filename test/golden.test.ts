/** Recorded sets of the reference node, replayed. More of them: `npm run replay -- FOLDER…`. */

import { describe, expect, it } from "vitest";
import { describeFinding, type Finding } from "../src/replay/finding.js";
import { openNode } from "../src/replay/node-target.js";
import { openRecordings } from "../src/replay/recording.js";
import { replay, type SetResult } from "../src/replay/replay.js";

/** Replays a set of test/golden. */
async function replaySet(set: string): Promise<{ result: SetResult; differences: string }> {
	const findings: Finding[] = [];
	const [recording] = openRecordings(`test/golden/${set}/${set}.conf`);
	if (recording === undefined) throw new Error(`no set ${set}`);
	const target = await openNode(recording);
	try {
		const options = { heal: false, onlyBlocks: true, until: undefined, path: undefined };
		const result = await replay(recording, target, { ...options, report: (one) => findings.push(one) });
		return { result, differences: findings.slice(0, 3).map(describeFinding).join("\n") };
	} finally {
		await target.close();
	}
}

const none = { passed: 0, failed: 0 };

describe("recorded chains", () => {
	it.each<[string, number]>([
		["core-accounts", 115],
		["core-permissions", 76],
		["core-queries", 39],
		["core-zero", 100],
	])(
		"%s: blocks, receipts, changed entries and the final state are as recorded",
		async (set, blocks) => {
			const { result, differences } = await replaySet(set);
			expect(differences).toBe("");
			expect(result).toMatchObject({ blocks: { passed: blocks, failed: 0 }, pushes: none, state: true });
		},
		60_000,
	);

	it("core-http: blocks, receipts and changed entries are as recorded", async () => {
		const { result } = await replaySet("core-http");
		expect(result.blocks).toEqual({ passed: 66, failed: 0 });
	}, 60_000);
});
