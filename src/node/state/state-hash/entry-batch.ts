/**
 * Entries sent to a hashing thread, in one buffer: `<1: added, 0: removed> <store> <length of the key, 4
 * bytes> <length of the value, 4 bytes> <key> <value>`, lengths little-endian.
 */

import { storeAt } from "../entry.js";
import type { StateHash } from "./state-hash.js";

const HEAD_BYTES = 10;
const LEAST_BYTES = 4 << 10;

export class EntryBatch {
	private bytes: Buffer = Buffer.allocUnsafeSlow(LEAST_BYTES);
	private end = 0;

	get length(): number {
		return this.end;
	}

	/** @param key as the database has it, without the byte of its store */
	write(isAdded: boolean, store: number, key: Uint8Array, value: Uint8Array): void {
		const at = this.room(HEAD_BYTES + key.length + value.length);
		const { bytes } = this;
		this.head(at, isAdded, store, key.length, value.length);
		bytes.set(key, at + HEAD_BYTES);
		bytes.set(value, at + HEAD_BYTES + key.length);
	}

	/** @param key the same as text, a character for each byte */
	writeText(isAdded: boolean, store: number, key: string, value: Uint8Array): void {
		const at = this.room(HEAD_BYTES + key.length + value.length);
		const { bytes } = this;
		this.head(at, isAdded, store, key.length, value.length);
		bytes.write(key, at + HEAD_BYTES, "latin1");
		bytes.set(value, at + HEAD_BYTES + key.length);
	}

	/** The bytes written, in transferable memory of their own; the batch is then empty. */
	take(): Uint8Array<ArrayBuffer> {
		const taken = this.bytes.subarray(0, this.end) as Buffer<ArrayBuffer>;
		// The next one is likely to be about as long.
		this.bytes = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, this.end));
		this.end = 0;
		return taken;
	}

	private head(at: number, isAdded: boolean, store: number, key: number, value: number): void {
		const { bytes } = this;
		bytes[at] = isAdded ? 1 : 0;
		bytes[at + 1] = store;
		bytes.writeUInt32LE(key, at + 2);
		bytes.writeUInt32LE(value, at + 6);
	}

	private room(length: number): number {
		const at = this.end;
		this.end += length;
		if (this.end > this.bytes.length) {
			const larger = Buffer.allocUnsafeSlow(2 * this.end);
			larger.set(this.bytes.subarray(0, at));
			this.bytes = larger;
		}
		return at;
	}
}

/**
 * Iterates entries stored one after the other, as in a snapshot chunk: each key (with its store byte) and
 * each value is length-prefixed.
 *
 * PERF: creating views costs more than locating the bytes, so callers create only those they need.
 */
export class EntryCursor {
	keyStart = 0;
	keyEnd = 0;
	valueStart = 0;
	/** End of the entry. */
	end = 0;
	private at = 0;

	constructor(private readonly bytes: Uint8Array) {}

	/** Goes to the next entry. @returns false where no whole one follows, which may be before the end of the bytes */
	next(): boolean {
		this.at = this.end;
		const keyEnd = this.partEnd();
		if (keyEnd === undefined) return false;
		this.keyStart = this.at;
		this.keyEnd = this.at = keyEnd;
		const end = this.partEnd();
		if (end === undefined) return false;
		this.valueStart = this.at;
		this.end = end;
		return true;
	}

	/** Reads a length. @returns where the part ends that follows it */
	private partEnd(): number | undefined {
		let length = 0;
		for (let unit = 1; unit <= 2 ** 28; unit *= 128) {
			const byte = this.bytes[this.at++];
			if (byte === undefined) return undefined;
			length += (byte & 0x7f) * unit;
			if (byte >= 0x80) continue;
			return this.at + length <= this.bytes.length ? this.at + length : undefined;
		}
		return undefined;
	}
}

/** Adds the entries that {@link EntryCursor} iterates. @throws {DecodeError} as {@link applyBatch} */
export function applyRun(hash: StateHash, run: Uint8Array): void {
	for (const entry = new EntryCursor(run); entry.next(); ) {
		const { name } = storeAt(run[entry.keyStart] as number);
		const key = run.subarray(entry.keyStart + 1, entry.keyEnd);
		hash.add(name, key, run.subarray(entry.valueStart, entry.end));
	}
}

/** @throws {DecodeError} for a record that can't be read; what came before it is in the hash */
export function applyBatch(hash: StateHash, batch: Uint8Array): void {
	const view = new DataView(batch.buffer, batch.byteOffset, batch.length);
	for (let at = 0; at < batch.length; ) {
		const key = at + HEAD_BYTES;
		const value = key + view.getUint32(at + 2, true);
		const end = value + view.getUint32(at + 6, true);
		const { name } = storeAt(batch[at + 1] as number);
		if (batch[at] === 1) hash.add(name, batch.subarray(key, value), batch.subarray(value, end));
		else hash.remove(name, batch.subarray(key, value), batch.subarray(value, end));
		at = end;
	}
}
