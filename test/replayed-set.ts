/** A recorded set of test/golden, played into a node, for the tests that hold what comes of it. */

import { describeFinding, type Finding } from "../tools/replay/finding.js";
import { openNode } from "../tools/replay/node-target.js";
import { openRecordings } from "../tools/replay/recording.js";
import { replay, type SetResult } from "../tools/replay/replay.js";

/** How much a set holds; whatever is left out is none. */
export interface SetCounts {
	readonly blocks: number;
	readonly pushes?: number;
	readonly requests: number;
	readonly grpc?: number;
	/** Requests that can't be compared, for a reason of the table in `tools/replay/skips.ts`. */
	readonly skipped?: number;
}

/**
 * Replays a set of test/golden.
 * @param params a folder with the verifying keys of shielded proofs; without it proofs aren't checked
 * @param compiled whether every contract program is compiled before it runs
 * @returns what was compared, and the first three differences in words ("" where there are none)
 */
export async function replaySet(
	set: string,
	params?: string,
	compiled = false,
): Promise<{ result: SetResult; differences: string }> {
	const findings: Finding[] = [];
	const [recording] = openRecordings(`test/golden/${set}/${set}.conf`);
	if (recording === undefined) throw new Error(`no set ${set}`);
	const target = await openNode(recording, params, { compiled });
	try {
		const options = { heal: false, onlyBlocks: false, until: undefined, path: undefined };
		const result = await replay(recording, target, { ...options, report: (one) => findings.push(one) });
		return { result, differences: findings.slice(0, 3).map(describeFinding).join("\n") };
	} finally {
		await target.close();
	}
}

/** The result of a set that was compared whole, without a difference. */
export function equalInAll({
	blocks,
	pushes = 0,
	requests,
	grpc = 0,
	skipped = 0,
}: SetCounts): Partial<SetResult> {
	return {
		blocks: { passed: blocks, failed: 0 },
		pushes: { passed: pushes, failed: 0 },
		requests: { passed: requests, failed: 0, skipped },
		grpc: { passed: grpc, failed: 0 },
		state: true,
	};
}
