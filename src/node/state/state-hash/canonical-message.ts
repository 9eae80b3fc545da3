/**
 * Messages as every node has them: fields ascending, entries of maps by their bytes, without fields that a node may have
 * or not. Works on the bytes, since decoding each record would take several times as long as hashing it.
 */

import { DecodeError } from "../../../protocol/codec/reader.js";

/** What is done with the fields of a message, by number. */
export interface MessageForm {
	/** Left out. */
	readonly dropped: ReadonlySet<number>;
	/** Maps: their entries have no order. */
	readonly maps: ReadonlySet<number>;
}

/** A field as it stands, with its tag. */
interface Field {
	readonly number: number;
	readonly bytes: Uint8Array;
	/** The content of a field with a length, in the bytes. */
	readonly content: number;
}

const [VARINT, FIXED64, LENGTH, FIXED32] = [0, 1, 2, 5];

/** @throws {DecodeError} for what isn't a message */
export function messageFields(bytes: Uint8Array): Field[] {
	const fields: Field[] = [];
	for (let at = 0; at < bytes.length; ) {
		const start = at;
		const tag = readLength(bytes, at);
		at = tag.end;
		const wireType = tag.value & 7;
		let content = at;
		if (wireType === VARINT) at = varintEnd(bytes, at);
		else if (wireType === FIXED64) at += 8;
		else if (wireType === FIXED32) at += 4;
		else if (wireType === LENGTH) {
			const { value, end } = readLength(bytes, at);
			content = end;
			at = end + value;
		} else throw new DecodeError(`a field of wire type ${wireType}`);
		if (at > bytes.length) throw new DecodeError("a field goes on after its message");
		fields.push({ number: tag.value >>> 3, bytes: bytes.subarray(start, at), content: content - start });
	}
	return fields;
}

/** The bytes of a message in its one form; itself if it has that already. @throws {DecodeError} */
export function canonicalMessage(
	bytes: Uint8Array,
	form: MessageForm,
	fields = messageFields(bytes),
): Uint8Array {
	if (isCanonical(fields, form)) return bytes;
	const kept = fields.filter(({ number }) => !form.dropped.has(number));
	const places = new Map(kept.map((field, at) => [field, at]));
	const place = (field: Field): number => places.get(field) as number;
	kept.sort((a, b) => {
		if (a.number !== b.number) return a.number - b.number;
		return form.maps.has(a.number) ? Buffer.compare(a.bytes, b.bytes) : place(a) - place(b);
	});
	return Buffer.concat(kept.map((field) => field.bytes));
}

function isCanonical(fields: readonly Field[], { dropped, maps }: MessageForm): boolean {
	return fields.every((field, at) => {
		if (dropped.has(field.number)) return false;
		const before = fields[at - 1];
		if (!before || before.number < field.number) return true;
		if (before.number > field.number) return false;
		return !maps.has(field.number) || Buffer.compare(before.bytes, field.bytes) <= 0;
	});
}

/** The amounts of a map from names to numbers, without those that are 0; a name's last entry counts. @throws {DecodeError} */
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

function readLength(bytes: Uint8Array, start: number): { value: number; end: number } {
	const end = varintEnd(bytes, start);
	if (end - start > 5) throw new DecodeError("a length of more than 32 bits");
	let value = 0;
	for (let at = end - 1; at >= start; at--) value = value * 128 + ((bytes[at] as number) & 0x7f);
	return { value, end };
}

function readVarint(bytes: Uint8Array, start: number): bigint {
	let value = 0n;
	for (let at = varintEnd(bytes, start) - 1; at >= start; at--) {
		value = (value << 7n) | BigInt((bytes[at] as number) & 0x7f);
	}
	return BigInt.asIntN(64, value);
}
