/**
 * Makes proofs on worker threads (protocol/shielded §8). One thread assigns the witness to the circuit; then
 * all threads sum parts of the parameters' point lists, while the first also computes the quotient
 * polynomial. No memory is shared: a task carries its scalars, and its thread reads the points from the file.
 */

import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { SCALAR_BYTES } from "../protocol/bls12-381.js";
import {
	type OutputWitness,
	type Prover,
	ProvingError,
	type ProvingOptions,
	type SpendWitness,
} from "../protocol/sapling/prover.js";
import { type Circuit, OUTPUT, POINT_LISTS, type PointList, pointBytes, SPEND } from "./circuit.js";
import { compileProver, installedFile } from "./compiled.js";
import { proveNatively } from "./native-prover.js";
import { compareInputs, type ParameterFile, stampOf, type Tasks, type Witness } from "./tasks.js";
import { Threads } from "./threads.js";
import { outputWitnessBytes, spendWitnessBytes } from "./witness.js";

export interface ProverSettings {
	/** Returns a circuit's file, generating it on the prover's threads if necessary. */
	readonly parameters: (
		circuit: Circuit,
		threads: Threads,
		options: ProvingOptions,
	) => Promise<ParameterFile>;
	/** Number of threads, at least one. */
	readonly threads: number;
	/** @param size number of bytes */
	readonly random: (size: number) => Uint8Array;
	/** A native program that makes the proofs, with its arguments; undefined: the compiled module does. */
	readonly native: readonly [path: string, ...args: string[]] | undefined;
	/** The bundled `prover.worker.ts`; default: this installation's. */
	readonly script?: URL;
}

/** Idle threads are ended after this time, to free their memory. */
const IDLE_MS = 60_000;

/** A parameter file that has been checked. */
interface CheckedFile {
	readonly path: string;
	readonly key: Uint8Array;
	readonly stamp: string;
}

/** Shares of the total time, for progress; the sums take the rest. */
const ASSIGN_SHARE = 0.15;
const QUOTIENT_SHARE = 0.1;

/** Makes one proof at a time: {@link ProverQueue} makes others wait. */
export class ThreadedProver implements Prover {
	private threads: Promise<Threads> | undefined;
	private readonly files = new Map<Circuit["name"], CheckedFile>();
	private idle: NodeJS.Timeout | undefined;

	constructor(private readonly settings: ProverSettings) {}

	async spend(witness: SpendWitness, options: ProvingOptions = {}): Promise<Uint8Array> {
		spendWitnessBytes(witness).fill(0);
		return this.prove(SPEND, { circuit: "spend", witness }, options);
	}

	async output(witness: OutputWitness, options: ProvingOptions = {}): Promise<Uint8Array> {
		outputWitnessBytes(witness).fill(0);
		return this.prove(OUTPUT, { circuit: "output", witness }, options);
	}

	async close(): Promise<void> {
		await this.endThreads(new ProvingError("closed", "the prover has been closed"));
	}

	private prove(circuit: Circuit, witness: Witness, options: ProvingOptions): Promise<Uint8Array> {
		const { native } = this.settings;
		return this.guarded(options, (threads) =>
			native
				? this.proveNatively(native, circuit, witness, threads, options)
				: this.proveOnThreads(circuit, witness, threads, options),
		);
	}

	/** Runs with threads, which are ended if the signal aborts. */
	private async guarded(
		{ signal }: ProvingOptions,
		run: (threads: Threads) => Promise<Uint8Array>,
	): Promise<Uint8Array> {
		signal?.throwIfAborted();
		clearTimeout(this.idle);
		const leave = () => void this.endThreads(signal?.reason);
		signal?.addEventListener("abort", leave, { once: true });
		try {
			const threads = await this.startThreads();
			signal?.throwIfAborted();
			return await run(threads);
		} catch (error) {
			// Tasks of this proof may still be queued or running.
			await this.endThreads(error as Error);
			throw error;
		} finally {
			signal?.removeEventListener("abort", leave);
			this.idle = setTimeout(() => void this.close(), IDLE_MS).unref();
		}
	}

	private async startThreads(): Promise<Threads> {
		const current = await this.threads;
		if (current && !current.hasFailed) return current;
		const { script, threads } = this.settings;
		this.threads = compileProver().then(
			(module) => new Threads(script ?? pathToFileURL(installedFile("prover.worker.js")), module, threads),
		);
		return this.threads;
	}

	private async endThreads(reason: Error): Promise<void> {
		clearTimeout(this.idle);
		const threads = await this.threads?.catch(() => undefined);
		this.threads = undefined;
		await threads?.close(reason);
	}

	private async proveNatively(
		program: readonly [string, ...string[]],
		circuit: Circuit,
		witness: Witness,
		threads: Threads,
		options: ProvingOptions,
	): Promise<Uint8Array> {
		const expected = await threads.run("inputs", witness);
		const { path } = await this.checkedFile(circuit, threads, options);
		options.onProgress?.({ stage: "proving", share: 0 });
		const { random, threads: count } = this.settings;
		const bytes =
			witness.circuit === "spend" ? spendWitnessBytes(witness.witness) : outputWitnessBytes(witness.witness);
		const request = { circuit, path, threads: count, blinding: random(128), witness: bytes };
		const { inputs, proof } = await proveNatively(program, request, options.signal);
		compareInputs(expected, inputs);
		options.onProgress?.({ stage: "proving", share: 1 });
		return proof;
	}

	private async proveOnThreads(
		circuit: Circuit,
		witness: Witness,
		threads: Threads,
		options: ProvingOptions,
	): Promise<Uint8Array> {
		// Assign the witness first, so that an invalid one is rejected without waiting for files.
		const assigned = await threads.run("assign", witness, { thread: 0 });
		const file = await this.checkedFile(circuit, threads, options);
		const progress = progressOf(options);
		progress(ASSIGN_SHARE);
		const scalars: Partial<Record<PointList, Uint8Array>> = {
			l: assigned.l,
			a: assigned.a,
			b1: assigned.b,
			b2: assigned.b,
		};
		const sums: Record<PointList, Promise<Uint8Array[]>> = {} as never;
		const begin = (list: PointList, of: Uint8Array): Promise<Uint8Array[]> =>
			sumOf(circuit, file.path, list, of, threads, progress);
		const quotient = threads.run("quotient", null, { thread: 0, isUrgent: true });
		sums.h = quotient.then(async (h) => {
			progress(QUOTIENT_SHARE);
			const parts = await begin("h", h);
			h.fill(0);
			return parts;
		});
		for (const list of ["b2", "l", "a", "b1"] as const) {
			sums[list] = begin(list, scalars[list] as Uint8Array);
		}
		const parts = await Promise.all(POINT_LISTS.map((list) => sums[list]));
		for (const list of [assigned.l, assigned.a, assigned.b]) list.fill(0);
		return threads.run("prove", {
			key: file.key,
			inputs: assigned.inputs,
			sums: Object.fromEntries(
				POINT_LISTS.map((list, i) => [list, parts[i]]),
			) as unknown as Tasks["prove"]["ask"]["sums"],
			blinding: this.settings.random(128),
		});
	}

	/** A circuit's file; checked again only if it has changed. */
	private async checkedFile(
		circuit: Circuit,
		threads: Threads,
		options: ProvingOptions,
	): Promise<CheckedFile> {
		const known = this.files.get(circuit.name);
		if (known && (await stampNow(known.path)) === known.stamp) return known;
		options.onProgress?.({ stage: "parameters", share: 0 });
		const file = await this.settings.parameters(circuit, threads, options);
		const { key, stamp } = await threads.run("check", { circuit: circuit.name, file });
		options.onProgress?.({ stage: "parameters", share: 1 });
		const checked = { path: file.path, key, stamp };
		this.files.set(circuit.name, checked);
		return checked;
	}
}

async function stampNow(path: string): Promise<string | undefined> {
	try {
		return stampOf(await stat(path));
	} catch {
		return undefined;
	}
}

/** Sums over the parts of a list, one part per task. */
async function sumOf(
	circuit: Circuit,
	path: string,
	list: PointList,
	scalars: Uint8Array,
	threads: Threads,
	progress: (share: number) => void,
): Promise<Uint8Array[]> {
	const count = scalars.length / SCALAR_BYTES;
	if (count !== circuit.points[list]) {
		throw new ProvingError("failed", `the circuit has another number of scalars for the list ${list}`);
	}
	const size = Math.ceil(count / threads.count);
	const starts = Array.from({ length: Math.ceil(count / size) }, (_, i) => i * size);
	return Promise.all(
		starts.map(async (from) => {
			const part = scalars.slice(from * SCALAR_BYTES, (from + size) * SCALAR_BYTES);
			const share = (part.length / SCALAR_BYTES) * costOf(list);
			const ask = { circuit: circuit.name, path, list, from, scalars: part };
			const sum = await threads.run("sum", ask, { isUrgent: list === "h" });
			progress(((1 - ASSIGN_SHARE - QUOTIENT_SHARE) * share) / totalCost(circuit));
			return sum;
		}),
	);
}

/** Relative cost per point: the second group is slower, and the scalars for `h` are never small. */
const costOf = (list: PointList): number => (list === "h" || pointBytes(list) > 96 ? 2 : 1);

const totalCost = ({ points }: Circuit): number =>
	POINT_LISTS.reduce((sum, list) => sum + points[list] * costOf(list), 0);

/** Adds up shares and reports the sum. */
function progressOf({ onProgress }: ProvingOptions): (share: number) => void {
	let sum = 0;
	return (share) => {
		sum += share;
		onProgress?.({ stage: "proving", share: Math.min(sum, 1) });
	};
}
