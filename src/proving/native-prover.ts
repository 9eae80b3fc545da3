/**
 * Proofs by a native program, for users who have built it (`crates/sapling-prover/build.sh --native`): the same crate as the
 * compiled module, run as a separate process per proof. The witness is passed through a pipe.
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
/** The program's failure codes from this one on don't concern the witness. */
const NOT_OF_WITNESSES = 100;

/** Path of the program, if this installation has it. */
export function nativeProgram(): string | undefined {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
		const path = join(folder, PROGRAM);
		if (existsSync(path)) return path;
		if (folder === dirname(folder)) return undefined;
	}
}

interface NativeRequest {
	readonly circuit: Circuit;
	/** Path of the parameter file, which has already been checked. */
	readonly path: string;
	readonly threads: number;
	/** 128 random bytes. */
	readonly blinding: Uint8Array;
	readonly witness: Uint8Array;
}

/** The request in the format that `crates/sapling-prover/src/main.rs` reads. */
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
 * Makes a proof, which the program also verifies.
 * @returns one and the public inputs as the circuit has them, and the proof
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

/** Runs a program on some bytes. @param most maximum length of the answer; a longer one is a failure */
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
		// If the program ends early the pipe breaks; its exit status says more.
		child.stdin.on("error", () => undefined);
		child.stdin.end(request);
	});
}
