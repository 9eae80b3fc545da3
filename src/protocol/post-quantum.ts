/**
 * Signatures by schemes that withstand quantum computers, which messages of the test network Nile carry in fields of their
 * own (protocol/schema §2.3). Elsewhere these fields are unknown ones. So they are decoded as that on every network, and
 * looked into where somebody asks for them.
 */

import type { Message } from "./codec/descriptor.js";
import { DecodeError, Reader } from "./codec/reader.js";
import { UnknownFields } from "./codec/unknown-fields.js";
import { PQAuthSig } from "./messages.js";

const LENGTH_PREFIXED = 2;

interface Place {
	readonly number: number;
	readonly isRepeated: boolean;
}

const TRANSACTION: Place = { number: 6, isRepeated: true };
const BLOCK_HEADER: Place = { number: 3, isRepeated: false };

/** Where a message has them, by its name. */
const PLACES: Readonly<Record<string, Place>> = {
	"protocol.Transaction": TRANSACTION,
	"protocol.BlockHeader": BLOCK_HEADER,
	"protocol.HelloMessage": { number: 12, isRepeated: false },
};

const tagOf = ({ number }: Place): number => number * 8 + LENGTH_PREFIXED;

/** Visits the fields of a place in their order: where each begins with its tag and ends in `bytes`, and its value. */
function visit(
	unknown: UnknownFields | undefined,
	place: Place,
	visitor: (bytes: Uint8Array, start: number, end: number, value: Uint8Array) => void,
): void {
	if (unknown === undefined) return;
	const bytes = unknown.canonical;
	const reader = new Reader(bytes);
	while (reader.pos < reader.end) {
		const start = reader.pos;
		const tag = reader.tag();
		if (tag === tagOf(place)) {
			const value = reader.bytes();
			visitor(bytes, start, reader.pos, value);
		} else reader.skip(tag);
	}
}

/** The unknown fields of a message without those that Nile doesn't know either; undefined if none are left. */
function keptAt(unknown: UnknownFields | undefined, place: Place): UnknownFields | undefined {
	let kept: UnknownFields | undefined;
	let length = 0;
	visit(unknown, place, (bytes, start, end) => {
		kept ??= new UnknownFields();
		kept.append(bytes, start, end);
		length += end - start;
	});
	return length === unknown?.canonical.length ? unknown : kept;
}

/** The unknown fields of a transaction that Nile knows. */
export const keptOfTransaction = (unknown: UnknownFields | undefined): UnknownFields | undefined =>
	keptAt(unknown, TRANSACTION);

/** The unknown fields of a block's header that Nile knows. */
export const keptOfHeader = (unknown: UnknownFields | undefined): UnknownFields | undefined =>
	keptAt(unknown, BLOCK_HEADER);

function signaturesAt(unknown: UnknownFields | undefined, place: Place): readonly PQAuthSig[] {
	const signatures: PQAuthSig[] = [];
	visit(unknown, place, (_bytes, _start, _end, value) => signatures.push(PQAuthSig.decode(value)));
	return signatures;
}

/** What a transaction carries. @throws {DecodeError} if the fields hold something else */
export const signaturesOfTransaction = ({ $unknown }: Readonly<Message>): readonly PQAuthSig[] =>
	signaturesAt($unknown, TRANSACTION);

/** What a block's header carries: one, the last if there are several. @throws {DecodeError} as for transactions */
export const signatureOfHeader = ({ $unknown }: Readonly<Message>): PQAuthSig | undefined =>
	signaturesAt($unknown, BLOCK_HEADER).at(-1);

/** Whether a transaction carries any, readable or not. */
export function hasPostQuantum({ $unknown }: Readonly<Message>): boolean {
	let found = false;
	visit($unknown, TRANSACTION, () => {
		found = true;
	});
	return found;
}

/** As unknown fields of a transaction; undefined for none. */
export function transactionFieldsOf(signatures: readonly Readonly<PQAuthSig>[]): UnknownFields | undefined {
	if (signatures.length === 0) return undefined;
	const kept = new UnknownFields();
	for (const signature of signatures) {
		const value = PQAuthSig.encode(signature);
		const field = Buffer.concat([Buffer.of(tagOf(TRANSACTION)), lengthOf(value.length), value]);
		kept.append(field, 0, field.length);
	}
	return kept;
}

function lengthOf(length: number): Uint8Array {
	const bytes: number[] = [];
	let rest = length;
	for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
	return Uint8Array.from([...bytes, rest]);
}

/**
 * Whether all unknown fields of a message are ones that Nile knows, in their canonical form and as often as they may be.
 * @param typeName full name of the message
 */
export function isKnownOnNile(typeName: string, unknown: UnknownFields): boolean {
	const place = PLACES[typeName];
	if (!place) return false;
	let [count, length, isGood] = [0, 0, true];
	visit(unknown, place, (_bytes, start, end, value) => {
		count++;
		length += end - start;
		isGood &&= isCanonical(value);
	});
	return isGood && length === unknown.canonical.length && (place.isRepeated || count === 1);
}

function isCanonical(value: Uint8Array): boolean {
	try {
		const signature = PQAuthSig.decode(value);
		return signature.$unknown === undefined && Buffer.compare(PQAuthSig.encode(signature), value) === 0;
	} catch (error) {
		if (error instanceof DecodeError) return false;
		throw error;
	}
}
