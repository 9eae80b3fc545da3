/** Queries of the state after a block, at a node that keeps it and at one that doesn't. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toBase58Check } from "../../src/protocol/address.js";
import { type PastChain, startPastChain } from "../node/api/past-chain.js";
import { users } from "../node/chain/small-chain.js";
import { errorRecord, Home, type Outcome } from "./coin-process.js";

const [ann, bob] = users.map((address) => toBase58Check(address)) as [string, string];

let kept: PastChain;
let without: PastChain;
const home = new Home();
beforeAll(async () => {
	kept = await startPastChain('node.history.state = "all"');
	without = await startPastChain("");
});
afterAll(async () => {
	await Promise.all([kept.node.close(), without.node.close()]);
	home.remove();
});

function coin({ node }: PastChain, ...words: string[]): Promise<Outcome> {
	const { full, solidity, jsonrpc } = node.ports;
	const url = (port: number | undefined): string => `http://127.0.0.1:${port}`;
	const profile = `profiles.here { http = "${url(full)}", solidity = "${url(solidity)}", jsonrpc = "${url(jsonrpc)}/jsonrpc" }`;
	const config = home.write(`${full}.conf`, `profile = here\n${profile}`);
	return home.run([...words, "--config", config, "--json"]);
}

async function value(...words: string[]): Promise<unknown> {
	const { stdout, stderr, code } = await coin(kept, ...words);
	expect({ words, stderr, code }).toEqual({ words, stderr: "", code: 0 });
	return JSON.parse(stdout) as unknown;
}

const contract = (): string => toBase58Check(kept.contract);
const word = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;

describe("--block", () => {
	it("asks for accounts, resources and contracts as they were", async () => {
		const { deployed, balances } = kept;
		const [early, late] = [deployed + 1n, deployed + 5n].map(String) as [string, string];
		for (const block of [early, late]) {
			const expected = String(balances[Number(block)]);
			expect(await value("account", "balance", bob, "--block", block)).toBe(expected);
			expect(await value("account", "show", bob, "--block", block)).toMatchObject({ balance: expected });
		}
		expect(await value("account", "balance", bob, "--block", "head")).toBe(String(balances.at(-1)));
		expect(await value("contract", "storage", contract(), "0", "--block", late)).toBe(word(5));
		expect(await value("contract", "show", contract(), "--block", early)).toMatchObject({ codeSize: 31 });
		expect(await value("contract", "code", contract(), "--block", early)).toMatch(/^0x/);
		// It answers the number of its block, slot 0, and the time.
		const words = ["contract", "call", contract(), "--data", "0x", "--raw", "--block", late];
		const called = String(await value(...words));
		expect(called.slice(2, 130)).toBe(word(Number(late)).slice(2) + word(5).slice(2));
		const before = (await value("account", "resources", ann, "--block", "1")) as {
			bandwidth: { freeUsed: string };
		};
		const after = (await value("account", "resources", ann)) as typeof before;
		expect(BigInt(after.bandwidth.freeUsed)).toBeGreaterThan(BigInt(before.bandwidth.freeUsed));
	});

	it("says where there is nothing, and where nothing is kept", async () => {
		const missing = await coin(kept, "contract", "show", contract(), "--block", "1");
		expect(errorRecord(missing)).toMatchObject({ code: "not_found" });
		expect(errorRecord(await coin(kept, "account", "show", bob, "--block", "99999"))).toMatchObject({
			code: "not_found",
			message: "there is no block 99999",
		});
		expect(errorRecord(await coin(kept, "account", "show", bob, "--block", "soon"))).toMatchObject({
			code: "bad_value",
		});
		for (const words of [
			["account", "show", bob],
			["account", "resources", bob],
			["contract", "storage", contract(), "0"],
			["contract", "call", contract(), "get()"],
		]) {
			const failure = errorRecord(await coin(without, ...words, "--block", "3"));
			expect({ words, failure }).toMatchObject({
				failure: {
					code: "not_served",
					message: expect.stringContaining("keeps no state of past blocks"),
					hint: expect.stringContaining("node.history.state"),
				},
			});
		}
		// Balances have a history of their own.
		const { stdout } = await coin(without, "account", "balance", bob, "--block", "5");
		expect(JSON.parse(stdout)).toBe(String(without.balances[5]));
	});
});
