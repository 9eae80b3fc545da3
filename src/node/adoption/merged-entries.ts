/** The entries of a store as they are once its checkpoint is applied, ascending by the bytes of their keys. */

import { toHex } from "../../protocol/bytes.js";
import { AdoptionError } from "./adoption-error.js";
import type { Overlay, OverlayRow } from "./checkpoint.js";
import type { ForeignEntry, ForeignStore } from "./engine/foreign-store.js";

/** Stores whose engine keeps them in another order. They are small: a rule walks their keys in memory. */
const OTHER_ORDER: ReadonlySet<string> = new Set(["market_pair_price_to_order"]);
/** Entries of such a store. */
const MAX_SORTED = 20_000_000;

/**
 * @param store undefined: the source doesn't have it
 * @param after leaves out the keys up to and including this one
 */
export function entriesOfStore(
	name: string,
	store: ForeignStore | undefined,
	overlay: Overlay,
	after?: Uint8Array,
): Iterable<ForeignEntry> {
	const rows = overlay.get(name) ?? [];
	if (OTHER_ORDER.has(name)) return sortedEntries(name, store, rows, after);
	return withRows(store?.entries(after) ?? [], rowsAfter(rows, after));
}

export function rowsAfter(rows: readonly OverlayRow[], after: Uint8Array | undefined): readonly OverlayRow[] {
	return after ? rows.filter(({ key }) => Buffer.compare(key, after) > 0) : rows;
}

function withRows(entries: Iterable<ForeignEntry>, rows: readonly OverlayRow[]): Iterable<ForeignEntry> {
	return rows.length === 0 ? entries : replaced(entries, rows);
}

function* replaced(entries: Iterable<ForeignEntry>, rows: readonly OverlayRow[]): Generator<ForeignEntry> {
	let at = 0;
	for (const entry of entries) {
		let row = rows[at];
		let order = row ? Buffer.compare(row.key, entry[0]) : 1;
		while (row && order < 0) {
			if (row.value) yield [row.key, row.value];
			row = rows[++at];
			order = row ? Buffer.compare(row.key, entry[0]) : 1;
		}
		if (row && order === 0) {
			if (row.value) yield [row.key, row.value];
			at++;
		} else yield entry;
	}
	for (const { key, value } of rows.slice(at)) if (value) yield [key, value];
}

function* sortedEntries(
	name: string,
	store: ForeignStore | undefined,
	rows: readonly OverlayRow[],
	after: Uint8Array | undefined,
): Generator<ForeignEntry> {
	const kept: [Uint8Array, Uint8Array][] = [];
	for (const [key, value] of store?.entries() ?? []) {
		kept.push([Uint8Array.from(key), Uint8Array.from(value)]);
		if (kept.length > MAX_SORTED)
			throw new AdoptionError(`the store ${name} holds more than ${MAX_SORTED} entries`);
	}
	kept.sort(([a], [b]) => Buffer.compare(a, b));
	const twice = kept.findIndex(
		([key], at) => at > 0 && Buffer.compare(key, kept[at - 1]?.[0] as Uint8Array) === 0,
	);
	if (twice >= 0) {
		throw new AdoptionError(`the store ${name} holds the key ${toHex(kept[twice]?.[0] as Uint8Array)} twice`);
	}
	for (const entry of withRows(kept, rows)) {
		if (!after || Buffer.compare(entry[0], after) > 0) yield entry;
	}
}
