/**
 * The unknown fields of a message.
 *
 * The network re-serialises messages to hash and relay them, and writes unknown fields in an order of its
 * own. Few messages have any, fewer are serialised again, and a hostile one has millions: so they are kept as
 * received bytes and sorted only on demand.
 */

import { getField, type Message, type MessageType } from "./descriptor.js";
import { LONGEST_VARINT, Reader } from "./reader.js";

/** A field that is not in the schema. */
interface UnknownField {
	readonly number: number;
	readonly wireType: number;
	/** The value without its tag: a minimal varint, fixed bytes, or a length-delimited value. */
	readonly value: Uint8Array;
}

/** Rank of each wire type among the unknown fields of one number in the network's canonical form. */
const ORDER = [0, 2, 3, 4, 5, 1] as const;

const FIRST_CAPACITY = 64;

/** The unknown fields of one message; never empty. */
export class UnknownFields {
	/** Fields with tags, as received; a view of the input as long as they are contiguous in it. */
	private bytes: Uint8Array | undefined;
	private start = 0;
	private end = 0;
	private isOwn = false;
	private canonicalBytes: Uint8Array | undefined;

	/** Appends the bytes of one or more fields. They must not be changed afterwards. */
	append(source: Uint8Array, start: number, end: number): void {
		this.canonicalBytes = undefined;
		if (this.bytes === undefined) {
			this.bytes = source;
			this.start = start;
			this.end = end;
		} else if (!this.isOwn && source === this.bytes && start === this.end) this.end = end;
		else this.copy(source, start, end);
	}

	/** Copies non-contiguous fields together, into a buffer that doubles. */
	private copy(source: Uint8Array, start: number, end: number): void {
		const kept = this.bytes as Uint8Array;
		const length = this.end - this.start;
		const added = end - start;
		if (!this.isOwn || kept.length - this.end < added) {
			const room = new Uint8Array(Math.max(FIRST_CAPACITY, 2 * (length + added)));
			room.set(kept.subarray(this.start, this.end));
			this.bytes = room;
			this.start = 0;
			this.end = length;
			this.isOwn = true;
		}
		const own = this.bytes as Uint8Array;
		if (added < 16) for (let i = 0; i < added; i++) own[this.end + i] = source[start + i] as number;
		else own.set(source.subarray(start, end), this.end);
		this.end += added;
	}

	/** The fields with tags, as received. */
	get received(): Uint8Array {
		return (this.bytes as Uint8Array).subarray(this.start, this.end);
	}

	/** The fields as the network writes them: by number, wire type, then arrival; varints in minimal form. */
	get canonical(): Uint8Array {
		this.canonicalBytes ??= canonicalForm(this.received);
		return this.canonicalBytes;
	}

	/** The individual fields in canonical order, for display. */
	list(): readonly UnknownField[] {
		const bytes = this.canonical;
		const reader = new Reader(bytes);
		const fields: UnknownField[] = [];
		while (reader.pos < reader.end) {
			const tag = reader.tag();
			const from = reader.pos;
			reader.skip(tag);
			fields.push({ number: tag >>> 3, wireType: tag & 7, value: bytes.subarray(from, reader.pos) });
		}
		return fields;
	}
}

/**
 * Keeps a field that is not in the schema, or whose wire type differs from the schema's.
 * @param kept the message's unknown fields so far
 */
export function keepUnknown(reader: Reader, tag: number, kept: UnknownFields | undefined): UnknownFields {
	const start = reader.skipWhole(tag);
	const fields = kept ?? new UnknownFields();
	fields.append(reader.buf, start, reader.pos);
	return fields;
}

/** Counting sort: two passes over the bytes and no object per field. */
function canonicalForm(bytes: Uint8Array): Uint8Array {
	/** Rank -> total bytes of its fields. */
	const sizes = new Map<number, number>();
	const reader = new Reader(bytes);
	let isCanonical = true;
	let total = 0;
	let last = 0;
	while (reader.pos < reader.end) {
		const start = reader.pos;
		const tag = reader.tag();
		const from = reader.pos;
		reader.skip(tag);
		const place = placeOf(tag);
		const size = varintSize(tag >>> 0) + valueSize(bytes, tag, from, reader.pos);
		if (place < last || size !== reader.pos - start || hasLostBits(bytes, start, from, tag, reader.pos)) {
			isCanonical = false;
		}
		last = place;
		total += size;
		sizes.set(place, (sizes.get(place) ?? 0) + size);
	}
	if (isCanonical) return bytes;
	/** Rank -> offset of its next field. */
	const ends = new Map<number, number>();
	let at = 0;
	for (const place of [...sizes.keys()].sort((a, b) => a - b)) {
		ends.set(place, at);
		at += sizes.get(place) as number;
	}
	const out = new Uint8Array(total);
	reader.pos = 0;
	while (reader.pos < reader.end) {
		const tag = reader.tag();
		const from = reader.pos;
		reader.skip(tag);
		const place = placeOf(tag);
		const to = ends.get(place) as number;
		ends.set(place, writeValue(bytes, tag, from, reader.pos, out, writeVarint(tag >>> 0, out, to)));
	}
	return out;
}

/** Tag bits beyond 32 are ignored, as is the tenth varint byte, which is 1 in canonical form. */
function hasLostBits(bytes: Uint8Array, start: number, from: number, tag: number, to: number): boolean {
	if (from - start === 5 && (bytes[start + 4] as number) > 0x0f) return true;
	return (tag & 7) === 0 && to - from === LONGEST_VARINT && bytes[to - 1] !== 0x01;
}

function placeOf(tag: number): number {
	return (tag >>> 3) * 8 + (ORDER[tag & 7] as number);
}

/** Encoded length of a varint. @param value non-negative */
export function varintSize(value: number): number {
	let size = 1;
	for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size++;
	return size;
}

function writeVarint(value: number, out: Uint8Array, start: number): number {
	let at = start;
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 128)) out[at++] = (rest % 128) | 0x80;
	out[at++] = rest;
	return at;
}

/** Length of a varint's minimal form. Ten-byte varints always have bit 63 set ({@link Reader.int64}). */
function minimalSize(bytes: Uint8Array, from: number, to: number): number {
	let size = to - from;
	while (size > 1 && bits(bytes, from, size - 1) === 0) size--;
	return size;
}

function bits(bytes: Uint8Array, from: number, group: number): number {
	return group === LONGEST_VARINT - 1 ? 0x01 : (bytes[from + group] as number) & 0x7f;
}

/** Where the content of a length-delimited value begins. */
function contentStart(bytes: Uint8Array, from: number): number {
	let at = from;
	while ((bytes[at] as number) >= 0x80) at++;
	return at + 1;
}

function valueSize(bytes: Uint8Array, tag: number, from: number, to: number): number {
	switch (tag & 7) {
		case 0:
			return minimalSize(bytes, from, to);
		case 2: {
			const length = to - contentStart(bytes, from);
			return varintSize(length) + length;
		}
		default:
			return to - from;
	}
}

function writeValue(
	bytes: Uint8Array,
	tag: number,
	from: number,
	to: number,
	out: Uint8Array,
	start: number,
): number {
	let at = start;
	switch (tag & 7) {
		case 0: {
			const size = minimalSize(bytes, from, to);
			for (let group = 0; group < size - 1; group++) out[at++] = bits(bytes, from, group) | 0x80;
			out[at++] = bits(bytes, from, size - 1);
			return at;
		}
		case 2: {
			const content = contentStart(bytes, from);
			at = writeVarint(to - content, out, at);
			for (let i = content; i < to; i++) out[at++] = bytes[i] as number;
			return at;
		}
		default:
			for (let i = from; i < to; i++) out[at++] = bytes[i] as number;
			return at;
	}
}

/**
 * Whether a message, or one nested in it, has fields that are not in the schema.
 * @param isKnown whether the network knows the unknown fields of a message, given its full type name
 */
export function hasUnknownFields(
	type: MessageType<Message>,
	message: Readonly<Message>,
	isKnown?: (typeName: string, fields: UnknownFields) => boolean,
): boolean {
	if (message.$unknown !== undefined && !isKnown?.(type.typeName, message.$unknown)) return true;
	return type.fields.some((field) => {
		if (!field.message) return false;
		const value = getField(message, field.name);
		const values = field.label === "singular" ? [value] : [...(value as Iterable<unknown>)];
		const inner = field.message();
		return values.some((each) => each !== undefined && hasUnknownFields(inner, each as Message, isKnown));
	});
}
