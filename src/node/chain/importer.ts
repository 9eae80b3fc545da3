/**
 * Imports blocks in order. While one is executed, the next ones get their signatures recovered, their
 * shielded proofs checked and their reads prefetched.
 */

import { setImmediate as otherTurns } from "node:timers/promises";
import { SignedBlock } from "../../protocol/block.js";
import { BLOCK_BUDGET } from "../consensus/block-judgement.js";
import type { PrepareProofs } from "../shielded/proof-queue.js";
import type { SignaturePool } from "../signatures/pool.js";
import type { OpenChain } from "./open-chain.js";

/**
 * Blocks decoded ahead of execution while other threads work on them. Fewer if they are large, since each
 * garbage collection copies what is waiting.
 */
const LOOK_AHEAD = 8;
const LOOK_AHEAD_TRANSACTIONS = 1_000;

interface ImportProgress {
	readonly block: SignedBlock;
	/** Blocks and transactions imported so far, not counting blocks the chain already had. */
	readonly blocks: number;
	readonly transactions: number;
}

interface ImportSource {
	/** The chain to import into. */
	readonly open: OpenChain;
	/** Undefined: signatures are recovered on the calling thread. */
	readonly pool:
		| (Pick<SignaturePool, "digest"> & Partial<Pick<SignaturePool, "verifyPostQuantum">>)
		| undefined;
	/** Absent: shielded proofs are checked on the calling thread. */
	readonly prepare?: PrepareProofs | undefined;
	/** Called after each block. */
	readonly onProgress?: (progress: ImportProgress) => void;
	/** Ends the import after the current block. */
	readonly signal?: AbortSignal;
}

/**
 * Applies blocks in order. Known blocks are skipped, so an import can be resumed.
 * @param blocks encoded blocks in ascending order
 * @throws {ChainError | DecodeError} at the first block that is refused; the blocks before it stay
 */
export async function importBlocks(
	source: ImportSource,
	blocks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<ImportProgress | undefined> {
	const { open, pool, prepare, onProgress, signal } = source;
	const queue: { readonly block: SignedBlock; readonly ready: Promise<unknown> }[] = [];
	let waiting = 0;
	let imported = 0;
	let transactions = 0;
	let last: ImportProgress | undefined;

	const applyNext = async (): Promise<void> => {
		const next = queue.shift();
		if (!next) return;
		const { block, ready } = next;
		waiting -= block.transactions.length;
		await ready;
		if (open.chain.push(block, "import").kind === "known") return;
		imported++;
		transactions += block.transactions.length;
		last = { block, blocks: imported, transactions };
		onProgress?.(last);
		await open.throttle();
		await otherTurns();
	};

	for await (const bytes of blocks) {
		if (signal?.aborted) break;
		const block = SignedBlock.decode(bytes, BLOCK_BUDGET);
		if (isKnown(open, block)) continue;
		const ready = Promise.all([
			digested(source, block),
			open.rules.network === "nile" ? pool?.verifyPostQuantum?.(block.transactions) : undefined,
			prepare?.(block.transactions, "block"),
		]);
		// A failure is reported when it is the block's turn.
		ready.catch(() => {});
		queue.push({ block, ready });
		waiting += block.transactions.length;
		while (queue.length > LOOK_AHEAD || (queue.length > 1 && waiting > LOOK_AHEAD_TRANSACTIONS))
			await applyNext();
	}
	while (queue.length > 0 && !signal?.aborted) await applyNext();
	return last;
}

/** Digests a block, then prefetches what it reads, for which the digest supplies the ids. */
async function digested({ open, pool }: ImportSource, block: SignedBlock): Promise<void> {
	await pool?.digest(block);
	await open.readAhead(block);
}

function isKnown({ chain }: OpenChain, block: SignedBlock): boolean {
	if (block.number > chain.state.properties.headNumber) return false;
	return chain.blockByNumber(block.number)?.idHex === block.idHex;
}
