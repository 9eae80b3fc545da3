/**
 * The raw snappy block format (https://github.com/google/snappy/blob/main/format_description.txt).
 *
 * Compressors are free to choose. The choices here (64 KiB fragments, hash and table size, growing steps in
 * incompressible data) follow the C++ library used by the network's nodes, so that equal messages have equal
 * bytes; every recorded frame of a reference node is reproduced.
 */

/** Malformed compressed data. */
export class SnappyError extends Error {
	override readonly name = "SnappyError";
}

const FRAGMENT = 1 << 16;
const MIN_TABLE_BITS = 8;
const MAX_TABLE_BITS = 14;
/** No matches are searched in the last bytes of a fragment. */
const INPUT_MARGIN = 15;
const HASH_MULTIPLIER = 0x1e35a7bd;
const HASH_SHIFT = 32 - MAX_TABLE_BITS;

const LITERAL = 0;
const COPY_1_BYTE_OFFSET = 1;
const COPY_2_BYTE_OFFSET = 2;

/** Last position by hash, within the fragment. Shared per thread: compression is synchronous. */
const table = new Uint16Array(1 << MAX_TABLE_BITS);
let output = new Uint8Array(FRAGMENT);

/** Compresses fewer than 2^32 bytes. */
export function compress(input: Uint8Array): Uint8Array {
	const capacity = 32 + input.length + Math.ceil(input.length / 6);
	if (output.length < capacity) output = new Uint8Array(capacity);
	let end = writeLength(input.length);
	for (let start = 0; start < input.length; start += FRAGMENT) {
		end = compressFragment(input.subarray(start, Math.min(start + FRAGMENT, input.length)), end);
	}
	const compressed = output.slice(0, end);
	if (output.length > 1 << 22) output = new Uint8Array(FRAGMENT);
	return compressed;
}

function compressFragment(input: Uint8Array, outputStart: number): number {
	const length = input.length;
	let out = outputStart;
	let literalStart = 0;
	if (length >= INPUT_MARGIN) {
		const view = new DataView(input.buffer, input.byteOffset, length);
		let bits = MIN_TABLE_BITS;
		while (bits < MAX_TABLE_BITS && 1 << bits < length) bits++;
		const mask = (1 << bits) - 1;
		table.fill(0, 0, mask + 1);
		const limit = length - INPUT_MARGIN;
		let at = 0;
		search: while (true) {
			// Search a four-byte match; the step grows by one every 32 misses.
			literalStart = at++;
			let skip = 32;
			let word = view.getInt32(at, true);
			let candidate: number;
			while (true) {
				const entry = (Math.imul(word, HASH_MULTIPLIER) >>> HASH_SHIFT) & mask;
				const step = skip >>> 5;
				skip += step;
				const next = at + step;
				if (next > limit) break search;
				candidate = table[entry] as number;
				table[entry] = at;
				if (view.getInt32(candidate, true) === word) break;
				word = view.getInt32(next, true);
				at = next;
			}
			out = writeLiteral(input, literalStart, at, out);
			do {
				const start = at;
				let matched = 4;
				while (start + matched < length && input[start + matched] === input[candidate + matched]) matched++;
				at += matched;
				out = writeCopy(start - candidate, matched, out);
				literalStart = at;
				if (at >= limit) break search;
				table[(Math.imul(view.getInt32(at - 1, true), HASH_MULTIPLIER) >>> HASH_SHIFT) & mask] = at - 1;
				word = view.getInt32(at, true);
				const entry = (Math.imul(word, HASH_MULTIPLIER) >>> HASH_SHIFT) & mask;
				candidate = table[entry] as number;
				table[entry] = at;
			} while (view.getInt32(candidate, true) === word);
		}
	}
	return literalStart < length ? writeLiteral(input, literalStart, length, out) : out;
}

function writeLiteral(input: Uint8Array, start: number, end: number, outputStart: number): number {
	let out = outputStart;
	const count = end - start - 1;
	if (count < 60) output[out++] = LITERAL | (count << 2);
	else if (count < 256) {
		output[out++] = LITERAL | (60 << 2);
		output[out++] = count;
	} else {
		output[out++] = LITERAL | (61 << 2);
		output[out++] = count & 0xff;
		output[out++] = count >>> 8;
	}
	if (count < 32) for (let i = start; i < end; i++) output[out++] = input[i] as number;
	else {
		output.set(input.subarray(start, end), out);
		out += count + 1;
	}
	return out;
}

/** Copies are limited to 64 bytes; the last two parts of a longer one are balanced to be at least 4. */
function writeCopy(offset: number, length: number, outputStart: number): number {
	let out = outputStart;
	let rest = length;
	for (; rest >= 68; rest -= 64) out = writeLongCopy(offset, 64, out);
	if (rest > 64) {
		out = writeLongCopy(offset, 60, out);
		rest -= 60;
	}
	if (rest >= 12 || offset >= 2048) return writeLongCopy(offset, rest, out);
	output[out++] = COPY_1_BYTE_OFFSET | ((rest - 4) << 2) | ((offset >>> 8) << 5);
	output[out++] = offset & 0xff;
	return out;
}

function writeLongCopy(offset: number, length: number, out: number): number {
	output[out] = COPY_2_BYTE_OFFSET | ((length - 1) << 2);
	output[out + 1] = offset & 0xff;
	output[out + 2] = offset >>> 8;
	return out + 3;
}

function writeLength(length: number): number {
	let out = 0;
	let rest = length;
	for (; rest > 0x7f; rest >>>= 7) output[out++] = (rest & 0x7f) | 0x80;
	output[out++] = rest;
	return out;
}

/** The claimed length, and the offset of the first element. @throws {SnappyError} */
function readLength(input: Uint8Array): { length: number; at: number } {
	let length = 0;
	for (let i = 0; i < 5; i++) {
		const byte = input[i];
		if (byte === undefined) break;
		length += (byte & 0x7f) * 2 ** (7 * i);
		if (byte < 0x80) {
			if (length > 0xffff_ffff) break;
			return { length, at: i + 1 };
		}
	}
	throw new SnappyError("no length");
}

/** The claimed length; check it before uncompressing. @throws {SnappyError} */
export function uncompressedLength(input: Uint8Array): number {
	return readLength(input).length;
}

/**
 * The first uncompressed byte: the first element must be a literal.
 * @returns undefined if the data is empty
 * @throws {SnappyError}
 */
export function firstByteOf(input: Uint8Array): number | undefined {
	const { length, at } = readLength(input);
	if (length === 0) return undefined;
	const tag = input[at];
	if (tag === undefined || (tag & 3) !== LITERAL) throw new SnappyError("copies from before the beginning");
	const bytes = Math.max(0, (tag >>> 2) - 59);
	const first = input[at + 1 + bytes];
	if (first === undefined) throw new SnappyError("ends within a literal");
	return first;
}

/**
 * Allocates the claimed length: see {@link uncompressedLength}.
 * @throws {SnappyError}
 */
export function uncompress(input: Uint8Array): Uint8Array {
	const { length, at } = readLength(input);
	const result = new Uint8Array(length);
	let from = at;
	let to = 0;
	while (from < input.length) {
		const tag = input[from++] as number;
		let count: number;
		if ((tag & 3) === LITERAL) {
			count = tag >>> 2;
			if (count >= 60) {
				const bytes = count - 59;
				if (from + bytes > input.length) throw new SnappyError("ends within a length");
				count = 0;
				for (let i = bytes - 1; i >= 0; i--) count = count * 256 + (input[from + i] as number);
				from += bytes;
			}
			count++;
			if (from + count > input.length) throw new SnappyError("ends within a literal");
			if (to + count > length) throw new SnappyError("longer than it claims");
			if (count < 24) for (let i = 0; i < count; i++) result[to + i] = input[from + i] as number;
			else result.set(input.subarray(from, from + count), to);
			from += count;
			to += count;
			continue;
		}
		let offset: number;
		if ((tag & 3) === COPY_1_BYTE_OFFSET) {
			if (from >= input.length) throw new SnappyError("ends within a copy");
			count = ((tag >>> 2) & 7) + 4;
			offset = ((tag >>> 5) << 8) | (input[from++] as number);
		} else {
			const bytes = (tag & 3) === COPY_2_BYTE_OFFSET ? 2 : 4;
			if (from + bytes > input.length) throw new SnappyError("ends within a copy");
			count = (tag >>> 2) + 1;
			offset = 0;
			for (let i = bytes - 1; i >= 0; i--) offset = offset * 256 + (input[from + i] as number);
			from += bytes;
		}
		if (offset === 0 || offset > to) throw new SnappyError("copies from before the beginning");
		if (to + count > length) throw new SnappyError("longer than it claims");
		// Source and target may overlap, which repeats the bytes just written.
		if (offset >= count && count >= 24) result.copyWithin(to, to - offset, to - offset + count);
		else for (let i = 0; i < count; i++) result[to + i] = result[to - offset + i] as number;
		to += count;
	}
	if (to !== length) throw new SnappyError("shorter than it claims");
	return result;
}
