/**
 * Checkpoints: what a reference node wrote before it wrote it to each store, so that a kill in between loses nothing
 * (protocol/adoption §2). Reading them is applying them: their rows stand in for those of the stores.
 */

import { readBe32, toHex, toKey } from "../../protocol/bytes.js";
import { AdoptionError } from "./adoption-error.js";
import type { Source } from "./source-directory.js";

/** A row of a checkpoint; null: deleted. */
export interface OverlayRow {
	readonly key: Uint8Array;
	readonly value: Uint8Array | null;
}

/** Rows by store, each ascending by key. */
export type Overlay = ReadonlyMap<string, readonly OverlayRow[]>;

const DELETE = 2;
/** Far more than a group of blocks changes; they are held in memory. */
const MAX_BYTES = 2 ** 31;
const LONGEST_NAME = 64;

/** Reads all checkpoints of a source, the newest last. @throws {OperatorError} */
export async function readOverlay(source: Source, maxBytes = MAX_BYTES): Promise<Overlay> {
	const stores = new Map<string, Map<string, OverlayRow>>();
	let bytes = 0;
	for (const name of source.checkpoints) {
		const store = await source.open(name);
		try {
			for (const [key, value] of store.entries()) {
				bytes += key.length + value.length;
				if (bytes > maxBytes) {
					throw new AdoptionError(`the checkpoints of ${source.path} hold more than ${maxBytes} bytes`);
				}
				addRow(stores, key, value, `${source.path}/${name}`);
			}
		} finally {
			store.close();
		}
	}
	return new Map([...stores].map(([name, rows]) => [name, sorted(rows)]));
}

/** Key: length of the store's name in four bytes, the name, the key. Value: an operator, and the value. */
function addRow(
	stores: Map<string, Map<string, OverlayRow>>,
	key: Uint8Array,
	value: Uint8Array,
	path: string,
): void {
	const length = key.length < 4 ? -1 : readBe32(key);
	if (length < 1 || length > LONGEST_NAME || 4 + length > key.length || value.length === 0) {
		throw new AdoptionError(`${path}: the row ${toHex(key.subarray(0, 64))} is not a checkpoint's`);
	}
	const name = Buffer.from(key.subarray(4, 4 + length)).toString("latin1");
	const own = Uint8Array.from(key.subarray(4 + length));
	const rows = stores.get(name) ?? new Map<string, OverlayRow>();
	stores.set(name, rows);
	// Only a value without contents can be a deletion: the network's node asks in this order.
	const isGone = value.length === 1 && value[0] === DELETE;
	rows.set(toKey(own), { key: own, value: isGone ? null : Uint8Array.from(value.subarray(1)) });
}

function sorted(rows: ReadonlyMap<string, OverlayRow>): readonly OverlayRow[] {
	return [...rows.values()].sort((a, b) => Buffer.compare(a.key, b.key));
}

/** How many rows there are in all. */
export function rowsOf(overlay: Overlay): number {
	let count = 0;
	for (const rows of overlay.values()) count += rows.length;
	return count;
}
