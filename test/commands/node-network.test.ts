/** A public network by its name, as a stranger starts it: an empty directory, half a file, the directory of another network. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PUBLIC_NETWORKS } from "../../src/protocol/public-networks.js";
import { awaited, readyFile } from "./awaited.js";
import { Home, type Outcome } from "./coin-process.js";

/** Nobody outside is asked, and no port of the machine is needed. */
const ALONE = ["--p2p-disable", "true", "--host", "127.0.0.1"];
const FREE = `
node.http { fullNodePort = 0, solidityPort = 0, PBFTPort = 0 }
node.rpc { port = 0, solidityPort = 0, PBFTPort = 0 }
node.listen.port = 0
`;

let home: Home;
beforeEach(() => {
	home = new Home();
	writeFileSync(join(home.path, "half.conf"), FREE);
});
afterEach(() => home.remove());

let starts = 0;

/** Starts a node, and stops it where it gets ready. */
async function start(...words: string[]): Promise<Outcome> {
	const ready = join(home.path, `ready-${++starts}`);
	const { child, outcome } = home.start(["node", "start", ...ALONE, "--ready-file", ready, ...words]);
	await awaited(child, () => existsSync(ready) || child.exitCode !== null);
	child.kill("SIGINT");
	return outcome;
}

describe("a public network by its name", () => {
	it.each([
		["main", "synchronising the main network from its first block takes weeks"],
		["nile", "synchronising the test network Nile from block 0 on ends before block 1628391"],
	] as const)("starts on an empty directory, and says what to do instead: %s", async (name, words) => {
		const { code, stdout } = await start("--network", name, "-c", "half.conf", "-d", "data");
		expect(code).toBe(0);
		expect(stdout).toContain(`"genesis":"${PUBLIC_NETWORKS[name].genesisId}"`);
		expect(stdout).toContain(words);
		expect(stdout).toContain("--shielded-params none");
		// Whose choice is made hears of it no more, but of what it means.
		const chosen = await start(
			...["--network", name, "-c", "half.conf", "-d", "data", "--shielded-params", "none"],
		);
		expect(chosen.stdout).not.toContain("--shielded-params none");
		expect(chosen.stdout).toContain("shielded proofs are not checked");
	});

	it("is not in sync at its first block, and without peers says where to look", async () => {
		const ready = join(home.path, "ready");
		const words = ["--network", "main", "-c", "half.conf", "-d", "data", "--ready-file", ready];
		const { child, outcome } = home.start(["node", "start", ...ALONE, ...words]);
		const { ports } = await readyFile<{ ports: { full: number } }>(child, ready);
		const status = ["node", "status", "--require-sync", "--node", `http://127.0.0.1:${ports.full}`];
		const { code, stderr } = await home.run(status);
		child.kill("SIGINT");
		await outcome;
		expect(code).toBe(1);
		expect(stderr).toContain("error: the node is at the network's first block and has no peers\n");
		expect(stderr).toContain("hint: its log says what it has tried");
	});

	it("is refused on the directory of another, and named where it is missing", async () => {
		expect((await start("--network", "main", "-c", "half.conf", "-d", "data")).code).toBe(0);
		const { code, stderr } = await start("--network", "nile", "-c", "half.conf", "-d", "data");
		expect(code).toBe(1);
		expect(stderr).toMatch(/genesis block is \w{64} \(the main network\), .* \(the test network Nile\)\n/);
		const development = await start("-d", "data", "--port", "0");
		expect(development.code).toBe(1);
		expect(development.stderr).toContain("hint: --network main is the network of the directory");
	});

	it.each([
		[["--network", "nile", "-c", "missing.conf"], "No Such file missing.conf"],
		[["-c", "half.conf"], "no configuration setting found for key storage"],
		[["--shielded-params", "none"], "--shielded-params is for networks"],
		[["--network", "nile", "--seal", "3"], "--seal is for development chains"],
		[
			["--network", "nile", "--shielded-params", "nowhere"],
			"nowhere, which has neither sapling-spend.params",
		],
	])("is refused with one sentence: %o", async (words, message) => {
		const { code, stderr } = await start(...words, "-d", "data");
		expect(code).toBeGreaterThan(0);
		expect(stderr).toContain(message);
		expect(stderr.match(/^error: /gm)).toHaveLength(1);
		expect(existsSync(join(home.path, "data"))).toBe(false);
	});

	it.each([
		["main", "takes weeks"],
		["nile", "ends before block 1628391"],
	] as const)("is judged by coin node check for what is still missing: %s", async (name, words) => {
		const check = async (...more: readonly string[]) => {
			const line = ["node", "check", "--network", name, "-c", "half.conf", "-d", "data", "--json", ...more];
			const { code, stdout } = await home.run(line);
			const rows = stdout.trim().split("\n").filter(Boolean);
			const found = rows.map((row) => JSON.parse(row) as { place: string; message: string });
			// Whatever else runs on this machine has its ports.
			return { code, found: found.filter(({ place }) => !place.startsWith("port ")) };
		};
		const beginning = {
			level: "warning",
			place: "data",
			message: expect.stringMatching(new RegExp(`^holds no chain yet: .*${words}.*coin node adopt`)),
		};
		const proofs = {
			level: "warning",
			place: "half.conf",
			message: expect.stringContaining("node.shielded.params is not set"),
		};
		expect((await check()).found).toEqual([proofs, beginning]);
		expect((await check("--shielded-params", "none")).found).toEqual([beginning]);
		expect((await start("--network", name, "-c", "half.conf", "-d", "data")).code).toBe(0);
		expect((await check("--shielded-params", "none")).found).toEqual([]);
	});

	it("is told of a file by coin node check, and of each key by coin node config", async () => {
		const { code, stderr } = await home.run(["node", "check", "--network", "nile", "-c", "half.conf"]);
		expect([code, stderr]).toEqual([0, "half.conf: the test network Nile\n"]);
		const { stdout } = await home.run(["node", "config", "--network", "nile", "-c", "half.conf", "--json"]);
		const rows = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as { readonly key: string });
		const row = (key: string) => rows.find((one) => one.key === key);
		expect(row("node.p2p.version")).toMatchObject({ value: "201910292", origin: "--network nile" });
		expect(row("node.rpc.port")).toMatchObject({ value: "0", origin: "half.conf:3" });
	});
});
