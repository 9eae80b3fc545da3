import { describe, expect, test } from "vitest";
import {
	answerBatch,
	QUESTION_LENGTH,
	readAnswer,
	writeQuestion,
} from "../../../src/node/signatures/batch.js";
import { MAIN_PREFIX } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";

const key = Buffer.alloc(32, 9);
const hashes = [1, 2, 3].map((n) => Buffer.alloc(32, n));

describe("a batch of signatures", () => {
	test("answers each question in its place, good and bad", () => {
		const questions = new Uint8Array(hashes.length * QUESTION_LENGTH);
		for (const [at, hash] of hashes.entries()) {
			const signature = Buffer.from(sign(hash, key));
			if (at === 1) signature[64] = 100;
			writeQuestion(questions, at, hash, Buffer.concat([signature, Buffer.from("ignored")]));
		}
		const { id, answers, errors } = answerBatch({ id: 5, addressPrefix: MAIN_PREFIX, questions });
		const signer = toHex(addressOfPrivateKey(key));
		expect(id).toBe(5);
		expect(toHex(readAnswer(answers, 0) as Uint8Array)).toBe(signer);
		expect(readAnswer(answers, 1)).toBeUndefined();
		expect(toHex(readAnswer(answers, 2) as Uint8Array)).toBe(signer);
		expect(errors).toEqual([
			{ index: 1, message: "java.security.SignatureException: Header byte out of range: 100" },
		]);
	});
});
