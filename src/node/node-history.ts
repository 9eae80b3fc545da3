/** The history index of a running node: its location, and how it follows the chain. */

import { setTimeout as sleep } from "node:timers/promises";
import type { OpenChain } from "./chain/open-chain.js";
import type { NodeConfig } from "./config/config.js";
import type { IndexedChain } from "./history/block-rows.js";
import { type Coverage, HistoryIndex, type HistoryReader } from "./history/history-index.js";
import { type HistoryStore, historyDirectory, openHistoryStore } from "./history/history-store.js";
import type { NodeLog } from "./node-log.js";
import { type DatabaseAddress, DatabaseRefusal } from "./postgresql/address.js";
import { WriterElsewhere } from "./postgresql/failures.js";

/** Indexing old blocks takes a quarter of the time, not a tenth like other background work: people wait for it. */
const PAUSE_SHARE = 1 / 3;

/** How long the chain waits for a remote database to store what is already on its own disk. */
const MAX_WAIT_MS = 1_000;

/** A start waits five seconds for a former writer to go away. */
const WRITER_TRIES = 20;
const WRITER_PAUSE_MS = 250;

interface HistoryOptions {
	readonly open: OpenChain;
	readonly config: NodeConfig;
	/** Undefined: the chain lives in memory. */
	readonly dataDirectory: string | undefined;
	/** Its first own block; absent: genesis. */
	readonly lowestNumber?: number | undefined;
	/** Whether the chain can be reverted: then rows of other blocks are discarded wherever they are. */
	readonly isDevelopment?: boolean;
	readonly log: NodeLog;
	readonly report: (error: unknown, where: string) => void;
}

interface OpenHistory {
	readonly index: HistoryReader;
	close(): Promise<void>;
}

/** Opens a chain's index and makes it follow the chain. @throws {OperatorError} one sentence */
export async function openHistory(options: HistoryOptions): Promise<OpenHistory> {
	const { open, config, dataDirectory, log, report } = options;
	const { database, readOnly } = config.node.history;
	const hasReceipts = config.storage.transactionHistory;
	if (!hasReceipts) {
		log.warn(
			{},
			"the history index has no token transfers, internal transactions and events: storage.transHistory.switch is off",
		);
	}
	const chain = indexedChain(open, hasReceipts, options.lowestNumber ?? 0);
	const onAway = (reason: string | undefined): void => tellAway(reason, log);
	if (database && readOnly) return followHistory(options, await databaseStore(options, database), chain);
	const store = database
		? await databaseStore(options, database)
		: dataDirectory && (await openHistoryStore(historyDirectory(dataDirectory)));
	const index = await HistoryIndex.open({
		chain,
		store: store || undefined,
		pace: {
			now: () => performance.now(),
			pause: async (ms) => {
				await sleep(ms * PAUSE_SHARE, undefined, { ref: false });
			},
		},
		onAhead: (to) =>
			log.warn(
				{ to, head: chain.headNumber },
				"the history index had blocks that the chain doesn't have: it is made again",
			),
		onFailure: (error) => report(error, "history index"),
		onProgress: (coverage) => tellProgress(coverage, log),
		...(database ? { pauseFor, onAway } : {}),
	}).catch(closing(store));
	const ignore = open.chain.observe(index);
	if (store) {
		open.followBase(async (number) => {
			const written = index.storedUpTo(Number(number));
			// A local disk is waited for; a remote database must not hold up the chain.
			await (database ? Promise.race([written, sleep(MAX_WAIT_MS, undefined, { ref: false })]) : written);
		});
	}
	return {
		index,
		close: async () => {
			// Final blocks are written to both, so that the next start has nothing to catch up.
			if (store) await open.flushNow();
			ignore();
			open.followBase(async () => {});
			await index.close();
		},
	};
}

/** Closes a store that can't be used: another node may be writing to it. */
const closing =
	(store: HistoryStore | "" | undefined) =>
	async (error: unknown): Promise<never> => {
		if (store) await store.close();
		throw error;
	};

/** Follows a history written by another node. */
async function followHistory(
	{ open, log }: HistoryOptions,
	store: HistoryStore,
	chain: IndexedChain,
): Promise<OpenHistory> {
	const { HistoryFollower } = await import("./history/history-follower.js");
	const onAway = (reason: string | undefined): void => tellAway(reason, log);
	const index = await HistoryFollower.open({ chain, store, pauseFor, onAway }).catch(closing(store));
	const ignore = open.chain.observe(index);
	return {
		index,
		close: async () => {
			ignore();
			await index.close();
		},
	};
}

/** Loads the database driver, only if a database is configured. @throws {OperatorError} */
async function databaseStore(
	{ open, config, dataDirectory, isDevelopment = false }: HistoryOptions,
	address: DatabaseAddress,
): Promise<HistoryStore> {
	if (dataDirectory === undefined) {
		throw new DatabaseRefusal("node.history.database needs a chain with a data directory (-d)");
	}
	const { PostgresqlStore } = await import("./history/postgresql/postgresql-store.js");
	const genesis = open.rules.genesisId;
	const { readOnly } = config.node.history;
	const store = await PostgresqlStore.create({ address, genesis, readOnly, isDisposable: isDevelopment });
	await formerWriterGone(store);
	return store;
}

/** The server releases a killed node's lock once it notices the closed connection. */
async function formerWriterGone(store: HistoryStore): Promise<void> {
	for (let tries = 0; tries < WRITER_TRIES; tries++) {
		try {
			await store.position();
			return;
		} catch (error) {
			// Other errors are reported when the index is opened.
			if (!(error instanceof WriterElsewhere)) return;
		}
		await sleep(WRITER_PAUSE_MS);
	}
}

/** Ends early if the node stops. */
async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
	await sleep(ms, undefined, { ref: false, signal }).catch(() => {});
}

function tellAway(reason: string | undefined, log: NodeLog): void {
	if (reason === undefined) log.info({}, "the history database answers again");
	else log.warn({ reason }, "the history database can't be used: the node goes on without it");
}

function tellProgress({ from, missing, isComplete }: Coverage, log: NodeLog): void {
	if (isComplete) log.info({ from }, "the history index has all blocks");
	else log.info({ from, missing }, "the history index is being made");
}

/** The chain as read by the history index. */
export function indexedChain(open: OpenChain, hasReceipts: boolean, lowestNumber: number): IndexedChain {
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
			return Number(database.finalizedNumber);
		},
		lowestNumber,
		hasReceipts,
		flush: () => open.flushNow(),
	};
}
