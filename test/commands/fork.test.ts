/** A development chain on the state of another one, each in a process of its own. */

import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readyFile } from "./awaited.js";
import { Home } from "./coin-process.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

/** With 32 bytes it answers the slot of that number, with 64 it writes the second word to the slot of the first. */
const STORE = "0x3660401460135760003554600052602060 00f35b602035600035 5500".replaceAll(" ", "");
const CONTRACT = "0x00000000000000000000000000000000000c0de1";
const OTHER = "0x00000000000000000000000000000000000c0de2";
const NOBODY = "0x000000000000000000000000000000000000beef";

const word = (value: number | bigint): string => value.toString(16).padStart(64, "0");

interface Reply {
	readonly result?: unknown;
	readonly error?: { readonly message: string };
}

class Chain {
	private constructor(
		private readonly child: ChildProcess,
		readonly port: number,
		readonly genesis: string,
		readonly output: () => string,
	) {}

	static async start(home: Home, ...words: readonly string[]): Promise<Chain> {
		const file = join(home.path, `ready-${Math.random()}`);
		const all = ["node", "start", "--ready-file", file, "--port", "0", "--log-format", "json", ...words];
		const child = spawn(process.execPath, [program, ...all], {
			cwd: home.path,
			env: { PATH: process.env["PATH"] ?? "", HOME: home.path },
		});
		let output = "";
		for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
		const ready = await readyFile<{ ports: { gateway: number }; genesis: string }>(child, file, () => output);
		return new Chain(child, ready.ports.gateway, ready.genesis, () => output);
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async reply(method: string, ...params: readonly unknown[]): Promise<Reply> {
		const response = await fetch(`${this.url}/jsonrpc`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		});
		return (await response.json()) as Reply;
	}

	async rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
		const { result, error } = await this.reply(method, ...params);
		if (error) throw new Error(error.message);
		return result;
	}

	async http(path: string, body: object): Promise<Record<string, unknown>> {
		const response = await fetch(`${this.url}${path}`, { method: "POST", body: JSON.stringify(body) });
		return (await response.json()) as Record<string, unknown>;
	}

	slot(slot: number, contract = CONTRACT): Promise<unknown> {
		return this.rpc("eth_call", { to: contract, data: `0x${word(slot)}` }, "latest");
	}

	setSlot(slot: number, value: number, contract = CONTRACT): Promise<unknown> {
		return this.rpc("hardhat_setStorageAt", contract, `0x${word(slot)}`, `0x${word(value)}`);
	}

	async stop(): Promise<number | null> {
		if (this.child.exitCode !== null) return this.child.exitCode;
		const closed = new Promise<number | null>((resolve) => this.child.once("close", resolve));
		this.child.kill("SIGTERM");
		return closed;
	}
}

describe("a fork of a node of this program", () => {
	const home = new Home();
	const running: Chain[] = [];
	const start = async (...words: readonly string[]): Promise<Chain> => {
		const chain = await Chain.start(home, ...words);
		running.push(chain);
		return chain;
	};
	let source: Chain;
	let fork: Chain;

	beforeAll(async () => {
		source = await start();
		for (const contract of [CONTRACT, OTHER]) await source.rpc("hardhat_setCode", contract, STORE);
		for (let slot = 1; slot <= 9; slot++) await source.setSlot(slot, 100 + slot);
		await source.setSlot(1, 7, OTHER);
		await source.rpc("hardhat_setBalance", NOBODY, "0x123456");
		await source.rpc("hardhat_mine", "0x3");
		fork = await start("-d", "fork", "--fork-url", source.url);
	});
	afterAll(async () => {
		await Promise.all(running.map((chain) => chain.stop()));
		home.remove();
	});

	test("is the same chain one block later: genesis, chain id, blocks before, calls and balances", async () => {
		expect(fork.genesis).toBe(source.genesis);
		expect(await fork.rpc("eth_chainId")).toBe(await source.rpc("eth_chainId"));
		expect(await fork.rpc("eth_blockNumber")).toBe("0x5");
		for (const num of [0, 1, 4]) {
			expect(await fork.http("/wallet/getblockbynum", { num })).toEqual(
				await source.http("/wallet/getblockbynum", { num }),
			);
		}
		for (const slot of [1, 2, 3, 77]) expect(await fork.slot(slot)).toBe(await source.slot(slot));
		expect(await fork.slot(1)).toBe(`0x${word(101)}`);
		expect(await fork.rpc("eth_getBalance", NOBODY, "latest")).toBe("0x123456");
		const parameters = await source.http("/wallet/getchainparameters", {});
		expect(await fork.http("/wallet/getchainparameters", {})).toEqual(parameters);
	});

	test("has no balance of an account at a block before it, rather than a wrong one", async () => {
		const { blockID } = (await fork.http("/wallet/getblockbynum", { num: 4 })) as { blockID: string };
		const answer = await fork.http("/wallet/getaccountbalance", {
			account_identifier: { address: `41${NOBODY.slice(2)}` },
			block_identifier: { hash: blockID, number: 4 },
		});
		expect(JSON.stringify(answer)).toContain("this fork has no balance of the account at block 4");
	});

	test("doesn't see what the source does afterwards, nor the source what the fork does", async () => {
		// What is written by hand belongs to the block before it.
		await source.rpc("hardhat_mine", "0x1");
		await source.setSlot(4, 999);
		await source.rpc("hardhat_setBalance", NOBODY, "0x1");
		await source.rpc("hardhat_mine", "0x5");
		expect(await fork.slot(4)).toBe(`0x${word(104)}`);
		await fork.setSlot(2, 555);
		expect(await fork.slot(2)).toBe(`0x${word(555)}`);
		expect(await source.slot(2)).toBe(`0x${word(102)}`);
		// A slot that the fork empties stays empty, though the source has it.
		await fork.setSlot(3, 0);
		expect(await fork.slot(3)).toBe(`0x${word(0)}`);
	});

	test("everything of a development chain works: others' accounts, snapshots, time, mining, balances, starting over", async () => {
		const id = await fork.rpc("evm_snapshot");
		await fork.rpc("hardhat_setBalance", NOBODY, "0x3b9aca00");
		await fork.rpc("hardhat_impersonateAccount", NOBODY);
		const data = `0x${word(5)}${word(42)}`;
		const hash = await fork.rpc("eth_sendTransaction", { from: NOBODY, to: CONTRACT, data });
		expect(await fork.rpc("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
		expect(await fork.slot(5)).toBe(`0x${word(42)}`);
		const before = Number(await fork.rpc("eth_blockNumber"));
		await fork.rpc("evm_increaseTime", 86_400);
		await fork.rpc("hardhat_mine", "0x2");
		expect(Number(await fork.rpc("eth_blockNumber"))).toBe(before + 2);
		// The day's end brings the maintenance, over the source's witnesses.
		const { witnesses } = await fork.http("/wallet/listwitnesses", {});
		expect(witnesses).toHaveLength(1);
		expect(await fork.rpc("evm_revert", id)).toBe(true);
		expect(await fork.slot(5)).toBe(`0x${word(105)}`);
		expect(await fork.rpc("eth_getBalance", NOBODY, "latest")).toBe("0x123456");
		await fork.rpc("hardhat_reset");
		expect(await fork.slot(2)).toBe(`0x${word(102)}`);
		await fork.setSlot(2, 555);
		await fork.setSlot(3, 0);
	});

	test("the state of a fork is not written to a file", async () => {
		expect((await fork.reply("anvil_dumpState")).error?.message).toContain("a fork's state can't be a file");
	});

	test("a fork of a fork goes on with what either has", async () => {
		const second = await start("--fork-url", `${fork.url}/jsonrpc`);
		for (const slot of [1, 2, 3, 6]) expect(await second.slot(slot)).toBe(await fork.slot(slot));
		await second.stop();
	});

	test("without its source, what was read works, and the rest says so; nothing wrong is kept", async () => {
		await source.stop();
		expect(await fork.slot(1)).toBe(`0x${word(101)}`);
		expect(await fork.slot(2)).toBe(`0x${word(555)}`);
		const { error } = await fork.reply("eth_call", { to: OTHER, data: `0x${word(1)}` }, "latest");
		expect(error?.message).toMatch(/the fork's source http:\/\/127\.0\.0\.1:\d+ can't be read: ECONNREFUSED/);
		// Blocks come all the same.
		const before = Number(await fork.rpc("eth_blockNumber"));
		await fork.rpc("hardhat_mine", "0x2");
		expect(Number(await fork.rpc("eth_blockNumber"))).toBe(before + 2);
	});

	test("goes on from its directory without the source, and with it at another place", async () => {
		const head = await fork.rpc("eth_blockNumber");
		expect(await fork.stop()).toBe(0);
		fork = await start("-d", "fork");
		expect(await fork.rpc("eth_blockNumber")).toBe(head);
		expect(await fork.slot(1)).toBe(`0x${word(101)}`);
		expect(await fork.slot(2)).toBe(`0x${word(555)}`);
		expect(await fork.slot(3)).toBe(`0x${word(0)}`);
		expect(
			(await fork.reply("eth_call", { to: OTHER, data: `0x${word(1)}` }, "latest")).error?.message,
		).toContain("can't be read");
		await fork.stop();
	});

	test("options that can't be are refused", async () => {
		for (const [words, text] of [
			[["--fork-url", "nowhere"], "is not an address"],
			[["--fork-url", `http://user:secret@127.0.0.1:${source.port}/key`], "can't be read: ECONNREFUSED"],
			[["--fork-block", "1"], "--fork-block needs --fork-url"],
			[
				["--fork-url", "http://127.0.0.1:1", "--maintenance", "1h"],
				"--maintenance can't be given for a fork",
			],
			[["-d", "fork", "--accounts", "3"], "--accounts can't be given again"],
			[["-d", "fork", "--fork-block", "77"], "forks block 4, not 77"],
		] as const) {
			const refusal = await start(...words).then(
				() => "it started",
				(error: Error) => error.message,
			);
			expect(refusal).toContain(text);
			expect(refusal).not.toMatch(/secret|\/key/);
		}
	});
});

describe("a fork of a node that gives no state", () => {
	const home = new Home();
	const running: Chain[] = [];
	afterAll(async () => {
		await Promise.all(running.map((chain) => chain.stop()));
		home.remove();
	});

	test("has what its public queries tell, at its head, and says at the start what they can't", async () => {
		const source = await Chain.start(home);
		running.push(source);
		await source.rpc("hardhat_setCode", CONTRACT, STORE);
		for (let slot = 1; slot <= 4; slot++) await source.setSlot(slot, 100 + slot);
		await source.rpc("hardhat_setBalance", NOBODY, "0x123456");
		await source.rpc("hardhat_mine", "0x3");
		const [http, rpc] = [
			await withoutState(source.url, "/wallet"),
			await withoutState(source.url, "/jsonrpc"),
		];
		const fork = await Chain.start(home, "--fork-url", http, "--fork-jsonrpc-url", `${rpc}/jsonrpc`);
		running.push(fork);
		expect(fork.output()).toContain("not as it was at one block");
		expect(fork.output()).toContain("can't be had: they are not there");
		expect(fork.genesis).toBe(source.genesis);
		for (const num of [0, 2, 4]) {
			expect(await fork.http("/wallet/getblockbynum", { num })).toEqual(
				await source.http("/wallet/getblockbynum", { num }),
			);
		}
		for (const slot of [1, 2, 77]) expect(await fork.slot(slot)).toBe(await source.slot(slot));
		expect(await fork.rpc("eth_getBalance", NOBODY, "latest")).toBe("0x123456");
		const contract = { value: `41${CONTRACT.slice(2)}` };
		expect(await fork.http("/wallet/getcontract", contract)).toEqual(
			await source.http("/wallet/getcontract", contract),
		);
		for (const path of ["getchainparameters", "getburntrx", "listexchanges"]) {
			expect(await fork.http(`/wallet/${path}`, {})).toEqual(await source.http(`/wallet/${path}`, {}));
		}
		await fork.rpc("hardhat_setBalance", NOBODY, "0x3b9aca00");
		await fork.rpc("hardhat_impersonateAccount", NOBODY);
		const data = `0x${word(2)}${word(42)}`;
		const hash = await fork.rpc("eth_sendTransaction", { from: NOBODY, to: CONTRACT, data });
		expect(await fork.rpc("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
		expect(await fork.slot(2)).toBe(`0x${word(42)}`);
		expect(await source.slot(2)).toBe(`0x${word(102)}`);
		await source.setSlot(3, 999);
		expect(await fork.slot(3)).toBe(`0x${word(999)}`);
		await fork.rpc("evm_increaseTime", 86_400);
		await fork.rpc("hardhat_mine", "0x1");
		expect((await fork.http("/wallet/listwitnesses", {}))["witnesses"]).toHaveLength(1);
		await expect(
			Chain.start(home, "--fork-url", http, "--fork-jsonrpc-url", `${http}/jsonrpc`),
		).rejects.toThrow(/--fork-jsonrpc-url is not of the forked chain: .* status 405/);
	});
});

/** The same node without the methods that give its state, with one of its interfaces alone, as a reference node is on each of its ports. */
async function withoutState(url: string, only: "/wallet" | "/jsonrpc"): Promise<string> {
	const server = createServer((request, response) => {
		let body = "";
		request.on("data", (bytes: Buffer) => {
			body += bytes.toString();
		});
		request.on("end", () => {
			if (!request.url?.startsWith(only)) {
				response.statusCode = 405;
				response.end();
				return;
			}
			if (body.includes("coin_getState")) {
				response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}');
				return;
			}
			void fetch(url + request.url, { method: "POST", body }).then(async (answer) => {
				response.end(await answer.text());
			});
		});
	});
	server.unref();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
