/** JSON texts that cost more to read than to send: long numbers, many values, deep brackets, batches in batches. */

import fc from "fast-check";

const size = fc.oneof(
	{ weight: 6, arbitrary: fc.integer({ min: 1, max: 2_000 }) },
	{ weight: 1, arbitrary: fc.constantFrom(99_000, 200_000) },
);
const name = fc.constantFrom(
	"address",
	"owner_address",
	"visible",
	"votes",
	"value",
	"num",
	"transaction",
	"m",
);

const digits = size.map((count) => "9".repeat(count));
const number = fc.oneof(
	digits,
	digits.map((text) => `-0.${text}`),
	digits.map((text) => `1e${text.slice(0, 12)}`),
	digits.map((text) => `"${text}"`),
	digits.map((text) => `"0x${text}"`),
);
const blanks = size.map((count) => `"${"41 ".repeat(count)}"`);
const escapes = size.map((count) => `"${"\\n".repeat(count)}"`);
const deep = fc
	.tuple(size, fc.constantFrom("[", '{"a":'))
	.map(([count, open]) => `${open.repeat(count)}1${(open === "[" ? "]" : "}").repeat(count)}`);
const many = fc
	.tuple(size, fc.constantFrom("0", "{}", '{"vote_count":1}', "[]", '"x"'))
	.map(([count, item]) => `[${Array(count).fill(item).join(",")}]`);
const values = fc.oneof(number, blanks, escapes, deep, many);

/** An object with one member, or as many as there are. */
export const largeObjects: fc.Arbitrary<string> = fc.oneof(
	{ weight: 4, arbitrary: fc.tuple(name, values).map(([key, value]) => `{"${key}":${value}}`) },
	{
		weight: 1,
		arbitrary: size.map((count) => `{${Array.from({ length: count }, (_, i) => `"m${i}":1`).join(",")}}`),
	},
);

const call = (params: string): string => `{"id":1,"method":"eth_getBlockByNumber","params":[${params},true]}`;
const filter = fc
	.integer({ min: 1, max: 12_000 })
	.map((count) =>
		Array.from({ length: count }, (_, i) => `"0x${i.toString(16).padStart(40, "0")}"`).join(","),
	)
	.map((list) => `{"id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x0","address":[${list}]}]}`);
const nested = fc
	.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 400 }))
	.map(([outer, inner, depth]) => {
		const batch = `[${Array(inner).fill('{"id":1,"method":"eth_newBlockFilter"}').join(",")}]`;
		return `${"[".repeat(depth)}${Array(outer).fill(batch).join(",")}${"]".repeat(depth)}`;
	});

/** Requests of JSON-RPC. */
export const largeCalls: fc.Arbitrary<string> = fc.oneof(
	values.map(call),
	number.map((id) => `{"id":${id},"method":"eth_chainId"}`),
	filter,
	nested,
	deep,
);
