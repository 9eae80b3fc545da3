/** Indexing the blocks that were there before the index, from the newest down, with rests in between. */

import { type Pace, PacedWork, PIECE_MS } from "../scheduling/paced-work.js";
import type { HistoryRow } from "./rows.js";

/** Rows that are written at once. */
const BATCH_ROWS = 1_500;
/** Milliseconds between two reports. */
const REPORT_MS = 30_000;

interface BackfillTarget {
	/** The highest stretch of blocks that is missing; undefined: none is. */
	gap(): { readonly from: number; readonly to: number } | undefined;
	/** Undefined: the block isn't stored. */
	rowsOf(number: number): readonly HistoryRow[] | undefined;
	/** Neither this block nor any below is stored. */
	endAt(number: number): void;
	/** Adds rows of the blocks from a height up to the end of the gap. */
	put(rows: readonly HistoryRow[], from: number): Promise<void>;
	progressed(): void;
}

export class HistoryBackfill extends PacedWork {
	private reportedAt: number;

	constructor(
		private readonly clock: Pace,
		private readonly target: BackfillTarget,
	) {
		super(clock);
		this.reportedAt = clock.now();
	}

	protected async work(): Promise<void> {
		const { clock, target } = this;
		let isBegun = false;
		for (let gap = target.gap(); gap; gap = target.gap()) {
			isBegun = true;
			const started = clock.now();
			const rows: HistoryRow[] = [];
			let number = gap.to;
			for (; number >= gap.from; number--) {
				const found = target.rowsOf(number);
				if (!found) {
					target.endAt(number);
					break;
				}
				for (const row of found) rows.push(row);
				if (rows.length >= BATCH_ROWS || clock.now() - started > PIECE_MS) {
					number--;
					break;
				}
			}
			await target.put(rows, number + 1);
			if (clock.now() - this.reportedAt > REPORT_MS) {
				this.reportedAt = clock.now();
				target.progressed();
			}
			await this.rest(started);
		}
		if (isBegun) target.progressed();
	}
}
