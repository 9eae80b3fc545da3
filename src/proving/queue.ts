/** One proof at a time: a proof takes every core there is, and hundreds of megabytes. */

import {
	type OutputWitness,
	type Prover,
	ProvingError,
	type ProvingOptions,
	type SpendWitness,
} from "../protocol/sapling/prover.js";

interface Waiting {
	readonly start: () => void;
	readonly refuse: (error: Error) => void;
}

/** A prover whose proofs are made one after another, in the order in which they were asked for. */
export class ProverQueue implements Prover {
	private readonly waiting: Waiting[] = [];
	private isBusy = false;
	private isClosed = false;

	/** @param limit how many may wait besides the one that is made */
	constructor(
		private readonly prover: Prover,
		private readonly limit: number,
	) {}

	spend(witness: SpendWitness, options: ProvingOptions = {}): Promise<Uint8Array> {
		return this.inTurn(options, () => this.prover.spend(witness, options));
	}

	output(witness: OutputWitness, options: ProvingOptions = {}): Promise<Uint8Array> {
		return this.inTurn(options, () => this.prover.output(witness, options));
	}

	async close(): Promise<void> {
		this.isClosed = true;
		for (const { refuse } of this.waiting.splice(0)) refuse(closedError());
		await this.prover.close();
	}

	private async inTurn(options: ProvingOptions, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
		await this.turn(options);
		try {
			if (this.isClosed) throw closedError();
			return await make();
		} finally {
			const next = this.waiting.shift();
			if (next) next.start();
			else this.isBusy = false;
		}
	}

	/** Resolves when it is the caller's turn, which then has to be passed on. */
	private turn({ signal, onProgress }: ProvingOptions): Promise<void> {
		if (this.isClosed) return Promise.reject(closedError());
		if (signal?.aborted) return Promise.reject(signal.reason);
		if (!this.isBusy) {
			this.isBusy = true;
			return Promise.resolve();
		}
		if (this.waiting.length >= this.limit) {
			const text = `${this.waiting.length} proofs wait already; no more than ${this.limit} may`;
			return Promise.reject(new ProvingError("busy", text));
		}
		onProgress?.({ stage: "queued", share: 0 });
		return new Promise((resolve, reject) => {
			const entry: Waiting = {
				start: () => {
					signal?.removeEventListener("abort", leave);
					resolve();
				},
				refuse: (error) => {
					signal?.removeEventListener("abort", leave);
					reject(error);
				},
			};
			const leave = () => {
				this.waiting.splice(this.waiting.indexOf(entry), 1);
				reject(signal?.reason);
			};
			signal?.addEventListener("abort", leave, { once: true });
			this.waiting.push(entry);
		});
	}
}

const closedError = () => new ProvingError("closed", "the prover has been closed");
