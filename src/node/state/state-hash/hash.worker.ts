/** A thread that hashes entries of the state. */

import { parentPort } from "node:worker_threads";
import { type HashRequest, HashWorker } from "./hash-worker.js";

const port = parentPort;
if (!port) throw new Error("this file runs as a worker thread");

const worker = new HashWorker((answer) => port.postMessage(answer));
port.on("message", (request: HashRequest) => worker.take(request));
