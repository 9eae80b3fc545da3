/** Starts the thread that replays blocks, and manages its directory. */

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import type { NodeConfig } from "../config/config.js";
import { channelOf, type FromReplay, REPLAY_FOLDER, type ToReplay } from "./messages.js";

/** Input of the thread. */
export interface ReplayThread {
	readonly port: MessagePort;
	/** For its own chain. */
	readonly config: NodeConfig;
	readonly directory: string;
	readonly target: number;
	/** Number of newest blocks it keeps. */
	readonly keptBlocks: number;
}

/** More than any rule looks back. */
const KEPT_BLOCKS = 70_000;

const replayDirectory = (dataDirectory: string): string => join(dataDirectory, REPLAY_FOLDER);

export const hasReplay = (dataDirectory: string): boolean => existsSync(replayDirectory(dataDirectory));

/** Removes the replay's data, which is as large as the state. */
export async function removeReplay(dataDirectory: string): Promise<void> {
	await rm(replayDirectory(dataDirectory), { recursive: true, force: true });
}

/** The same chain without client-only data, and with a small share of the memory. */
function replayConfig(config: NodeConfig): NodeConfig {
	return {
		...config,
		node: { ...config.node, stateHash: false },
		storage: {
			...config.storage,
			sync: false,
			balanceHistory: false,
			transactionHistory: false,
			cacheBytes: Math.max(config.storage.cacheBytes / 4, LEAST_CACHE_BYTES),
		},
	};
}

const LEAST_CACHE_BYTES = 32 << 20;

/** @param script the bundled `backfill.worker.ts` */
export function startReplay(script: URL, config: NodeConfig, dataDirectory: string, target: number) {
	const { port1, port2 } = new MessageChannel();
	const directory = replayDirectory(dataDirectory);
	const given: ReplayThread = {
		port: port2,
		config: replayConfig(config),
		directory,
		target,
		keptBlocks: KEPT_BLOCKS,
	};
	const worker = new Worker(script, { workerData: given, transferList: [port2] });
	worker.unref();
	port1.unref();
	const channel = channelOf<FromReplay, ToReplay>(port1);
	const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
	let failure: Error | undefined;
	worker.on("error", (error) => {
		failure = error;
		channel.close();
	});
	return {
		channel,
		/** Why the thread failed, if it did. */
		get failure() {
			return failure;
		},
		/** Stops the thread between two batches; its chain continues there after the next start. */
		close: async () => {
			channel.close();
			await Promise.race([ended, new Promise((late) => setTimeout(late, CLOSE_MS).unref())]);
			await worker.terminate();
		},
	};
}

/** Longer than a batch of blocks and the final write take. */
const CLOSE_MS = 10_000;

/** The bundled script; undefined in a program run from source. */
export const replayScript = (): URL | undefined => bundledScript("node/backfill.worker.js");
