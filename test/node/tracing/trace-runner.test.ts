import { describe, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { createContractMachine } from "../../../src/node/contract-runner.js";
import {
	agrees,
	type TracedTransaction,
	TraceRunner,
	type Tracer,
} from "../../../src/node/tracing/trace-runner.js";
import { ResourceReceipt, TransactionInfo } from "../../../src/protocol/messages.js";
import {
	balance,
	openSmall,
	produce,
	produceMany,
	smallConfig,
	transfer,
	users,
} from "../chain/small-chain.js";

const receiver = users[1] as Uint8Array;
const run = { queue: async <T>(work: () => T) => work(), timeoutMs: Number.POSITIVE_INFINITY };

const runner = (open: OpenChain): TraceRunner =>
	new TraceRunner(open, createContractMachine(smallConfig(), false), (error) => {
		throw error;
	});

/** What the receiver had before a transaction and after it. */
const balances = (): Tracer<readonly [bigint, bigint]> => ({
	observer: {},
	result: ({ before, after }: TracedTransaction) => [
		before.account.get(receiver)?.balance ?? 0n,
		after.account.get(receiver)?.balance ?? 0n,
	],
});

async function withTransfers(): Promise<OpenChain> {
	const open = await openSmall();
	for (const amount of [1n, 20n, 300n]) open.chain.pushTransaction(transfer(open, 0, receiver, amount));
	produce(open);
	return open;
}

describe("executing a transaction again", () => {
	test("finds the state that its predecessors in the block left, and keeps nothing", async () => {
		const open = await withTransfers();
		const block = open.chain.head;
		const now = balance(open, receiver);
		const start = now - 321n;
		produceMany(open, 2);
		expect(await runner(open).transaction({ block, position: 1 }, balances(), run)).toEqual([
			start + 1n,
			start + 21n,
		]);
		expect(await runner(open).block(block, balances, run)).toEqual([
			[start, start + 1n],
			[start + 1n, start + 21n],
			[start + 21n, now],
		]);
		expect(balance(open, receiver)).toBe(now);
		expect(runner(open).locate(block.transactions[2]?.id as Uint8Array)?.position).toBe(2);
		await open.close();
	});

	test("goes on while the chain does, until the block leaves it", async () => {
		const open = await withTransfers();
		const block = open.chain.head;
		let turns = 0;
		const moving = {
			...run,
			queue: async <T>(work: () => T) => {
				if (++turns === 2) produce(open);
				return work();
			},
		};
		expect(await runner(open).block(block, balances, moving)).toHaveLength(3);
		expect(turns).toBe(3);
		const other = await withTransfers();
		produce(other);
		await expect(
			runner(other).transaction({ block: other.chain.head, position: 0 }, balances(), run),
		).rejects.toThrow("has no transaction 0");
		produce(open, 3n);
		await expect(
			runner(other).transaction({ block: open.chain.head, position: 0 }, balances(), run),
		).rejects.toThrow("is no longer part of the chain");
		await Promise.all([open.close(), other.close()]);
	});

	test("says which setting keeps the state that is gone", async () => {
		const open = await withTransfers();
		const block = open.chain.head;
		produceMany(open, 12);
		await expect(runner(open).transaction({ block, position: 0 }, balances(), run)).rejects.toThrow(
			/the state of block 0 is gone: node\.history\.state/,
		);
		expect(() => runner(open).stateAt(0n)).toThrow("is gone");
		await open.close();
	});

	test("has to come to what was recorded", () => {
		const info = (energy: bigint, output: number): TransactionInfo =>
			TransactionInfo.create({
				receipt: ResourceReceipt.create({ energy_usage_total: energy }),
				contractResult: [Uint8Array.of(output)],
				resMessage: Uint8Array.of(output),
			});
		expect(agrees(info(5n, 1), info(5n, 1))).toBe(true);
		expect(agrees(info(5n, 1), info(6n, 1))).toBe(false);
		expect(agrees(info(5n, 1), info(5n, 2))).toBe(false);
	});
});
