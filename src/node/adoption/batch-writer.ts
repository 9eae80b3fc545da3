/** Writes what is adopted in batches of some MiB, one on its way while the next is gathered, each with the mark of its place. */

import { toHex } from "../../protocol/bytes.js";
import type { BatchChange, KeyValueDatabase } from "../state/database.js";
import { type AdoptionMark, markChange } from "./adoption-mark.js";

const GATHERED_BYTES = 8 << 20;
/** A power loss costs no more than what is read again up to the last of these. */
const SYNC_BYTES = 1 << 30;

/** The caller doesn't want to go on; everything up to the mark is kept. */
export class AdoptionStopped extends Error {
	override readonly name = "AdoptionStopped";
}

export class BatchWriter {
	private batch: BatchChange[] = [];
	private gathered = 0;
	private unsynced = 0;
	private writing: Promise<void> = Promise.resolve();

	/**
	 * @param mark where the adoption stands
	 * @param onBatch told after each batch; false stops
	 */
	constructor(
		private readonly database: KeyValueDatabase,
		public mark: AdoptionMark,
		private readonly onBatch: (mark: AdoptionMark) => boolean,
		private readonly batchBytes = GATHERED_BYTES,
	) {}

	/** Adds an entry of a store; both arrays are copied. */
	put(index: number, key: Uint8Array, value: Uint8Array): void {
		const copy = Buffer.allocUnsafeSlow(1 + key.length + value.length);
		copy[0] = index;
		copy.set(key, 1);
		copy.set(value, 1 + key.length);
		this.add({ key: copy.subarray(0, 1 + key.length), value: copy.subarray(1 + key.length) });
	}

	private add(change: BatchChange): void {
		this.batch.push(change);
		this.gathered += change.key.length + (change.value?.length ?? 0);
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
		this.mark = { ...mark, entries, bytes: mark.bytes + this.gathered };
		const batch = [...this.batch, markChange(this.mark)];
		this.unsynced += this.gathered;
		const sync = this.unsynced >= SYNC_BYTES;
		if (sync) this.unsynced = 0;
		[this.batch, this.gathered] = [[], 0];
		await this.writing;
		this.writing = this.database.write(batch, sync);
		// Whoever waits for it next is told; meanwhile it isn't nobody's.
		this.writing.catch(() => undefined);
	}
}
