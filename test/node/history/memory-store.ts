/** A store of history rows in memory. */

import type { HistoryStore, RowRange, StoredPosition } from "../../../src/node/history/history-store.js";
import { type HistoryRow, ROW_KINDS, type RowKind } from "../../../src/node/history/rows.js";

export class MemoryStore implements HistoryStore {
	readonly kept = new Map<string, HistoryRow>();
	stored: StoredPosition | undefined;
	readonly bytes = 0;

	async position(): Promise<StoredPosition | undefined> {
		return this.stored;
	}

	async write(
		put: readonly HistoryRow[],
		removed: readonly HistoryRow[],
		position: StoredPosition,
	): Promise<void> {
		await new Promise((resolve) => setImmediate(resolve));
		for (const row of removed) this.kept.delete(keyOf(row));
		for (const row of put) this.kept.set(keyOf(row), row);
		this.stored = structuredClone(position);
	}

	async rows(kind: RowKind, owner: string, range: RowRange): Promise<readonly HistoryRow[]> {
		await new Promise((resolve) => setImmediate(resolve));
		const found = [...this.kept.values()]
			.filter((row) => row.kind === kind && row.owner === owner)
			.filter(({ suffix }) => suffix >= range.from && suffix < range.end)
			.sort((a, b) => (a.suffix < b.suffix ? -1 : 1));
		return (range.descending ? found.reverse() : found).slice(0, range.limit);
	}

	async clear(): Promise<void> {
		this.kept.clear();
		this.stored = undefined;
	}

	async close(): Promise<void> {}
}

const keyOf = ({ kind, owner, suffix }: HistoryRow): string =>
	`${String.fromCharCode(ROW_KINDS[kind])}${owner}${suffix}`;
