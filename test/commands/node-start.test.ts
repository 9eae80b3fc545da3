import { type ChildProcess, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readyFile } from "./awaited.js";
import { Home } from "./coin-process.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

interface Ready {
	readonly ready: true;
	readonly pid: number;
	readonly dev: boolean;
	readonly ports: { readonly full: number; readonly gateway: number };
	readonly genesis: string;
}

let home: Home;
let running: ChildProcess | undefined;
beforeEach(() => {
	home = new Home();
});
afterEach(async () => {
	await stop("SIGKILL");
	home.remove();
});

/** Starts a node on free ports and waits for its ready record. */
async function start(...words: string[]): Promise<Ready & { readonly output: () => string }> {
	const file = join(home.path, `ready-${Date.now()}`);
	const child = spawn(process.execPath, [program, "node", "start", "--ready-file", file, ...words], {
		cwd: home.path,
		env: { PATH: process.env["PATH"] ?? "", HOME: home.path, COIN_TTY: join(home.path, "none") },
	});
	running = child;
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
	}
	return { ...(await readyFile<Ready>(child, file, () => output)), output: () => output };
}

async function stop(signal: NodeJS.Signals): Promise<number | null> {
	const child = running;
	running = undefined;
	if (!child || child.exitCode !== null) return child?.exitCode ?? null;
	const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
	child.kill(signal);
	return closed;
}

/** Whatever else runs on this machine has its ports. */
const FREE = ["http-", "solidity-", "jsonrpc-", "grpc-", "grpc-solidity-", ""].flatMap((api) => [
	`--${api}port`,
	"0",
]);

async function post(port: number, path: string, body: object = {}): Promise<Record<string, unknown>> {
	const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
		method: "POST",
		body: JSON.stringify(body),
	});
	return (await answer.json()) as Record<string, unknown>;
}

describe("coin node start without a configuration", () => {
	it("is a development chain with funded accounts and a block 1, and stops cleanly", async () => {
		const { ports, dev, genesis, output } = await start(...FREE);
		expect(dev).toBe(true);
		expect(output()).toContain(`Development chain ${genesis}`);
		const gateway = `http://127.0.0.1:${ports.gateway}`;
		expect(output()).toContain(`\nExplorer: ${gateway}/explorer/\n`);
		expect(output()).toContain(`\nTRE now listening on ${gateway}\n`);
		expect(output()).toContain("unstaked coins wait 60 s (--unstake-delay)");
		expect(output()).toContain("(0) TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6 (10000 coin)");
		expect(output()).toContain(`coin node ready full http://127.0.0.1:${ports.full}`);
		expect(await post(ports.full, "/wallet/getnowblock")).toMatchObject({
			block_header: { raw_data: { number: 1 } },
		});
		const address = "TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6";
		expect(await post(ports.full, "/wallet/getaccount", { address, visible: true })).toMatchObject({
			balance: 10_000_000_000,
		});
		expect(await stop("SIGTERM")).toBe(0);
	});

	it("makes what its flags say", async () => {
		const words = [
			"--accounts",
			"2",
			"--balance",
			"5coin",
			"--seed",
			"7",
			"--seal",
			"manual",
			"--dialect",
			"deployed",
			"-q",
		];
		const { ports, output } = await start(...FREE, ...words, "--parameter", "getTransactionFee=77");
		expect(output()).not.toContain("Available Accounts");
		const { chainParameter } = await post(ports.full, "/wallet/getchainparameters");
		expect(chainParameter).toContainEqual({ key: "getTransactionFee", value: 77 });
		expect(await stop("SIGINT")).toBe(0);
	});

	it("keeps its chain in a directory, and refuses the directory to a network's node", async () => {
		const first = await start(...FREE, "--seed", "7", "-d", "chain");
		const startedMs = Date.now();
		const timestampMs = startedMs + 86_400_000;
		await post(first.ports.gateway, "/dev", { method: "dev_mine", params: [{ timestampMs }] });
		await stop("SIGKILL");
		// What the chain was made of needn't be said again, and its clock doesn't go back.
		const second = await start(...FREE, "-d", "chain");
		expect(second.genesis).toBe(first.genesis);
		await post(second.ports.gateway, "/dev", { method: "dev_mine" });
		expect(await post(second.ports.full, "/wallet/getnowblock")).toMatchObject({
			block_header: { raw_data: { number: 3 } },
		});
		const { clockOffsetMs } = (await post(second.ports.gateway, "/dev", { method: "dev_info" }))[
			"result"
		] as {
			clockOffsetMs: number;
		};
		// Time goes on from the last block when the second node has started; blocks are a whole slot apart.
		expect(clockOffsetMs).toBeGreaterThanOrEqual(86_400_000 - 3_000 - (Date.now() - startedMs));
		expect(clockOffsetMs).toBeLessThanOrEqual(86_400_000 + 2 * 3_000);
		await stop("SIGTERM");
		cpSync(join(home.path, "chain"), join(home.path, "copy"), { recursive: true });
		const third = await start(...FREE, "-d", "chain");
		await post(third.ports.gateway, "/dev", { method: "dev_mine", params: [{ blocks: 5 }] });
		await stop("SIGTERM");
		expect(await home.run(["chain", "export", "blocks", "-d", "chain"])).toMatchObject({
			code: 0,
			stderr: "",
		});
		const imported = await home.run(["chain", "import", "blocks", "-d", "copy", "--json"]);
		expect(JSON.parse(imported.stdout)).toMatchObject({ blocks: 5, head: "8" });

		const fourth = await start(...FREE, "-d", "chain", "--auto-impersonate");
		const [payer, payee] = (
			(await post(fourth.ports.gateway, "/dev", { method: "dev_accounts" }))["result"] as { hex: string }[]
		).map(({ hex }) => hex);
		const payment = { owner_address: payer, to_address: payee, amount: 5 };
		const built = await post(fourth.ports.full, "/wallet/createtransaction", payment);
		expect(await post(fourth.ports.full, "/wallet/broadcasttransaction", built)).toMatchObject({
			result: true,
		});
		await stop("SIGTERM");
		expect((await home.run(["chain", "export", "more", "-d", "chain"])).stderr).toContain(
			"unsigned transactions of unlocked accounts: 1",
		);
		const other = await home.run(["node", "start", ...FREE, "--accounts", "2", "-d", "chain"]);
		expect(other.code).toBe(1);
		expect(other.stderr).toMatch(/^error: .*genesis/);
	});

	it("serves the wallet: a payment with two signers, from making the keys to the balance", async () => {
		const { ports } = await start(...FREE);
		const environment = { COIN_NODE: `http://127.0.0.1:${ports.full}` };
		const password = ["--password-file", home.write("pw", "password")];
		const coin = async (words: string[], stdin?: string): Promise<string> => {
			const { code, stdout, stderr } = await home.run(words, stdin, environment);
			if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
			return stdout;
		};
		const sentence = "test test test test test test test test test test test junk";
		await coin(
			["keystore", "import", "mnemonic", "dev", "-", "--count", "2", "--light", ...password],
			sentence,
		);
		const update = ["permission", "update", "dev", "--owner", "2/dev,dev-2", "--active", "active=1/dev"];
		expect(JSON.parse(await coin([...update, "--yes", "--wait", ...password]))).toMatchObject({
			state: "solid",
			fee: "100000000",
		});
		const shown = JSON.parse(await coin(["permission", "show", "dev", "--json"])) as {
			owner: { threshold: string };
		};
		expect(shown.owner.threshold).toBe("2");

		const to = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
		const before = JSON.parse(await coin(["account", "balance", to, "--json"])) as string;
		const built = await coin([
			"wallet",
			"send",
			"--from",
			"dev",
			"--to",
			to,
			"--amount",
			"25coin",
			"--build",
		]);
		const once = await coin(["wallet", "sign", "--signer", "dev", ...password], built);
		const twice = await coin(["wallet", "sign", "--signer", "dev-2", ...password], once);
		expect(JSON.parse(await coin(["wallet", "broadcast", "--wait"], twice))).toMatchObject({
			state: "solid",
		});
		const after = JSON.parse(await coin(["account", "balance", to, "--json"])) as string;
		expect(BigInt(after) - BigInt(before)).toBe(25_000_000n);
	});
});

describe("what coin node start refuses", () => {
	const network = `storage {}
genesis.block { timestamp = "0", parentHash = "${"00".repeat(32)}", assets = [], witnesses = [] }
`;

	it("takes repeatable flags of the environment, with commas between their values", async () => {
		const refused = async (environment: Record<string, string>) =>
			(await home.run(["node", "start", "--port", "0"], "", environment)).stderr;
		expect(await refused({ COIN_DEV_PARAMETER: "memoFee=1,nosuch=1" })).toContain(
			"no chain parameter nosuch",
		);
		expect(await refused({ COIN_DEV_UNLOCK: "nobody" })).toContain('--unlock "nobody" is not an address');
	});

	it.each([
		[["-c", "missing.conf"], 1, "Configuration path is required! No Such file missing.conf"],
		[["-c", "broken.conf"], 1, "broken.conf"],
		[
			["-c", "network.conf", "--accounts", "3"],
			2,
			"--accounts is for development chains, and network.conf describes a network",
		],
		[["-c", "network.conf", "--unlock", "T"], 2, "--unlock is for development chains"],
		[["-c", "dev.conf"], 2, '--unlock "nobody" is not an address'],
		[["--accounts", "0"], 2, '--accounts "0": a whole number from 1 to 1000 is needed'],
		[["--seal", "often"], 2, '--seal "often"'],
		[["--balance", "5"], 2, '"5" has no unit'],
		[["--mnemonic", "one two"], 2, "a mnemonic has 12, 15, 18, 21 or 24 words"],
		[["--port", "0", "--parameter", "nosuch=1"], 1, "there is no chain parameter nosuch"],
		[["--host", "0.0.0.0"], 2, "needs --allow-remote"],
		[["--p2p-disable", "false"], 1, "a development chain has no peers"],
		[["-c", "network.conf", "nonsense"], 2, 'Invalid inetSocketAddress: "nonsense"'],
		[["--no-such-flag"], 2, "Nonexistent flag: --no-such-flag"],
		[["--port", "0", "--load-state", "nowhere"], 2, "the state nowhere can't be read (ENOENT)"],
		[["--port", "0", "--load-state", "broken.conf"], 1, "the dump can't be read: incorrect header check"],
		[["--fork-url", "http://127.0.0.1:1"], 1, "the fork's source http://127.0.0.1:1 can't be read"],
		[["-c", "network.conf", "-w"], 1, "localWitnesses is null"],
	])("%j", async (words, code, sentence) => {
		home.write("broken.conf", "net {");
		home.write("network.conf", network);
		home.write(
			"dev.conf",
			'dev { enabled = true, port = 0, unlock = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC,nobody" }',
		);
		const outcome = await home.run(["node", "start", ...words]);
		expect(outcome).toMatchObject({ code, stdout: "" });
		expect(outcome.stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
		expect(outcome.stderr).toContain(sentence);
	});

	it("a second chain on the same ports, and says how to have both", async () => {
		const { ports } = await start(...FREE);
		const outcome = await home.run(["node", "start", "--port", String(ports.gateway)]);
		expect(outcome.code).toBe(1);
		expect(outcome.stderr).toBe(
			`error: port ${ports.gateway} is in use; --port chooses another one\nhint: --port 0 takes a free one, for a chain beside the one there\n`,
		);
	});

	it("a port that is in use", async () => {
		const busy = createServer();
		const port = await new Promise<number>((resolve) => {
			busy.listen(0, "127.0.0.1", () => resolve((busy.address() as { port: number }).port));
		});
		const outcome = await home.run(["node", "start", ...FREE.slice(2), "--http-port", String(port)]);
		expect(outcome).toMatchObject({ code: 1, stdout: "" });
		expect(outcome.stderr).toContain(`error: port ${port} is in use`);
		busy.close();
	});

	it("a ready record that can't be written, instead of running on unannounced", async () => {
		for (const [flag, value] of [
			["--ready-file", "no-such-directory/ready"],
			["--ready-fd", "77"],
		] as const) {
			const outcome = await home.run(["node", "start", flag, value, ...FREE]);
			expect(outcome.code).toBe(1);
			expect(outcome.stderr).toMatch(/^error: the ready record can't be written \(E[A-Z]+\)\n$/m);
		}
	});

	it("nothing of --help and --version", async () => {
		expect((await home.run(["node", "start", "--help"])).stdout).toContain("--output-directory");
		expect((await home.run(["node", "start", "-v"])).stdout).toMatch(/^OS : .*\nNode : v.*\nVersion : .*\n$/);
	});
});
