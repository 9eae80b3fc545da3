/** Malformed bytes; the caller knows the file and says where. */
export class FormatError extends Error {}

/** Reads numbers and byte strings in the encodings of both engines, never past the end. */
export class ByteReader {
	constructor(
		private readonly bytes: Uint8Array,
		public at = 0,
		private readonly end = bytes.length,
	) {}

	get isAtEnd(): boolean {
		return this.at >= this.end;
	}

	/** A varint: groups of seven bits, lowest first. @throws {FormatError} above 2^53 - 1 */
	varint(): number {
		let value = 0;
		for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
			if (this.at >= this.end) throw new FormatError("ends within a number");
			const byte = this.bytes[this.at++] as number;
			value += (byte & 0x7f) * scale;
			if (byte < 0x80) {
				if (value > Number.MAX_SAFE_INTEGER) break;
				return value;
			}
		}
		throw new FormatError("has a number that is too large");
	}

	byte(): number {
		if (this.at >= this.end) throw new FormatError("ends within a number");
		return this.bytes[this.at++] as number;
	}

	/** Four bytes, little-endian. */
	fixed32(): number {
		const at = this.advance(4);
		const { bytes } = this;
		return (
			((bytes[at] as number) |
				((bytes[at + 1] as number) << 8) |
				((bytes[at + 2] as number) << 16) |
				((bytes[at + 3] as number) << 24)) >>>
			0
		);
	}

	/** Eight bytes, little-endian. @throws {FormatError} above 2^53 - 1 */
	fixed64(): number {
		const low = this.fixed32();
		const value = this.fixed32() * 2 ** 32 + low;
		if (value > Number.MAX_SAFE_INTEGER) throw new FormatError("has a number that is too large");
		return value;
	}

	/** Skips bytes. @returns where they begin */
	advance(count: number): number {
		const at = this.at;
		if (count > this.end - at) throw new FormatError("ends within a key or value");
		this.at = at + count;
		return at;
	}

	/** A length-prefixed string, as a view of the input. */
	string(): Uint8Array {
		const length = this.varint();
		const at = this.advance(length);
		return this.bytes.subarray(at, at + length);
	}
}
