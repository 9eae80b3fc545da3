/** viem's simulations, unmodified, against a development chain. */

import { type Abi, createPublicClient, type Hex, http, type PublicClient } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
	coupon,
	type DeployedCoupon,
	deployCoupon,
	startTronWebChain,
	type TronWebChain,
} from "./tronweb-chain.js";

let chain: TronWebChain;
let contract: DeployedCoupon;
let client: PublicClient;
let [ann, bob]: readonly Hex[] = [];
const abi = coupon.abi as unknown as Abi;

beforeAll(async () => {
	chain = await startTronWebChain();
	[ann, bob] = chain.people.map(({ hex }): Hex => `0x${hex.slice(2)}`);
	contract = await deployCoupon(chain);
	client = createPublicClient({ transport: http(chain.jsonrpc, { retryCount: 0 }) });
});
afterAll(() => chain.close());

const transfer = (amount: bigint, to = bob) => ({
	to: contract.address20,
	abi,
	functionName: "transfer",
	args: [to, amount],
});
const balanceOf = (who: Hex | undefined) => ({
	to: contract.address20,
	abi,
	functionName: "balanceOf",
	args: [who],
});

describe("viem simulates", () => {
	it("calls one after the other", async () => {
		const { results, block } = await client.simulateCalls({
			account: ann as Hex,
			calls: [transfer(5n), balanceOf(bob), { to: bob as Hex, value: 3n }] as never,
		});
		expect(results).toMatchObject([
			{ status: "success", result: true, logs: [{ address: contract.address20 }] },
			{ status: "success", result: 12n },
			{ status: "success", data: "0x" },
		]);
		expect((results as readonly { gasUsed: bigint }[])[0]?.gasUsed).toBeGreaterThan(5_000n);
		expect(block.number).toBe((await client.getBlockNumber()) + 1n);
	});

	it("and tells what its account gains and loses", async () => {
		const { assetChanges } = await client.simulateCalls({
			account: ann as Hex,
			calls: [transfer(5n), { to: bob as Hex, value: 3n }] as never,
			traceAssetChanges: true,
		});
		expect(assetChanges).toMatchObject([
			{ token: { symbol: "ETH" }, value: { diff: -3n } },
			{ token: { address: contract.address20 }, value: { pre: 999_993n, post: 999_988n, diff: -5n } },
		]);
	});

	it("blocks with times, accounts and failures of their own", async () => {
		const [, later] = await client.simulateBlocks({
			blocks: [
				{ calls: [{ account: ann as Hex, ...transfer(9n) }] },
				{
					blockOverrides: { time: 4_000_000_000n },
					stateOverrides: [{ address: bob as Hex, balance: 77n }],
					calls: [
						{ account: bob as Hex, ...transfer(16n, ann) },
						{ account: bob as Hex, ...transfer(1n, ann) },
						{ account: bob as Hex, to: ann as Hex, value: 70n },
					],
				},
			] as never,
			traceTransfers: true,
		});
		expect(later?.timestamp).toBe(4_000_000_000n);
		expect((later?.calls as { status: string }[] | undefined)?.map(({ status }) => status)).toEqual([
			"success",
			"failure",
			"success",
		]);
		await expect(
			client.simulateBlocks({
				blocks: [{ calls: [{ account: `0x${"12".repeat(20)}`, to: bob as Hex, value: 5n }] }],
			}),
		).rejects.toThrow("insufficient funds");
	});

	it("calls on other states", async () => {
		const override = { address: bob as Hex, code: "0x47600052600a60205260406000f3" as Hex, balance: 8n };
		const { data } = await client.call({ to: bob as Hex, stateOverride: [override] });
		expect(data).toBe(`0x${"8".padStart(64, "0")}${"a".padStart(64, "0")}`);
	});
});
