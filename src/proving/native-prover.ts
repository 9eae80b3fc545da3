/**
 * Proofs by a program of native code, for those who have built it (`crates/sapling-prover/build.sh --native`): the same crate as the
 * compiled module, in a process of its own for each proof. The witness goes through a pipe.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SCALAR_BYTES } from "../protocol/bls12-381.js";
import { concatBytes, utf8 } from "../protocol/bytes.js";
import { littleBytes } from "../protocol/sapling/jubjub.js";
import { ProvingError } from "../protocol/sapling/prover.js";
import { type Circuit, keyBytes, listOffset, POINT_LISTS } from "./circuit.js";
import { witnessError } from "./witness.js";

const PROGRAM = join("native", "bin", process.platform === "win32" ? "sapling-prover.exe" : "sapling-prover");
const PROOF_BYTES = 192;
/** The program's numbers of failures from which on they are not of witnesses. */
const NOT_OF_WITNESSES = 100;

/** The program, where this installation has it. */
export function nativeProgram(): string | undefined {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
		const path = join(folder, PROGRAM);
		if (existsSync(path)) return path;
		if (folder === dirname(folder)) return undefined;
	}
}

interface NativeRequest {
	readonly circuit: Circuit;
	/** Of the file of parameters, which has been checked. */
	readonly path: string;
	readonly threads: number;
	/** 128 random bytes. */
	readonly blinding: Uint8Array;
	readonly witness: Uint8Array;
}

/** As `crates/sapling-prover/src/main.rs` reads it. */
function requestBytes({ circuit, path, threads, blinding, witness }: NativeRequest): Uint8Array {
	const name = utf8(path);
	return concatBytes(
		Uint8Array.of(circuit.number, threads),
		littleBytes(BigInt(name.length), 2),
		name,
		littleBytes(BigInt(keyBytes(circuit)), 4),
		...POINT_LISTS.flatMap((list) => [
			littleBytes(BigInt(listOffset(circuit, list)), 8),
			littleBytes(BigInt(circuit.points[list]), 4),
		]),
		blinding,
		witness,
	);
}

/**
 * Makes a proof, which the program has checked.
 * @returns the public inputs after a one, as the circuit has them, and the proof
 * @throws {ProvingError}
 */
export async function proveNatively(
	program: readonly [path: string, ...args: string[]],
	request: NativeRequest,
	signal?: AbortSignal,
): Promise<{ readonly inputs: Uint8Array; readonly proof: Uint8Array }> {
	const inputsSize = request.circuit.inputs * SCALAR_BYTES;
	const bytes = requestBytes(request);
	const answer = await run(program, bytes, 1 + inputsSize + PROOF_BYTES, signal);
	bytes.fill(0);
	const failure = answer[0] as number;
	if (failure === 0 && answer.length === 1 + inputsSize + PROOF_BYTES) {
		const proof = Uint8Array.from(answer.subarray(1 + inputsSize));
		return { inputs: answer.subarray(1, 1 + inputsSize), proof };
	}
	if (failure > 0 && failure < NOT_OF_WITNESSES) throw witnessError(failure);
	if (failure === NOT_OF_WITNESSES) {
		throw new ProvingError("parameters", "the proof does not hold with the verifying key of its parameters");
	}
	throw new ProvingError("failed", "the native prover gave an answer of another form");
}

/** Runs a program on some bytes. @param most more bytes than these in the answer are a failure */
function run(
	[path, ...args]: readonly [string, ...string[]],
	request: Uint8Array,
	most: number,
	signal: AbortSignal | undefined,
): Promise<Uint8Array> {
	return new Promise((resolve, reject) => {
		const failed = (text: string, cause?: unknown) =>
			reject(new ProvingError("failed", `the native prover ${text}`, { cause }));
		const child = spawn(path, args, { stdio: ["pipe", "pipe", "ignore"], env: {}, windowsHide: true });
		const leave = () => {
			child.kill("SIGKILL");
			reject(signal?.reason);
		};
		signal?.addEventListener("abort", leave, { once: true });
		const parts: Uint8Array[] = [];
		let size = 0;
		child.stdout.on("data", (part: Uint8Array) => {
			size += part.length;
			parts.push(part);
			if (size <= most) return;
			child.kill("SIGKILL");
			failed("gave a longer answer than there is");
		});
		child.on("error", (error) => failed(`can't be started: ${error.message}`, error));
		child.on("close", (code, killed) => {
			signal?.removeEventListener("abort", leave);
			if (code === 0 && size > 0) resolve(concatBytes(...parts));
			else failed(`ended with ${killed ?? `code ${code}`}`);
		});
		// A program that ends early closes the pipe; how it ended says more.
		child.stdin.on("error", () => undefined);
		child.stdin.end(request);
	});
}
