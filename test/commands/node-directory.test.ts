/** The commands that look after a node without running it: its configuration, its producer's key, its directory. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awaited } from "./awaited.js";
import { errorRecord, Home } from "./coin-process.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
const FREE = ["http", "solidity", "jsonrpc", "grpc", "grpc-solidity"].flatMap((api) => [
	`--${api}-port`,
	"0",
]);

let home: Home;
beforeAll(() => {
	home = new Home();
});
afterAll(() => home.remove());

const values = (text: string): Record<string, unknown>[] =>
	text
		.trim()
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as Record<string, unknown>);

const QUIET = [
	"http.fullNodeEnable",
	"http.solidityEnable",
	"http.PBFTEnable",
	"rpc.enable",
	"rpc.solidityEnable",
]
	.concat("rpc.PBFTEnable")
	.map((key) => `  ${key} = false`)
	.join("\n");
const BLACK_HOLE = `{ accountName = Blackhole, accountType = AssetIssue, address = TDsBbg7wsGVVCQEAAe7dmMDcDQPWnwsnPt, balance = "0" }`;
const GENESIS = `storage {}, genesis.block { timestamp = "0", parentHash = "0x00", assets = [${BLACK_HOLE}], witnesses = [] }`;

describe("coin node check", () => {
	it("refuses a level of the log that isn't one", async () => {
		home.write("loud.conf", `${GENESIS}\nnode {\n${QUIET}\n  listen.port = 0\n}\nlog.level = loud`);
		const outcome = await home.run(["node", "check", "-c", "loud.conf", "--json"]);
		expect(outcome.code).toBe(1);
		expect(values(outcome.stdout)).toMatchObject([
			{ level: "error", message: expect.stringContaining("log.level must be one of trace") },
		]);
	});

	it("names unknown keys with the key that was meant, and ports in use", async () => {
		const server = createServer();
		const port = await new Promise<number>((resolve) => {
			server.listen(0, () => resolve((server.address() as { port: number }).port));
		});
		home.write(
			"busy.conf",
			`${GENESIS}\nnode {\n${QUIET}\n  maxConections = 3\n  http.fullNodeEnable = true\n  http.fullNodePort = ${port}\n  listen.port = 0\n}`,
		);
		const outcome = await home.run(["node", "check", "-c", "busy.conf", "--json"]);
		await new Promise((resolve) => server.close(resolve));
		expect(values(outcome.stdout)).toEqual([
			{
				level: "warning",
				place: "busy.conf:9",
				message: "unknown key node.maxConections; did you mean node.maxConnections?",
			},
			{
				level: "error",
				place: `port ${port}`,
				message: "is in use, and wanted for the HTTP API: node.http.fullNodePort sets another",
			},
		]);
		expect(outcome.code).toBe(1);
	});

	it("says plainly what is missing: storage, the genesis block; so does the start", async () => {
		home.write("bare.conf", "node { }");
		const checked = await home.run(["node", "check", "-c", "bare.conf", "--json"]);
		expect(values(checked.stdout)).toMatchObject([
			{ level: "error", message: expect.stringContaining("the section storage is missing") },
		]);
		const started = await home.run(["node", "start", "-c", "bare.conf"]);
		expect([started.code, started.stderr]).toEqual([
			1,
			expect.stringContaining("hint: the section storage is missing"),
		]);
		home.write("lone.conf", `storage { }\nnode {\n${QUIET}\n  listen.port = 0\n}`);
		const lone = await home.run(["node", "check", "-c", "lone.conf", "--json"]);
		expect([lone.code, values(lone.stdout)]).toMatchObject([
			0,
			[{ level: "warning", message: expect.stringContaining("genesis.block is missing") }],
		]);
	});

	it("finds what a start would stumble over: the directory, parameters of proofs, a reference node's data", async () => {
		home.write("plain.conf", `${GENESIS}\nnode {\n${QUIET}\n  listen.port = 0\n}`);
		home.write("afile", "");
		for (const folder of ["params", "reference/output-directory/database/properties"])
			mkdirSync(join(home.path, folder), { recursive: true });
		home.write("params/sapling-spend.params", "x");
		home.write("reference/output-directory/database/properties/CURRENT", "x");
		for (const [words, message] of [
			[["-d", "afile"], "afile is not a directory"],
			[["-d", "afile/below"], "afile is not a directory"],
			[["--shielded-params", "nowhere"], "names nowhere, which has neither"],
			[["--shielded-params", "params"], "is not the file that the configuration expects"],
			[["-d", "reference"], "reference holds the data of a reference node"],
			[["-d", "reference/output-directory"], "holds the data of a reference node"],
			[["-d", "reference/output-directory/database"], "holds the data of a reference node"],
			[["-d", "reference/output-directory/database/new"], "lies among the data of a reference node"],
		] as const) {
			const checked = await home.run(["node", "check", "-c", "plain.conf", "--json", ...words]);
			expect({ words, code: checked.code, found: values(checked.stdout) }).toMatchObject({
				words,
				code: 1,
				found: [{ level: "error", message: expect.stringContaining(message) }],
			});
		}
		// Where a start would write a chain.
		for (const words of [
			["-d", "reference"],
			["-d", "reference/output-directory/database"],
		]) {
			const started = await home.run(["node", "start", "-c", "plain.conf", ...words]);
			expect({ words, code: started.code }).toEqual({ words, code: 1 });
		}
		expect(readdirSync(join(home.path, "reference/output-directory/database"))).toEqual(["properties"]);
	});

	it("finds nothing in the example of a network node's file but ports that this machine may use", async () => {
		const file = fileURLToPath(new URL("../../examples/network-node.conf", import.meta.url));
		const { stdout, stderr } = await home.run(["node", "check", "-c", file, "--json"]);
		const found = values(stdout).filter(({ place }) => !String(place).startsWith("port "));
		expect(found).toEqual([]);
		expect(stderr).toMatch(/^\S+network-node\.conf: the chain whose genesis block is [0-9a-f]{64}\n$/);
	});

	it("finds nothing in a sound file", async () => {
		home.write("sound.conf", `${GENESIS}\nnode {\n${QUIET}\n  listen.port = 0\n}`);
		expect(await home.run(["node", "check", "-c", "sound.conf"])).toEqual({
			code: 0,
			stdout: "sound.conf: no problems found\n",
			stderr: expect.stringMatching(/^sound\.conf: the chain whose genesis block is [0-9a-f]{64}\n$/),
		});
	});

	it("lists everything that is wrong with a file at once", async () => {
		const bad = [
			"rpc.port = many",
			"listen.port = 0",
			"maxConections = 3",
			'network = "moon"',
			"shielded.spendHash = ab",
			'blocks.keep = "few"',
		];
		home.write(
			"wrong.conf",
			`${GENESIS}\nnode {\n${QUIET}\n}\nlog.level = loud\nnode {\n${bad.join("\n")}\n}`,
		);
		const { code, stdout } = await home.run(["node", "check", "-c", "wrong.conf", "--json"]);
		const found = values(stdout).map(({ level, message }) => `${level}: ${message}`);
		expect(code).toBe(1);
		expect(found).toHaveLength(6);
		for (const part of [
			/^error: wrong.conf: \d+: node.rpc.port must be a whole number of 32 bits, not "many"/,
			/^error: .*node.network must be/,
			/^error: node.shielded.spendHash is not a BLAKE2b/,
			/^error: .*node.blocks.keep must be all/,
			/^error: .*log.level must be one of/,
			/^warning: unknown key node.maxConections/,
		])
			expect(found).toContainEqual(expect.stringMatching(part));
		home.write("missing.conf", `${GENESIS.replace('balance = "0"', "balnce = 1")}\nnode.maxConections = 3`);
		const missing = await home.run(["node", "check", "-c", "missing.conf", "--json"]);
		expect(values(missing.stdout)).toMatchObject([
			{ level: "error", message: expect.stringContaining("balance") },
			{ level: "warning", message: expect.stringContaining("balnce") },
			{ level: "warning", message: expect.stringContaining("node.maxConections") },
		]);
	});
});

describe("coin node config", () => {
	it("shows values with their lines, defaults on request, limits applied and secrets masked", async () => {
		const key = "ab".repeat(32);
		home.write("node.conf", `${GENESIS}\nnode.blockProducedTimeOut = 5\nlocalwitness = [${key}]`);
		const plain = await home.run(["node", "config", "-c", "node.conf", "--json"]);
		expect(values(plain.stdout)).toEqual(
			expect.arrayContaining([
				{ key: "node.blockProducedTimeOut", value: "30", origin: "node.conf:2" },
				{ key: "localwitness", value: "***", origin: "node.conf:3" },
			]),
		);
		expect(plain.stdout).not.toContain("node.rpc.port");
		const all = await home.run(["node", "config", "-c", "node.conf", "--show-defaults"]);
		expect(all.stdout).toMatch(/^node\.rpc\.port +50051 +default$/m);
		expect(plain.stdout + all.stdout).not.toContain(key);
	});
});

describe("coin node key", () => {
	it("makes a key file that a witness node opens", async () => {
		home.write("pw", "password");
		const made = await home.run(["node", "key", "--password-file", "pw", "--json"]);
		const [key] = values(made.stdout) as [{ address: string; file: string; setting: string }];
		expect(key.setting).toBe(`localwitnesskeystore = ["Wallet/${key.address}.json"]`);
		expect(JSON.parse(readFileSync(join(home.path, key.file), "utf8"))).toMatchObject({ version: 3 });
		home.write("key.txt", "33".repeat(32));
		const words = ["node", "key", "--key-file", "key.txt", "--password-file", "pw"];
		expect((await home.run(words)).stdout).toContain("Wallet/T");
		expect(errorRecord(await home.run([...words, "--json"]))).toMatchObject({ code: "keystore_exists" });
	});
});

describe("coin node db", () => {
	it("refuses a directory in use, then shows, checks, compacts and copies it", async () => {
		const node = await startChain();
		for (const action of ["stat", "verify", "compact", "show", "check"]) {
			const { code, stderr } = await home.run(["node", "db", action, "-d", "chain"]);
			expect({ action, code, stderr }).toEqual({
				action,
				code: 1,
				stderr: expect.stringContaining("is in use by another node"),
			});
		}
		node.kill("SIGTERM");
		await new Promise((resolve) => node.once("close", resolve));

		const run = async (...words: string[]): Promise<Record<string, unknown>> => {
			const { stdout, stderr } = await home.run(["node", "db", ...words, "--json"]);
			return values(stdout)[0] ?? { stderr };
		};
		const stat = await run("stat", "-d", "chain");
		expect(stat).toMatchObject({ head: "1", genesis: expect.stringMatching(/^[0-9a-f]{64}$/) });
		expect(await run("verify", "-d", "chain")).toMatchObject({ blocks: 1, head: "1" });
		expect(await run("compact", "-d", "chain")).toMatchObject({ directory: "chain/database" });
		expect(await run("check", "-d", "chain")).toEqual({ segments: 0, blocks: 0, bytes: 0 });
		expect((await home.run(["node", "db", "show", "-d", "chain"])).stdout).toContain("no segments");
		expect(await run("copy", "-d", "chain", "--to", "copy")).toMatchObject({ to: "copy" });
		expect(existsSync(join(home.path, "copy.partial"))).toBe(false);
		const told = await home.run(["node", "db", "compact", "-d", "chain", "--progress", "json"]);
		expect(told.stderr).toBe('{"progress":{"task":"compacting"}}\n');
		const { head, headId } = stat;
		expect(await run("stat", "-d", "copy")).toMatchObject({ directory: "copy", head, headId });
		expect(await home.run(["node", "db", "copy", "-d", "chain", "--to", "copy"])).toMatchObject({ code: 2 });
		expect(await home.run(["node", "db", "stat", "-d", "nowhere"])).toMatchObject({ code: 1 });

		const damaged = join(home.path, "copy/database");
		writeFileSync(join(damaged, "CURRENT"), "MANIFEST-999999\n");
		expect((await home.run(["node", "db", "verify", "-d", "copy"])).code).toBe(1);
	});
});

/** A development chain in the directory `chain`, once it serves. */
async function startChain(): Promise<ChildProcess> {
	const ready = join(home.path, "ready");
	const words = ["node", "start", ...FREE, "--port", "0", "-d", "chain", "--ready-file", ready];
	const child = spawn(process.execPath, [program, ...words], { cwd: home.path, stdio: "ignore" });
	await awaited(child, () => existsSync(ready));
	return child;
}
