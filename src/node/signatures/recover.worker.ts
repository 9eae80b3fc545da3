/** A worker thread that recovers batches of signatures. */

import { parentPort } from "node:worker_threads";
import { setAddressPrefix } from "../../protocol/address.js";
import { useFastHashing } from "../../protocol/hash.js";
import { answerBatch, type Batch } from "./batch.js";
import { installRecoverEngine } from "./engine.js";

const port = parentPort;
if (!port) throw new Error("this file runs as a worker thread");

const name = installRecoverEngine();
await useFastHashing();
port.on("message", (batch: Batch) => {
	setAddressPrefix(batch.addressPrefix);
	const answer = answerBatch(batch);
	port.postMessage(answer, [answer.answers.buffer as ArrayBuffer]);
});
port.postMessage({ ready: name });
