import { expect, it } from "vitest";
import { PostQuantumQueue } from "../../../src/node/signatures/post-quantum-queue.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";

const named = (name: string) => ({ idHex: name }) as SignedTransaction;

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
