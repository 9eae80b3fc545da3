/** A worker thread of a prover. */

import { parentPort, workerData } from "node:worker_threads";
import { ProvingError } from "../protocol/sapling/prover.js";
import { type CompiledModule, CompiledProver } from "./compiled.js";
import { type Question, type TaskFailure, TaskRunner } from "./tasks.js";

const port = parentPort;
if (!port) throw new Error("this file runs as a worker thread");

const { module } = workerData as { readonly module: CompiledModule };
const runner = new TaskRunner(await CompiledProver.start(module));

port.on("message", (question: Question) => {
	try {
		const answer = runner.run(question);
		port.postMessage({ answer }, buffersOf(answer));
	} catch (error) {
		if (!(error instanceof ProvingError)) throw error;
		const failure: TaskFailure = { failure: error.failure, message: error.message };
		port.postMessage(failure);
	}
});

/** The buffers of an answer's byte strings, for transfer. */
function buffersOf(answer: object): ArrayBuffer[] {
	const parts = answer instanceof Uint8Array ? [answer] : Object.values(answer);
	return parts.flatMap((part) => (part instanceof Uint8Array ? [part.buffer as ArrayBuffer] : []));
}
