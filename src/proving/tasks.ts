/** Tasks of a prover's threads, run one at a time per thread, each with its own instance of the compiled module. */

import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { SCALAR_BYTES } from "../protocol/bls12-381.js";
import { concatBytes } from "../protocol/bytes.js";
import {
	decodePoint,
	littleBytes,
	multiplySecret,
	type Point,
	readLittle,
	spendGenerator,
} from "../protocol/sapling/jubjub.js";
import { noteCommitment, nullifier, nullifierInputs } from "../protocol/sapling/note.js";
import {
	type OutputWitness,
	ProvingError,
	type ProvingFailure,
	type SpendWitness,
} from "../protocol/sapling/prover.js";
import {
	diversifiedBase,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../protocol/sapling/shielded-keys.js";
import { valueCommitment } from "../protocol/sapling/value-commitment.js";
import {
	type Circuit,
	hasLists,
	keyBytes,
	listOffset,
	listsEnd,
	OUTPUT,
	POINT_LISTS,
	type PointList,
	pointBytes,
	SPEND,
} from "./circuit.js";
import type { Assigned, CompiledProver, GeneratedScalars, Group } from "./compiled.js";
import { outputWitnessBytes, spendWitnessBytes } from "./witness.js";

/** A parameter file. */
export interface ParameterFile {
	readonly path: string;
	/** BLAKE2b-512 in hexadecimal; undefined: any file of the circuit is accepted. */
	readonly hash: string | undefined;
}

export type Witness =
	| { readonly circuit: "spend"; readonly witness: SpendWitness }
	| { readonly circuit: "output"; readonly witness: OutputWitness };

/** Questions and answers by task name. Byte strings in answers are transferred, not copied. */
export interface Tasks {
	/** Reads and verifies a whole file. */
	check: {
		readonly ask: { readonly circuit: Circuit["name"]; readonly file: ParameterFile };
		/** The verifying key, and a stamp that detects later changes of the file. */
		readonly answer: { readonly key: Uint8Array; readonly stamp: string };
	};
	/** Computes the scalars for the point lists; the thread keeps what the quotient needs. */
	assign: { readonly ask: Witness; readonly answer: AssignedScalars };
	/** Computes a witness's public inputs without the circuit. */
	inputs: { readonly ask: Witness; readonly answer: Uint8Array };
	/** Computes the scalars for `h`, for the last witness assigned on the same thread. */
	quotient: { readonly ask: null; readonly answer: Uint8Array };
	/** Computes the sum over a part of a list. */
	sum: { readonly ask: PartialSum; readonly answer: Uint8Array };
	prove: { readonly ask: Proof; readonly answer: Uint8Array };
	generate: {
		readonly ask: { readonly circuit: Circuit["name"]; readonly seed: Uint8Array };
		readonly answer: GeneratedScalars;
	};
	multiples: {
		readonly ask: { readonly group: Group; readonly base: Uint8Array; readonly scalars: Uint8Array };
		readonly answer: Uint8Array;
	};
}

interface AssignedScalars {
	readonly inputs: Uint8Array;
	readonly l: Uint8Array;
	readonly a: Uint8Array;
	readonly b: Uint8Array;
}

interface PartialSum {
	readonly circuit: Circuit["name"];
	readonly path: string;
	readonly list: PointList;
	/** Index of the first point. */
	readonly from: number;
	readonly scalars: Uint8Array;
}

interface Proof {
	readonly key: Uint8Array;
	readonly inputs: Uint8Array;
	/** Sums of the parts of each list, in any order. */
	readonly sums: Readonly<Record<PointList, readonly Uint8Array[]>>;
	/** 128 random bytes. */
	readonly blinding: Uint8Array;
}

export interface Question<K extends keyof Tasks = keyof Tasks> {
	readonly task: K;
	readonly ask: Tasks[K]["ask"];
}

/** Errors in the form passed between threads. */
export interface TaskFailure {
	readonly failure: ProvingFailure;
	readonly message: string;
}

const circuitOf = (name: Circuit["name"]): Circuit => (name === "spend" ? SPEND : OUTPUT);

/** Bytes of a file read at a time. */
const READ_BYTES = 4 * 1024 * 1024;

/** Runs tasks; keeps one witness between two of them. */
export class TaskRunner {
	private assigned: Assigned | undefined;

	constructor(private readonly compiled: CompiledProver) {}

	/** @throws {ProvingError} */
	run({ task, ask }: Question): Tasks[keyof Tasks]["answer"] {
		switch (task) {
			case "check":
				return check(ask as Tasks["check"]["ask"]);
			case "assign":
				return this.assign(ask as Witness);
			case "inputs":
				return expectedInputs(ask as Witness);
			case "quotient":
				return this.quotient();
			case "sum":
				return this.sum(ask as PartialSum);
			case "prove":
				return this.prove(ask as Proof);
			case "generate": {
				const { circuit, seed } = ask as Tasks["generate"]["ask"];
				return this.compiled.generate(circuitOf(circuit), seed);
			}
			case "multiples": {
				const { group, base, scalars } = ask as Tasks["multiples"]["ask"];
				return this.compiled.multiples(group, base, scalars);
			}
		}
	}

	private assign({ circuit, witness }: Witness): AssignedScalars {
		this.assigned?.drop();
		this.assigned = undefined;
		const isSpend = circuit === "spend";
		const bytes = isSpend ? spendWitnessBytes(witness) : outputWitnessBytes(witness);
		const assigned = this.compiled.assign(circuitOf(circuit), bytes);
		bytes.fill(0);
		this.assigned = assigned;
		const { inputs, l, a, b } = assigned;
		compareInputs(expectedInputs({ circuit, witness } as Witness), inputs);
		return { inputs, l, a, b };
	}

	private quotient(): Uint8Array {
		const { assigned } = this;
		if (!assigned) throw new ProvingError("failed", "this thread has no witness");
		this.assigned = undefined;
		try {
			return assigned.quotient();
		} finally {
			assigned.drop();
		}
	}

	private sum({ circuit, path, list, from, scalars }: PartialSum): Uint8Array {
		const file = openSync(path, "r");
		try {
			const offset = listOffset(circuitOf(circuit), list) + from * pointBytes(list);
			return this.compiled.sum(list === "b2" ? 2 : 1, scalars, (target) => readAll(file, target, offset));
		} finally {
			closeSync(file);
			scalars.fill(0);
		}
	}

	private prove({ key, inputs, sums, blinding }: Proof): Uint8Array {
		const totals = POINT_LISTS.map((list) =>
			this.compiled.add(list === "b2" ? 2 : 1, concatBytes(...sums[list])),
		);
		const proof = this.compiled.prove(key, inputs, concatBytes(...totals), blinding);
		if (proof) return proof;
		throw new ProvingError(
			"parameters",
			"the proof does not hold with the verifying key of its own parameters: the files are damaged",
		);
	}
}

/**
 * Computes a proof's public inputs from its witness without the circuit (protocol/shielded §6.3).
 * @returns field elements of 32 bytes, lowest first; undefined if a part of the witness is not valid
 */
function spendInputs(witness: SpendWitness): Uint8Array | undefined {
	const { ak, diversifier, value, rcm } = witness;
	const nk = nullifierKey(witness.nsk);
	const pkD = transmissionKey(incomingViewingKey(ak, nk), diversifier);
	const akPoint = decodePoint(ak);
	if (!pkD || !akPoint) return undefined;
	const note = { diversifier, transmissionKey: pkD, value, randomness: rcm };
	const nf = nullifier(note, ak, nk, witness.position);
	if (!nf) return undefined;
	const rk = akPoint.add(multiplySecret(spendGenerator(), readLittle(witness.alpha)));
	return concatBytes(
		...coordinates(rk),
		...coordinates(valueCommitment(value, readLittle(witness.rcv))),
		witness.anchor,
		...nullifierInputs(nf).map((input) => littleBytes(input)),
	);
}

/** @returns as {@link spendInputs} */
export function outputInputs(witness: OutputWitness): Uint8Array | undefined {
	const { diversifier, value, rcm } = witness;
	const cm = noteCommitment({ diversifier, transmissionKey: witness.pkD, value, randomness: rcm });
	const base = diversifiedBase(diversifier);
	if (!cm || !base) return undefined;
	return concatBytes(
		...coordinates(valueCommitment(value, readLittle(witness.rcv))),
		...coordinates(multiplySecret(base, readLittle(witness.esk))),
		cm,
	);
}

function coordinates(point: Point): [x: Uint8Array, y: Uint8Array] {
	const { x, y } = point.toAffine();
	return [littleBytes(x), littleBytes(y)];
}

function expectedInputs({ circuit, witness }: Witness): Uint8Array {
	const inputs = circuit === "spend" ? spendInputs(witness) : outputInputs(witness);
	if (inputs) return inputs;
	throw new ProvingError("witness", "the witness can't be proved: a part of it is not valid");
}

/**
 * @param inputs one, followed by the public inputs as the circuit has them
 * @throws {ProvingError} if they are not what is expected
 */
export function compareInputs(expected: Uint8Array, inputs: Uint8Array): void {
	if (Buffer.compare(expected, inputs.subarray(SCALAR_BYTES)) === 0) return;
	throw new ProvingError("failed", "the circuit's public inputs are not those of the witness");
}

function readAll(file: number, target: Uint8Array, offset: number): void {
	for (let at = 0; at < target.length; ) {
		const read = readSync(file, target, at, target.length - at, offset + at);
		if (read === 0) throw new ProvingError("parameters", "a file of parameters has become shorter");
		at += read;
	}
}

/** @throws {ProvingError} if the file is missing, or not the one that is expected */
function check({ circuit: name, file: { path, hash } }: Tasks["check"]["ask"]): Tasks["check"]["answer"] {
	const circuit = circuitOf(name);
	let file: number;
	try {
		file = openSync(path, "r");
	} catch (error) {
		throw new ProvingError("parameters", `${path} can't be read: ${(error as Error).message}`);
	}
	try {
		const { size, mtimeMs, ino } = fstatSync(file);
		if (size < listsEnd(circuit)) {
			const text = `${path} has ${size} bytes; proofs need a whole file of parameters, at least ${listsEnd(circuit)}`;
			throw new ProvingError("parameters", text);
		}
		const four = (offset: number) => {
			const bytes = new Uint8Array(4);
			readAll(file, bytes, offset);
			return bytes;
		};
		if (!hasLists(circuit, four)) {
			throw new ProvingError("parameters", `${path} doesn't have the parameters of ${name} proofs`);
		}
		if (hash !== undefined) {
			const found = hashOf(file, size);
			if (found !== hash) {
				const text = `${path} is not the file that is expected: its BLAKE2b-512 is ${found}, not ${hash}`;
				throw new ProvingError("parameters", text);
			}
		}
		const key = new Uint8Array(keyBytes(circuit));
		readAll(file, key, 0);
		return { key, stamp: stampOf({ size, mtimeMs, ino }) };
	} finally {
		closeSync(file);
	}
}

function hashOf(file: number, size: number): string {
	const hash = createHash("blake2b512");
	const buffer = new Uint8Array(READ_BYTES);
	for (let at = 0; at < size; ) {
		const part = buffer.subarray(0, Math.min(READ_BYTES, size - at));
		readAll(file, part, at);
		hash.update(part);
		at += part.length;
	}
	return hash.digest("hex");
}

/** A stamp that changes when somebody writes to the file. */
export const stampOf = (stat: {
	readonly size: number;
	readonly mtimeMs: number;
	readonly ino: number;
}): string => `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
