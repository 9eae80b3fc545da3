/**
 * Deletes state history that is no longer needed: changes before the kept blocks, and abandoned histories.
 * Runs in the background; each piece of work is followed by a pause nine times as long.
 *
 * An occasional full walk avoids a list of what each block changed, which would be as large as the history itself.
 */

import { BATCH_ENTRIES, type Pace, PacedWork, PIECE_MS } from "../scheduling/paced-work.js";
import type { ChangeHistory } from "../state/change-history.js";
import type { BatchChange, KeyValueDatabase } from "../state/database.js";
import { STORE_COUNT } from "../state/definition.js";
import {
	blockOfBeforeKey,
	decodeIndex,
	decodeRow,
	entryOfNewestKey,
	HISTORY_PREFIX,
	type HistoryStatus,
	KINDS,
	statusKey,
} from "../state/history-format.js";

/** A walk is due once this share of the kept blocks can go. */
const DUE_SHARE = 4;
const LEAST_DUE = 256;

interface SweeperOptions extends Pace {
	readonly database: KeyValueDatabase;
	/** Undefined: none is kept, and any existing one was abandoned. */
	readonly history: ChangeHistory | undefined;
	/** How many blocks back the history reaches; undefined: all. */
	readonly keep: number | undefined;
}

export class HistorySweeper extends PacedWork {
	private hasPruned = false;
	/** Number of generations in use at the last check. */
	private kept = 0;
	private sweptTo: number;
	private batch: BatchChange[] = [];
	private started = 0;

	constructor(private readonly options: SweeperOptions) {
		super(options);
		this.sweptTo = options.history?.status.first ?? 0;
	}

	/** Deletes what is due. @throws {DatabaseError} */
	protected async work(): Promise<void> {
		const { history, keep } = this.options;
		this.started = this.options.now();
		const kept = history?.generations ?? new Set();
		if (!this.hasPruned || kept.size < this.kept) await this.eraseOthers(history);
		this.hasPruned = true;
		this.kept = kept.size;
		if (!history || keep === undefined) return;
		const { status } = history;
		if (status.first - this.sweptTo < Math.max(keep / DUE_SHARE, LEAST_DUE)) return;
		await this.sweep(status, history);
		this.sweptTo = status.first;
	}

	/** Deletes all generations except those of a history. */
	private async eraseOthers(history: ChangeHistory | undefined): Promise<void> {
		const { database } = this.options;
		const end = Uint8Array.of(HISTORY_PREFIX + 1);
		let from = Uint8Array.of(HISTORY_PREFIX, 1);
		for (let found = await database.firstKey(from, end); found; found = await database.firstKey(from, end)) {
			const generation = found[1] as number;
			if (!history?.generations.has(generation)) {
				const prefix = Uint8Array.of(HISTORY_PREFIX, generation);
				for await (const [key] of database.entries(prefix)) await this.remove(key);
				await this.write();
			}
			if (generation === 255) break;
			from = Uint8Array.of(HISTORY_PREFIX, generation + 1);
		}
		if (!history) await database.write([{ key: statusKey(), value: null }], false);
	}

	/** Deletes what only blocks before a history's first one need. */
	private async sweep({ generation, first }: HistoryStatus, history: ChangeHistory): Promise<void> {
		const { database } = this.options;
		for (let index = 0; index < STORE_COUNT; index++) {
			const prefix = (kind: number): Uint8Array => Uint8Array.of(HISTORY_PREFIX, generation, kind, index);
			for await (const [key] of database.entries(prefix(KINDS.before))) {
				await this.remove(blockOfBeforeKey(key) <= first ? key : undefined);
			}
			for await (const [key, value] of database.entries(prefix(KINDS.full))) {
				await this.remove((decodeRow(value).at(-1) ?? 0) <= first ? key : undefined);
			}
			for await (const [key, value] of database.entries(prefix(KINDS.newest))) {
				// A flush may be about to write the same row, so the history removes it itself.
				if ((decodeIndex(value).blocks.at(-1) ?? 0) <= first) history.dropRow(index, entryOfNewestKey(key));
				await this.remove(undefined);
			}
			await this.write();
		}
	}

	/** @param key undefined: the entry that was looked at stays */
	private async remove(key: Uint8Array | undefined): Promise<void> {
		if (key) this.batch.push({ key, value: null });
		const isLong = this.options.now() - this.started >= PIECE_MS;
		if (isLong || this.batch.length >= BATCH_ENTRIES) await this.write();
	}

	private async write(): Promise<void> {
		const { batch } = this;
		this.batch = [];
		if (batch.length > 0) await this.options.database.write(batch, false);
		await this.rest(this.started);
		this.started = this.options.now();
	}
}
