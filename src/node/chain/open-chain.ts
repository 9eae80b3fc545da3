/** Opens a chain from configuration and data directory, keeps database and log in step, and closes it. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SignedBlock } from "../../protocol/block.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { NodeConfig } from "../config/config.js";
import { admissionOf } from "../rules/admission.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ForkGates } from "../rules/fork-gates.js";
import { settleAccountAssets } from "../state/asset-layout.js";
import { type CacheBudget, shareCacheBytes } from "../state/cache-budget.js";
import type { ChangeHistory } from "../state/change-history.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../state/database.js";
import { type StoreDefinition, storeDefinitions } from "../state/definition.js";
import type { StateBackend } from "../state/entry.js";
import { readHistoryStatus, statusKey } from "../state/history-format.js";
import { asksForProofs } from "../state/note-trees.js";
import type { PropertySeed } from "../state/property-table.js";
import { StateDatabase } from "../state/state-database.js";
import { FollowedHash } from "../state/state-hash/followed-hash.js";
import { hashingThreads } from "../state/state-hash/hash-threads.js";
import type { StateHistory } from "../state/state-history.js";
import { createView, type StateView } from "../state/view.js";
import { BlockLog, type ChainJournal, type LogRecord } from "./block-log.js";
import { encodedBlockAt } from "./block-store.js";
import { Chain } from "./chain.js";
import type { ChainOptions, ChainSettings, FlushLimits } from "./chain-options.js";
import { chainRules, looseWhileRestoring, propertySeed } from "./configured-rules.js";
import {
	BatchMarks,
	beginLog,
	checkMeta,
	type DirectoryMeta,
	logDirectory,
	logStartChange,
	metaChange,
	openDataDirectory,
	readLogStart,
	readMeta,
	refuseBlocksElsewhere,
	refuseLostState,
	sideKey,
} from "./data-directory.js";
import { prepareBase, writeGenesis } from "./genesis.js";
import { HistorySweeper } from "./history-sweeper.js";
import { diskFiles } from "./log-files.js";
import { eachBlock, Observers } from "./observers.js";
import { OldBlocks } from "./old-blocks.js";
import { ReadAhead } from "./read-ahead.js";

/** How many blocks back the state of a development chain can be read. */
const DEVELOPMENT_HISTORY_BLOCKS = 256;

/** Encoded values of a store by key. */
export type EncodedEntries = ReadonlyMap<string, Uint8Array>;

const FLUSH_LIMITS: FlushLimits = { entries: 40_000, logBytes: 64 << 20 };

/**
 * Called when the database has all final blocks up to a number. The next flush waits until it resolves, so
 * that an importer can't outrun it.
 */
type BaseFollower = (number: bigint) => Promise<void>;

interface BackfillableChain {
	readonly history: ChangeHistory;
	readonly database: KeyValueDatabase;
	block(number: bigint): Uint8Array | undefined;
	has(store: StoreDefinition<unknown>, key: string): boolean;
}

/** A chain with its storage. */
export class OpenChain {
	/** The flush in progress; it never rejects. */
	private flushing: Promise<void> | undefined;
	/** Whether a flush has begun but not yet taken what it will write. */
	private isPreparing = false;
	private failed = false;
	private isClosing = false;
	/** Views of past states: caches are attached to the view. */
	private readonly views = new WeakMap<StateBackend, StateView>();
	private follower: BaseFollower | undefined;
	private readonly reader = new ReadAhead(
		(wanted) => this.database.readAhead(wanted),
		(transaction) => this.options.guess?.(transaction) ?? [],
	);

	private constructor(
		readonly chain: Chain,
		readonly rules: ChainRules,
		readonly forks: ForkGates,
		/** For views over other backends. */
		readonly seed: PropertySeed,
		readonly database: StateDatabase,
		private readonly storage: KeyValueDatabase,
		/** Undefined: the chain lives in memory. */
		readonly oldBlocks: OldBlocks | undefined,
		private readonly log: BlockLog | undefined,
		private readonly marks: BatchMarks,
		/** Undefined: there is nothing to delete. */
		private readonly sweeper: HistorySweeper | undefined,
		private readonly options: ChainOptions,
	) {}

	/**
	 * Opens or creates the chain; after a kill, continues from the last visible block.
	 * @throws {DatabaseError | LogDamagedError} with one sentence
	 */
	static async open(options: ChainOptions): Promise<OpenChain> {
		const { config, dataDirectory } = options;
		if (config.node.network === "nile") await loadPostQuantum();
		// A refused start leaves nothing behind.
		const isNew = dataDirectory !== undefined && !existsSync(join(dataDirectory, config.storage.directory));
		if (isNew) checkProofSupport(beginsWithProofs(config), options);
		const database =
			options.storage ??
			(dataDirectory
				? await openDataDirectory(dataDirectory, config.storage.directory, budgetOf(config))
				: createMemoryDatabase());
		let old: OldBlocks | undefined;
		try {
			const meta = await readMeta(database, dataDirectory ?? "memory");
			refuseBlocksElsewhere(database);
			if (dataDirectory)
				old = await OldBlocks.open(database, dataDirectory, options.segmentFiles, budgetOf(config));
			const stored = old?.storage ?? database;
			const own = options.fork ? await options.fork.under(stored, !meta) : stored;
			return await OpenChain.openOn(own, old, meta, options);
		} catch (error) {
			old?.release();
			await database.close();
			throw error;
		}
	}

	private static async openOn(
		storage: KeyValueDatabase,
		oldBlocks: OldBlocks | undefined,
		meta: DirectoryMeta | undefined,
		options: ChainOptions,
	): Promise<OpenChain> {
		const { config, dataDirectory } = options;
		const timing = { restoring: true };
		const rules = chainRules(
			options,
			options.development && looseWhileRestoring(options.development, timing),
		);
		const seed = propertySeed(config);
		if (meta) checkMeta(meta, rules.genesisId, dataDirectory ?? "memory");
		const marks = await BatchMarks.read(storage, dataDirectory ?? "memory");
		const files = options.logFiles ?? diskFiles;
		if (!meta && dataDirectory) refuseLostState(dataDirectory, files);
		const database = await StateDatabase.open(storage, settleAccountAssets, budgetOf(config));
		const { stateBlocks } = config.node.history;
		if (options.development) database.keepHistory(Math.max(DEVELOPMENT_HISTORY_BLOCKS, stateBlocks));
		await followHash(storage, database, seed, !meta, options);
		prepareState(createView(database.baseBackend, seed), rules, options, !meta);
		if (!meta) await database.flush(true, [metaChange(rules.genesisId)]);
		const sweeper = options.development ? undefined : await keepChanges(storage, database, seed, stateBlocks);

		const head = createView(database.headBackend, seed);
		checkProofSupport(asksForProofs(head), options);
		const forks = new ForkGates(head, rules);
		const opened = dataDirectory
			? BlockLog.open(
					logDirectory(dataDirectory),
					config.storage.sync,
					readLogStart(storage, dataDirectory),
					files,
				)
			: undefined;
		const journal = opened && journalOf(opened.log, (error) => open.storageFailed(error));
		const chain = new Chain(
			{ state: head, rules, forks, machine: options.machine, onUnverifiable: options.onUnverifiable },
			database,
			createView(database.solidBackend, seed),
			chainSettings(options),
			options.clock,
			journal,
			new Observers(options.onObserverFailure),
		);
		const log = opened?.log;
		oldBlocks?.storedUpTo(database.finalizedNumber);
		const open = new OpenChain(
			chain,
			rules,
			forks,
			seed,
			database,
			storage,
			oldBlocks,
			log,
			marks,
			sweeper,
			options,
		);
		try {
			await open.restore(opened?.records ?? []);
		} catch (error) {
			opened?.log.close();
			await database.followedHash?.close();
			throw error;
		}
		timing.restoring = false;
		// A database that lost its batches and a log without segments agree. A chain that was copied here has had no log yet.
		const isFirst = opened !== undefined && (await beginLog(storage));
		if (opened?.wasEmpty && !isFirst) options.onLogLost?.(head.properties.headNumber);
		chain.observe(eachBlock({ committed: () => open.flushIfDue() }));
		storage.compared?.catch((error: unknown) => open.storageFailed(error));
		open.startBackground();
		return open;
	}

	/** Starts moving old blocks and deleting unneeded history. */
	private startBackground(): void {
		const { config, development, moverLimits, keptBlocks } = this.options;
		// The history of a development chain can go backwards.
		if (config.node.blocks.segments && !development) {
			const keep = keptBlocks ?? config.node.blocks.keep;
			this.oldBlocks?.start(moverLimits, keep, (error) => this.storageFailed(error));
		}
		this.sweep();
	}

	/** Replays the log; repeated kills must not make it grow. */
	private async restore(records: readonly LogRecord[]): Promise<void> {
		if (records.length === 0) return;
		this.chain.restore(records);
		await this.flush();
	}

	private storageFailed(error: unknown): void {
		if (this.failed) return;
		this.failed = true;
		this.options.onStorageFailure(error);
	}

	/** Edits and marks of a development chain's state. @throws {Error} for any other chain */
	get history(): StateHistory {
		const { history } = this.database;
		if (!history) throw new Error("only a development chain's state keeps its history");
		return history;
	}

	/** Whether the chain started from another node's state. */
	get isFork(): boolean {
		return this.options.fork !== undefined;
	}

	/** The lowest block besides genesis: above 1 if the chain's data began with later blocks; 0: none. */
	get lowestNumber(): bigint {
		return this.oldBlocks?.lowest ?? 0n;
	}

	private get limits(): FlushLimits {
		return this.options.flushLimits ?? FLUSH_LIMITS;
	}

	private flushIfDue(): void {
		const { entries, logBytes } = this.limits;
		const due = this.database.pendingFlush > entries || (this.log?.size ?? 0) > logBytes;
		if (!due || this.failed || this.flushing) return;
		this.flush().catch((error: unknown) => this.storageFailed(error));
	}

	/**
	 * Writes the base, then drops the log records this makes superfluous. Both are on disk before anything is
	 * dropped, so even a power loss leaves a consistent state, if an older one. No other flush may be running:
	 * several callers may have waited for the same one.
	 */
	private flush(): Promise<void> {
		const written = this.write().finally(() => {
			this.flushing = undefined;
		});
		this.flushing = written.catch(() => {});
		return written;
	}

	private async write(): Promise<void> {
		this.isPreparing = true;
		await this.log?.prepareRotation();
		const start = this.log?.rotate(this.chain.unsettledRecords());
		const { finalizedNumber } = this.database;
		this.isPreparing = false;
		await this.database.flush(true, start ? [logStartChange(start), ...this.marks.next()] : []);
		if (start) this.log?.dropBefore(start.segment);
		this.oldBlocks?.storedUpTo(finalizedNumber);
		this.sweep();
		await this.follower?.(finalizedNumber);
	}

	/** Registers what is derived from stored blocks outside the chain, such as the history index; at most one. */
	followBase(follower: BaseFollower): void {
		this.follower = follower;
	}

	/**
	 * What backfills state history from before it was switched on: only if all blocks are there and the history
	 * starts later than they do; otherwise undefined.
	 */
	backfillable(): BackfillableChain | undefined {
		const { database, storage, solidState } = this;
		const history = database.changeHistory;
		if (!history || history.first === 0 || this.isFork || this.lowestNumber > 1n) return undefined;
		return {
			history,
			database: storage,
			block: (number) => encodedBlockAt(solidState, number),
			has: (store, key) => solidState.backend.get(store, key) !== undefined,
		};
	}

	/** Deletes unneeded history, in the background. */
	private sweep(): void {
		if (this.isClosing) return;
		this.sweeper?.run().catch((error: unknown) => this.storageFailed(error));
	}

	/**
	 * Prefetches what a block will read, on other threads.
	 * @throws {DatabaseError} as the block's own reads will
	 */
	async readAhead({ transactions }: SignedBlock): Promise<void> {
		await this.reader.of(transactions);
	}

	/**
	 * On a fork, prefetches everything a transaction will read with a single request instead of many. Undefined
	 * on any other chain. @param isSent whether it is to be in a block, rather than only asked
	 */
	fetchFor(transaction: SignedTransaction, isSent: boolean): Promise<void> | undefined {
		return this.isFork ? this.reader.ofOne(transaction, isSent) : undefined;
	}

	/** Flushes everything final to the database now, while the chain continues. */
	async flushNow(): Promise<void> {
		while (this.flushing) await this.flushing;
		if (!this.failed) await this.flush().catch((error: unknown) => this.storageFailed(error));
	}

	/** Waits for the disk if an importer outruns it. */
	async throttle(): Promise<void> {
		if (!this.flushing) return;
		// What made a flush due still counts as pending while the log is prepared for it.
		const due = this.isPreparing ? this.limits.entries : 0;
		if (this.database.pendingFlush - due > this.limits.entries) await this.flushing;
	}

	/**
	 * Writes what must survive and releases the directory. After a failure nothing more is written: the log
	 * holds what the next start needs.
	 */
	async close(): Promise<void> {
		this.isClosing = true;
		await this.oldBlocks?.stop();
		await this.sweeper?.stop();
		while (this.flushing) await this.flushing;
		try {
			if (!this.failed) await this.flush();
		} finally {
			this.log?.close();
			await this.database.followedHash?.close();
			await this.storage.close();
		}
	}

	/**
	 * Replaces the whole state of a development chain, with given entries or that of a new chain.
	 * @param entries by store and key; undefined: a new chain
	 */
	async replaceState(
		entries: ReadonlyMap<StoreDefinition<unknown>, EncodedEntries> | undefined,
	): Promise<void> {
		const { database, chain, rules, seed } = this;
		const present: [StoreDefinition<unknown>, string[]][] = [];
		for (const store of storeDefinitions) {
			const keys: string[] = [];
			for await (const [key] of database.dump(store)) keys.push(key);
			present.push([store, keys]);
		}
		// From here on nothing else may run until the new state is complete.
		chain.suspend();
		while (database.undoable > 0) database.undoBlock();
		const edit = this.history.editBackend;
		for (const [store, keys] of present) {
			const kept = entries?.get(store);
			for (const key of keys) if (!kept?.has(key)) edit.delete(store, key);
			for (const [key, bytes] of kept ?? []) edit.put(store, key, store.codec.decode(bytes, key));
		}
		const view = createView(edit, seed);
		if (!entries) {
			prepareState(view, rules, this.options, true);
			new ForkGates(view, rules).init();
		}
		this.history.restartAt(view.properties.headNumber);
		chain.resume([]);
		chain.observers.publish("replaced");
	}

	/** Persists everything that was changed outside blocks: the log doesn't hold it. No block may be sealed meanwhile. */
	async persist(): Promise<void> {
		if (!this.log) return;
		while (this.flushing) await this.flushing;
		await this.flush();
	}

	/** A record stored beside the state, such as what witness votes confirmed. */
	sideRecord(name: string): Uint8Array | undefined {
		return this.storage.get(sideKey(name));
	}

	/** Writes such a record. It is not part of a block: a kill may lose it, and nothing undoes it. */
	putSideRecord(name: string, value: Uint8Array): void {
		if (this.failed) return;
		const change = { key: sideKey(name), value };
		this.storage.write([change], false).catch((error: unknown) => this.storageFailed(error));
	}

	/**
	 * The read-only state after a block, with the block's own properties and without pending transactions: what
	 * calls, queries and traces at a block run on. Undefined if the node doesn't have it. Don't keep it across
	 * an await: it is valid until the next state change.
	 */
	stateAt(number: bigint): StateView | undefined {
		const backend = this.database.stateAfter(number);
		if (!backend) return undefined;
		const known = this.views.get(backend);
		if (known) return known;
		const view = createView(backend, this.seed);
		this.views.set(backend, view);
		return view;
	}

	/** The state the solidity API shows. */
	get solidState(): StateView {
		return this.chain.solidState;
	}
}

const budgetOf = ({ storage }: NodeConfig): CacheBudget => shareCacheBytes(storage.cacheBytes);

/** The configuration values the chain itself uses. */
function chainSettings({ config, development }: ChainOptions): ChainSettings {
	return {
		balanceHistory: config.storage.balanceHistory,
		transactionHistory: config.storage.transactionHistory,
		logIndex:
			admissionOf(config.node).alwaysIndexesLogs ||
			config.node.jsonrpc.full.enabled ||
			config.node.jsonrpc.solidity.enabled ||
			development !== undefined,
		pendingTimeoutMs: config.node.pending.timeoutMs,
		sortPendingByFee: config.node.pending.sortByFee,
		shieldedAllowed: config.node.shielded.enabled,
		maxPendingShielded: config.node.pending.maxShielded,
	};
}

/** Maintains the state hash, if configured. @param isNew whether there is no state yet */
async function followHash(
	storage: KeyValueDatabase,
	database: StateDatabase,
	seed: PropertySeed,
	isNew: boolean,
	{ config, development, stateHash }: ChainOptions,
): Promise<void> {
	if (!config.node.stateHash || development) return FollowedHash.forget(storage);
	const { headNumber } = createView(database.baseBackend, seed).properties;
	await database.followHash({
		number: isNew ? undefined : headNumber,
		threads: hashingThreads(),
		onCounting: () => stateHash?.onCounting(),
		onCounted: (entries) => stateHash?.onCounted(entries),
		onFailure: (error) => stateHash?.onFailure(error),
	});
}

/**
 * Keeps state history, if configured.
 * @param blocks of how many the state can be read; 0: none
 * @returns what takes out old changes, and those that were given up; undefined: there are none
 */
async function keepChanges(
	storage: KeyValueDatabase,
	database: StateDatabase,
	seed: PropertySeed,
	blocks: number,
): Promise<HistorySweeper | undefined> {
	const { headNumber } = createView(database.baseBackend, seed).properties;
	const keep = Number.isFinite(blocks) ? blocks : undefined;
	const history = blocks > 0 ? await database.keepChanges(headNumber, keep) : undefined;
	const status = history?.status ?? readHistoryStatus(storage.get(statusKey()));
	// If no block came since, an unconfigured history can still be continued later.
	if (!status || (status.last === Number(headNumber) && !history)) return undefined;
	return new HistorySweeper({
		database: storage,
		history,
		keep,
		now: () => performance.now(),
		pause: async (ms) => {
			await sleep(ms, undefined, { ref: false });
		},
	});
}

/** Writes the state before block 1, or makes the changes of every later start. */
function prepareState(base: StateView, rules: ChainRules, options: ChainOptions, isNew: boolean): void {
	const { config, fork } = options;
	if (isNew && !fork) writeGenesis(base, config.genesis);
	prepareBase(base, {
		blackHole: rules.blackHole,
		// A fork's switches come from the remote state.
		allowTvmConstantinople: fork ? 0n : (config.committee.allowTvmConstantinople ?? 0n),
		needToUpdateAsset: config.storage.needToUpdateAsset,
		movesAccountIds: admissionOf(rules).movesAccountIds,
	});
	if (isNew) options.initialize?.(base);
	else new ForkGates(base, rules).adopt();
}

/** @throws {OperatorError} if the chain asks for shielded proofs, and nothing would check them */
function checkProofSupport(asks: boolean, { config, shielded, development }: ChainOptions): void {
	if (asks && !(shielded || development) && config.node.shielded.verifiesProofs)
		throw new OperatorError(PROOFS_UNCHECKED);
}

/** How to provide a node with proof checking, or run without it. */
export const PROOF_CHOICE =
	"fetch sapling-spend.params and sapling-output.params of the network and give their folder with --shielded-params (node.shielded.params), or follow it without checking proofs with --shielded-params none (node.shielded.allowUnverified = true)";
export const PROOFS_UNCHECKED = `this chain has shielded transactions, and node.shielded.params is not set: ${PROOF_CHOICE}`;

const beginsWithProofs = ({ committee }: NodeConfig): boolean =>
	committee.allowShieldedORC20Transaction === 1n || committee.allowShieldedTransaction === 1n;

/** Why a chain with this configuration couldn't start for lack of a proof checker; undefined: it could. */
export function proofGap(config: NodeConfig): string | undefined {
	const { parameters, allowsUnverified, verifiesProofs } = config.node.shielded;
	const isCovered = parameters !== undefined || allowsUnverified || !verifiesProofs;
	return isCovered || config.dev.enabled || !beginsWithProofs(config) ? undefined : PROOFS_UNCHECKED;
}

/** A block log as a chain's journal. @param failed takes what a write fails with, before it is thrown */
function journalOf(log: BlockLog, failed: (error: unknown) => void): ChainJournal {
	return {
		append: (type, payload) => {
			try {
				log.append(type, payload);
			} catch (error) {
				failed(error);
				throw error;
			}
		},
	};
}
