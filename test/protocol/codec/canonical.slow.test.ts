import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCanonicalMessage } from "../../../src/protocol/codec/canonical.js";
import type { Message, MessageType } from "../../../src/protocol/codec/descriptor.js";
import {
	Account,
	Block,
	BlockHeader,
	Transaction,
	TransferContract,
} from "../../../src/protocol/messages.js";
import { randomMessage } from "./random-message.js";

const TYPES = [
	Account,
	Block,
	BlockHeader,
	Transaction,
	TransferContract,
] as unknown as readonly MessageType<Message>[];
const RUNS = { numRuns: 4_000 };

/** What decodes and encodes to the same bytes; false where it doesn't decode. */
function isRepeatable(type: MessageType<Message>, bytes: Uint8Array): boolean {
	try {
		return Buffer.compare(type.encode(type.decode(bytes)), bytes) === 0;
	} catch {
		return false;
	}
}

/** A change of some bytes: one replaced, put in, left out, or a piece repeated. */
const change = fc.record({
	kind: fc.constantFrom("replace", "insert", "remove", "repeat"),
	at: fc.nat(),
	byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)),
	length: fc.integer({ min: 1, max: 8 }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(bytes: Uint8Array, { kind, at, byte, length }: Change): Uint8Array {
	const place = bytes.length === 0 ? 0 : at % bytes.length;
	const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
	if (kind === "insert") return Buffer.concat([before, Uint8Array.of(byte), after]);
	if (kind === "remove") return Buffer.concat([before, after.subarray(length)]);
	if (kind === "repeat") return Buffer.concat([before, after.subarray(0, length), after]);
	return Buffer.concat([before, Uint8Array.of(byte), after.subarray(1)]);
}

describe("bytes that are called canonical", () => {
	test.each(TYPES)("are what the codec writes, however they were changed: $typeName", (type) => {
		let canonical = 0;
		fc.assert(
			fc.property(randomMessage(type), fc.array(change, { maxLength: 2 }), (message, changes) => {
				const bytes = changes.reduce(changed, type.encode(message));
				if (!isCanonicalMessage(type, bytes)) return;
				canonical++;
				expect(isRepeatable(type, bytes)).toBe(true);
			}),
			RUNS,
		);
		expect(canonical).toBeGreaterThan(RUNS.numRuns / 20);
	});

	test.each([
		["a field twice", "0801 0801"],
		["fields out of order", "1802 1001"],
		["a default", "1800"],
		["a long varint", "188100"],
		["a long tag", "988000 01"],
		["an eleventh group", "18ffffffffffffffffffff01"],
		["a tenth group that is cut", "18ffffffffffffffffff03"],
		["an unknown field", "f83f01"],
		["another wire type", "1a0101"],
		["content that ends too late", "0a05aa"],
		["empty bytes", "0a00"],
		["half a varint", "18ff"],
	])("are never %s", (_, hex) => {
		expect(
			isCanonicalMessage(
				TransferContract as unknown as MessageType<Message>,
				Buffer.from(hex.replaceAll(" ", ""), "hex"),
			),
		).toBe(false);
	});

	test("are those of ordinary transfers", () => {
		const transfer = TransferContract.create({
			owner_address: Buffer.alloc(21, 1),
			to_address: Buffer.alloc(21, 2),
			amount: -1n,
		});
		expect(
			isCanonicalMessage(
				TransferContract as unknown as MessageType<Message>,
				TransferContract.encode(transfer),
			),
		).toBe(true);
	});
});
