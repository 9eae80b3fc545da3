/** Random messages of any type of the schema. */

import fc from "fast-check";
import type {
	FieldDescriptor,
	Message,
	MessageType,
	ScalarType,
} from "../../../src/protocol/codec/descriptor.js";
import { setField } from "../../../src/protocol/codec/descriptor.js";
import { MAX_INT64, MIN_INT64 } from "../../../src/protocol/int64.js";

/** Levels of embedded messages; recursive types end here. */
const DEPTH = 3;

const edges64 = [0n, 1n, -1n, 127n, 128n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 53n, MAX_INT64, MIN_INT64];

const scalars: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
	int32: fc.oneof(fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)), fc.integer()),
	int64: fc.oneof(fc.constantFrom(...edges64), fc.bigInt({ min: MIN_INT64, max: MAX_INT64 })),
	bool: fc.boolean(),
	double: fc.oneof(fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY), fc.double()),
	string: fc.oneof(fc.string({ unit: "grapheme", maxLength: 50 }), fc.string({ maxLength: 200 })),
	bytes: fc.uint8Array({ maxLength: 60 }),
};

function valueOfField(field: FieldDescriptor, depth: number): fc.Arbitrary<unknown> {
	if (field.kind === "message")
		return randomMessage((field.message as () => MessageType<Message>)(), depth - 1);
	return field.kind === "enum" ? scalars.int32 : scalars[field.kind];
}

function fieldOf(field: FieldDescriptor, depth: number): fc.Arbitrary<unknown> {
	const value = valueOfField(field, depth);
	if (field.label === "repeated") return fc.array(value, { maxLength: 3 });
	if (field.label === "singular") return value;
	const entry = fc.tuple(scalars[field.keyKind as ScalarType], value);
	return fc.array(entry, { maxLength: 3 }).map((entries) => new Map(entries));
}

/** A message with a few of its fields set. */
export function randomMessage(type: MessageType<Message>, depth = DEPTH): fc.Arbitrary<Message> {
	const fields = type.fields.filter((field) => depth > 0 || field.kind !== "message");
	if (fields.length === 0) return fc.constant(new type());
	return fc.subarray([...fields], { maxLength: Math.min(6, fields.length) }).chain((chosen) =>
		fc.tuple(...chosen.map((field) => fieldOf(field, depth))).map((values) => {
			const message = new type();
			for (const [i, field] of chosen.entries()) setField(message, field.name, values[i]);
			return message;
		}),
	);
}
