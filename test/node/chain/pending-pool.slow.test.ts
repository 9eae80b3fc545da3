import { describe, expect, test } from "vitest";
import { PendingPool, type PendingTransaction } from "../../../src/node/chain/pending-pool.js";
import { Transaction, TransactionRaw } from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";

const TIMEOUT_MS = 60_000n;

const transaction = (n: number): SignedTransaction =>
	new SignedTransaction(Transaction.create({ raw_data: TransactionRaw.create({ timestamp: BigInt(n) }) }));

const entry = (n: number, receivedMs = 0n, feeSun = 0n): PendingTransaction => ({
	transaction: transaction(n),
	receivedMs,
	feeSun,
});

const numbers = (entries: readonly PendingTransaction[]): bigint[] =>
	entries.map(({ transaction: { raw } }) => raw?.timestamp ?? -1n);

function takeAll(pool: PendingPool): bigint[] {
	const taken: PendingTransaction[] = [];
	for (let next = pool.takeForBlock(); next; next = pool.takeForBlock()) taken.push(next.entry);
	return numbers(taken);
}

describe("a pool in order of arrival", () => {
	test("gives pending transactions to a block before those that wait", () => {
		const pool = new PendingPool(TIMEOUT_MS, false);
		pool.addPending(entry(1));
		pool.requeue(0n);
		pool.addPending(entry(2));
		pool.addPending(entry(3));
		expect(takeAll(pool)).toEqual([2n, 3n, 1n]);
	});

	test("tells those that were executed on this head from those that wait", () => {
		const pool = new PendingPool(TIMEOUT_MS, false);
		pool.addPending(entry(1));
		pool.requeue(0n);
		pool.addPending(entry(2));
		expect([pool.takeForBlock()?.isPending, pool.takeForBlock()?.isPending]).toEqual([true, false]);
	});

	test("after a block lets older waiting ones, pending ones and popped ones wait, in this order", () => {
		const pool = new PendingPool(TIMEOUT_MS, false);
		pool.addPending(entry(1));
		pool.requeue(0n);
		pool.addPending(entry(2));
		pool.addPopped([transaction(3)], 0n);
		expect(pool.size).toBe(3);
		expect(pool.queued).toBe(2);
		expect(numbers(pool.all())).toEqual([2n, 1n, 3n]);
		expect(pool.requeue(0n)).toEqual([]);
		expect(numbers(pool.list())).toEqual([1n, 2n, 3n]);
		expect(pool.hasWaiting).toBe(true);
	});

	test.each([
		["waiting", 60_000n, true],
		["waiting", 60_001n, false],
		["pending", 59_999n, true],
		["pending", 60_000n, false],
		["popped", 59_999n, true],
		["popped", 60_000n, false],
	])("keeps a %s transaction of age %d: %s", (queue, ageMs, kept) => {
		const pool = new PendingPool(TIMEOUT_MS, false);
		if (queue === "popped") pool.addPopped([transaction(1)], 0n);
		else pool.addPending(entry(1));
		if (queue === "waiting") pool.requeue(0n);
		expect(numbers(pool.requeue(ageMs))).toEqual(kept ? [] : [1n]);
		expect(pool.size).toBe(kept ? 1 : 0);
	});

	test("puts back what a block could not use before everything that waits", () => {
		const pool = new PendingPool(TIMEOUT_MS, false);
		for (const n of [1, 2, 3]) pool.addPending(entry(n));
		pool.requeue(0n);
		pool.giveBack([1, 2].map(() => pool.takeForBlock()?.entry as PendingTransaction));
		expect(takeAll(pool)).toEqual([1n, 2n, 3n]);
	});

	test("finds a transaction by its id, pending or waiting", () => {
		const pool = new PendingPool(TIMEOUT_MS, false);
		pool.addPending(entry(1));
		pool.requeue(0n);
		pool.addPending(entry(2));
		expect(pool.find(transaction(1).idHex)?.raw?.timestamp).toBe(1n);
		expect(pool.find(transaction(2).idHex)?.raw?.timestamp).toBe(2n);
		expect(pool.find(transaction(3).idHex)).toBeUndefined();
	});
});

describe("a pool in order of fees", () => {
	test("takes the higher fee first, and the pending one of equal fees", () => {
		const pool = new PendingPool(TIMEOUT_MS, true);
		pool.addPending(entry(1, 0n, 5n));
		pool.addPending(entry(2, 0n, 9n));
		pool.requeue(0n);
		pool.addPending(entry(3, 0n, 5n));
		pool.addPending(entry(4, 0n, 7n));
		expect(takeAll(pool)).toEqual([2n, 4n, 3n, 1n]);
	});

	test("keeps the order of arrival among equal fees", () => {
		const pool = new PendingPool(TIMEOUT_MS, true);
		for (const n of [1, 2, 3]) pool.addPending(entry(n, 0n, 4n));
		expect(takeAll(pool)).toEqual([1n, 2n, 3n]);
	});
});

describe("the memory of a pool", () => {
	const large = (n: number): PendingTransaction => ({
		transaction: new SignedTransaction(
			Transaction.create({
				raw_data: TransactionRaw.create({ timestamp: BigInt(n), data: new Uint8Array(17 << 20) }),
			}),
		),
		receivedMs: 0n,
		feeSun: 0n,
	});

	test("is bounded in bytes, and free again when transactions leave, whichever way", () => {
		const pool = new PendingPool(TIMEOUT_MS, false);
		for (let n = 0; n < 3; n++) pool.addPending(large(n));
		expect(pool.isFull).toBe(false);
		pool.addPopped([large(3).transaction], 0n);
		expect(pool.isFull).toBe(true);
		const taken = pool.takeForBlock();
		expect(pool.isFull).toBe(false);
		pool.giveBack(taken ? [taken.entry] : []);
		expect(pool.isFull).toBe(true);
		pool.requeue(0n);
		expect(pool.isFull).toBe(true);
		pool.takeAgain();
		expect(pool.isFull).toBe(false);
		pool.addPending(large(4));
		expect(pool.isFull).toBe(true);
		expect(pool.requeue(TIMEOUT_MS + 1n)).toHaveLength(4);
		for (let n = 0; n < 3; n++) pool.addPending(large(n));
		expect(pool.isFull).toBe(false);
		pool.addPending(large(5));
		pool.clear();
		pool.addPending(large(6));
		expect(pool.isFull).toBe(false);
	});
});
