/** Signature engine using the WebAssembly build of crates/signature-recovery, for platforms without a native one. */

import { readFileSync } from "node:fs";
import type { RecoverEngine, SignEngine } from "../../protocol/signature.js";
import { CLAIM_LENGTH, KEY_LENGTH, MAX_CLAIMS, QUESTION_LENGTH, SIGNER_LENGTH } from "./known-signers.js";

/** The parts of the WebAssembly API used here, which Node.js's types lack. */
interface Runtime {
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object) => { readonly exports: Exports };
}

/** The module's functions. Input goes to `exchange_address`; output comes after the space for `max_questions` questions. */
interface Exports {
	readonly memory: { readonly buffer: ArrayBuffer };
	exchange_address(): number;
	max_questions(): number;
	recover_signers(count: number, prefix: number): void;
	recover(recovery: number): number;
	/** Address of the claims; the keys come after the space for the maximum claims of a call. */
	check_address(): number;
	check_signers(claims: number, keys: number): number;
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
	const claimsAt = module.check_address();
	const answersAt = begin + maxQuestions * QUESTION_LENGTH;
	// The module never grows its memory, so this view stays valid.
	const memory = new Uint8Array(module.memory.buffer);
	/** @param parts byte arrays with their required lengths, stored one after the other */
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
			if (!Number.isInteger(count) || answers.length !== count * SIGNER_LENGTH)
				throw new TypeError("97 bytes a question and 86 an answer are expected");
			for (let done = 0; done < count; done += maxQuestions) {
				const some = Math.min(maxQuestions, count - done);
				memory.set(questions.subarray(done * QUESTION_LENGTH, (done + some) * QUESTION_LENGTH), begin);
				module.recover_signers(some, prefix);
				answers.set(memory.subarray(answersAt, answersAt + some * SIGNER_LENGTH), done * SIGNER_LENGTH);
			}
		},
		checkSigners: (claims, keys) => {
			const [count, keyCount] = [claims.length / CLAIM_LENGTH, keys.length / KEY_LENGTH];
			if (!Number.isInteger(count) || !Number.isInteger(keyCount) || count > MAX_CLAIMS || keyCount > count)
				throw new TypeError("at most 512 claims of 115 bytes and as many keys of 64 are expected");
			memory.set(claims, claimsAt);
			memory.set(keys, claimsAt + MAX_CLAIMS * CLAIM_LENGTH);
			return module.check_signers(count, keyCount) === 1;
		},
		sign: (hash, privateKey) => {
			put([hash, 32], [privateKey, 32]);
			const recid = module.sign();
			if (recid < 0) throw new RangeError("the private key is not a number from 1 to the order of the curve");
			return { signature: memory.slice(answersAt, answersAt + 64), recid };
		},
	};
}
