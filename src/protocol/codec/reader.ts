/**
 * Reading the protobuf wire format (https://protobuf.dev/programming-guides/encoding/).
 *
 * Called by the generated decoders. Byte fields are views of the input, so an input must not be changed after
 * decoding.
 */

import { ANY_BUDGET, type DecodeBudget } from "./budget.js";

/** The input is not valid protobuf. Messages match those the network's clients know. */
export class DecodeError extends Error {
	override readonly name: string = "DecodeError";
}

/** Invalid wire type inside an unknown group; the network's library has a class for this case only. */
class WireTypeError extends DecodeError {
	readonly className = "InvalidProtocolBufferException$InvalidWireTypeException";
}

/** The input exceeds its budget, though it may be valid protobuf. */
export class BudgetError extends DecodeError {
	override readonly name = "BudgetError";
}

export const EMPTY_BYTES = new Uint8Array(0);

/** Maximum length of a varint in bytes. */
export const LONGEST_VARINT = 10;

const TRUNCATED =
	"While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either " +
	"that the input has been truncated or that an embedded message misreported its own length.";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const TOO_DEEP =
	"Protocol message had too many levels of nesting.  May be malicious.  Use setRecursionLimit() to increase the recursion depth limit.";
const WRONG_GROUP_END = "Protocol message end-group tag did not match expected tag.";
const WRONG_WIRE_TYPE = "Protocol message tag had invalid wire type.";
const TOO_LARGE = "Protocol message was too large.  May be malicious.";

export class Reader {
	/** Remaining nesting depth and items. */
	private depth: number;
	private items: number;
	/** Start of the last tag. */
	private tagAt = 0;
	pos = 0;
	end: number;

	/** @throws {BudgetError} if the input is longer than the budget allows */
	constructor(
		readonly buf: Uint8Array,
		budget: DecodeBudget = ANY_BUDGET,
	) {
		if (buf.length > budget.bytes) throw new BudgetError(TOO_LARGE);
		this.end = buf.length;
		this.depth = budget.depth;
		this.items = budget.items;
	}

	/** Low 32 bits of a varint, as an unsigned number. */
	uint32(): number {
		const buf = this.buf;
		let pos = this.pos;
		if (pos < this.end) {
			const first = buf[pos] as number;
			if (first < 0x80) {
				this.pos = pos + 1;
				return first;
			}
		}
		let value = 0;
		for (let shift = 0; shift < 70; shift += 7) {
			if (pos >= this.end) throw new DecodeError(TRUNCATED);
			const byte = buf[pos++] as number;
			if (shift < 32) value = (value | ((byte & 0x7f) << shift)) >>> 0;
			if (byte < 0x80) {
				this.pos = pos;
				return value;
			}
		}
		throw new DecodeError("CodedInputStream encountered a malformed varint.");
	}

	int32(): number {
		return this.uint32() | 0;
	}

	/** A varint as a signed 64-bit integer. Ten bytes always set bit 63, as on the network. */
	int64(): bigint {
		const buf = this.buf;
		const end = this.end;
		let pos = this.pos;
		let low = 0;
		let scale = 1;
		// Seven groups of seven bits stay below 2^49, which is exact in a double.
		for (let group = 0; group < 7; group++) {
			if (pos >= end) throw new DecodeError(TRUNCATED);
			const byte = buf[pos++] as number;
			low += (byte & 0x7f) * scale;
			if (byte < 0x80) {
				this.pos = pos;
				return BigInt(low);
			}
			scale *= 128;
		}
		let high = 0;
		for (let group = 0; group < 3; group++) {
			if (pos >= end) throw new DecodeError(TRUNCATED);
			const byte = buf[pos++] as number;
			high |= (group === 2 ? 1 : byte & 0x7f) << (7 * group);
			if (byte < 0x80) {
				this.pos = pos;
				return BigInt.asIntN(64, (BigInt(high) << 49n) | BigInt(low));
			}
		}
		throw new DecodeError("CodedInputStream encountered a malformed varint.");
	}

	bool(): boolean {
		const start = this.pos;
		const low = this.uint32();
		if (low !== 0 || this.pos - start === LONGEST_VARINT) return true;
		for (let i = start; i < this.pos; i++) if (((this.buf[i] as number) & 0x7f) !== 0) return true;
		return false;
	}

	double(): number {
		this.need(8);
		const view = new DataView(this.buf.buffer, this.buf.byteOffset + this.pos, 8);
		this.pos += 8;
		return view.getFloat64(0, true);
	}

	length(): number {
		const length = this.uint32() | 0;
		if (length < 0) {
			throw new DecodeError(
				"CodedInputStream encountered an embedded string or message which claimed to have negative size.",
			);
		}
		if (length > this.end - this.pos) throw new DecodeError(TRUNCATED);
		return length;
	}

	bytes(): Uint8Array {
		const length = this.length();
		if (length === 0) return EMPTY_BYTES;
		const start = this.pos;
		this.pos = start + length;
		return this.buf.subarray(start, start + length);
	}

	string(): string {
		const length = this.length();
		const start = this.pos;
		this.pos = start + length;
		if (length < 32) {
			let text = "";
			for (let i = start; i < this.pos; i++) {
				const byte = this.buf[i] as number;
				if (byte >= 0x80) return this.decodeUtf8(start);
				text += String.fromCharCode(byte);
			}
			return text;
		}
		return this.decodeUtf8(start);
	}

	private decodeUtf8(start: number): string {
		try {
			return utf8.decode(this.buf.subarray(start, this.pos));
		} catch {
			throw new DecodeError("Protocol message had invalid UTF-8.");
		}
	}

	/** Enters an embedded message; returns the outer end, to be passed to {@link leave}. */
	enter(): number {
		if (--this.depth < 0) throw new DecodeError(TOO_DEEP);
		if (--this.items < 0) throw new BudgetError(TOO_LARGE);
		const outer = this.end;
		const length = this.length();
		this.end = this.pos + length;
		return outer;
	}

	leave(outer: number): void {
		this.depth++;
		this.end = outer;
	}

	/** Counts a list element that is not a message. */
	item(): void {
		if (--this.items < 0) throw new BudgetError(TOO_LARGE);
	}

	/** Reads and validates a field tag. */
	tag(): number {
		this.tagAt = this.pos;
		const tag = this.uint32();
		if (tag >>> 3 === 0) throw new DecodeError("Protocol message contained an invalid tag (zero).");
		return tag;
	}

	/** Skips a field's value. @returns where its tag began */
	skipWhole(tag: number): number {
		const start = this.tagAt;
		this.skip(tag);
		return start;
	}

	/** Skips a field's value. */
	skip(tag: number): void {
		switch (tag & 7) {
			case 0:
				this.skipVarint();
				return;
			case 1:
				this.need(8);
				this.pos += 8;
				return;
			case 2: {
				const length = this.length();
				this.pos += length;
				return;
			}
			case 3:
				this.skipGroup(tag >>> 3);
				return;
			case 4:
				throw new DecodeError(WRONG_GROUP_END);
			case 5:
				this.need(4);
				this.pos += 4;
				return;
			default:
				throw new DecodeError(WRONG_WIRE_TYPE);
		}
	}

	private skipVarint(): void {
		const { buf, end } = this;
		let at = this.pos;
		for (let count = 0; count < 10; count++) {
			if (at >= end) throw new DecodeError(TRUNCATED);
			if ((buf[at++] as number) < 0x80) {
				this.pos = at;
				return;
			}
		}
		throw new DecodeError("CodedInputStream encountered a malformed varint.");
	}

	private skipGroup(number: number): void {
		if (--this.depth < 0) throw new DecodeError(TOO_DEEP);
		for (;;) {
			if (this.pos === this.end) throw new DecodeError(WRONG_GROUP_END);
			const inner = this.tag();
			const wireType = inner & 7;
			if (wireType === 4) {
				if (inner >>> 3 !== number) throw new DecodeError(WRONG_GROUP_END);
				break;
			}
			if (wireType > 5) throw new WireTypeError(WRONG_WIRE_TYPE);
			this.skip(inner);
		}
		this.depth++;
	}

	private need(count: number): void {
		if (count > this.end - this.pos) throw new DecodeError(TRUNCATED);
	}
}
