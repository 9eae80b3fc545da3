/** Batches of signatures, packed in the libraries' format. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import type { PQAuthSig } from "../../protocol/messages.js";
import {
	type RecoverEngine,
	recoverAddress,
	recoverEngine,
	SIGNATURE_LENGTH,
	SignatureError,
} from "../../protocol/signature.js";
import {
	HASH_LENGTH,
	type KnownSigners,
	QUESTION_LENGTH,
	SIGNER_LENGTH,
	SOURCE_LENGTH,
} from "./known-signers.js";

/** One answer: a flag and an address. */
const ANSWER_LENGTH = 1 + ADDRESS_LENGTH;

/** The answers; a zero flag marks an entry whose error is in `errors`. */
interface BatchAnswer {
	readonly answers: Uint8Array;
	readonly errors: readonly { readonly index: number; readonly message: string }[];
}

/** Post-quantum signatures as sent to a thread; few enough that they needn't be packed. */
export interface PostQuantumBatch {
	readonly id: number;
	readonly postQuantum: readonly PostQuantumQuestion[];
}

export interface PostQuantumQuestion {
	/** 32 bytes. */
	readonly message: Uint8Array;
	readonly entry: Readonly<Pick<PQAuthSig, "scheme" | "public_key" | "signature">>;
}

/** Whether each signature is valid. */
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

/** Keys seen before, and the source to look each of a batch's signatures up by. */
interface Expectation {
	readonly known: KnownSigners;
	/** {@link SOURCE_LENGTH} bytes per question. */
	readonly sources: Uint8Array;
}

/** Recovers the signer of each signature in a batch: ordinary ones in one library call if possible, the rest one by one. */
export function answerBatch(
	questions: Uint8Array,
	addressPrefix: number,
	expectation?: Expectation,
): BatchAnswer {
	const count = questions.length / QUESTION_LENGTH;
	const answers = new Uint8Array(count * ANSWER_LENGTH);
	const errors: { index: number; message: string }[] = [];
	const answered = (index: number, signer: Uint8Array): void => {
		answers.set(signer.subarray(0, ANSWER_LENGTH), index * ANSWER_LENGTH);
		answers[index * ANSWER_LENGTH + 1] = addressPrefix;
	};
	const engine = recoverEngine();
	if (engine && expectation) expectation.known.check(engine, questions, expectation.sources, answered);
	const isOpen = (index: number): boolean => answers[index * ANSWER_LENGTH] !== 1;
	const open = Array.from({ length: count }, (_, index) => index).filter(isOpen);
	if (engine?.recoverSigners)
		recoverAll(engine.recoverSigners, questions, addressPrefix, open, answered, expectation);
	for (const index of open) {
		if (!isOpen(index)) continue;
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

/** Recovers some of the questions, and remembers their keys. */
function recoverAll(
	recover: NonNullable<RecoverEngine["recoverSigners"]>,
	questions: Uint8Array,
	addressPrefix: number,
	open: readonly number[],
	answered: (index: number, signer: Uint8Array) => void,
	expectation: Expectation | undefined,
): void {
	const asked = new Uint8Array(open.length * QUESTION_LENGTH);
	for (const [at, index] of open.entries())
		asked.set(
			questions.subarray(index * QUESTION_LENGTH, (index + 1) * QUESTION_LENGTH),
			at * QUESTION_LENGTH,
		);
	const signers = new Uint8Array(open.length * SIGNER_LENGTH);
	recover(asked, addressPrefix, signers);
	for (const [at, index] of open.entries()) {
		const signer = signers.subarray(at * SIGNER_LENGTH, (at + 1) * SIGNER_LENGTH);
		if (signer[0] !== 1) continue;
		answered(index, signer);
		expectation?.known.learn(expectation.sources, index * SOURCE_LENGTH, signer);
	}
}

/** The address of an answer; undefined if it failed. */
export function readAnswer(answers: Uint8Array, index: number): Uint8Array | undefined {
	const at = index * ANSWER_LENGTH;
	return answers[at] === 1 ? answers.subarray(at + 1, at + ANSWER_LENGTH) : undefined;
}
