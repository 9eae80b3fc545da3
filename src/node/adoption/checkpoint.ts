/**
 * Checkpoints: what a reference node wrote before writing it to the individual stores, so that a kill in between loses
 * nothing (protocol/adoption §2). Reading applies them: their rows override those of the stores.
 */

import { readBe32, toHex, toKey } from "../../protocol/bytes.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { AdoptionError } from "./adoption-error.js";
import { ENTRY_OVERHEAD_BYTES, MAX_ENTRIES_BYTES } from "./engine/limits.js";
import { UnwrittenStoreError } from "./engine/store-directory.js";
import type { Source } from "./source-directory.js";

/** A row of a checkpoint; null: deleted. */
export interface OverlayRow {
	readonly key: Uint8Array;
	readonly value: Uint8Array | null;
}

/** Rows by store, each ascending by key. */
export type Overlay = ReadonlyMap<string, readonly OverlayRow[]>;

const DELETE = 2;
const LONGEST_NAME = 64;
/** The reference applies those of the two minutes before the newest, and deletes older ones while running. */
const APPLIED_MS = 120_000;

interface OverlayOptions {
	/** Far more than a group of blocks changes; rows are held in memory. */
	readonly maxBytes?: number;
	/** Called with a sentence about each skipped checkpoint. */
	readonly onNote?: (note: string) => void;
}

/** Reads all checkpoints of a source, the newest last. @throws {OperatorError} */
export async function readOverlay(
	source: Source,
	{ maxBytes = MAX_ENTRIES_BYTES, onNote = () => {} }: OverlayOptions = {},
): Promise<Overlay> {
	const stores = new Map<string, Map<string, OverlayRow>>();
	const newest = Math.max(...source.checkpoints.map(timeOf));
	let left = maxBytes;
	for (const name of source.checkpoints) {
		try {
			const rows = await readRows(source, name, left, maxBytes);
			for (const { row, store, bytes } of rows) {
				left -= bytes;
				const others = stores.get(store) ?? new Map<string, OverlayRow>();
				stores.set(store, others.set(toKey(row.key), row));
			}
		} catch (error) {
			if (error instanceof UnwrittenStoreError) continue;
			if (!(error instanceof OperatorError && timeOf(name) < newest - APPLIED_MS)) throw error;
			onNote(`left out an old checkpoint, as the reference does: ${error.message}`);
		}
	}
	return new Map([...stores].map(([name, rows]) => [name, sorted(rows)]));
}

/** Creation time of a version 2 checkpoint; NaN for version 1, which has only one. */
function timeOf(name: string): number {
	return Number(name.slice(name.indexOf("/") + 1));
}

interface CheckpointRow {
	readonly store: string;
	readonly row: OverlayRow;
	/** Memory used. */
	readonly bytes: number;
}

/** The rows of one checkpoint; applied completely or not at all. */
async function readRows(
	source: Source,
	name: string,
	maxBytes: number,
	maxOfAll: number,
): Promise<CheckpointRow[]> {
	const store = await source.open(name);
	try {
		const rows: CheckpointRow[] = [];
		let left = maxBytes;
		for (const [key, value] of store.entries()) {
			const bytes = key.length + value.length + ENTRY_OVERHEAD_BYTES;
			left -= bytes;
			if (left < 0)
				throw new AdoptionError(
					`the checkpoints of ${source.path} take more than ${maxOfAll} bytes of memory`,
				);
			rows.push({ ...rowOf(key, value, `${source.path}/${name}`), bytes });
		}
		return rows;
	} finally {
		store.close();
	}
}

/** Key: length of the store's name in four bytes, the name, the key. Value: an operator, and the value. */
function rowOf(key: Uint8Array, value: Uint8Array, path: string): Omit<CheckpointRow, "bytes"> {
	const length = key.length < 4 ? -1 : readBe32(key);
	if (length < 1 || length > LONGEST_NAME || 4 + length > key.length || value.length === 0) {
		throw new AdoptionError(`${path}: the row ${toHex(key.subarray(0, 64))} is not a checkpoint's`);
	}
	const store = Buffer.from(key.subarray(4, 4 + length)).toString("latin1");
	const own = Uint8Array.from(key.subarray(4 + length));
	// Only a value without contents can be a deletion: the reference checks in this order.
	const isGone = value.length === 1 && value[0] === DELETE;
	return { store, row: { key: own, value: isGone ? null : Uint8Array.from(value.subarray(1)) } };
}

function sorted(rows: ReadonlyMap<string, OverlayRow>): readonly OverlayRow[] {
	return [...rows.values()].sort((a, b) => Buffer.compare(a.key, b.key));
}

/** Total number of rows. */
export function rowsOf(overlay: Overlay): number {
	let count = 0;
	for (const rows of overlay.values()) count += rows.length;
	return count;
}
