/** Worker thread that digests blocks, including all their signers, and verifies post-quantum signatures. */

import { parentPort } from "node:worker_threads";
import { setAddressPrefix } from "../../protocol/address.js";
import { useFastHashing } from "../../protocol/hash.js";
import { isPostQuantumSignature, loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import type { PostQuantumAnswer, PostQuantumBatch } from "./batch.js";
import { digestBlock } from "./block-digest.js";
import { installRecoverEngine } from "./engine.js";
import { KnownSigners } from "./known-signers.js";
import type { BlockQuestion } from "./pool.js";

const port = parentPort;
if (!port) throw new Error("this file runs as a worker thread");

const name = installRecoverEngine();
await useFastHashing();
const known = new KnownSigners();
port.on("message", (question: BlockQuestion | PostQuantumBatch) => {
	if ("postQuantum" in question) {
		void answerPostQuantum(question);
		return;
	}
	const { id, block, addressPrefix } = question;
	setAddressPrefix(addressPrefix);
	const digest = digestBlock(block, addressPrefix, known);
	const { ids, sizes, signers } = digest;
	port.postMessage(
		{ id, digest },
		[ids, sizes, signers].map(({ buffer }) => buffer as ArrayBuffer),
	);
});
port.postMessage({ ready: name });

/** Loads the library on the first such batch, since most networks have none. */
async function answerPostQuantum({ id, postQuantum }: PostQuantumBatch): Promise<void> {
	await loadPostQuantum();
	const verdicts = postQuantum.map(({ message, entry }) => isPostQuantumSignature(message, entry));
	port?.postMessage({ id, verdicts } satisfies PostQuantumAnswer);
}
