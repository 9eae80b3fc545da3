/** An audit over a range of blocks, or over each as it becomes irreversible. */

import type { Audit, AuditCounts, FoundDifference } from "./audit.js";

interface AuditRange {
	/** The first block; undefined: the common head. */
	readonly from: bigint | undefined;
	/** The last block; undefined: none, new ones are waited for. */
	readonly to: bigint | undefined;
	readonly sleep: (ms: number) => Promise<void>;
	readonly signal: AbortSignal;
	/** Called after each thousand blocks. */
	readonly onProgress: (last: bigint, counts: Readonly<AuditCounts>) => void;
	/** Called when a node is behind, once for each time. */
	readonly onWaiting: (next: bigint) => void;
}

const PROGRESS_BLOCKS = 1_000;
const WAITING_MS = 1_000;

/**
 * Compares block by block until a difference, or the end.
 * @returns the first difference, and the last block that was compared without one
 * @throws {UnansweredError} if a node doesn't answer
 */
export async function runAudit(
	audit: Audit,
	{ from, to, sleep, signal, onProgress, onWaiting }: AuditRange,
): Promise<{ readonly found: FoundDifference | undefined; readonly last: bigint | undefined }> {
	let common = await audit.commonHead();
	let last: bigint | undefined;
	let isWaiting = false;
	for (let number = from ?? common; to === undefined || number <= to; ) {
		if (number > common) {
			common = await audit.commonHead();
			if (number <= common) {
				isWaiting = false;
				continue;
			}
			if (!isWaiting) onWaiting(number);
			isWaiting = true;
			await sleep(WAITING_MS);
			signal.throwIfAborted();
			continue;
		}
		const found = await audit.block(number);
		if (found) return { found, last };
		last = number;
		if (audit.counts.blocks % PROGRESS_BLOCKS === 0) onProgress(number, audit.counts);
		number += 1n;
	}
	return { found: undefined, last };
}
