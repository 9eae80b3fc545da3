import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerBatch, readAnswer, writeQuestion } from "../../../src/node/signatures/batch.js";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import { QUESTION_LENGTH } from "../../../src/node/signatures/known-signers.js";
import { MAIN_PREFIX } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";
import {
	addressOfPrivateKey,
	recoverAddress,
	recoverEngine,
	SignatureError,
	setRecoverEngine,
	sign,
} from "../../../src/protocol/signature.js";

const key = Buffer.alloc(32, 9);
const hashes = [1, 2, 3].map((n) => Buffer.alloc(32, n));

describe.each(["noble", "native", "wasm"])("a batch of signatures, with the engine %s", (engine) => {
	beforeAll(async () => {
		setRecoverEngine("noble", undefined);
		if (engine !== "noble") expect(installRecoverEngine(engine)).toBe(engine);
	});
	afterAll(() => setRecoverEngine("noble", undefined));

	test("answers each question in its place, good and bad", () => {
		const questions = new Uint8Array(hashes.length * QUESTION_LENGTH);
		for (const [at, hash] of hashes.entries()) {
			const signature = Buffer.from(sign(hash, key));
			if (at === 1) signature[64] = 100;
			writeQuestion(questions, at, hash, Buffer.concat([signature, Buffer.from("ignored")]));
		}
		const { answers, errors } = answerBatch(questions, MAIN_PREFIX);
		const signer = toHex(addressOfPrivateKey(key));
		expect(toHex(readAnswer(answers, 0) as Uint8Array)).toBe(signer);
		expect(readAnswer(answers, 1)).toBeUndefined();
		expect(toHex(readAnswer(answers, 2) as Uint8Array)).toBe(signer);
		expect(errors).toEqual([
			{ index: 1, message: "java.security.SignatureException: Header byte out of range: 100" },
		]);
	});

	test("leaves what is out of the ordinary to the rule", () => {
		const hash = hashes[0] as Buffer;
		const made = Buffer.from(sign(hash, key));
		const changed = (at: number, bytes: Buffer): Buffer =>
			Buffer.concat([made.subarray(0, at), bytes, made.subarray(at + bytes.length)]);
		const odd = [
			changed(0, Buffer.alloc(32)),
			changed(0, Buffer.alloc(32, 0xff)),
			changed(32, Buffer.alloc(32)),
			changed(32, Buffer.alloc(32, 0xff)),
			...[0, 1, 2, 3, 4, 26, 27, 29, 30, 31, 34, 35, 127, 128, 229, 255].map((v) =>
				changed(64, Buffer.of(v)),
			),
			changed(0, Buffer.alloc(32, 5)),
		];
		const questions = new Uint8Array(odd.length * QUESTION_LENGTH);
		for (const [at, signature] of odd.entries()) writeQuestion(questions, at, hash, signature);
		const { answers, errors } = answerBatch(questions, MAIN_PREFIX);
		const texts = new Map(errors.map(({ index, message }) => [index, message]));
		for (const [at, signature] of odd.entries()) {
			const answer = readAnswer(answers, at);
			expect(answer ? toHex(answer) : texts.get(at)).toBe(byTheRule(hash, signature));
		}
	});

	test("an empty one has no answers", () => {
		const { answers } = answerBatch(new Uint8Array(0), MAIN_PREFIX);
		expect(answers).toHaveLength(0);
	});
});

function byTheRule(hash: Uint8Array, signature: Uint8Array): string {
	const engine = recoverEngine();
	setRecoverEngine("noble", undefined);
	try {
		return toHex(recoverAddress(hash, signature));
	} catch (error) {
		if (!(error instanceof SignatureError)) throw error;
		return error.message;
	} finally {
		setRecoverEngine("restored", engine);
	}
}
