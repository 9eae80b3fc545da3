import { expect, it } from "vitest";
import { PostQuantumQueue, VerificationBusyError } from "../../../src/node/signatures/post-quantum-queue.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";

const named = (name: string, length = 100) =>
	({ idHex: name, bytes: new Uint8Array(length) }) as SignedTransaction;

it("verifies few at a time, those of each source in turn, and goes on after a failure", async () => {
	const started: string[] = [];
	const ends: ((error?: Error) => void)[] = [];
	const verify = ({ idHex }: SignedTransaction) =>
		new Promise<void>((resolve, reject) => {
			started.push(idHex);
			ends.push((error) => (error ? reject(error) : resolve()));
		});
	const queue = new PostQuantumQueue(verify, 2);
	const done = ["a1", "a2", "a3", "a4", "b1"].map((name) => queue.check(named(name), name.slice(0, 1)));
	expect(started).toEqual(["a1", "a2"]);
	ends[0]?.(new Error("the thread is gone"));
	await done[0];
	expect(started).toEqual(["a1", "a2", "a3"]);
	for (let i = 1; i < 5; i++) {
		ends[i]?.();
		await new Promise((resolve) => setImmediate(resolve));
	}
	await Promise.all(done);
	expect(started).toEqual(["a1", "a2", "a3", "b1", "a4"]);
});

it("refuses what is more than a source may have waiting, until that has become less", async () => {
	const ends: (() => void)[] = [];
	const queue = new PostQuantumQueue(() => new Promise<void>((resolve) => ends.push(resolve)), 1);
	const large = (name: string) => queue.check(named(name, 3 << 20), name.slice(0, 1));
	const first = large("a1");
	const second = large("a2");
	await expect(large("a3")).rejects.toThrow(VerificationBusyError);
	const other = large("b1");
	ends[0]?.();
	await first;
	const third = large("a4");
	for (const [at, each] of [second, other, third].entries()) {
		ends[at + 1]?.();
		await each;
	}
	expect(ends).toHaveLength(4);
});
