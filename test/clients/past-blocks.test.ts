/** States of past blocks and traces as viem, ethers and the network's web library ask for them, unmodified. */

import { Contract, JsonRpcProvider } from "ethers";
import { createPublicClient, type Hex, http, type PublicClient } from "viem";
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
let viem: PublicClient;
let ethers: JsonRpcProvider;
let [ann, bob]: readonly Hex[] = [];
/** The blocks of the deployment and of the payment of 7. */
let deployed = 0n;
let paid = 0n;

beforeAll(async () => {
	chain = await startTronWebChain();
	[ann, bob] = chain.people.map(({ hex }): Hex => `0x${hex.slice(2)}`);
	contract = await deployCoupon(chain);
	viem = createPublicClient({ transport: http(chain.jsonrpc, { retryCount: 0 }) });
	ethers = new JsonRpcProvider(chain.jsonrpc, undefined, { batchMaxCount: 1 });
	paid = await viem.getBlockNumber();
	deployed = paid - 1n;
	await chain.act(chain.web.transactionBuilder.sendTrx(chain.people[1]?.address ?? "", 5));
});
afterAll(async () => {
	ethers.destroy();
	await chain.close();
});

const balanceOf = (who: Hex | undefined) => ({
	address: contract.address20,
	abi: coupon.abi as never,
	functionName: "balanceOf",
	args: [who],
});

describe("viem reads at a block", () => {
	it("balances and code", async () => {
		const address = bob as Hex;
		const [before, after] = await Promise.all([
			viem.getBalance({ address, blockNumber: paid }),
			viem.getBalance({ address }),
		]);
		expect(after - before).toBe(5n);
		const code = { address: contract.address20 };
		expect(await viem.getCode({ ...code, blockNumber: deployed - 1n })).toBeUndefined();
		expect(await viem.getCode({ ...code, blockNumber: deployed })).toMatch(/^0x[0-9a-f]{100,}$/);
	});

	it("what contracts answer, and what a call costs there", async () => {
		expect(await viem.readContract({ ...balanceOf(bob), blockNumber: deployed } as never)).toBe(0n);
		expect(await viem.readContract({ ...balanceOf(bob), blockNumber: paid } as never)).toBe(7n);
		expect(await viem.readContract({ ...balanceOf(ann), blockTag: "finalized" } as never)).toBe(999_993n);
		const call = { account: ann, ...balanceOf(bob), functionName: "transfer", args: [bob, 1] };
		const first = await viem.estimateContractGas({ ...call, blockNumber: deployed } as never);
		const later = await viem.estimateContractGas({ ...call, blockNumber: paid } as never);
		// The first payment to somebody pays for a slot.
		expect(first - later).toBeGreaterThan(10_000n);
	});

	it("storage", async () => {
		const slots = await Promise.all(
			[deployed - 1n, deployed].map((blockNumber) =>
				viem.getStorageAt({ address: contract.address20, slot: "0x0", blockNumber }),
			),
		);
		expect(BigInt(slots[0] ?? "0x0")).toBe(0n);
		expect(BigInt(slots[1] ?? "0x0")).toBeGreaterThan(0n);
	});

	it("and is told which blocks are not there", async () => {
		await expect(viem.getBalance({ address: bob as Hex, blockNumber: 999_999n })).rejects.toThrow();
	});
});

describe("viem's transport traces", () => {
	const trace = (options: object): Promise<Record<string, unknown>> =>
		viem.request({ method: "debug_traceTransaction", params: [contract.payment, options] } as never);

	it("a transaction as calls, and as what it changed", async () => {
		expect(await trace({ tracer: "callTracer", tracerConfig: { withLog: true } })).toMatchObject({
			type: "CALL",
			from: ann,
			to: contract.address20,
			logs: [{ address: contract.address20 }],
		});
		const changed = await trace({ tracer: "prestateTracer", tracerConfig: { diffMode: true } });
		expect(Object.keys(changed)).toEqual(expect.arrayContaining(["pre", "post"]));
	});

	it("a call at a block", async () => {
		const options = { tracer: "callTracer" };
		const call = { from: ann, to: contract.address20, data: "0x06fdde03" };
		const params = [call, `0x${paid.toString(16)}`, options];
		expect(await viem.request({ method: "debug_traceCall", params } as never)).toMatchObject({
			type: "CALL",
			output: expect.stringContaining(Buffer.from("Coupon").toString("hex")),
		});
	});
});

describe("ethers", () => {
	it("reads at a block", async () => {
		const address = bob as string;
		const now = await ethers.getBalance(address);
		expect(now - (await ethers.getBalance(address, Number(paid)))).toBe(5n);
		expect(await ethers.getCode(contract.address20, Number(deployed) - 1)).toBe("0x");
		const instance = new Contract(contract.address20, coupon.abi as never, ethers);
		const balance = instance.getFunction("balanceOf");
		expect(await balance(bob, { blockTag: Number(deployed) })).toBe(0n);
		expect(await balance(bob, { blockTag: Number(paid) })).toBe(7n);
		expect(await balance(bob, { blockTag: "finalized" })).toBe(7n);
	});

	it("traces by its own requests", async () => {
		const traced = await ethers.send("debug_traceTransaction", [contract.payment, { tracer: "callTracer" }]);
		expect(traced).toMatchObject({ type: "CALL", to: contract.address20 });
		const steps = await ethers.send("debug_traceTransaction", [contract.payment, {}]);
		expect(steps.structLogs.length).toBeGreaterThan(50);
		const flat = await ethers.send("trace_transaction", [contract.payment]);
		expect(flat).toMatchObject([{ type: "call", action: { to: contract.address20 } }]);
	});
});

describe("the network's web library", () => {
	it("reads accounts and contracts at a block through its own requests", async () => {
		const { web, people } = chain;
		const account = (block?: number): Promise<{ balance: number }> =>
			web.fullNode.request(
				"wallet/getaccount",
				{ address: people[1]?.hex, ...(block ? { block } : {}) },
				"post",
			);
		expect((await account()).balance - (await account(Number(paid))).balance).toBe(5);
		const asked = {
			owner_address: people[0]?.hex,
			contract_address: `41${contract.address20.slice(2)}`,
			function_selector: "balanceOf(address)",
			parameter: (people[1]?.hex.slice(2) ?? "").padStart(64, "0"),
		};
		const balance = async (block: number): Promise<bigint> => {
			const answer = await web.fullNode.request<{ constant_result: string[] }>(
				"wallet/triggerconstantcontract",
				{ ...asked, block },
				"post",
			);
			return BigInt(`0x${answer.constant_result[0]}`);
		};
		expect(await balance(Number(deployed))).toBe(0n);
		expect(await balance(Number(paid))).toBe(7n);
	});
});
