/** A running node with a wrong rule that compares itself with one that is right, and the bundle that it leaves. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ConfigError } from "../../../src/hocon/hocon.js";
import { readBundle } from "../../../src/node/faults/bundle-file.js";
import { reproduce } from "../../../src/node/faults/reproduce.js";
import type { RunningNode } from "../../../src/node/node.js";
import { smallConfig } from "../chain/small-chain.js";
import { addressesOf, BLOCKS, makeBlocks, type PlantedRule, planted, start } from "./two-nodes.js";

const running: RunningNode[] = [];
const folders: string[] = [];
afterEach(async () => {
	await Promise.all(running.splice(0).map((node) => node.close()));
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const againstOf = (node: RunningNode): string => {
	const { full, solidity, jsonrpc } = addressesOf(node);
	return `node.audit { against = "${full}", solidity = "${solidity}", jsonrpc = "${jsonrpc}", sample = 1, rate = 1000 }`;
};

async function wrongBeside(right: RunningNode) {
	const folder = mkdtempSync(join(tmpdir(), "audit-"));
	folders.push(folder);
	const started = await start(
		`node.history.state = all\n${againstOf(right)}\nnode.metrics.prometheus { enable = true, port = 0 }`,
		folder,
	);
	running.push(started.node);
	return started;
}

describe("node.audit.against", () => {
	for (const rule of Object.keys(BLOCKS) as PlantedRule[])
		test(`ends with one loud line and a bundle that reproduces a wrong rule of ${rule}`, async () => {
			const { node: right } = await start();
			running.push(right);
			const { node: wrong, lines } = await wrongBeside(right);
			const blocks = makeBlocks(right);
			await planted(rule, async () => {
				for (const block of blocks) wrong.open.chain.push(block, "peer");
				await expect.poll(() => lines).toHaveLength(1);
			});
			const [fault] = lines.map(({ fields, message }) => ({ ...fields, message }));
			expect(fault).toMatchObject({
				block: Number(BLOCKS[rule]),
				file: expect.stringMatching(/\.fault$/),
				incomplete: undefined,
				computed: expect.any(String),
				recorded: expect.any(String),
				message: expect.stringMatching(/^AUDIT: /),
			});
			const bytes = readFileSync((fault as unknown as { file: string }).file);
			const time = { timeoutMs: 60_000 };
			const again = planted(rule, () => reproduce(readBundle(bytes), time));
			expect(again).toMatchObject({ verdict: "reproduced", entries: [] });
			const fixed = reproduce(readBundle(bytes), time);
			expect(fixed.verdict).toBe(rule === "energy" ? "as recorded" : "different");
			expect(fixed.entries.length).toBeGreaterThan(0);

			const health = (await (await fetch(`${addressesOf(wrong).full}/health`)).json()) as {
				warnings: string[];
			};
			expect(health.warnings[0]).toContain(`don't agree on block ${BLOCKS[rule]}`);
			const page = await (await fetch(`http://127.0.0.1:${wrong.ports.metrics}/metrics`)).text();
			expect(page).toContain(`coin:audit_different_block ${BLOCKS[rule]}\n`);
			expect(page).toContain('coin:faults{kind="audit"} 1\n');
			expect(page).toMatch(new RegExp(`coin:first_fault_block\\{.*\\} ${BLOCKS[rule]}\\n`));
		});

	test("goes on while there is no difference, and waits while the other node is away", async () => {
		const { node: right } = await start();
		running.push(right);
		const { node, lines } = await wrongBeside(right);
		const blocks = makeBlocks(right);
		for (const block of blocks) node.open.chain.push(block, "peer");
		const page = async (): Promise<string> =>
			(await fetch(`http://127.0.0.1:${node.ports.metrics}/metrics`)).text();
		const final = node.open.database.finalizedNumber;
		await expect.poll(page).toContain(`coin:audit_block ${final}\n`);
		expect(await page()).toContain('coin:audit_compared{what="slots"} 1\n');
		expect(lines).toEqual([]);
	});

	test("is refused where it can't be", () => {
		const read = (text: string) => () => smallConfig("", text);
		expect(read('node.audit.against = "node.example"')).toThrow(ConfigError);
		expect(read('node.audit.against = "http://user:secret@node.example"')).toThrow("without a user");
		expect(read('node.audit { against = "http://node.example", sample = 2 }')).toThrow("from 0 to 1");
		expect(read('node { audit.against = "http://node.example", http.fullNodeEnable = false }')).toThrow(
			"needs node.http.fullNodeEnable",
		);
	});
});
