/** The walk of docs/audit.md as it stands there, and what audits and bundles are refused for. */

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeFault } from "../node/faults/planted.js";
import { DevelopmentChain } from "./development-chain.js";

let chain: DevelopmentChain;
let bundle: string;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
	bundle = join(chain.home.path, "walk.fault");
	copyFileSync(await makeFault(chain.home.path), bundle);
});
afterAll(() => chain.stop());

/** A line of the page, with this chain's addresses and the bundle of this test. */
const here = (line: string): string =>
	line
		.replace("http://127.0.0.1:8090", `http://127.0.0.1:${chain.ports.full}`)
		.replace("http://127.0.0.1:8091", `http://127.0.0.1:${chain.ports.solidity}`)
		.replace(/output-directory\/faults\/\S+\.fault/, bundle);

describe("docs/audit.md", () => {
	it("is a walk that compares a node, and executes a bundle again", async () => {
		const page = readFileSync("docs/audit.md", "utf8");
		const lines = [...page.matchAll(/^ {4}coin (.*)$/gm)].map(([, words]) => words as string);
		const [start, first, second, audit, reproduce] = lines as string[];
		expect(start).toBe("node start --dev");
		await chain.prints(first as string);
		await chain.prints(second as string);
		const { code, stdout } = await chain.coin(`${here(audit as string)} --json`);
		expect(code).toBe(0);
		const compared = JSON.parse(stdout) as { readonly blocks: number; readonly state: number };
		expect(compared).toMatchObject({ equal: true, transactions: 2, differences: [], blocksWithoutState: 0 });
		expect(compared.blocks).toBeGreaterThan(1);
		expect(compared.state).toBeGreaterThan(4);

		const text = await chain.prints(here(reproduce as string));
		expect(text).toMatch(/^verdict +as recorded\nkind +refused\n/);
		const [, replay] = /^ {4}npm run replay -- (.*)$/m.exec(page) ?? [];
		const replayed = spawnSync(process.execPath, ["dist/replay.js", here(replay as string)], {
			encoding: "utf8",
		});
		expect(replayed).toMatchObject({ status: 0, stderr: "" });
		expect(JSON.parse(replayed.stdout)).toMatchObject({ blocks: { passed: 1, failed: 0 } });
	});
});

describe("docs/audit.md", () => {
	it("is a walk that gives a directory and its copy one hash", async () => {
		const other = await DevelopmentChain.start(["-d", "walk"]);
		try {
			await other.prints("send bob 25coin --wait");
			await other.end();
			const page = readFileSync("docs/audit.md", "utf8");
			const lines = [...page.matchAll(/^ {4}coin (node (?:hash|db) .*)$/gm)].map(
				([, words]) => words as string,
			);
			const [ours, copy, copied] = lines.map((line) =>
				line.replaceAll(/\b(?<=-d |--to )(\w+)/g, (name) => join(other.home.path, name)),
			) as [string, string, string];
			const hash = await other.value(ours.replace(" --json", ""));
			expect(hash).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), head: expect.any(String) });
			expect((await other.coin(copy)).code).toBe(0);
			expect(await other.value(copied.replace(" --json", ""))).toEqual({
				...(hash as object),
				...{ directory: join(other.home.path, "copied"), seconds: expect.any(Number) },
			});
		} finally {
			await other.stop();
		}
	});
});

describe("audits and bundles", () => {
	it("are refused with a reason", async () => {
		const other = `--against http://127.0.0.1:${chain.ports.full}`;
		const random = join(chain.home.path, "random.fault");
		writeFileSync(random, Buffer.alloc(1_000, 7));
		const pipe = join(chain.home.path, "pipe");
		expect(spawnSync("mkfifo", [pipe]).status).toBe(0);
		for (const [line, exit, code] of [
			["node audit --against node.example", 2, "bad_value"],
			[`node audit ${other} --sample 1.5`, 2, "bad_value"],
			[`node audit ${other} --from nine`, 2, "bad_value"],
			["node audit", 2, "usage"],
			[`node audit ${other} --from 3 --to 2`, 2, "bad_value"],
			[`node reproduce ${pipe}`, 2, "bad_value"],
			[`tx verify ${pipe} --witnesses main`, 2, "bad_value"],
			[`node reproduce ${random}`, 2, "bad_value"],
			[`node reproduce ${join(chain.home.path, "none.fault")}`, 2, "bad_value"],
			[`node reproduce ${chain.home.path}`, 2, "bad_value"],
		] as const)
			expect({ line, error: await chain.fails(line, exit) }).toMatchObject({ line, error: { code } });
		const replayed = spawnSync(process.execPath, ["dist/replay.js", random], { encoding: "utf8" });
		expect(replayed).toMatchObject({ status: 2, stderr: expect.stringContaining("not a fault bundle") });
	});
});
