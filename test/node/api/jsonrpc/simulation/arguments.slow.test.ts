/** Simulations that are asked for in odd ways, of past blocks, and beyond their limits. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toHex } from "../../../../../src/protocol/bytes.js";
import { users } from "../../../chain/small-chain.js";
import { DevelopmentNode } from "../../development/development-node.js";
import { type PastChain, startPastChain } from "../../past-chain.js";

/** Numbers that look random, the same in each run. */
function sequence(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return Math.floor((state / 2_147_483_648) * below);
	};
}

describe("arguments that make no sense", () => {
	let chain: DevelopmentNode;
	beforeAll(async () => {
		chain = await DevelopmentNode.start();
	});
	afterAll(() => chain.stop());

	it("are refused or executed, and none of it is a fault of the program", async () => {
		const random = sequence(20_261_123);
		const one = <T>(list: readonly T[]): T => list[random(list.length)] as T;
		const [ann, bob] = [0, 1].map((n) => chain.account(n).hex) as [string, string];
		const bare = (hex: string): string => `0x${hex.slice(2)}`;
		const words = [
			...[bare(ann), bob, chain.account(2).address, "latest", "0x0", "0x5", "7", "60016000556001600055"],
			...["0x", "", "0xzz", "-1", "9".repeat(80), `0x${"ff".repeat(32)}`, "TransferContract", "ENERGY"],
		];
		const leaf = (): unknown =>
			one([null, true, false, 0, -1, 1.5, 1e300, 2 ** 60, ...words, ...words, {}, []] as unknown[]);
		const some = (members: readonly string[], depth: number): object =>
			Object.fromEntries(
				Array.from({ length: random(4) }, () => {
					const name = one(members);
					return [name, value(name, depth + 1)];
				}),
			);
		const account = "balance code state stateDiff tokens stakes permissions nonce".split(" ");
		const shapes: Readonly<Record<string, (depth: number) => unknown>> = {
			blockStateCalls: (depth) => [some(["blockOverrides", "stateOverrides", "calls"], depth)],
			blocks: (depth) => [some(["number", "timestamp", "witness", "accounts", "transactions"], depth)],
			blockOverrides: (depth) =>
				some("number time feeRecipient gasLimit baseFeePerGas prevRandao".split(" "), depth),
			stateOverrides: (depth) => ({ [one([bare(ann), bare(bob)])]: some(account, depth) }),
			accounts: (depth) => ({ [one([ann, chain.account(1).address])]: some(account, depth) }),
			calls: (depth) => [some("from to value data input gas tokenId tokenValue".split(" "), depth)],
			transactions: (depth) => [
				some("type parameter raw_data raw_data_hex signature fee_limit data".split(" "), depth),
				{
					type: one(["TransferContract", "FreezeBalanceV2Contract", "CreateSmartContract"]),
					parameter: some(
						"owner_address to_address amount frozen_balance resource new_contract".split(" "),
						depth,
					),
				},
			],
			stateDiff: () => ({ [one(words)]: one(words) }),
			state: () => ({ [one(words)]: one(words) }),
			tokens: () => ({ [one(words)]: leaf() }),
			stakes: () => ({ bandwidth: leaf(), energy: leaf() }),
			permissions: () => ({ owner: { threshold: leaf(), keys: [{ address: one(words), weight: leaf() }] } }),
		};
		const value = (name: string, depth: number): unknown => {
			const shape = shapes[name];
			return shape && depth < 6 && random(8) > 0 ? shape(depth) : leaf();
		};
		let executed = 0;
		for (let i = 0; i < 400; i++) {
			const isEthereum = random(2) === 0;
			const list = isEthereum ? "blockStateCalls" : "blocks";
			const flags = ["validation", "visible", "traceTransfers", "returnFullTransactions", "changes"];
			const simulation = { [list]: value(list, 0), ...(random(2) ? { [one(flags)]: random(9) > 0 } : {}) };
			const name = isEthereum ? "eth_simulateV1" : "coin_simulate";
			const params = random(20) === 0 ? [leaf()] : [simulation, ...(random(3) ? [] : [leaf()])];
			const answer = await chain.rpc(name, params, "/jsonrpc");
			const told = JSON.stringify({ name, params, error: answer.error });
			if (answer.error) expect(told).not.toMatch(/"code":-3260[13]|"code":-32001|TypeError|undefined/);
			else executed++;
		}
		expect(executed).toBeGreaterThan(20);
	});
});

describe("a node of a network", () => {
	const nodes: PastChain[] = [];
	const start = async (settings: string): Promise<PastChain> => {
		const chain = await startPastChain(`node.jsonrpc.simulate = true\n${settings}`);
		nodes.push(chain);
		return chain;
	};
	afterAll(() => Promise.all(nodes.map(({ node }) => node.close())));

	const ask = async ({ node }: PastChain, method: string, params: readonly unknown[]) => {
		const answer = await fetch(`http://127.0.0.1:${node.ports.jsonrpc}/jsonrpc`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		});
		return (await answer.json()) as { result?: unknown; error?: { code: number; message: string } };
	};
	const word = (n: bigint | number): string => n.toString(16).padStart(64, "0");

	it("stands on any block whose state it keeps, and says which setting keeps more", async () => {
		const kept = await start('node.history.state = "all"');
		const call = { to: `0x${toHex(kept.contract.subarray(1))}` };
		const at = (number: bigint) => [{ blockStateCalls: [{ calls: [call] }] }, `0x${number.toString(16)}`];
		for (const number of [kept.deployed + 1n, kept.deployed + 7n]) {
			const { result } = await ask(kept, "eth_simulateV1", at(number));
			// The number of its block, what slot 0 held then, and its time.
			const returned = (result as { calls: { returnData: string }[] }[])[0]?.calls[0]?.returnData;
			expect(returned?.slice(2, 130)).toBe(word(number + 1n) + word(number - kept.deployed));
			const past = await ask(kept, "eth_call", [
				call,
				`0x${number.toString(16)}`,
				{ [call.to]: { stateDiff: { "0x0": `0x${word(99)}` } } },
			]);
			expect(String(past.result).slice(2, 130)).toBe(word(number) + word(99));
		}
		const without = await start("");
		expect((await ask(without, "eth_simulateV1", at(2n))).error).toMatchObject({
			code: -32000,
			message: expect.stringMatching(/the state of block 2 is gone: node\.history\.state/),
		});
	});

	it("ends an answer that would be longer than answers may be", async () => {
		const short = await start("node.jsonrpc.maxResponseSize = 20000");
		const to = `0x${toHex((users[1] as Uint8Array).subarray(1))}`;
		const calls = Array.from({ length: 50 }, () => ({ to }));
		expect((await ask(short, "eth_simulateV1", [{ blockStateCalls: [{ calls }] }])).error).toMatchObject({
			code: -32000,
			message: "the simulation is longer than 20000 bytes (node.jsonrpc.maxResponseSize)",
		});
		const transactions = Array.from({ length: 100 }, () => ({
			type: "TransferContract",
			parameter: {
				owner_address: toHex(users[0] as Uint8Array),
				to_address: toHex(users[1] as Uint8Array),
				amount: 1,
			},
		}));
		expect((await ask(short, "coin_simulate", [{ blocks: [{ transactions }] }])).error).toMatchObject({
			code: -32000,
			message: expect.stringContaining("the simulation is longer than"),
		});
	});
});
