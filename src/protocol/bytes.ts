/** Byte strings: hex text, comparison, big-endian integers. Byte strings are treated as immutable. */

export const EMPTY = new Uint8Array(0);

/** Lower-case hex without a prefix. */
export function toHex(bytes: Uint8Array): string {
	return asBuffer(bytes).toString("hex");
}

/**
 * Parses hex of even length, any case, without a prefix.
 * @throws {RangeError} for any other text
 */
export function fromHex(text: string): Uint8Array {
	if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) throw new RangeError("not hexadecimal text");
	return Buffer.from(text, "hex");
}

/** A Buffer view of the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
	return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

type Seven = readonly [number, number, number, number, number, number, number];
/** The 21 bytes of an address, by index. */
type AddressBytes = readonly [...Seven, ...Seven, ...Seven];

/**
 * A string with one UTF-16 unit per byte, used as a Map key. PERF: most keys are addresses; a native call
 * takes twice as long as passing 21 bytes to String.fromCharCode.
 */
export function toKey(bytes: Uint8Array): string {
	if (bytes.length === 21) {
		const b = bytes as unknown as AddressBytes;
		// biome-ignore format: a line for each third
		return String.fromCharCode(
			b[0], b[1], b[2], b[3], b[4], b[5], b[6],
			b[7], b[8], b[9], b[10], b[11], b[12], b[13],
			b[14], b[15], b[16], b[17], b[18], b[19], b[20],
		);
	}
	return asBuffer(bytes).toString("latin1");
}

/** The inverse of {@link toKey}. */
export function fromKey(key: string): Uint8Array {
	return Buffer.from(key, "latin1");
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
	if (a.length !== b.length) return false;
	for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
	return true;
}

/** Whether any two of them are equal. */
export function hasRepetition(parts: readonly Uint8Array[]): boolean {
	return new Set(parts.map(toKey)).size < parts.length;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
	return Buffer.concat(parts);
}

export function utf8(text: string): Uint8Array {
	return Buffer.from(text, "utf8");
}

/**
 * Decodes UTF-8. Invalid bytes become U+FFFD the way Java does it: an encoded surrogate, complete or
 * truncated, is one replacement character there, but three in Node.js.
 */
export function fromUtf8(bytes: Uint8Array): string {
	const text = asBuffer(bytes).toString("utf8");
	if (!text.includes("\ufffd")) return text;
	const marked = asBuffer(bytes)
		.toString("latin1")
		.replace(/\xed[\xa0-\xbf][\x80-\xbf]?/g, "\xff");
	return Buffer.from(marked, "latin1").toString("utf8");
}

/** Eight bytes, big-endian two's complement. */
export function be64(value: bigint): Uint8Array {
	const bytes = Buffer.allocUnsafe(8);
	bytes.writeBigInt64BE(BigInt.asIntN(64, value));
	return bytes;
}

/** Reads eight bytes as a signed big-endian integer. */
export function readBe64(bytes: Uint8Array, offset = 0): bigint {
	return asBuffer(bytes).readBigInt64BE(offset);
}

/** Four bytes, big-endian two's complement. */
export function be32(value: number): Uint8Array {
	const bytes = Buffer.allocUnsafe(4);
	bytes.writeInt32BE(value | 0);
	return bytes;
}

/** Reads four bytes as a signed big-endian integer. */
export function readBe32(bytes: Uint8Array, offset = 0): number {
	return asBuffer(bytes).readInt32BE(offset);
}
