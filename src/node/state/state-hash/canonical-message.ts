/**
 * The canonical form of messages: fields ascending, map entries sorted by bytes, without fields that vary between nodes.
 * Works on encoded bytes, since decoding each record would take several times as long as hashing it.
 */

import { DecodeError } from "../../../protocol/codec/reader.js";

/** How a message's fields are treated, by number. */
export interface MessageForm {
	/** Omitted. */
	readonly dropped: ReadonlySet<number>;
	/** Maps: their entries have no order. */
	readonly maps: ReadonlySet<number>;
}

/** An encoded field, with its tag. */
interface Field {
	readonly number: number;
	readonly bytes: Uint8Array;
	/** Offset of the content of a length-delimited field. */
	readonly content: number;
}

const [VARINT, FIXED64, LENGTH, FIXED32] = [0, 1, 2, 5];

/** @throws {DecodeError} for what isn't a message */
export function messageFields(bytes: Uint8Array): Field[] {
	const fields: Field[] = [];
	for (let start = 0, end: number; start < bytes.length; start = end) {
		const tagEnd = varintEnd(bytes, start);
		const tag = lengthIn(bytes, start, tagEnd);
		end = valueEnd(bytes, tag & 7, tagEnd);
		const content = (tag & 7) === LENGTH ? varintEnd(bytes, tagEnd) : tagEnd;
		fields.push({ number: tag >>> 3, bytes: bytes.subarray(start, end), content: content - start });
	}
	return fields;
}

/** The canonical bytes of a message; the same array if already canonical. @throws {DecodeError} */
export function canonicalMessage(bytes: Uint8Array, form: MessageForm): Uint8Array {
	if (isCanonical(bytes, form)) return bytes;
	const kept = messageFields(bytes).filter(({ number }) => !form.dropped.has(number));
	const places = new Map(kept.map((field, at) => [field, at]));
	const place = (field: Field): number => places.get(field) as number;
	kept.sort((a, b) => {
		if (a.number !== b.number) return a.number - b.number;
		return form.maps.has(a.number) ? Buffer.compare(a.bytes, b.bytes) : place(a) - place(b);
	});
	return Buffer.concat(kept.map((field) => field.bytes));
}

/**
 * Whether a message is already canonical, as nearly all are.
 *
 * PERF: runs on every record of a state, so it allocates no objects per field.
 * @throws {DecodeError} as {@link messageFields}
 */
function isCanonical(bytes: Uint8Array, { dropped, maps }: MessageForm): boolean {
	let [before, former, start] = [0, 0, 0];
	for (let end: number; start < bytes.length; former = start, start = end) {
		const tagEnd = varintEnd(bytes, start);
		const tag = lengthIn(bytes, start, tagEnd);
		const number = tag >>> 3;
		end = valueEnd(bytes, tag & 7, tagEnd);
		if (number < before || dropped.has(number)) return false;
		const isSameMap = number === before && maps.has(number);
		if (isSameMap && Buffer.compare(bytes.subarray(former, start), bytes.subarray(start, end)) > 0)
			return false;
		before = number;
	}
	return true;
}

/**
 * The amounts in a map from names to numbers, without zeros; the last entry of a name counts.
 * @throws {DecodeError}
 */
export function mapAmounts(fields: readonly Field[], number: number): ReadonlyMap<string, bigint> {
	const amounts = new Map<string, bigint>();
	for (const field of fields) {
		if (field.number !== number) continue;
		let [name, amount] = ["", 0n];
		for (const part of messageFields(field.bytes.subarray(field.content))) {
			if (part.number === 1) name = Buffer.from(part.bytes.subarray(part.content)).toString("latin1");
			if (part.number === 2) amount = readVarint(part.bytes, part.content);
		}
		if (amount === 0n) amounts.delete(name);
		else amounts.set(name, amount);
	}
	return amounts;
}

function varintEnd(bytes: Uint8Array, start: number): number {
	let at = start;
	while ((bytes[at] ?? 0) >= 0x80) at++;
	if (at >= bytes.length || at - start > 9) throw new DecodeError("a number that doesn't end");
	return at + 1;
}

/** The end of a field whose value starts at an offset. */
function valueEnd(bytes: Uint8Array, wireType: number, start: number): number {
	let end = start;
	if (wireType === VARINT) end = varintEnd(bytes, start);
	else if (wireType === FIXED64) end += 8;
	else if (wireType === FIXED32) end += 4;
	else if (wireType === LENGTH) {
		end = varintEnd(bytes, start);
		end += lengthIn(bytes, start, end);
	} else throw new DecodeError(`a field of wire type ${wireType}`);
	if (end > bytes.length) throw new DecodeError("a field goes on after its message");
	return end;
}

function lengthIn(bytes: Uint8Array, start: number, end: number): number {
	if (end - start > 5) throw new DecodeError("a length of more than 32 bits");
	let value = 0;
	for (let at = end - 1; at >= start; at--) value = value * 128 + ((bytes[at] as number) & 0x7f);
	return value;
}

function readVarint(bytes: Uint8Array, start: number): bigint {
	let value = 0n;
	for (let at = varintEnd(bytes, start) - 1; at >= start; at--) {
		value = (value << 7n) | BigInt((bytes[at] as number) & 0x7f);
	}
	return BigInt.asIntN(64, value);
}
