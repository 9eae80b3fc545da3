/**
 * Importing blocks in order: while one is executed, signatures of the next ones are recovered, their shielded proofs are checked,
 * and what they read is fetched.
 */

import { setImmediate as otherTurns } from "node:timers/promises";
import { SignedBlock } from "../../protocol/block.js";
import { BLOCK_BUDGET } from "../consensus/block-judgement.js";
import type { PrepareProofs } from "../shielded/proof-queue.js";
import type { SignaturePool } from "../signatures/pool.js";
import type { OpenChain } from "./open-chain.js";

/** Blocks whose signatures are recovered ahead of execution. */
const LOOK_AHEAD = 8;

interface ImportProgress {
	readonly block: SignedBlock;
	/** Blocks and transactions imported so far; blocks that the chain had already don't count. */
	readonly blocks: number;
	readonly transactions: number;
}

interface ImportSource {
	/** The chain to import into. */
	readonly open: OpenChain;
	/** Undefined: signatures are recovered on the calling thread. */
	readonly pool:
		| (Pick<SignaturePool, "recover"> & Partial<Pick<SignaturePool, "verifyPostQuantum">>)
		| undefined;
	/** Absent: shielded proofs are checked on the calling thread. */
	readonly prepare?: PrepareProofs | undefined;
	/** Called after each block. */
	readonly onProgress?: (progress: ImportProgress) => void;
	/** Ends the import after the current block. */
	readonly signal?: AbortSignal;
}

/**
 * Applies blocks in order; those that the chain has already are skipped, so an import can be resumed.
 * @param blocks encoded blocks in ascending order
 * @throws {ChainError | DecodeError} at the first block that is refused; the blocks before it stay
 */
export async function importBlocks(
	source: ImportSource,
	blocks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<ImportProgress | undefined> {
	const { open, pool, prepare, onProgress, signal } = source;
	const queue: { readonly block: SignedBlock; readonly ready: Promise<unknown> }[] = [];
	let imported = 0;
	let transactions = 0;
	let last: ImportProgress | undefined;

	const applyNext = async (): Promise<void> => {
		const next = queue.shift();
		if (!next) return;
		const { block, ready } = next;
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
			pool?.recover(block.transactions),
			open.rules.network === "nile" ? pool?.verifyPostQuantum?.(block.transactions) : undefined,
			prepare?.(block.transactions, "block"),
			open.readAhead(block),
		]);
		// A failure is reported when the block's turn comes.
		ready.catch(() => {});
		queue.push({ block, ready });
		if (queue.length > LOOK_AHEAD) await applyNext();
	}
	while (queue.length > 0 && !signal?.aborted) await applyNext();
	return last;
}

function isKnown({ chain }: OpenChain, block: SignedBlock): boolean {
	if (block.number > chain.state.properties.headNumber) return false;
	return chain.blockByNumber(block.number)?.idHex === block.idHex;
}
