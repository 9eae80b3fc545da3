/**
 * Writing the protobuf wire format, back to front.
 *
 * A message is written from its last field to its first, so the length of an embedded message is known when
 * its prefix is written: one pass without size calculation, and fields end up in ascending order.
 */

import type { UnknownFields } from "./unknown-fields.js";

const encoder = new TextEncoder();

export class Writer {
	private buf = new Uint8Array(4096);
	/** Offset of the first written byte; output grows towards the start. */
	pos = 4096;

	/** Bytes written so far. */
	get length(): number {
		return this.buf.length - this.pos;
	}

	/** Discards the output. Releases a buffer that grew beyond a megabyte. */
	reset(): void {
		if (this.buf.length > 1 << 20) this.buf = new Uint8Array(4096);
		this.pos = this.buf.length;
	}

	/** A copy of the output. */
	finish(): Uint8Array {
		return this.buf.slice(this.pos);
	}

	/** Reserves `count` bytes before the current position and moves to their start. */
	private room(count: number): number {
		if (this.pos < count) this.grow(count);
		this.pos -= count;
		return this.pos;
	}

	private grow(count: number): void {
		const used = this.buf.length - this.pos;
		let capacity = this.buf.length * 2;
		while (capacity < used + count) capacity *= 2;
		const next = new Uint8Array(capacity);
		next.set(this.buf.subarray(this.pos), capacity - used);
		this.buf = next;
		this.pos = capacity - used;
	}

	byte(value: number): void {
		const at = this.room(1);
		this.buf[at] = value;
	}

	/** A non-negative integer below 2^53. */
	uint(value: number): void {
		if (value < 0x80) {
			this.byte(value);
			return;
		}
		let count = 2;
		for (let limit = 0x4000; value >= limit; limit *= 128) count++;
		let at = this.room(count);
		const buf = this.buf;
		let rest = value;
		while (rest >= 0x80000000) {
			buf[at++] = (rest % 128) | 0x80;
			rest = Math.floor(rest / 128);
		}
		while (rest >= 0x80) {
			buf[at++] = (rest & 0x7f) | 0x80;
			rest >>>= 7;
		}
		buf[at] = rest;
	}

	int32(value: number): void {
		if (value >= 0) this.uint(value);
		else this.bigVarint(BigInt.asUintN(64, BigInt(value)));
	}

	int64(value: bigint): void {
		if (value >= 0n && value <= 0x1fffffffffffffn) this.uint(Number(value));
		else this.bigVarint(BigInt.asUintN(64, value));
	}

	private bigVarint(value: bigint): void {
		let count = 1;
		for (let rest = value >> 7n; rest > 0n; rest >>= 7n) count++;
		let at = this.room(count);
		let rest = value;
		for (; count > 1; count--) {
			this.buf[at++] = Number(rest & 0x7fn) | 0x80;
			rest >>= 7n;
		}
		this.buf[at] = Number(rest);
	}

	double(value: number): void {
		const at = this.room(8);
		new DataView(this.buf.buffer, this.buf.byteOffset).setFloat64(at, value, true);
	}

	/** Raw bytes without a prefix. */
	raw(value: Uint8Array): void {
		const at = this.room(value.length);
		if (value.length > 40) {
			this.buf.set(value, at);
		} else {
			const buf = this.buf;
			for (let i = 0; i < value.length; i++) buf[at + i] = value[i] as number;
		}
	}

	/** Length-prefixed bytes. */
	bytes(value: Uint8Array): void {
		this.raw(value);
		this.uint(value.length);
	}

	/** A length-prefixed UTF-8 string. */
	string(value: string): void {
		for (let i = 0; i < value.length; i++) {
			if (value.charCodeAt(i) >= 0x80) {
				this.bytes(encoder.encode(value));
				return;
			}
		}
		const at = this.room(value.length);
		for (let i = 0; i < value.length; i++) this.buf[at + i] = value.charCodeAt(i);
		this.uint(value.length);
	}

	unknown(fields: UnknownFields): void {
		this.raw(fields.canonical);
	}
}

/** The thread's only writer: encoding is synchronous and never nested. */
export const sharedWriter = new Writer();
