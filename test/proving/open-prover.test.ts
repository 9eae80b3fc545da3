import { describe, expect, test } from "vitest";
import {
	type OutputWitness,
	type Prover,
	ProvingError,
	type ProvingFailure,
	type ProvingProgress,
	type SpendWitness,
} from "../../src/protocol/sapling/prover.js";
import { ProverQueue } from "../../src/proving/open-prover.js";

const bytes = (length: number) => new Uint8Array(length);
const output = (value: bigint): OutputWitness => ({
	esk: bytes(32),
	diversifier: bytes(11),
	pkD: bytes(32),
	rcm: bytes(32),
	value,
	rcv: bytes(32),
});
const spend: SpendWitness = {
	ak: bytes(32),
	nsk: bytes(32),
	diversifier: bytes(11),
	rcm: bytes(32),
	alpha: bytes(32),
	value: 9n,
	anchor: bytes(32),
	path: Array.from({ length: 32 }, () => bytes(32)),
	position: 0n,
	rcv: bytes(32),
};

/** Makes a proof when told to. */
class ManualProver implements Prover {
	readonly started: bigint[] = [];
	private readonly running: {
		resolve: (proof: Uint8Array) => void;
		reject: (error: Error) => void;
	}[] = [];

	spend(witness: SpendWitness): Promise<Uint8Array> {
		return this.make(witness.value);
	}

	output(witness: OutputWitness): Promise<Uint8Array> {
		return this.make(witness.value);
	}

	async close(): Promise<void> {
		for (const { reject } of this.running.splice(0)) reject(new ProvingError("closed", "closed"));
	}

	finish(error?: Error): void {
		const { resolve, reject } = this.running.shift() ?? expect.fail("nothing runs");
		if (error) reject(error);
		else resolve(bytes(192));
	}

	private make(value: bigint): Promise<Uint8Array> {
		this.started.push(value);
		return new Promise((resolve, reject) => this.running.push({ resolve, reject }));
	}
}

/** Lets everything go on that can. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const failure = (reason: ProvingFailure) =>
	expect.objectContaining({ name: "ProvingError", failure: reason });

describe("the queue of proofs", () => {
	test("makes one at a time, in the order of the questions, also after a failure", async () => {
		const prover = new ManualProver();
		const queue = new ProverQueue(prover, 3);
		const first = queue.output(output(1n));
		const second = queue.spend(spend);
		const third = queue.output(output(3n));
		await settled();
		expect(prover.started).toEqual([1n]);
		prover.finish(new ProvingError("witness", "no"));
		await expect(first).rejects.toEqual(failure("witness"));
		await settled();
		expect(prover.started).toEqual([1n, 9n]);
		prover.finish();
		expect(await second).toHaveLength(192);
		await settled();
		expect(prover.started).toEqual([1n, 9n, 3n]);
		prover.finish();
		await third;
	});

	test("refuses what goes beyond its limit", async () => {
		const prover = new ManualProver();
		const queue = new ProverQueue(prover, 1);
		const first = queue.output(output(1n));
		const second = queue.output(output(2n));
		await expect(queue.output(output(3n))).rejects.toEqual(failure("busy"));
		await settled();
		prover.finish();
		await first;
		await settled();
		prover.finish();
		await second;
		expect(prover.started).toEqual([1n, 2n]);
	});

	test("says that a proof waits, and lets it leave the queue", async () => {
		const prover = new ManualProver();
		const queue = new ProverQueue(prover, 1);
		const first = queue.output(output(1n));
		const leaving = new AbortController();
		const seen: ProvingProgress[] = [];
		const onProgress = (progress: ProvingProgress) => seen.push(progress);
		const second = queue.output(output(2n), { signal: leaving.signal, onProgress });
		leaving.abort(new Error("gone"));
		await expect(second).rejects.toThrow("gone");
		expect(seen).toEqual([{ stage: "queued", share: 0 }]);
		const third = queue.output(output(3n));
		prover.finish();
		await first;
		await settled();
		prover.finish();
		await third;
		expect(prover.started).toEqual([1n, 3n]);
		await expect(queue.output(output(4n), { signal: leaving.signal })).rejects.toThrow("gone");
		expect(prover.started).toEqual([1n, 3n]);
	});

	test("refuses all when it is closed", async () => {
		const prover = new ManualProver();
		const queue = new ProverQueue(prover, 1);
		const asked = [queue.output(output(1n)), queue.output(output(2n))];
		const outcome = Promise.allSettled(asked);
		await settled();
		await queue.close();
		expect(await outcome).toEqual([
			{ status: "rejected", reason: failure("closed") },
			{ status: "rejected", reason: failure("closed") },
		]);
		await expect(queue.output(output(3n))).rejects.toEqual(failure("closed"));
		expect(prover.started).toEqual([1n]);
	});
});
