/** The thread that queries another node over HTTP while the main thread sleeps or continues (see `requests.ts`). */

import { setTimeout as sleep } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { answerRequests, type WorkerSide } from "./request-thread.js";

answerRequests(workerData as WorkerSide, { fetch, pause: (ms) => sleep(ms) });
