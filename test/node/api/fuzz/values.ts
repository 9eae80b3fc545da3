/** Values of every kind, right and wrong, for fields of requests. */

import fc from "fast-check";

/** A contract that the node under test has from the start. */
export const CONTRACT_HEX = `41${"c0".repeat(20)}`;

const ADDRESSES = [
	CONTRACT_HEX,
	`0x${CONTRACT_HEX.slice(2)}`,
	"41e2e1a54926527fbb4e4420de4c6bab82beaee24d",
	"TWmhXMhHcHSJjpzVZbkKtqGjxwFv7yc3bD",
	"0xe2e1a54926527fbb4e4420de4c6bab82beaee24d",
	`41${"0".repeat(40)}`,
];
const TEXTS = [
	"",
	"0x",
	"0x0",
	"0x1",
	"41",
	"zz",
	"_",
	"1000001",
	"latest",
	"earliest",
	"pending",
	"\u0000",
	"\ud800",
];
const NUMBERS = [0, -0, 1, -1, 1.5, 1e30, 2 ** 31, 2 ** 53, -(2 ** 63), 255];
const NUMERALS = ["9223372036854775807", "9223372036854775808", "-1", "010", "0x7fffffffffffffff", "1e3"];

const hex = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("hex"));

/** Any JSON value that a field might be given. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 4, arbitrary: fc.constantFrom<unknown>(...ADDRESSES, ...TEXTS, ...NUMBERS, ...NUMERALS) },
	{
		weight: 2,
		arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { value: {} }, [{ key: 1 }]),
	},
	{ weight: 3, arbitrary: hex },
	{ weight: 1, arbitrary: hex.map((digits) => `0x${digits}`) },
	{ weight: 1, arbitrary: fc.integer() },
	{ weight: 1, arbitrary: fc.string({ maxLength: 60, unit: "binary" }) },
	{ weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
	// Long ones: texts, arrays, and depth.
	{
		weight: 1,
		arbitrary: fc
			.tuple(fc.constantFrom("a", "41", "[", '{"a":'), fc.integer({ min: 100, max: 3_000 }))
			.map(([part, count]) => part.repeat(count)),
	},
	{ weight: 1, arbitrary: fc.integer({ min: 10, max: 400 }).map((depth) => nested(depth)) },
);

function nested(depth: number): unknown {
	let value: unknown = 1;
	for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
	return value;
}

/** A value that fits the type of a documented field. */
export function fitting(type: string): fc.Arbitrary<unknown> {
	switch (type) {
		case "integer":
			return fc.constantFrom<unknown>(0, 1, 2, 10, 1_000_000, -1);
		case "boolean":
			return fc.boolean();
		case "string":
			return fc.constantFrom<unknown>(...ADDRESSES, "1000001", "ab".repeat(32));
		default:
			return anyValue;
	}
}

/** Text that was JSON before some of its bytes were changed or lost. */
export function broken(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
	return fc.tuple(text, fc.nat(), fc.uint8Array({ maxLength: 5 })).map(([whole, at, bytes]) => {
		const buffer = Buffer.from(whole);
		const cut = at % (buffer.length + 1);
		return Buffer.concat([buffer.subarray(0, cut), bytes, buffer.subarray(cut + 1)]);
	});
}
