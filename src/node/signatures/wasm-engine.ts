/** Signatures by the WebAssembly build of crates/signature-recovery, for machines without a library of their own. */

import { readFileSync } from "node:fs";
import type { RecoverEngine, SignEngine } from "../../protocol/signature.js";
import { ANSWER_LENGTH, QUESTION_LENGTH } from "./batch.js";

/** What is used of WebAssembly, which the types of Node.js don't have. */
interface Runtime {
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object) => { readonly exports: Exports };
}

/** The module's functions; what goes in lies at `exchange_address`, what comes out behind the room for `max_questions` questions. */
interface Exports {
	readonly memory: { readonly buffer: ArrayBuffer };
	exchange_address(): number;
	max_questions(): number;
	recover_signers(count: number, prefix: number): void;
	recover(recovery: number): number;
	is_point(): number;
	sign(): number;
}

/**
 * @param file the compiled module
 * @returns its functions for this thread
 * @throws {Error} where it can't be read or compiled
 */
export function openWasmEngine(file: string): RecoverEngine & { readonly sign: SignEngine } {
	const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Runtime };
	const { exports: module } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)));
	const begin = module.exchange_address();
	const maxQuestions = module.max_questions();
	const answersAt = begin + maxQuestions * QUESTION_LENGTH;
	// The module asks for no more memory than it begins with, so this view stays one of it.
	const memory = new Uint8Array(module.memory.buffer);
	/** @param parts bytes with the length that they must have, one behind the other */
	const put = (...parts: readonly (readonly [bytes: Uint8Array, length: number])[]): void => {
		let at = begin;
		for (const [bytes, length] of parts) {
			if (bytes.length !== length) throw new TypeError(`${length} bytes are expected, not ${bytes.length}`);
			memory.set(bytes, at);
			at += length;
		}
	};
	return {
		recover: (hash, signature, recovery) => {
			put([hash, 32], [signature.subarray(0, 64), 64]);
			return module.recover(recovery) === 1 ? memory.slice(answersAt, answersAt + 65) : undefined;
		},
		isPoint: (compressed) => {
			put([compressed, 33]);
			return module.is_point() === 1;
		},
		recoverSigners: (questions, prefix, answers) => {
			const count = questions.length / QUESTION_LENGTH;
			if (!Number.isInteger(count) || answers.length !== count * ANSWER_LENGTH)
				throw new TypeError("97 bytes a question and 22 an answer are expected");
			for (let done = 0; done < count; done += maxQuestions) {
				const some = Math.min(maxQuestions, count - done);
				memory.set(questions.subarray(done * QUESTION_LENGTH, (done + some) * QUESTION_LENGTH), begin);
				module.recover_signers(some, prefix);
				answers.set(memory.subarray(answersAt, answersAt + some * ANSWER_LENGTH), done * ANSWER_LENGTH);
			}
		},
		sign: (hash, privateKey) => {
			put([hash, 32], [privateKey, 32]);
			const recid = module.sign();
			if (recid < 0) throw new RangeError("the private key is not a number from 1 to the order of the curve");
			return { signature: memory.slice(answersAt, answersAt + 64), recid };
		},
	};
}
