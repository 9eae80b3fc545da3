/** Reads a source's stores with its checkpoints applied; each store is opened once. */

import { equalBytes, toHex } from "../../protocol/bytes.js";
import { AdoptionError } from "./adoption-error.js";
import { type Overlay, type OverlayRow, readOverlay } from "./checkpoint.js";
import type { ForeignEntry, ForeignStore } from "./engine/foreign-store.js";
import { PRICE_KEY_LENGTH, PRICE_STORE } from "./engine/key-order.js";
import { ENTRY_OVERHEAD_BYTES, MAX_ENTRIES_BYTES } from "./engine/limits.js";
import type { Source } from "./source-directory.js";

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
	if (name === PRICE_STORE) return sortedPrices(store, rows, after);
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

/** Prices, which the engine stores in another order. They are few: rules iterate their keys in memory. */
function* sortedPrices(
	store: ForeignStore | undefined,
	rows: readonly OverlayRow[],
	after: Uint8Array | undefined,
): Generator<ForeignEntry> {
	const kept: [Uint8Array, Uint8Array][] = [];
	let bytes = 0;
	for (const [key, value] of store?.entries() ?? []) {
		bytes += key.length + value.length + ENTRY_OVERHEAD_BYTES;
		if (bytes > MAX_ENTRIES_BYTES) {
			throw new AdoptionError(
				`the store ${PRICE_STORE} takes more than ${MAX_ENTRIES_BYTES} bytes of memory, in which it is sorted`,
			);
		}
		kept.push([Uint8Array.from(key), Uint8Array.from(value)]);
	}
	kept.sort(([a], [b]) => Buffer.compare(a, b));
	const twice = kept.findIndex(
		([key], at) => at > 0 && Buffer.compare(key, kept[at - 1]?.[0] as Uint8Array) === 0,
	);
	if (twice >= 0) {
		throw new AdoptionError(
			`the store ${PRICE_STORE} holds the key ${toHex(kept[twice]?.[0] as Uint8Array)} twice`,
		);
	}
	for (const entry of withRows(kept, rows)) {
		// An engine compares keys only if there are two, and checkpoint rows with none.
		if (entry[0].length !== PRICE_KEY_LENGTH) {
			throw new AdoptionError(
				`the store ${PRICE_STORE} has a key of ${entry[0].length} bytes: ${toHex(entry[0].subarray(0, 64))}`,
			);
		}
		if (!after || Buffer.compare(entry[0], after) > 0) yield entry;
	}
}

export class SourceReader {
	private readonly opened = new Map<string, ForeignStore>();

	private constructor(
		readonly source: Source,
		readonly overlay: Overlay,
		/** What was skipped in the checkpoints, one sentence each. */
		readonly notes: readonly string[],
	) {}

	/** @throws {OperatorError} if the checkpoint can't be read */
	static async open(source: Source): Promise<SourceReader> {
		const notes: string[] = [];
		const overlay = await readOverlay(source, { onNote: (note) => notes.push(note) });
		return new SourceReader(source, overlay, notes);
	}

	/** Opens stores, which is required before reading them. @throws {OperatorError} that names the file */
	async use(names: readonly string[]): Promise<void> {
		for (const name of names) {
			if (this.opened.has(name) || !this.source.stores.includes(name)) continue;
			this.opened.set(name, await this.source.open(name));
		}
	}

	/** An opened store; undefined if the source doesn't have it. */
	store(name: string): ForeignStore | undefined {
		const store = this.opened.get(name);
		if (!store && this.source.stores.includes(name)) throw new Error(`store ${name} is not open`);
		return store;
	}

	/** Entries after a key in byte order. The buffers are valid until the next step. */
	entries(name: string, after?: Uint8Array): Iterable<ForeignEntry> {
		return entriesOfStore(name, this.store(name), this.overlay, after);
	}

	/** The store's own entries, and the checkpoint's rows. */
	apart(name: string, after?: Uint8Array): { stored: Iterable<ForeignEntry>; rows: readonly OverlayRow[] } {
		return { stored: this.store(name)?.entries(after) ?? [], rows: this.overlay.get(name) ?? [] };
	}

	/** The first entry at or after a key, copied. */
	firstFrom(name: string, from: Uint8Array): ForeignEntry | undefined {
		for (const [key, value] of this.entries(name, before(from))) {
			if (Buffer.compare(key, from) >= 0) return [Uint8Array.from(key), Uint8Array.from(value)];
		}
		return undefined;
	}

	/** The first entry after a key, copied. */
	firstAfter(name: string, after: Uint8Array): ForeignEntry | undefined {
		for (const [key, value] of this.entries(name, after))
			return [Uint8Array.from(key), Uint8Array.from(value)];
		return undefined;
	}

	get(name: string, key: Uint8Array): Uint8Array | undefined {
		const found = this.firstFrom(name, key);
		return found && equalBytes(found[0], key) ? found[1] : undefined;
	}

	isEmpty(name: string): boolean {
		for (const _ of this.entries(name)) return false;
		return true;
	}

	/** Closes a store after reading; it can be reopened. */
	release(name: string): void {
		this.opened.get(name)?.close();
		this.opened.delete(name);
	}

	close(): void {
		for (const name of [...this.opened.keys()]) this.release(name);
	}
}

/** The previous key of the same length; undefined: none. Only longer keys can lie in between. */
function before(key: Uint8Array): Uint8Array | undefined {
	const less = Uint8Array.from(key);
	for (let i = less.length - 1; i >= 0; i--) {
		const byte = less[i] as number;
		less[i] = byte - 1;
		if (byte > 0) return less;
	}
	return undefined;
}
