/** Nodes with a wrong rule, compared with one that is right. */

import { afterEach, describe, expect, test, vi } from "vitest";
import { Audit } from "../../../src/node/audit/audit.js";
import { runAudit } from "../../../src/node/audit/audit-run.js";
import type { RunningNode } from "../../../src/node/node.js";
import { nodeSettings } from "../../../src/wallet/configuration/settings.js";
import { NodeClient } from "../../../src/wallet/node/node-client.js";
import { compareStates } from "../../../src/wallet/node/state-compare.js";
import {
	addressesOf,
	BLOCKS,
	httpNode,
	limits,
	makeBlocks,
	type PlantedRule,
	planted,
	start,
} from "./two-nodes.js";

const energy = vi.hoisted(() => ({ more: 0n }));
vi.mock("../../../src/node/resources/energy.js", async (load) => {
	const real = await load<typeof import("../../../src/node/resources/energy.js")>();
	return {
		...real,
		settleEnergy: (...[bill, receipt]: Parameters<typeof real.settleEnergy>) => {
			real.settleEnergy({ ...bill, total: bill.total + (bill.total > 0n ? energy.more : 0n) }, receipt);
		},
	};
});

const running: RunningNode[] = [];
afterEach(async () => {
	await Promise.all(running.splice(0).map((node) => node.close()));
});

async function startOne(more?: string): Promise<RunningNode> {
	const { node } = await start(more);
	running.push(node);
	return node;
}

const client = new NodeClient(nodeSettings({ node: "http://127.0.0.1:1" }));

function auditOf(ours: RunningNode, theirs: RunningNode, notCompared: string[] = []): Audit {
	return new Audit({
		ours: httpNode(ours),
		theirs: httpNode(theirs),
		sample: 1,
		sleep: limits.sleep,
		signal: limits.signal,
		onNotCompared: (reason) => notCompared.push(reason),
	});
}

const run = (audit: Audit, from?: bigint, to?: bigint) =>
	runAudit(audit, {
		...{ from, to, sleep: limits.sleep, signal: limits.signal },
		onProgress: () => {},
		onWaiting: () => {},
	});

describe("an audit", () => {
	test("finds nothing between nodes that are right", async () => {
		const [one, other] = [await startOne(), await startOne()];
		for (const block of makeBlocks(one)) other.open.chain.push(block, "peer");
		const notCompared: string[] = [];
		const audit = auditOf(one, other, notCompared);
		expect(await run(audit, 1n, await audit.commonHead())).toMatchObject({ found: undefined });
		expect(notCompared).toEqual([]);
		expect(audit.counts).toMatchObject({ transactions: 7, slots: 1, blocksWithoutState: 0 });
		expect(audit.counts.state).toBeGreaterThan(20);
	});

	for (const rule of Object.keys(BLOCKS) as PlantedRule[])
		test(`finds a wrong rule of ${rule} in the block where it first matters, and so does the hash of the state`, async () => {
			const [right, wrong] = [await startOne(), await startOne()];
			for (const block of makeBlocks(right))
				planted(rule, energy, () => wrong.open.chain.push(block, "peer"));
			const audit = auditOf(wrong, right);
			const { found, last } = await run(audit, 1n, await audit.commonHead());
			expect({ rule, found, last }).toMatchObject({
				found: { number: BLOCKS[rule] },
				last: BLOCKS[rule] - 1n,
			});
			const urls = [addressesOf(wrong).jsonrpc, addressesOf(right).jsonrpc] as const;
			expect(await compareStates(client, urls)).toMatchObject({
				equal: false,
				firstDifference: Number(BLOCKS[rule]),
			});
		});
});
