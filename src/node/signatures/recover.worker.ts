/** A worker thread that recovers batches of signatures. */

import { parentPort } from "node:worker_threads";
import { setAddressPrefix } from "../../protocol/address.js";
import { useFastHashing } from "../../protocol/hash.js";
import { isPostQuantumSignature, loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import { answerBatch, type Batch, type PostQuantumAnswer, type PostQuantumBatch } from "./batch.js";
import { installRecoverEngine } from "./engine.js";

const port = parentPort;
if (!port) throw new Error("this file runs as a worker thread");

const name = installRecoverEngine();
await useFastHashing();
port.on("message", (batch: Batch | PostQuantumBatch) => {
	if ("postQuantum" in batch) {
		void answerPostQuantum(batch);
		return;
	}
	setAddressPrefix(batch.addressPrefix);
	const answer = answerBatch(batch);
	port.postMessage(answer, [answer.answers.buffer as ArrayBuffer]);
});
port.postMessage({ ready: name });

/** Loads the library with the first of these batches: other networks have none. */
async function answerPostQuantum({ id, postQuantum }: PostQuantumBatch): Promise<void> {
	await loadPostQuantum();
	const verdicts = postQuantum.map(({ message, entry }) => isPostQuantumSignature(message, entry));
	port?.postMessage({ id, verdicts } satisfies PostQuantumAnswer);
}
