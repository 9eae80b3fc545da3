/**
 * Scans a pool with a holder's keys. Irreversible blocks are read once and the result is kept; later ones,
 * which a reorg may replace, are read each time. If the chain has changed (a development chain was reverted),
 * scanning resumes from the newest kept state of the same chain.
 */

import { randomBytes } from "node:crypto";
import { readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
	createPrivateDirectory,
	errorCode,
	ifMissing,
	writePrivateFile,
} from "../../keystore/private-file.js";
import { shieldedDirectory } from "../../keystore/shielded-keystore.js";
import { asBuffer, equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { IncrementalMerkleVoucherInfo } from "../../protocol/messages.js";
import type { NoteTree } from "../../protocol/sapling/incremental-tree.js";
import type { ShieldedKeys } from "../../protocol/sapling/key-set.js";
import { withFileLock } from "../configuration/file-lock.js";
import { Failure } from "../failure.js";
import { messageFrom } from "../node/answer.js";
import { fetchBlockByNumber, fetchGenesisId, fetchHead } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { irreversibleNumber } from "../node/wait.js";
import { type Holdings, HoldingsReader, noHoldings } from "./holdings.js";
import { type Pool, poolName } from "./pool.js";
import { type PoolBlocks, readPool } from "./pool-reading.js";
import { MAX_STATE_BYTES, openState, type ScanState, sealState, stateKey, stateName } from "./scan-state.js";

/** Storage for the scan state of one key, chain and pool. */
export interface ScanStore {
	/** The stored state; undefined if there is none yet. */
	load(): Promise<ScanState | undefined>;
	/** Atomically replaces the state by one derived from it. */
	change(make: (before: ScanState | undefined) => ScanState): Promise<ScanState>;
	/** Deletes the state. */
	clear(): Promise<void>;
}

/** A store in memory, which lasts as long as the program. */
export function memoryStore(): ScanStore {
	let state: ScanState | undefined;
	return {
		load: async () => state,
		change: async (make) => {
			state = make(state);
			return state;
		},
		clear: async () => {
			state = undefined;
		},
	};
}

/**
 * A store in a file that only its owner can access, and that reveals nothing without the key.
 * @param note called with a message when a stale lock is removed
 */
export function fileStore(
	keystore: string,
	keys: ShieldedKeys,
	chain: string,
	pool: string,
	note: (text: string) => void,
): ScanStore {
	const directory = join(shieldedDirectory(keystore), "notes");
	const file = join(directory, `${stateName(keys, chain, pool)}.sealed`);
	const key = stateKey(keys.ivk);
	const load = async (): Promise<ScanState | undefined> => {
		try {
			const { size } = await stat(file);
			if (size > MAX_STATE_BYTES) throw new Failure("keystore_format", `${file} is too long`);
			return await openState(fromText(await readFile(file, "utf8")), key);
		} catch (error) {
			if (errorCode(error) === "ENOENT") return undefined;
			throw error;
		}
	};
	return {
		load,
		change: async (make) => {
			await createPrivateDirectory(directory);
			return await withFileLock(file, note, async () => {
				const state = make(await load());
				const sealed = await sealState(state, key, randomBytes(12));
				await writePrivateFile(file, asBuffer(sealed).toString("base64"), true);
				return state;
			});
		},
		clear: async () => {
			await unlink(file).catch(ifMissing(undefined));
		},
	};
}

function fromText(text: string): Uint8Array {
	return fromHex(Buffer.from(text, "base64").toString("hex"));
}

interface ScanOptions {
	readonly client: NodeClient;
	readonly pool: Pool;
	readonly keys: ShieldedKeys;
	readonly store: ScanStore;
	/** First block to read if nothing was read yet; if absent, the first block of the chain. */
	readonly since?: bigint | undefined;
	/** Called with the progress: the block just read, and the last one to read. */
	readonly onProgress?: (block: bigint, last: bigint) => void;
	/** Called if blocks were replaced, with the block that scanning went back to. */
	readonly onRewind?: (block: bigint) => void;
	/** A monotonic clock, in milliseconds. */
	readonly now?: () => number;
}

export interface ScanResult {
	/** Holdings as of the head. */
	readonly holdings: Holdings;
	/** Holdings as of the irreversible block. */
	readonly irreversible: Holdings;
	readonly state: ScanState;
	/** Timestamp of the head block, epoch milliseconds. */
	readonly headMs: bigint;
}

/** Number of earlier states kept, and blocks between the newest two; the distance doubles each time. */
const KEPT = 6;
const FIRST_DISTANCE = 32n;
/** Interval at which a long scan is saved. */
const SAVE_MS = 5_000;
/** A longer chain isn't read from its beginning unless the caller says so. */
const SHORT_CHAIN = 200_000n;
/** Attempts to read up to the head, which a reorg may replace meanwhile. */
const HEAD_ATTEMPTS = 3;

/** Scans a pool up to the head. @throws {Failure} from the node; `usage` without `since` on a long chain */
export async function scanPool(options: ScanOptions): Promise<ScanResult> {
	const { client, store } = options;
	const chain = toHex(await fetchGenesisId(client));
	const before = await matching(options, chain, await store.load());
	const state = await readIrreversible(options, before);
	for (let attempt = 1; ; attempt++) {
		const head = await fetchHead(client);
		const { holdings } = state;
		const shown = await readOn(options, holdings, head.number, head.id);
		const still = await fetchBlockByNumber(client, head.number);
		if ((still && equalBytes(still.id, head.id)) || attempt === HEAD_ATTEMPTS)
			return { holdings: shown, irreversible: holdings, state, headMs: head.timestampMs };
	}
}

/** The newest stored state that belongs to this chain, or a new one. */
async function matching(
	options: ScanOptions,
	chain: string,
	stored: ScanState | undefined,
): Promise<ScanState> {
	const { client, pool, since } = options;
	if (stored && stored.chain === chain && stored.pool === poolName(pool)) {
		const kept = [stored.holdings, ...stored.earlier];
		for (const [place, holdings] of kept.entries()) {
			if (!(await isOfChain(client, holdings))) continue;
			if (place > 0) options.onRewind?.(holdings.through);
			return { ...stored, holdings, earlier: kept.slice(place + 1) };
		}
		options.onRewind?.(stored.since);
	}
	const first = since ?? stored?.since ?? (await usualFirst(client));
	const holdings = noHoldings(first - 1n, new Uint8Array(0), first <= 1n);
	return { chain, pool: poolName(pool), since: first, holdings, earlier: [], pending: stored?.pending ?? [] };
}

async function isOfChain(client: NodeClient, { through, id }: Holdings): Promise<boolean> {
	if (id.length === 0) return false;
	const block = await fetchBlockByNumber(client, through);
	return block !== undefined && equalBytes(block.id, id);
}

async function usualFirst(client: NodeClient): Promise<bigint> {
	const { number } = await fetchHead(client);
	if (number <= SHORT_CHAIN) return 0n;
	throw new Failure("usage", `the chain has ${number} blocks: it has to be said where to begin`, {
		hint: "--since <block>: one before the key was first used, or the contract's first",
	});
}

/** Reads the irreversible blocks that weren't read yet, and stores the result. */
async function readIrreversible(options: ScanOptions, before: ScanState): Promise<ScanState> {
	const { client, store, now = () => performance.now() } = options;
	const solid = await irreversibleNumber(client);
	const { through } = before.holdings;
	let state = before;
	if (solid > through) {
		const reader = new HoldingsReader(options.keys, before.holdings);
		let saved = now();
		for await (const blocks of readPool(client, options.pool, through + 1n, solid)) {
			await take(options, reader, blocks);
			options.onProgress?.(blocks.through, solid);
			if (now() - saved < SAVE_MS && blocks.through < solid) continue;
			saved = now();
			state = await advance(store, state, reader.after(blocks.through, await idOf(client, blocks.through)));
		}
	}
	return await store.change((stored) => withPending(state, stored));
}

async function idOf(client: NodeClient, number: bigint): Promise<Uint8Array> {
	const block = await fetchBlockByNumber(client, number);
	if (!block) throw new Failure("rpc_error", `the node doesn't have block ${number}`);
	return block.id;
}

async function advance(store: ScanStore, before: ScanState, holdings: Holdings): Promise<ScanState> {
	const next = { ...before, holdings, earlier: thinned([before.holdings, ...before.earlier], holdings) };
	return await store.change((stored) => withPending(next, stored));
}

/** Keeps the spends that became pending during the scan. */
function withPending(state: ScanState, stored: ScanState | undefined): ScanState {
	const isSame = stored?.chain === state.chain && stored.pool === state.pool;
	return isSame ? { ...state, pending: stored.pending } : state;
}

/** Selects the states to keep: the distance doubles from each to the next older one. */
function thinned(kept: readonly Holdings[], newest: Holdings): readonly Holdings[] {
	const chosen: Holdings[] = [];
	let distance = FIRST_DISTANCE;
	let last = newest.through;
	for (const holdings of kept) {
		const isOldest = holdings === kept.at(-1);
		if (holdings.id.length === 0 || (last - holdings.through < distance && !isOldest)) continue;
		chosen.push(holdings);
		last = holdings.through;
		distance *= 2n;
		if (chosen.length === KEPT) break;
	}
	return chosen;
}

/** Reads on up to the head. */
async function readOn(options: ScanOptions, from: Holdings, head: bigint, id: Uint8Array): Promise<Holdings> {
	if (head <= from.through) return from;
	const reader = new HoldingsReader(options.keys, from);
	for await (const blocks of readPool(options.client, options.pool, from.through + 1n, head)) {
		await take(options, reader, blocks);
	}
	return reader.after(head, id);
}

async function take(options: ScanOptions, reader: HoldingsReader, blocks: PoolBlocks): Promise<void> {
	for (const transaction of blocks.transactions) {
		const [first] = transaction.notes;
		if (options.pool.kind === "native" && !reader.isWhole && first)
			reader.startWith(await treeWith(options.client, transaction.txID));
		reader.take(transaction);
	}
}

/**
 * The tree of the chain's own pool up to the first note of a transaction: if scanning doesn't start at the
 * beginning, it is taken from the voucher of the first note read, whoever owns that.
 * @param txID 64 hexadecimal digits
 * @throws {Failure}
 */
async function treeWith(client: NodeClient, txID: string): Promise<NoteTree> {
	const answer = await client.call("getmerkletreevoucherinfo", {
		out_points: [{ hash: txID, index: 0 }],
		block_num: 0,
	});
	const tree = messageFrom(IncrementalMerkleVoucherInfo, answer).vouchers[0]?.tree;
	if (!tree) throw new Failure("rpc_error", "the node doesn't tell the tree of notes");
	return tree;
}
