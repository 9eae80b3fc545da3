/** A prover for the parameters that a configuration names, or for those of development chains. */

import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Prover } from "../protocol/sapling/prover.js";
import { ensureDevelopmentParameters } from "./development-parameters.js";
import { nativeProgram } from "./native-prover.js";
import { ProverQueue } from "./queue.js";
import { type ProverSettings, ThreadedProver } from "./threaded-prover.js";

/** Files in a folder, `sapling-spend.params` and `sapling-output.params`. */
interface ParameterFolder {
	readonly folder: string;
	/** BLAKE2b-512 in hexadecimal; undefined: any file of the circuit will do. */
	readonly spendHash: string | undefined;
	readonly outputHash: string | undefined;
}

/** More threads would wait for the one that makes the quotient. */
const MAX_THREADS = 8;
/** What waits keeps its witness in memory, and somebody waiting. */
const WAITING = 16;

interface OpenProverOptions {
	/** `development`: made in the folder on first use, and kept there. */
	readonly parameters: ParameterFolder | { readonly development: string };
	/** Worker threads; as many as there are cores if not given. */
	readonly threads?: number;
	/** How many proofs may wait; 16 if not given. */
	readonly waiting?: number;
	/** Whether a native program is used where this installation has one; so it is if not given. */
	readonly native?: boolean;
	/** The bundled `prover.worker.ts`, where the program runs from source. */
	readonly script?: URL | undefined;
}

/** Opens no file and starts no thread before the first proof. */
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
