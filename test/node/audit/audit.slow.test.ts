/** Nodes with a wrong rule, compared with one that is right. */

import { afterEach, describe, expect, test } from "vitest";
import { runAudit } from "../../../src/commands/node/audit.js";
import { Audit } from "../../../src/node/audit/audit.js";
import type { RunningNode } from "../../../src/node/node.js";
import { nodeSettings } from "../../../src/wallet/configuration/settings.js";
import { NodeClient } from "../../../src/wallet/node/node-client.js";
import { compareStates } from "../../../src/wallet/node/state-compare.js";
import { produceMany } from "../chain/small-chain.js";
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
			for (const block of makeBlocks(right)) planted(rule, () => wrong.open.chain.push(block, "peer"));
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

	test("compares the state at a head that both have where a node keeps no past one", async () => {
		const without = "node.jsonrpc.debug = false";
		const [right, wrong] = [await startOne(without), await startOne(without)];
		for (const block of makeBlocks(right)) planted("vote", () => wrong.open.chain.push(block, "peer"));
		const notCompared: string[] = [];
		const audit = auditOf(wrong, right, notCompared);
		const head = await audit.commonHead();
		expect(await run(audit, 1n, head)).toMatchObject({ found: { seenAt: head } });
		expect(notCompared).toEqual([expect.stringContaining("not both keep the state after past blocks")]);
		const same = auditOf(right, right, notCompared);
		expect(await run(same, 1n, head)).toMatchObject({ found: undefined, last: head });
		expect(same.counts).toMatchObject({ slots: 0, blocksWithoutState: 0 });
		expect(notCompared.at(-1)).toContain("node.jsonrpc.debug");
	});

	test("finds another chain by the ids of its blocks", async () => {
		const [one, other] = [await startOne(), await startOne()];
		makeBlocks(one);
		produceMany(other.open, 26, 2n);
		const audit = auditOf(one, other);
		const ids = {
			ours: one.open.chain.blockByNumber(1n)?.idHex,
			theirs: other.open.chain.blockByNumber(1n)?.idHex,
		};
		expect(await run(audit, 1n, await audit.commonHead())).toEqual({
			found: expect.objectContaining({ number: 1n, differences: [{ subject: "", what: "blockID", ...ids }] }),
			last: undefined,
		});
	});
});
