/** The history index of a running node: where it lies, and how it follows the chain. */

import { setTimeout as sleep } from "node:timers/promises";
import type { OpenChain } from "./chain/open-chain.js";
import type { NodeConfig } from "./config/config.js";
import { type Coverage, HistoryIndex } from "./history/history-index.js";
import { historyDirectory, openHistoryStore } from "./history/history-store.js";
import type { IndexedChain } from "./history/stored-blocks.js";
import type { NodeLog } from "./node.js";

/** Indexing old blocks takes a quarter of the time, not a tenth as other work in the background: people wait for it. */
const PAUSE_SHARE = 1 / 3;

interface HistoryOptions {
	readonly open: OpenChain;
	readonly config: NodeConfig;
	/** Undefined: the chain lives in memory. */
	readonly dataDirectory: string | undefined;
	/** The first block of its own; absent: the genesis block. */
	readonly lowestNumber?: number | undefined;
	readonly log: NodeLog;
	readonly report: (error: unknown, where: string) => void;
}

interface OpenHistory {
	readonly index: HistoryIndex;
	close(): Promise<void>;
}

/** Opens the index of a chain, and lets it follow. @throws {DatabaseError} one sentence */
export async function openHistory(options: HistoryOptions): Promise<OpenHistory> {
	const { open, config, dataDirectory, log, report } = options;
	const hasReceipts = config.storage.transactionHistory;
	if (!hasReceipts) {
		log.warn(
			{},
			"the history index has no token transfers, internal transactions and events: storage.transHistory.switch is off",
		);
	}
	const store = dataDirectory ? await openHistoryStore(historyDirectory(dataDirectory)) : undefined;
	const index = await HistoryIndex.open({
		chain: indexedChain(open, hasReceipts, options.lowestNumber ?? 0),
		store,
		pace: {
			now: () => performance.now(),
			pause: async (ms) => {
				await sleep(ms * PAUSE_SHARE, undefined, { ref: false });
			},
		},
		onFailure: (error) => report(error, "history index"),
		onProgress: (coverage) => tellProgress(coverage, log),
	});
	const ignore = open.chain.observe(index);
	if (store) open.followBase((number) => index.storedUpTo(Number(number)));
	return {
		index,
		close: async () => {
			// What is final goes to both, so that the next start finds nothing to catch up.
			if (store) await open.flushNow();
			ignore();
			open.followBase(async () => {});
			await index.close();
		},
	};
}

function tellProgress({ from, missing, isComplete }: Coverage, log: NodeLog): void {
	if (isComplete) log.info({ from }, "the history index has all blocks");
	else log.info({ from, missing }, "the history index is being made");
}

function indexedChain(open: OpenChain, hasReceipts: boolean, lowestNumber: number): IndexedChain {
	const { chain, database } = open;
	return {
		get state() {
			return chain.state;
		},
		block: (number) => chain.blockByNumber(BigInt(number)),
		get headNumber() {
			return Number(chain.state.properties.headNumber);
		},
		get storedNumber() {
			return Number(database.settledNumber);
		},
		lowestNumber,
		hasReceipts,
		flush: () => open.flushNow(),
	};
}
