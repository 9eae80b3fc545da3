/**
 * The prover compiled to WebAssembly (`crates/sapling-prover`): byte strings in, byte strings out. It has no
 * imports: no randomness, files or clock.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SCALAR_BYTES } from "../protocol/bls12-381.js";
import { ProvingError } from "../protocol/sapling/prover.js";
import { type Circuit, G1_BYTES, G2_BYTES } from "./circuit.js";
import { witnessError } from "./witness.js";

type Address = number;
/** Handle of a call's results, which must be dropped. */
type Results = number;

interface Exports {
	readonly memory: { readonly buffer: ArrayBuffer };
	allocate(size: number): Address;
	release(bytes: Address, size: number): void;
	/** @returns 0 if the call succeeded */
	failure(results: Results): number;
	list_address(results: Results, index: number): Address;
	list_size(results: Results, index: number): number;
	drop_results(results: Results): void;
	assign_witness(circuit: number, witness: Address, size: number): Results;
	quotient(assignment: Results): Results;
	sum(group: number, points: Address, scalars: Address, count: number): Results;
	add(group: number, points: Address, count: number): Results;
	multiples(group: number, base: Address, scalars: Address, count: number): Results;
	make_proof(
		key: Address,
		keySize: number,
		sums: Address,
		inputs: Address,
		inputsSize: number,
		blinding: Address,
	): Results;
	generate_parameters(circuit: number, seed: Address): Results;
}

/** Scalars for the point lists of a proof; those for `h` take longer, so they are computed separately. */
export interface Assigned {
	/** One, followed by the public inputs. */
	readonly inputs: Uint8Array;
	readonly l: Uint8Array;
	readonly a: Uint8Array;
	/** For both b lists. */
	readonly b: Uint8Array;
	/** Computes the scalars for `h`; can be called only once. */
	quotient(): Uint8Array;
	drop(): void;
}

/** Generated parameters, as base points and lists of scalars to multiply them by. */
export interface GeneratedScalars {
	/** The verifying key without its point list. */
	readonly head: Uint8Array;
	readonly baseG1: Uint8Array;
	readonly baseG2: Uint8Array;
	readonly inputs: Uint8Array;
	readonly h: Uint8Array;
	readonly l: Uint8Array;
	readonly a: Uint8Array;
	readonly b: Uint8Array;
}

export type Group = 1 | 2;
const groupBytes = (group: Group): number => (group === 1 ? G1_BYTES : G2_BYTES);

/** A compiled module, which can be passed to worker threads; Node.js's types lack WebAssembly. */
export type CompiledModule = object;

/** The parts of the WebAssembly API used here, which Node.js's types lack. */
const { WebAssembly: engine } = globalThis as unknown as {
	readonly WebAssembly: {
		compile(bytes: Uint8Array): Promise<CompiledModule>;
		instantiate(module: CompiledModule, imports: object): Promise<{ readonly exports: unknown }>;
	};
};

/** Compiles the module, which can then be passed to worker threads. */
export const compileProver = async (): Promise<CompiledModule> =>
	engine.compile(await readFile(installedFile("sapling-prover.wasm")));

/** An instance of the module, with its own memory. */
export class CompiledProver {
	private constructor(private readonly exports: Exports) {}

	static async start(module: CompiledModule): Promise<CompiledProver> {
		const { exports } = await engine.instantiate(module, {});
		return new CompiledProver(exports as Exports);
	}

	/** @throws {ProvingError} if a part of the witness is not valid, or parts contradict each other */
	assign(circuit: Circuit, witness: Uint8Array): Assigned {
		const results = this.given([witness], ([address]) =>
			this.exports.assign_witness(circuit.number, address as Address, witness.length),
		);
		const failure = this.exports.failure(results);
		if (failure !== 0) {
			this.exports.drop_results(results);
			throw witnessError(failure);
		}
		const [inputs, l, a, b] = [0, 1, 2, 3].map((index) => this.list(results, index));
		return {
			inputs: inputs as Uint8Array,
			l: l as Uint8Array,
			a: a as Uint8Array,
			b: b as Uint8Array,
			quotient: () => this.only(this.exports.quotient(results)),
			drop: () => this.exports.drop_results(results),
		};
	}

	/**
	 * The sum of points times scalars.
	 * @param readPoints fills a buffer with the points, uncompressed
	 * @throws {ProvingError} if a point has another form or is at infinity
	 */
	sum(group: Group, scalars: Uint8Array, readPoints: (target: Uint8Array) => void): Uint8Array {
		const count = scalars.length / SCALAR_BYTES;
		const size = count * groupBytes(group);
		const points = this.exports.allocate(size);
		try {
			readPoints(new Uint8Array(this.exports.memory.buffer, points, size));
			const results = this.given([scalars], ([address]) =>
				this.exports.sum(group, points, address as Address, count),
			);
			return this.only(results);
		} finally {
			this.exports.release(points, size);
		}
	}

	/** The sum of points, some of which may be at infinity. */
	add(group: Group, points: Uint8Array): Uint8Array {
		const count = points.length / groupBytes(group);
		return this.only(this.given([points], ([address]) => this.exports.add(group, address as Address, count)));
	}

	/** A point multiplied by each scalar. */
	multiples(group: Group, base: Uint8Array, scalars: Uint8Array): Uint8Array {
		const count = scalars.length / SCALAR_BYTES;
		return this.only(
			this.given([base, scalars], ([point, list]) =>
				this.exports.multiples(group, point as Address, list as Address, count),
			),
		);
	}

	/**
	 * Assembles a proof from its sums, and verifies it.
	 * @param inputs one, followed by the public inputs
	 * @param sums of the lists, in file order
	 * @param blinding 128 random bytes
	 * @returns 192 bytes; undefined if the proof does not hold
	 */
	prove(key: Uint8Array, inputs: Uint8Array, sums: Uint8Array, blinding: Uint8Array): Uint8Array | undefined {
		const { exports } = this;
		const results = this.given([key, sums, inputs, blinding], (addresses) => {
			const [keyAt, sumsAt, inputsAt, blindingAt] = addresses as [Address, Address, Address, Address];
			return exports.make_proof(keyAt, key.length, sumsAt, inputsAt, inputs.length, blindingAt);
		});
		if (exports.failure(results) === 0) return this.only(results);
		exports.drop_results(results);
		return undefined;
	}

	/** @param seed 32 bytes; whoever knows it can forge proofs */
	generate(circuit: Circuit, seed: Uint8Array): GeneratedScalars {
		const results = this.given([seed], ([address]) =>
			this.exports.generate_parameters(circuit.number, address as Address),
		);
		if (this.exports.failure(results) !== 0) {
			throw new ProvingError("failed", "no parameters come of the seed");
		}
		const [head, baseG1, baseG2, inputs, h, l, a, b] = Array.from({ length: 8 }, (_, index) =>
			this.list(results, index),
		) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
		this.exports.drop_results(results);
		return { head, baseG1, baseG2, inputs, h, l, a, b };
	}

	/** Calls with copies of byte strings in the module's memory; the copies are erased afterwards. */
	private given(parts: readonly Uint8Array[], call: (addresses: Address[]) => Results): Results {
		const addresses = parts.map((part) => {
			const address = this.exports.allocate(part.length);
			new Uint8Array(this.exports.memory.buffer, address, part.length).set(part);
			return address;
		});
		try {
			return call(addresses);
		} finally {
			for (const [i, address] of addresses.entries()) {
				this.exports.release(address, (parts[i] as Uint8Array).length);
			}
		}
	}

	private list(results: Results, index: number): Uint8Array {
		const [address, size] = [
			this.exports.list_address(results, index),
			this.exports.list_size(results, index),
		];
		return new Uint8Array(this.exports.memory.buffer, address, size).slice();
	}

	/** The single list of a result; drops the results. */
	private only(results: Results): Uint8Array {
		try {
			if (this.exports.failure(results) !== 0) {
				throw new ProvingError("parameters", "a point of the parameters has another form");
			}
			return this.list(results, 0);
		} finally {
			this.exports.drop_results(results);
		}
	}
}

/**
 * Finds a file relative to this code: a bundle's chunks are next to its room folders.
 * @throws {ProvingError}
 */
export function installedFile(name: string): string {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
		const path = join(folder, "proving", name);
		if (existsSync(path)) return path;
		if (folder === dirname(folder)) {
			throw new ProvingError("failed", `this installation lacks the file proving/${name}`);
		}
	}
}
