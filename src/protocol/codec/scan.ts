/** Inspecting encoded messages without decoding them, to check sizes before allocating memory. */

import { Reader } from "./reader.js";

/** Number of occurrences of a length-delimited field at the top level. @throws {DecodeError} */
export function countField(bytes: Uint8Array, number: number): number {
	const wanted = number * 8 + 2;
	const reader = new Reader(bytes);
	let count = 0;
	while (reader.pos < reader.end) {
		const tag = reader.tag();
		if (tag === wanted) count++;
		reader.skip(tag);
	}
	return count;
}

/**
 * Concatenated contents of a length-delimited field at the top level: for an embedded message that occurs
 * more than once this equals what the decoder merges.
 * @throws {DecodeError}
 */
export function contentOfField(bytes: Uint8Array, number: number): Uint8Array {
	const wanted = number * 8 + 2;
	const reader = new Reader(bytes);
	const parts: Uint8Array[] = [];
	while (reader.pos < reader.end) {
		const tag = reader.tag();
		if (tag !== wanted) {
			reader.skip(tag);
			continue;
		}
		const part = reader.bytes();
		if (part.length > 0) parts.push(part);
	}
	if (parts.length === 1) return parts[0] as Uint8Array;
	// There may be more parts than the argument limit of a call.
	const content = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		content.set(part, at);
		at += part.length;
	}
	return content;
}

/** The message without all occurrences of some fields, of any wire type. @throws {DecodeError} */
export function withoutFields(bytes: Uint8Array, numbers: readonly number[]): Uint8Array {
	const reader = new Reader(bytes);
	const left = new Uint8Array(bytes.length);
	let length = 0;
	while (reader.pos < reader.end) {
		const { pos } = reader;
		const tag = reader.tag();
		reader.skip(tag);
		if (numbers.includes(tag >>> 3)) continue;
		left.set(bytes.subarray(pos, reader.pos), length);
		length += reader.pos - pos;
	}
	return left.subarray(0, length);
}

/** The encoded elements of a repeated message field. @throws {DecodeError} */
export function* elementsOfField(bytes: Uint8Array, number: number): Generator<Uint8Array, void> {
	const wanted = number * 8 + 2;
	const reader = new Reader(bytes);
	while (reader.pos < reader.end) {
		const tag = reader.tag();
		if (tag === wanted) yield reader.bytes();
		else reader.skip(tag);
	}
}

/** One encoded element of a repeated message field; undefined if out of range. @throws {DecodeError} */
export function elementOfField(bytes: Uint8Array, number: number, index: number): Uint8Array | undefined {
	const wanted = number * 8 + 2;
	const reader = new Reader(bytes);
	let at = 0;
	while (reader.pos < reader.end) {
		const tag = reader.tag();
		if (tag !== wanted || at++ < index) reader.skip(tag);
		else return reader.bytes();
	}
	return undefined;
}
