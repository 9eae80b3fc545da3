/** Writes adopted entries in batches of a few MiB, each with its progress mark; one is written while the next is filled. */

import { toHex } from "../../protocol/bytes.js";
import type { BatchChange, KeyValueDatabase } from "../state/database.js";
import { type AdoptionMark, markChange } from "./adoption-mark.js";

const GATHERED_BYTES = 2 << 20;
const SLAB_BYTES = 1 << 20;
/** Sync interval in bytes: a power loss costs at most this much rereading. */
const SYNC_BYTES = 1 << 30;

/** The caller stopped; everything up to the mark is kept. */
export class AdoptionStopped extends Error {
	override readonly name = "AdoptionStopped";
}

export class BatchWriter {
	private batch: BatchChange[] = [];
	private gathered = 0;
	private slab = new Uint8Array(0);
	private used = 0;
	private unsynced = 0;
	/** Counters of the step, for each batch's mark. */
	counted: (() => Partial<AdoptionMark>) | undefined;
	private writing: Promise<void> = Promise.resolve();

	/**
	 * @param mark where the adoption stands
	 * @param onBatch called after each batch; false stops
	 */
	constructor(
		private readonly database: KeyValueDatabase,
		public mark: AdoptionMark,
		private readonly onBatch: (mark: AdoptionMark) => boolean,
		private readonly batchBytes = GATHERED_BYTES,
	) {}

	/** Adds an entry of a store; both arrays are copied. */
	put(index: number, key: Uint8Array, value: Uint8Array): void {
		const length = 1 + key.length + value.length;
		const at = this.room(length);
		const { slab } = this;
		slab[at] = index;
		slab.set(key, at + 1);
		slab.set(value, at + 1 + key.length);
		const middle = at + 1 + key.length;
		this.batch.push({ key: slab.subarray(at, middle), value: slab.subarray(middle, at + length) });
		this.gathered += length;
	}

	/**
	 * Allocates from the slab, or starts another. A full slab lives as long as its batch. PERF: one allocation
	 * per entry would take as long as everything else.
	 */
	private room(length: number): number {
		if (this.used + length > this.slab.length) {
			this.slab = new Uint8Array(Math.max(length, SLAB_BYTES));
			this.used = 0;
		}
		const at = this.used;
		this.used += length;
		return at;
	}

	get isFull(): boolean {
		return this.gathered >= this.batchBytes;
	}

	/**
	 * Hands over the batch, once the previous one is written.
	 * @param after key of the source up to which all is in this batch
	 * @throws {AdoptionStopped}
	 */
	async turn(after: Uint8Array): Promise<void> {
		await this.hand({ ...this.mark, after: toHex(after) });
		if (!this.onBatch(this.mark)) {
			await this.writing;
			throw new AdoptionStopped("stopped");
		}
	}

	/** Ends a step. */
	async finish(step: string): Promise<void> {
		await this.hand({ ...this.mark, step, after: "" });
	}

	/** Waits until everything is on disk. */
	async settle(): Promise<void> {
		await this.writing;
		await this.database.write([markChange(this.mark)], true);
	}

	private async hand(mark: AdoptionMark): Promise<void> {
		const entries = mark.entries + this.batch.length;
		this.mark = { ...mark, ...this.counted?.(), entries, bytes: mark.bytes + this.gathered };
		const batch = [...this.batch, markChange(this.mark)];
		this.unsynced += this.gathered;
		const sync = this.unsynced >= SYNC_BYTES;
		if (sync) this.unsynced = 0;
		[this.batch, this.gathered] = [[], 0];
		await this.writing;
		this.writing = this.database.write(batch, sync);
		// The next caller that awaits it gets the error; until then, avoid an unhandled rejection.
		this.writing.catch(() => undefined);
	}
}
