import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SignaturePool, WorkerFailedError } from "../../../src/node/signatures/pool.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { Block, PQAuthSig, Transaction, TransactionRaw } from "../../../src/protocol/messages.js";
import { transactionFieldsOf } from "../../../src/protocol/post-quantum/fields.js";
import { SignatureError } from "../../../src/protocol/signature.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-pool-"));
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

/** A worker that is ready, and then does the given with each batch. */
function worker(onBatch: string): URL {
	const path = join(directory, "worker.mjs");
	writeFileSync(
		path,
		`import { parentPort } from "node:worker_threads";
		parentPort.on("message", (batch) => { ${onBatch} });
		parentPort.postMessage({ ready: "test" });`,
	);
	return pathToFileURL(path);
}

const blockOf = (count: number): SignedBlock => {
	const transactions = Array.from({ length: count }, (_, i) =>
		Transaction.create({
			raw_data: TransactionRaw.create({ timestamp: BigInt(i) + 1n }),
			signature: [new Uint8Array(65)],
		}),
	);
	return SignedBlock.decode(Block.encode(Block.create({ transactions })));
};

/** Answers with ids and signers that count, and refuses every third signature. */
const COUNTING = `
	const count = 9, ids = new Uint8Array(count * 32), sizes = new Uint32Array(count * 2);
	const signers = new Uint8Array(count * 22), errors = [];
	for (let i = 0; i < count; i++) {
		ids[i * 32] = i;
		if (i % 3 === 2) { errors.push({ index: i, message: "refused" }); continue; }
		signers[i * 22] = 1; signers[i * 22 + 21] = i;
	}
	const rawHash = new Uint8Array(32), root = new Uint8Array(32);
	parentPort.postMessage({ id: batch.id, digest: { isCanonical: true, rawHash, root, ids, sizes, signers, errors } });
`;

describe("a pool of signature threads", () => {
	test("leaves each signer, or why there is none, in its transaction", async () => {
		const pool = await SignaturePool.start(worker(COUNTING), 1);
		const block = blockOf(9);
		await pool.digest(block);
		await pool.close();
		const [, , , , fourth, fifth] = block.transactions;
		expect(fourth?.signer(0)[20]).toBe(4);
		expect(fourth?.id[0]).toBe(4);
		expect(() => fifth?.signer(0)).toThrow(new SignatureError("refused"));
	});

	test("leaves small blocks to the caller's own thread", async () => {
		const pool = await SignaturePool.start(worker("process.exit(1)"), 1);
		const block = blockOf(3);
		await pool.digest(block);
		await pool.close();
		expect(block.transactions[0]?.signers).toBeUndefined();
	});

	test.each([
		["fails", "throw new Error('out of order')", "a signature thread failed: out of order"],
		["ends", "process.exit(3)", "a signature thread ended with code 3"],
	])("fails what waits when a thread %s, and everything after", async (_, onBatch, message) => {
		const pool = await SignaturePool.start(worker(onBatch), 1);
		await expect(pool.digest(blockOf(9))).rejects.toThrow(new WorkerFailedError(message));
		await expect(pool.digest(blockOf(9))).rejects.toThrow(WorkerFailedError);
		await pool.close();
	});
});

describe("post-quantum signatures", () => {
	/** Says yes to messages whose signature begins with 1. */
	const FIRST_BYTE = `
		const verdicts = batch.postQuantum.map(({ entry }) => entry.signature[0] === 1);
		parentPort.postMessage({ id: batch.id, verdicts });
	`;
	const carrying = (...firsts: readonly number[]): SignedTransaction => {
		const message = Transaction.create({ raw_data: new TransactionRaw() });
		message.$unknown = transactionFieldsOf(
			firsts.map((first) => PQAuthSig.create({ scheme: 1, signature: Uint8Array.of(first) })),
		);
		return new SignedTransaction(message);
	};

	test("leave their verdicts in the transactions, whatever batch they went with", async () => {
		const pool = await SignaturePool.start(worker(FIRST_BYTE), 2);
		const all = Array.from({ length: 7 }, (_, i) => carrying(1, i % 2));
		await pool.verifyPostQuantum(all);
		await pool.close();
		expect(all.map((each) => [0, 1].map((index) => each.isPostQuantumValid(index)))).toEqual(
			all.map((_, i) => [true, i % 2 === 1]),
		);
	});

	test("of a transaction whose fields hold something else are left to the chain", async () => {
		const broken = SignedTransaction.decode(Uint8Array.from([0x0a, 0, 0x32, 2, 0x12, 0xff]));
		const pool = await SignaturePool.start(worker(FIRST_BYTE), 1);
		await pool.verifyPostQuantum([broken]);
		await pool.close();
		expect(broken.postQuantumVerdicts).toBeUndefined();
	});
});
