/** Opens a prover for configured parameters, or for those of development chains. */

import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import {
	type OutputWitness,
	type Prover,
	ProvingError,
	type ProvingOptions,
	type SpendWitness,
} from "../protocol/sapling/prover.js";
import { ensureDevelopmentParameters } from "./development-parameters.js";
import { nativeProgram } from "./native-prover.js";
import { type ProverSettings, ThreadedProver } from "./threaded-prover.js";

/** Only one proof runs at a time, since it uses all cores and hundreds of megabytes. */
interface Waiting {
	readonly start: () => void;
	readonly refuse: (error: Error) => void;
}

/** A prover that makes proofs one at a time, in the order requested. */
export class ProverQueue implements Prover {
	private readonly waiting: Waiting[] = [];
	private isBusy = false;
	private isClosed = false;

	/** @param limit how many requests may wait, besides the running one */
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

	/** Resolves when it is the caller's turn, which the caller must then pass on. */
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

/** A folder with the files `sapling-spend.params` and `sapling-output.params`. */
interface ParameterFolder {
	readonly folder: string;
	/** BLAKE2b-512 in hexadecimal; undefined: any file of the circuit is accepted. */
	readonly spendHash: string | undefined;
	readonly outputHash: string | undefined;
}

/** More threads would only wait for the one that computes the quotient. */
const MAX_THREADS = 8;
/** Default limit of waiting requests: each keeps its witness in memory, and its client waiting. */
const WAITING = 16;

interface OpenProverOptions {
	/** `development`: generated in that folder on first use, and kept there. */
	readonly parameters: ParameterFolder | { readonly development: string };
	/** Number of worker threads; default: the number of cores, at most 8. */
	readonly threads?: number;
	/** Maximum number of waiting proofs; default 16. */
	readonly waiting?: number;
	/** Whether to use a native program, if this installation has one; default true. */
	readonly native?: boolean;
	/** The bundled `prover.worker.ts`, if the program runs from source. */
	readonly script?: URL | undefined;
}

/** Opens a prover. It opens no file and starts no thread before the first proof. */
export function openProver(options: OpenProverOptions): Prover {
	const { parameters, threads, waiting, script } = options;
	const program = options.native === false ? undefined : nativeProgram();
	const prover = new ThreadedProver({
		parameters: "development" in parameters ? generatedIn(parameters.development) : filesOf(parameters),
		threads: threads ?? Math.min(availableParallelism(), MAX_THREADS),
		random: randomBytes,
		native: program === undefined ? undefined : [program],
		...(script && { script }),
	});
	return new ProverQueue(prover, waiting ?? WAITING);
}

const filesOf =
	({ folder, spendHash, outputHash }: ParameterFolder): ProverSettings["parameters"] =>
	async ({ name }) => ({
		path: join(folder, `sapling-${name}.params`),
		hash: name === "spend" ? spendHash : outputHash,
	});

const generatedIn =
	(folder: string): ProverSettings["parameters"] =>
	(circuit, threads, options) =>
		ensureDevelopmentParameters(folder, circuit, threads, options);
