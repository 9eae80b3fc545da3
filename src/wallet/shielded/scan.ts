/**
 * Reading a pool with a holder's keys. What is irreversible is read once and kept; what may still be replaced, up to the head,
 * is read each time. If the chain turns out to be another one (a development chain that was set back), reading goes back to
 * the newest kept state of the same chain.
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

/** A state of one key, chain and pool. */
export interface ScanStore {
	/** Undefined before anything was read. */
	load(): Promise<ScanState | undefined>;
	/** Replaces the state by another that is made of it; nobody else changes it meanwhile. */
	change(make: (before: ScanState | undefined) => ScanState): Promise<ScanState>;
	/** Forgets it. */
	clear(): Promise<void>;
}

/** A state that lasts as long as the program. */
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
 * A file for the owner only, which tells nothing to whoever doesn't hold the key.
 * @param note called with the lock of a process that is gone
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
	/** First block to read, where nothing was read yet; absent: the first there is. */
	readonly since?: bigint | undefined;
	/** Called with how far it is. */
	readonly onProgress?: (block: bigint, last: bigint) => void;
	/** Called where blocks were replaced: reading went back to this one. */
	readonly onRewind?: (block: bigint) => void;
	/** A clock that goes forward, in milliseconds. */
	readonly now?: () => number;
}

export interface ScanResult {
	/** As of the head. */
	readonly holdings: Holdings;
	/** What of it is irreversible. */
	readonly irreversible: Holdings;
	readonly state: ScanState;
	/** Time of the head block, epoch milliseconds. */
	readonly headMs: bigint;
}

/** States that are kept to go back to, and how far the newest two of them are apart, in blocks; further ones double it. */
const KEPT = 6;
const FIRST_DISTANCE = 32n;
/** How often a long reading is stored. */
const SAVE_MS = 5_000;
/** A chain as long as this is not read from its beginning unless that is said. */
const SHORT_CHAIN = 200_000n;
/** Heads that may be replaced while they are read. */
const HEAD_ATTEMPTS = 3;

/** @throws {Failure} what the node refuses; `usage` if it isn't said where to begin in a long chain */
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

/** The stored state as far as it is of this chain, or a new one. */
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

/** Reads what is irreversible and isn't read yet, and stores it. */
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

/** Whatever became pending while this was read stays so. */
function withPending(state: ScanState, stored: ScanState | undefined): ScanState {
	const isSame = stored?.chain === state.chain && stored.pool === state.pool;
	return isSame ? { ...state, pending: stored.pending } : state;
}

/** The states to keep: each further back than the one before, by twice the distance. */
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

/** What is there at the head. */
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
 * The tree of the chain's own pool whose last leaf is the first note of a transaction: where reading begins late, the voucher of the
 * first note that was read gives it, whosever that is.
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
