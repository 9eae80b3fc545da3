/** Frames of a TCP connection: length as unsigned LEB128 of at most five bytes, then the body (protocol/peers §4.1). */

import { DisconnectReason, ProtocolViolation } from "./transport-messages.js";

/** Exclusive limit for bodies, and for their uncompressed contents. */
export const MAX_LENGTH = 5 * 1024 * 1024;

const LENGTH_PENDING = -1;
const FIRST_CAPACITY = 4096;

/** A body with its length prefix. */
export function writeFrame(body: Uint8Array): Uint8Array {
	let prefix = 1;
	for (let rest = body.length; rest > 0x7f; rest >>>= 7) prefix++;
	const frame = new Uint8Array(prefix + body.length);
	let rest = body.length;
	for (let i = 0; i < prefix - 1; i++, rest >>>= 7) frame[i] = (rest & 0x7f) | 0x80;
	frame[prefix - 1] = rest;
	frame.set(body, prefix);
	return frame;
}

/**
 * Splits a stream into frames. Buffers at most twice what was received of an unfinished frame, whatever its claimed length.
 */
export class FrameReader {
	private input = new Uint8Array(0);
	private at = 0;
	private length = LENGTH_PENDING;
	private lengthBits = 0;
	private lengthBytes = 0;
	private body = new Uint8Array(0);
	private filled = 0;

	/** @param maxLength frames are shorter than this; may change between two of them */
	constructor(public maxLength = MAX_LENGTH) {}

	/** Adds bytes of the stream. They must not be modified afterwards: bodies are views of them where possible. */
	push(bytes: Uint8Array): void {
		if (this.at < this.input.length) {
			const rest = this.input.length - this.at;
			const joined = new Uint8Array(rest + bytes.length);
			joined.set(this.input.subarray(this.at));
			joined.set(bytes, rest);
			this.input = joined;
		} else this.input = bytes as Uint8Array<ArrayBuffer>;
		this.at = 0;
	}

	/** Whether a frame has started but not ended. */
	get isWithinFrame(): boolean {
		return this.lengthBytes > 0 || this.length !== LENGTH_PENDING;
	}

	/**
	 * The next body, never empty; undefined if more bytes are needed.
	 * @throws {ProtocolViolation} if the length is none or too long; nothing can be read after that
	 */
	next(): Uint8Array | undefined {
		while (true) {
			if (this.length === LENGTH_PENDING && !this.readLength()) return undefined;
			if (this.length !== 0) break;
			this.length = LENGTH_PENDING;
		}
		const available = this.input.length - this.at;
		if (this.filled === 0 && available >= this.length) {
			const body = this.input.subarray(this.at, this.at + this.length);
			this.at += this.length;
			this.length = LENGTH_PENDING;
			return body;
		}
		const count = Math.min(this.length - this.filled, available);
		if (count === 0) return undefined;
		this.reserve(this.filled + count);
		this.body.set(this.input.subarray(this.at, this.at + count), this.filled);
		this.filled += count;
		this.at += count;
		if (this.filled < this.length) return undefined;
		const body = this.body.subarray(0, this.length);
		this.body = new Uint8Array(0);
		this.filled = 0;
		this.length = LENGTH_PENDING;
		return body;
	}

	private readLength(): boolean {
		while (this.at < this.input.length) {
			const byte = this.input[this.at++] as number;
			this.lengthBits |= (byte & 0x7f) << (7 * this.lengthBytes++);
			if (byte < 0x80) {
				if (this.lengthBits < 0) throw new ProtocolViolation(undefined, "negative length of a frame");
				if (this.lengthBits >= this.maxLength) {
					throw new ProtocolViolation(DisconnectReason.BAD_MESSAGE, `frame of ${this.lengthBits} bytes`);
				}
				this.length = this.lengthBits;
				this.lengthBits = 0;
				this.lengthBytes = 0;
				return true;
			}
			if (this.lengthBytes === 5) throw new ProtocolViolation(undefined, "endless length of a frame");
		}
		return false;
	}

	private reserve(size: number): void {
		if (size <= this.body.length) return;
		const grown = new Uint8Array(Math.min(this.length, Math.max(size, 2 * this.body.length, FIRST_CAPACITY)));
		grown.set(this.body.subarray(0, this.filled));
		this.body = grown;
	}
}
