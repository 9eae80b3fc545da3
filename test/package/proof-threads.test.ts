import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { WorkerProofThreads } from "../../src/node/shielded/proof-threads.js";
import { concatBytes } from "../../src/protocol/bytes.js";
import { outputKey, recordedCalls, spendKey } from "../node/shielded/recorded-proofs.js";

const script = pathToFileURL("dist/node/shielded/proof.worker.js");
const threads = new WorkerProofThreads(script, { spendKey, outputKey }, 2);
afterAll(() => threads.close());

/** The output of the first recorded mint, which holds. */
const [mint] = recordedCalls;
if (!mint) throw new Error("no mint is recorded");
const bytes = mint.input.subarray(0, 288);
const good = { kind: "output" as const, bytes };
const bad = { kind: "output" as const, bytes: concatBytes(bytes.subarray(0, 287), Uint8Array.of(1)) };

test("the bundled threads check proofs, each question with its own answer", async () => {
	const questions = [good, bad, good, { kind: "spend" as const, bytes: new Uint8Array(320) }];
	expect(await Promise.all(questions.map((question) => threads.check(question)))).toEqual([
		true,
		false,
		true,
		false,
	]);
});

test("a thread that fails is told, and the next question begins with new ones", async () => {
	const broken = new WorkerProofThreads(pathToFileURL("dist/nothing.js"), { spendKey, outputKey }, 1);
	await expect(broken.check(good)).rejects.toThrow();
	await expect(broken.check(good)).rejects.toThrow();
	await broken.close();
	await expect(broken.check(good)).rejects.toThrow("closed");
});
