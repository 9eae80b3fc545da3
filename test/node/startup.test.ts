/**
 * What `coin node start` does with good and bad configurations and directories: the cases that were recorded of the
 * reference node (golden/ops/startup), with our sentences. Runs the built program (`npm run build`).
 */

import { type ChildProcess, spawn } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInHost } from "../commands/command-host.js";

const ADDRESS = "TErGVpctkrkeAoEbYpDito5edEKsQDYt9X";
const KEY = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";

const STORAGE = "storage { db.directory = database }";
const NODE =
	"node { http { fullNodePort = 0, solidityPort = 0, PBFTPort = 0 }, rpc { port = 0, solidityPort = 0, PBFTPort = 0 } }";
const GENESIS = `genesis.block {
  timestamp = "0", parentHash = "0x00"
  assets = [
    { accountName = Zion, accountType = AssetIssue, address = ${ADDRESS}, balance = "95000000000000000" }
    { accountName = Blackhole, accountType = AssetIssue, address = TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU, balance = "-9223372036854775808" }
  ]
  witnesses = [{ address: TEhSg6EDrWrokpQocxc6cDpcJqjzhG2fqQ, url = "http://witness", voteCount = 10 }]
}`;
const GOOD = [STORAGE, NODE, GENESIS, "localwitness = []"].join("\n");

let root: string;

beforeAll(() => {
	root = mkdtempSync(join(tmpdir(), "coin-start-"));
});

afterAll(() => {
	rmSync(root, { recursive: true });
});

interface Started {
	readonly process: ChildProcess;
	readonly output: () => string;
	readonly ended: Promise<number | null>;
	/** Resolves once the node is ready, or has ended. */
	readonly settled: Promise<"ready" | "ended">;
}

let count = 0;

/** The words that start a node, and the file which tells that it is ready. */
function startLine(config: string | undefined, directory: string, args: readonly string[]) {
	const stem = join(root, `run-${count++}`);
	const file = `${stem}.conf`;
	const ready = `${stem}.ready`;
	if (config !== undefined) writeFileSync(file, config);
	const options = ["-c", file, "-d", directory, "--host", "127.0.0.1", "--ready-file", ready];
	return { words: ["node", "start", ...options, ...args], ready };
}

function start(config: string | undefined, directory: string, args: readonly string[] = []): Started {
	const { words, ready } = startLine(config, directory, args);
	const child = spawn(process.execPath, ["bin/coin.js", ...words], { stdio: ["ignore", "pipe", "pipe"] });
	let text = "";
	for (const stream of [child.stdout, child.stderr])
		stream?.on("data", (data: Buffer) => (text += data.toString()));
	const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
	const becameReady = new Promise<"ready">((resolve) => {
		const timer = setInterval(() => {
			if (existsSync(ready) && readFileSync(ready, "utf8").endsWith("\n")) {
				clearInterval(timer);
				resolve("ready");
			}
		}, 20);
		child.on("close", () => clearInterval(timer));
	});
	return {
		process: child,
		output: () => text,
		ended,
		settled: Promise.race([becameReady, ended.then(() => "ended" as const)]),
	};
}

/** Starts a node, stops it once it is ready, and tells how it ended. */
async function startAndStop(config: string | undefined, directory: string, args: readonly string[] = []) {
	const node = start(config, directory, args);
	const settled = await node.settled;
	if (settled === "ready") node.process.kill("SIGTERM");
	return { ready: settled === "ready", code: await node.ended, output: node.output() };
}

/** A start that is refused: there is no node to stop, and no process of its own is needed. */
async function refusal(config: string | undefined, directory: string, args: readonly string[] = []) {
	const { words, ready } = startLine(config, directory, args);
	const environment = { PATH: process.env["PATH"] ?? "", HOME: root };
	const line = { words, stdin: "", environment, directory: process.cwd() };
	const { code, stdout, stderr } = await runInHost(line);
	return { ready: existsSync(ready), code, output: stdout + stderr };
}

const fresh = () => join(root, `data-${count++}`);

describe("a node starts, and ends cleanly when it is told to,", () => {
	it.each<[string, string, string[]]>([
		["with a good configuration", GOOD, []],
		["without any witness key", GOOD.replace("localwitness = []", ""), []],
		["with unknown keys", `${GOOD}\nnode.somethingUnknown = 7\nsomethingElse = 1`, []],
		["with a number given as text", `${GOOD}\nnode.maxConnections = "30"`, []],
		[
			"with a limiter for gRPC that is unknown to release 4.8.1",
			`${GOOD}\nnode.release = "4.8.1"\nrate.limiter.rpc = [{ component = A, strategy = NoSuch, paramString = "qps=1" }]`,
			[],
		],
		[
			"with a limiter without a fraction",
			`${GOOD}\nrate.limiter.http = [{ component = GetAccountServlet, strategy = QpsRateLimiterAdapter, paramString = "qps=5" }]`,
			[],
		],
		[
			"with the other database engine's name",
			GOOD.replace("db.directory = database", 'db.engine = "ROCKSDB"'),
			[],
		],
	])("%s", async (_, config, args) => {
		const { ready, code, output } = await startAndStop(config, fresh(), args);
		expect(output).toContain("coin node ready");
		expect({ ready, code }).toEqual({ ready: true, code: 0 });
	});
});

describe("a node that is to stop at a height", () => {
	it("ends at once, and well, where its chain is there already", async () => {
		const { ready, code, output } = await startAndStop(`${GOOD}\nnode.shutdown.BlockHeight = 0`, fresh());
		expect({ ready, code }).toEqual({ ready: false, code: 0 });
		expect(output).toContain("the chain is at block 0, where the node is to stop");
	});
});

describe("keys and flags without effect", () => {
	it("are told of, the keys in one line and each flag by itself", async () => {
		const config = `${GOOD}\nnode.walletExtensionApi = true\nnode.rpc.thread = 2`;
		const { output } = await startAndStop(config, fresh(), ["--trust-node", "127.0.0.1:50051"]);
		expect(output).toMatch(
			/2 keys have no effect here: node\.walletExtensionApi, node\.rpc\.thread \(coin node check says why\)/,
		);
		expect(output).toContain("--trust-node has no effect: this program has no solidity process");
	});
});

describe("the log of a node", () => {
	it("is JSON alone, from its start to its end", async () => {
		const directory = fresh();
		const { output } = await startAndStop(GOOD, directory, ["--log-format", "json"]);
		const lines = output
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, unknown>);
		expect(lines[0]).toMatchObject({
			msg: "started",
			version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
			genesis: expect.stringMatching(/^[0-9a-f]{64}$/),
			head: "0",
			directory,
		});
		expect(lines.map(({ msg }) => msg)).toEqual(["started", "coin node ready", "stopping", "stopped"]);
	});

	it.each<[string, string[]]>([
		[`${GOOD}\nlog.level = error`, []],
		[GOOD, ["--log-level", "error"]],
	])("writes no more than its level asks for", async (config, args) => {
		const { ready, code, output } = await startAndStop(config, fresh(), args);
		expect({ ready, code, output }).toEqual({ ready: true, code: 0, output: "" });
	});
});

describe("a node refuses to start, with one sentence and without touching the disk,", () => {
	const genesis = (from: string | RegExp, to: string) => GOOD.replace(from, to);
	const more = (text: string) => `${GOOD}\n${text}`;

	it.each<[string, string | undefined, string[], RegExp]>([
		["if the file does not exist", undefined, [], /Configuration path is required! No Such file .*\.conf/],
		["with an unclosed brace", `net {\n${GOOD}`, [], /expecting '\}', not the end of the file/],
		["with an empty file", "", [], /no configuration setting found for key storage/],
		[
			"without the section storage",
			GOOD.replace(STORAGE, ""),
			[],
			/no configuration setting found for key storage/,
		],
		[
			"with text for a number",
			more('node.maxConnections = "abc"'),
			[],
			/node\.maxConnections must be a whole number of 32 bits, not "abc"/,
		],
		[
			"with text for a boolean",
			more("vm.supportConstant = maybe"),
			[],
			/vm\.supportConstant must be true or false, not "maybe"/,
		],
		[
			"with a list for an object",
			more("genesis.block = []"),
			[],
			/genesis\.block must be an object in braces, not a list/,
		],
		[
			"with a genesis block without a time",
			genesis('timestamp = "0",', ""),
			[],
			/no configuration setting found for key genesis\.block\.timestamp/,
		],
		[
			"with a malformed genesis address",
			genesis(ADDRESS, `${ADDRESS}x`),
			[],
			/genesis\.block\.assets\[0\]\.address must be a Base58 address/,
		],
		[
			"with a genesis witness without a url",
			genesis('url = "http://witness"', 'url = ""'),
			[],
			/genesis\.block\.witnesses\[0\]\.url must not be blank/,
		],
		[
			"with an incomplete event filter",
			more('event.subscribe.filter = { fromblock = "" }'),
			[],
			/no configuration setting found for key event\.subscribe\.filter\.toblock/,
		],
		[
			"with an unknown storage engine",
			more('storage.db.engine = "NOSUCH"'),
			[],
			/storage\.db\.engine must be LEVELDB or ROCKSDB, not "NOSUCH"/,
		],
		[
			"to tell events to nobody",
			GOOD,
			["--es"],
			/event\.subscribe\.native\.useNativeQueue must be true, or event\.subscribe name a plugin or another receiver/,
		],
		[
			"with an unknown limiter for HTTP",
			more(
				'rate.limiter.http = [{ component = GetAccountServlet, strategy = "NoSuch", paramString = "qps=1" }]',
			),
			[],
			/strategy = "NoSuch" of GetAccountServlet is unknown/,
		],
		[
			"with a bad limiter number for HTTP",
			more(
				'rate.limiter.http = [{ component = GetAccountServlet, strategy = QpsRateLimiterAdapter, paramString = "qps=abc" }]',
			),
			[],
			/QpsRateLimiterAdapter of GetAccountServlet needs qps=<more than 0>, not "qps=abc"/,
		],
		[
			"with a witness key of a wrong length",
			GOOD.replace("localwitness = []", `localwitness = [${KEY.slice(4)}]`),
			["-w"],
			/private key must be 64 hex string, actual: 60/,
		],
		[
			"with such a key although it does not produce, as release 4.8.0",
			GOOD.replace("localwitness = []", `node.release = "4.8.0"\nlocalwitness = [${KEY.slice(4)}]`),
			[],
			/private key must be 64 hex string, actual: 60/,
		],
		[
			"with a witness key that is not hexadecimal",
			GOOD.replace("localwitness = []", `localwitness = [${"z".repeat(64)}]`),
			["-w"],
			/private key must be hex string/,
		],
		[
			"with a witness key after 0X",
			GOOD.replace("localwitness = []", `localwitness = ["0X${KEY}"]`),
			["-w"],
			/private key must be hex string/,
		],
		["to produce without a key", GOOD, ["-w"], /This is a witness node, but localWitnesses is null/],
		[
			"with two places to stop at",
			more("node.shutdown { BlockHeight = 5, BlockCount = 5 }"),
			[],
			/shutDownBlockHeight 5 and shutDownBlockCount 5 set both/,
		],
		[
			"to stop after no block",
			more("node.shutdown.BlockCount = 0"),
			[],
			/shutDownBlockCount 0 is less than 1/,
		],
		[
			"with a bad cron text",
			more('node.shutdown.BlockTime = "hello"'),
			[],
			/node\.shutdown\.BlockTime = "hello" needs six or seven fields/,
		],
		[
			"with the old reward switch alone",
			more("committee.allowOldRewardOpt = 1"),
			[],
			/At least one of the following proposals is required to be opened first/,
		],
	])("%s", async (_, config, args, message) => {
		const directory = fresh();
		const { ready, code, output } = await refusal(config, directory, args);
		expect(output).toMatch(message);
		expect({ ready, code }).toEqual({ ready: false, code: 1 });
		expect(output).not.toMatch(/\n\s+at /);
		expect(output).not.toContain(KEY.slice(4));
		expect(existsSync(directory)).toBe(false);
	});

	it("with an unknown flag, as wrong usage", async () => {
		const { code, output } = await refusal(GOOD, fresh(), ["--nosuchflag"]);
		expect(output).toMatch(/nosuchflag/);
		expect(code).toBe(2);
	});

	it("to produce with a key file that does not exist", async () => {
		const config = GOOD.replace("localwitness = []", 'localwitnesskeystore = ["nofile.json"]');
		const { ready, code, output } = await refusal(config, fresh(), ["-w"]);
		expect(output).toMatch(/nofile\.json/);
		expect({ ready, code }).toEqual({ ready: false, code: 1 });
	});

	it("to produce with a key of zeros, without showing it", async () => {
		const config = GOOD.replace("localwitness = []", `localwitness = [${"0".repeat(64)}]`);
		const { ready, code, output } = await refusal(config, fresh(), ["-w"]);
		expect({ ready, code }).toEqual({ ready: false, code: 1 });
		expect(output).toMatch(/key/);
		expect(output).not.toContain("0".repeat(64));
	});
});

describe("a node whose port is taken", () => {
	let busy: Server;
	let port: number;

	beforeAll(async () => {
		busy = createServer();
		await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
		port = (busy.address() as { port: number }).port;
	});

	afterAll(async () => {
		await new Promise((resolve) => busy.close(resolve));
	});

	it.each([
		["full", "fullNodePort"],
		["solidity", "solidityPort"],
		["pbft", "PBFTPort"],
	])(
		"names the port of its %s HTTP server, and starts on the same data once it is free",
		async (kind, key) => {
			const directory = fresh();
			const refused = await startAndStop(`${GOOD}\nnode.http.${key} = ${port}`, directory);
			expect(refused.output).toContain(`port ${port} of the ${kind} HTTP server is in use`);
			expect(refused.code).toBe(1);
			expect((await startAndStop(GOOD, directory)).code).toBe(0);
		},
	);
});

describe("a node on data that is there", () => {
	/** A data directory that a good node left. */
	async function used(): Promise<string> {
		const directory = fresh();
		expect((await startAndStop(GOOD, directory)).code).toBe(0);
		return directory;
	}

	it("starts again with the same configuration", async () => {
		const { ready, code } = await startAndStop(GOOD, await used());
		expect({ ready, code }).toEqual({ ready: true, code: 0 });
	});

	it("refuses another genesis block, names both, and leaves the data as they were", async () => {
		const directory = await used();
		const { code, output } = await startAndStop(
			GOOD.replace('timestamp = "0"', 'timestamp = "1"'),
			directory,
		);
		expect(code).toBe(1);
		expect(output).toMatch(
			/belongs to another chain: its genesis block is [0-9a-f]{64}, the configuration's is [0-9a-f]{64}/,
		);
		expect((await startAndStop(GOOD, directory)).code).toBe(0);
	});

	it("refuses a directory that another node uses, which goes on", async () => {
		const directory = fresh();
		const first = start(GOOD, directory);
		expect(await first.settled).toBe("ready");
		const second = await startAndStop(GOOD, directory);
		expect(second.code).toBe(1);
		expect(second.output).toMatch(/in use by another node/);
		expect(first.process.exitCode).toBeNull();
		first.process.kill("SIGTERM");
		expect(await first.ended).toBe(0);
	});

	it("refuses a file in place of the directory", async () => {
		const directory = fresh();
		writeFileSync(directory, "a file");
		const { code, output } = await startAndStop(GOOD, directory);
		expect(code).toBe(1);
		expect(output).toMatch(/can't be used: it is not a directory/);
		expect(readFileSync(directory, "utf8")).toBe("a file");
	});

	it.each<[string, (database: string) => void, RegExp]>([
		[
			"a lost file CURRENT",
			(database) => rmSync(join(database, "CURRENT")),
			/is damaged: its file CURRENT is missing/,
		],
		[
			"a manifest of rubbish",
			(database) => {
				const manifest = readdirSync(database).find((name) => name.startsWith("MANIFEST")) as string;
				writeFileSync(join(database, manifest), "rubbish".repeat(20));
			},
			/is damaged/,
		],
	])("refuses a database with %s rather than make a new one over it", async (_, damage, message) => {
		const directory = await used();
		const database = join(directory, "database");
		damage(database);
		const before = readdirSync(database).filter((name) => /\.(ldb|log)$/.test(name));
		const { code, output } = await startAndStop(GOOD, directory);
		expect(code).toBe(1);
		expect(output).toMatch(message);
		expect(readdirSync(database).filter((name) => /\.(ldb|log)$/.test(name))).toEqual(before);
	});

	it("refuses a directory with another node's stores", async () => {
		const directory = await used();
		const database = join(directory, "database");
		rmSync(database, { recursive: true });
		const store = join(database, "account");
		mkdirSync(store, { recursive: true });
		const { code, output } = await startAndStop(GOOD, directory);
		expect(code).toBe(1);
		expect(output).toMatch(/holds something that is not this program's database \(account\)/);
		expect(readdirSync(database)).toEqual(["account"]);
	});

	it("starts after it was killed", async () => {
		const directory = fresh();
		const killed = start(GOOD, directory);
		expect(await killed.settled).toBe("ready");
		killed.process.kill("SIGKILL");
		await killed.ended;
		expect((await startAndStop(GOOD, directory)).code).toBe(0);
	});
});

describe("the program", () => {
	it("prints its versions", async () => {
		const { code, output } = await startAndStop(GOOD, fresh(), ["--version"]);
		expect(code).toBe(0);
		expect(output).toMatch(/^OS : .*\nNode : .*\nVersion : \d+\.\d+\.\d+/);
	});
});
