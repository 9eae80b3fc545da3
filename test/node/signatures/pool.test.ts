import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SignaturePool, WorkerFailedError } from "../../../src/node/signatures/pool.js";
import { PQAuthSig, Transaction, TransactionRaw } from "../../../src/protocol/messages.js";
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

const transactions = (count: number, signatureLength: number): SignedTransaction[] =>
	Array.from({ length: count }, (_, i) => {
		const raw_data = TransactionRaw.create({ timestamp: BigInt(i) });
		return new SignedTransaction(
			Transaction.create({ raw_data, signature: [new Uint8Array(signatureLength)] }),
		);
	});

/** Answers with an address that counts the question, and refuses every third. */
const COUNTING = `
	const count = batch.questions.length / 97, answers = new Uint8Array(count * 22), errors = [];
	for (let i = 0; i < count; i++) {
		if (i % 3 === 2) { errors.push({ index: i, message: "refused" }); continue; }
		answers[i * 22] = 1; answers[i * 22 + 21] = i;
	}
	parentPort.postMessage({ id: batch.id, answers, errors });
`;

describe("a pool of signature threads", () => {
	test("leaves each signer, or why there is none, in its transaction", async () => {
		const pool = await SignaturePool.start(worker(COUNTING), 1);
		const all = transactions(9, 65);
		await pool.recover(all);
		await pool.close();
		expect(all[4]?.signer(0)[20]).toBe(4);
		expect(() => all[5]?.signer(0)).toThrow(new SignatureError("refused"));
	});

	test("tells a signature that is too short without asking a thread", async () => {
		const pool = await SignaturePool.start(worker(COUNTING), 2);
		const all = transactions(9, 64);
		await pool.recover(all);
		await pool.close();
		for (const each of all) expect(() => each.signer(0)).toThrow("Signature size is 64");
	});

	test("leaves a few signatures to the caller's own thread", async () => {
		const pool = await SignaturePool.start(worker("process.exit(1)"), 1);
		const all = transactions(3, 65);
		await pool.recover(all);
		await pool.close();
		expect(all[0]?.signers).toBeUndefined();
	});

	test.each([
		["fails", "throw new Error('out of order')", "a signature thread failed: out of order"],
		["ends", "process.exit(3)", "a signature thread ended with code 3"],
	])("fails what waits when a thread %s, and everything after", async (_, onBatch, message) => {
		const pool = await SignaturePool.start(worker(onBatch), 1);
		await expect(pool.recover(transactions(9, 65))).rejects.toThrow(new WorkerFailedError(message));
		await expect(pool.recover(transactions(9, 65))).rejects.toThrow(WorkerFailedError);
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
