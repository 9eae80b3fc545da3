/** Reads the stores of a source as they are once its checkpoint is applied; each store is opened once. */

import { equalBytes } from "../../protocol/bytes.js";
import { type Overlay, type OverlayRow, readOverlay } from "./checkpoint.js";
import type { ForeignEntry, ForeignStore } from "./engine/foreign-store.js";
import { entriesOfStore } from "./merged-entries.js";
import type { Source } from "./source-directory.js";

export class SourceReader {
	private readonly opened = new Map<string, ForeignStore>();

	private constructor(
		readonly source: Source,
		readonly overlay: Overlay,
	) {}

	/** @throws {OperatorError} if the checkpoint can't be read */
	static async open(source: Source): Promise<SourceReader> {
		return new SourceReader(source, await readOverlay(source));
	}

	/** Opens stores, which must be done before they are read. @throws {OperatorError} that names the file */
	async use(names: readonly string[]): Promise<void> {
		for (const name of names) {
			if (this.opened.has(name) || !this.source.stores.includes(name)) continue;
			this.opened.set(name, await this.source.open(name));
		}
	}

	/** An opened store; undefined: the source doesn't have it. */
	store(name: string): ForeignStore | undefined {
		const store = this.opened.get(name);
		if (!store && this.source.stores.includes(name)) throw new Error(`store ${name} is not open`);
		return store;
	}

	/** Entries ascending by bytes, after a key. The buffers hold until the next step. */
	entries(name: string, after?: Uint8Array): Iterable<ForeignEntry> {
		return entriesOfStore(name, this.store(name), this.overlay, after);
	}

	/** Entries of the store alone, and the checkpoint's rows. */
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

	/** Closes a store that has been read; it can be opened again. */
	release(name: string): void {
		this.opened.get(name)?.close();
		this.opened.delete(name);
	}

	close(): void {
		for (const name of [...this.opened.keys()]) this.release(name);
	}
}

/** A key of the same length that is one less; undefined: there is none. Only longer keys can lie between. */
function before(key: Uint8Array): Uint8Array | undefined {
	const less = Uint8Array.from(key);
	for (let i = less.length - 1; i >= 0; i--) {
		const byte = less[i] as number;
		less[i] = byte - 1;
		if (byte > 0) return less;
	}
	return undefined;
}
