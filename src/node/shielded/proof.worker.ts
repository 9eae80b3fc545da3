/** Worker thread that verifies shielded proofs with the keys it is started with. */

import { parentPort, workerData } from "node:worker_threads";
import { loadGroth16 } from "./groth16-library.js";
import { outputOf, spendOf } from "./proof-questions.js";
import type { NumberedQuestion, ProofAnswer, ProofKeys } from "./proof-threads.js";
import { SaplingVerifier } from "./verifier.js";

const port = parentPort;
if (!port) throw new Error("this file runs as a worker thread");

const { spendKey, outputKey } = workerData as ProofKeys;
const verifier = SaplingVerifier.withKeys(await loadGroth16(), spendKey, outputKey);
port.on("message", ({ id, kind, bytes }: NumberedQuestion) => {
	const holds =
		kind === "spend" ? verifier.provesSpend(spendOf(bytes)) : verifier.holdsOutput(outputOf(bytes));
	port.postMessage({ id, holds } satisfies ProofAnswer);
});
