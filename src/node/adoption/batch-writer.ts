/** Writes what is adopted in batches of a few MiB, one on its way while the next is gathered, each with the mark of its place. */

import { toHex } from "../../protocol/bytes.js";
import type { BatchChange, KeyValueDatabase } from "../state/database.js";
import { type AdoptionMark, markChange } from "./adoption-mark.js";

const GATHERED_BYTES = 2 << 20;
const SLAB_BYTES = 1 << 20;
/** A power loss costs no more than what is read again up to the last of these. */
const SYNC_BYTES = 1 << 30;

/** The caller doesn't want to go on; everything up to the mark is kept. */
export class AdoptionStopped extends Error {
	override readonly name = "AdoptionStopped";
}

export class BatchWriter {
	private batch: BatchChange[] = [];
	private gathered = 0;
	private slab = new Uint8Array(0);
	private used = 0;
	private unsynced = 0;
	/** What a step counts, for the mark of each batch. */
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
	 * Finds room for so many bytes in the slab, or begins another. One that is full lives as long as its batch.
	 * PERF: an allocation an entry takes as long as all the rest.
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
	 * Hands the batch over, once the one before is written.
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

	/** Waits until everything is on the disk. */
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
		// Whoever waits for it next is notified; meanwhile it isn't nobody's.
		this.writing.catch(() => undefined);
	}
}
