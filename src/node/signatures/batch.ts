/** Batches of signatures: packed bytes, as the library takes them. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import type { PQAuthSig } from "../../protocol/messages.js";
import { recoverAddress, recoverEngine, SIGNATURE_LENGTH, SignatureError } from "../../protocol/signature.js";

export const HASH_LENGTH = 32;
/** One question: a hash and the first 65 bytes of a signature. */
export const QUESTION_LENGTH = HASH_LENGTH + SIGNATURE_LENGTH;
/** One answer: a flag and an address. */
export const ANSWER_LENGTH = 1 + ADDRESS_LENGTH;

/** The answers: a zero flag marks an entry whose text is in `errors`. */
interface BatchAnswer {
	readonly answers: Uint8Array;
	readonly errors: readonly { readonly index: number; readonly message: string }[];
}

/** Post-quantum signatures, as the pool sends them: few enough to go as they are. */
export interface PostQuantumBatch {
	readonly id: number;
	readonly postQuantum: readonly PostQuantumQuestion[];
}

export interface PostQuantumQuestion {
	/** 32 bytes. */
	readonly message: Uint8Array;
	readonly entry: Readonly<Pick<PQAuthSig, "scheme" | "public_key" | "signature">>;
}

/** Whether each is right. */
export interface PostQuantumAnswer {
	readonly id: number;
	readonly verdicts: readonly boolean[];
}

export function writeQuestion(
	target: Uint8Array,
	index: number,
	hash: Uint8Array,
	signature: Uint8Array,
): void {
	const at = index * QUESTION_LENGTH;
	target.set(hash, at);
	target.set(signature.subarray(0, SIGNATURE_LENGTH), at + HASH_LENGTH);
}

/** Recovers every signature of a batch: the ordinary ones all at once where the library can, the others by the rule. */
export function answerBatch(questions: Uint8Array, addressPrefix: number): BatchAnswer {
	const count = questions.length / QUESTION_LENGTH;
	const answers = new Uint8Array(count * ANSWER_LENGTH);
	const errors: { index: number; message: string }[] = [];
	recoverEngine()?.recoverSigners?.(questions, addressPrefix, answers);
	for (let index = 0; index < count; index++) {
		if (answers[index * ANSWER_LENGTH] === 1) continue;
		const at = index * QUESTION_LENGTH;
		const hash = questions.subarray(at, at + HASH_LENGTH);
		const signature = questions.subarray(at + HASH_LENGTH, at + QUESTION_LENGTH);
		try {
			answers.set(recoverAddress(hash, signature), index * ANSWER_LENGTH + 1);
			answers[index * ANSWER_LENGTH] = 1;
		} catch (error) {
			if (!(error instanceof SignatureError)) throw error;
			errors.push({ index, message: error.message });
		}
	}
	return { answers, errors };
}

/** The address of an entry, undefined if it failed. */
export function readAnswer(answers: Uint8Array, index: number): Uint8Array | undefined {
	const at = index * ANSWER_LENGTH;
	return answers[at] === 1 ? answers.subarray(at + 1, at + ANSWER_LENGTH) : undefined;
}
