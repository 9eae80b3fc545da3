/** A development chain of the built program, with the keys of its first accounts in a home beside it. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	defaultProducerKey,
	deriveAccounts,
} from "../../src/node/development/accounts.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";
import { readyFile } from "./awaited.js";
import { writeCheapKey } from "./cheap-key.js";
import { errorRecord, Home, type Outcome } from "./coin-process.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

/** The accounts by label; each but the producer has 10,000 coins, and ann acts unless another is named. */
const PEOPLE = ["ann", "bob", "carol", "dora"] as const;
export type Person = (typeof PEOPLE)[number] | "producer";

const derived = deriveAccounts(DEVELOPMENT_MNEMONIC, DEVELOPMENT_HD_PATH, PEOPLE.length, 0n);
const KEYS: ReadonlyMap<string, Uint8Array> = new Map([
	...PEOPLE.map((name, index) => [name, derived[index]?.privateKey as Uint8Array] as const),
	["producer", defaultProducerKey()],
]);

export function addressOf(name: Person): string {
	return toBase58Check(addressOfPrivateKey(KEYS.get(name) as Uint8Array));
}

type Json = Record<string, unknown>;

interface Ports {
	readonly full: number;
	readonly solidity: number;
	readonly jsonrpc: number;
	readonly gateway: number;
	readonly grpc: number;
	readonly grpcSolidity: number;
}

export class DevelopmentChain {
	private constructor(
		readonly home: Home,
		private readonly node: ChildProcess,
	) {}

	/** @param flags further ones of the node */
	static async start(flags: readonly string[] = []): Promise<DevelopmentChain> {
		const home = new Home();
		const ready = join(home.path, "ready");
		const ports = ["http", "solidity", "jsonrpc", "grpc", "grpc-solidity"].flatMap((api) => [
			`--${api}-port`,
			"0",
		]);
		ports.push("--port", "0");
		const words = ["node", "start", "--ready-file", ready, "--log-format", "json", ...ports];
		// Votes have a stake of their own, which is the harder case for commands.
		words.push("--parameter", "allowNewResourceModel=1", ...flags);
		const log = openSync(join(home.path, "log"), "w");
		const node = spawn(process.execPath, [program, ...words], {
			cwd: home.path,
			env: { PATH: process.env["PATH"] ?? "", HOME: home.path },
			stdio: ["ignore", "ignore", log],
		});
		closeSync(log);
		const chain = new DevelopmentChain(home, node);
		chain.ports = await chain.readPorts(ready);
		chain.prepare(chain.ports);
		return chain;
	}

	private async readPorts(ready: string): Promise<Ports> {
		const said = (): string =>
			readFileSync(join(this.home.path, "log"), "utf8").trim().split("\n").at(-1) ?? "";
		return (await readyFile<{ ports: Ports }>(this.node, ready, said)).ports;
	}

	private prepare({ full, solidity, jsonrpc, gateway, grpc, grpcSolidity }: Ports): void {
		const keystore = join(this.home.path, "keystore");
		for (const [name, key] of KEYS) writeCheapKey(keystore, name, key, "password");
		const config = `profile = here
			wallet = ann
			keystoreDir = "${keystore}"
			passwordFile = "${this.home.write("password", "password")}"
			profiles.here { http = "http://127.0.0.1:${full}", solidity = "http://127.0.0.1:${solidity}", jsonrpc = "http://127.0.0.1:${jsonrpc}/jsonrpc", grpc = "127.0.0.1:${grpc}", grpcSolidity = "127.0.0.1:${grpcSolidity}", gateway = "http://127.0.0.1:${gateway}" }
			profiles.plain { http = "http://127.0.0.1:${full}", jsonrpc = "http://127.0.0.1:${jsonrpc}/jsonrpc" }`;
		this.gateway = `http://127.0.0.1:${gateway}`;
		this.environment = { COIN_CONFIG: this.home.write("wallet.conf", config) };
	}

	/** Variables that make commands use this chain and its keys. */
	environment: Record<string, string> = {};
	ports: Ports = { full: 0, solidity: 0, jsonrpc: 0, gateway: 0, grpc: 0, grpcSolidity: 0 };
	/** Address of the one port for everything. */
	gateway = "";

	/** Ends the node; what it has written stays. */
	async end(): Promise<void> {
		if (this.node.exitCode !== null) return;
		const closed = new Promise((resolve) => this.node.once("close", resolve));
		this.node.kill("SIGTERM");
		await closed;
	}

	async stop(): Promise<void> {
		await this.end();
		this.home.remove();
	}

	/** Command lines share no modules: for what each of them has to load by itself, which the one before may have done. */
	withFreshModules(): this {
		let count = 0;
		const home = this.home.run.bind(this.home);
		this.home.run = (words, stdin, environment) =>
			home(words, stdin, { ...environment, LINE: String(count++) });
		return this;
	}

	/** Runs a command line; words are separated by blanks, or given one by one. */
	coin(line: string | readonly string[], stdin?: string): Promise<Outcome> {
		return this.home.run(typeof line === "string" ? line.split(" ") : line, stdin, this.environment);
	}

	/** Starts a command line that the test will interrupt. */
	begin(line: string): ReturnType<Home["start"]> {
		return this.home.start(line.split(" "), "", this.environment);
	}

	/** Lines that have done already what they are for. */
	async idles(...lines: readonly string[]): Promise<void> {
		for (const line of lines)
			expect([line, await this.value(line)]).toMatchObject([line, { state: "nothing to do" }]);
	}

	/** An acting command that succeeds for good: one line of JSON, nothing on standard error. */
	async acts(line: string | readonly string[]): Promise<Json> {
		const words = [...(typeof line === "string" ? line.split(" ") : line), "--wait"];
		const { code, stdout, stderr } = await this.coin(words);
		expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
		const [first, rest] = stdout.split("\n");
		expect(rest).toBe("");
		const result = JSON.parse(first as string) as Json;
		expect(result).toMatchObject({ state: "solid", result: "SUCCESS" });
		return result;
	}

	/** What a command prints for people. */
	async prints(line: string | readonly string[]): Promise<string> {
		const { code, stdout, stderr } = await this.coin(line);
		// Whatever changes the chain says which one that was, and no other line.
		const unexpected = stderr.replace(
			/^on the chain [0-9a-f]{8} at 127\.0\.0\.1:\d+\n((took the snapshot|sealed block|waiting transactions) .*\n)?$/,
			"",
		);
		expect({ line, code, unexpected }).toEqual({ line, code: 0, unexpected: "" });
		return stdout;
	}

	/** The values of a query under --json: one a line. */
	async values(line: string): Promise<unknown[]> {
		const stdout = await this.prints(`${line} --json`);
		expect(stdout === "" || stdout.endsWith("\n")).toBe(true);
		return stdout
			.split("\n")
			.slice(0, -1)
			.map((row) => JSON.parse(row) as unknown);
	}

	/** The only value of a query under --json. */
	async value(line: string): Promise<unknown> {
		const values = await this.values(line);
		expect(values).toHaveLength(1);
		return values[0];
	}

	/** A command that fails: nothing on standard output, one error record. */
	async fails(line: string | readonly string[], exit: 1 | 2): Promise<Json> {
		const words = typeof line === "string" ? line.split(" ") : line;
		const outcome = await this.coin(words.includes("--json") ? words : [...words, "--json"]);
		expect({ words, code: outcome.code, stdout: outcome.stdout }).toEqual({ words, code: exit, stdout: "" });
		return errorRecord(outcome);
	}
}

/** A command line that fails, its exit code, and what its error record holds. */
export type Refusal = readonly [line: string, exit: 1 | 2, error: Json];
