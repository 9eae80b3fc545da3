/** Worker thread entry point of the live audit. */

import { parentPort, workerData } from "node:worker_threads";
import { type AuditRequest, type AuditWork, AuditWorker, prepareThread } from "./audit-worker.js";

const port = parentPort;
if (!port) throw new Error("this file runs as a worker thread");

prepareThread(workerData as AuditWork);
const worker = new AuditWorker(workerData as AuditWork, (answer) => port.postMessage(answer));
port.on("message", (request: AuditRequest) => void worker.take(request));
