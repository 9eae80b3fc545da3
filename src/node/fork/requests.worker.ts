/** The thread that asks another node over HTTP while the main thread waits, or goes on (`requests.ts` says why). */

import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { answerRequests, type WorkerSide } from "./request-thread.js";

answerRequests(workerData as WorkerSide, { fetch, pause: (ms) => sleep(ms) });
