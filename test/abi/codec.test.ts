import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AbiDataError, type CodecLimits, USUAL_LIMITS, wordValue } from "../../src/abi/codec.js";
import { type AbiValue, decodeValues, encodeValues, isCanonical } from "../../src/abi/coder.js";
import type { AbiParameter } from "../../src/abi/parameter.js";

interface Typed {
	readonly parameter: AbiParameter;
	readonly values: fc.Arbitrary<AbiValue>;
}

const typed = (
	type: string,
	values: fc.Arbitrary<AbiValue>,
	components?: readonly AbiParameter[],
): Typed => ({ parameter: { name: "", type, ...(components ? { components } : {}) }, values });

const hex = (length: number): fc.Arbitrary<string> =>
	fc
		.uint8Array({ minLength: length, maxLength: length })
		.map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);

const sized = fc.integer({ min: 1, max: 32 });
const plain: fc.Arbitrary<Typed> = fc.oneof(
	sized.map((n) => typed(`uint${8 * n}`, fc.bigInt({ min: 0n, max: 2n ** BigInt(8 * n) - 1n }))),
	sized.map((n) => {
		const half = 2n ** BigInt(8 * n - 1);
		return typed(`int${8 * n}`, fc.bigInt({ min: -half, max: half - 1n }));
	}),
	sized.map((n) => typed(`bytes${n}`, hex(n))),
	fc.constant(typed("bool", fc.boolean())),
	fc.constant(typed("function", hex(24))),
	fc.constant(typed("string", fc.string({ unit: "grapheme", maxLength: 70 }))),
	fc.constant(typed("bytes", fc.integer({ min: 0, max: 70 }).chain(hex))),
);

const { any } = fc.letrec<{ any: Typed }>((tie) => ({
	any: fc.oneof(
		{ depthSize: "small" },
		plain,
		tie("any").map(({ parameter, values }) =>
			typed(`${parameter.type}[]`, fc.array(values, { maxLength: 4 }), parameter.components),
		),
		fc.tuple(tie("any"), fc.integer({ min: 0, max: 3 })).map(([{ parameter, values }, length]) => {
			const items = fc.array(values, { minLength: length, maxLength: length });
			return typed(`${parameter.type}[${length}]`, items, parameter.components);
		}),
		fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((members) =>
			typed(
				"tuple",
				fc.tuple(...members.map(({ values }) => values)),
				members.map(({ parameter }) => parameter),
			),
		),
	),
}));

const calls = fc.array(any, { minLength: 1, maxLength: 4 }).chain((arguments_) =>
	fc.record({
		parameters: fc.constant(arguments_.map(({ parameter }) => parameter)),
		values: fc.tuple(...arguments_.map(({ values }) => values)),
	}),
);

describe("values", () => {
	test("are read back from their bytes", () => {
		fc.assert(
			fc.property(calls, ({ parameters, values }) => {
				const data = encodeValues(parameters, values);
				fc.pre(data.length > 0);
				expect(decodeValues(parameters, data)).toEqual(values);
				expect(isCanonical(parameters, data)).toBe(true);
			}),
		);
	});

	test("come of damaged bytes, or a refusal does", () => {
		fc.assert(
			fc.property(calls, fc.nat(), fc.nat(255), fc.nat(), ({ parameters, values }, at, byte, cut) => {
				const data = encodeValues(parameters, values);
				data[at % (data.length + 1)] = byte;
				try {
					decodeValues(parameters, data.subarray(0, data.length - (cut % 40)));
				} catch (error) {
					expect(error).toBeInstanceOf(AbiDataError);
				}
			}),
		);
	});

	test.each<[string, AbiValue]>([
		["uint8", 256n],
		["int8", -129n],
		["uint256", true],
		["bool", 1n],
		["bytes2", "0x01"],
		["bytes", "text"],
		["address", "0x01"],
		["uint8[2]", [1n]],
		["uint8[]", 1n],
		["fixed128x18", 1n],
	])("that were not made for %s are refused", (type, value) => {
		expect(() => encodeValues([{ name: "", type }], [value])).toThrow(RangeError);
	});

	test("of a boolean are 0 and 1", () => {
		const word = new Uint8Array(32);
		word[31] = 2;
		expect(() => wordValue("bool", word)).toThrow(AbiDataError);
	});

	test("are counted", () => {
		const limits: CodecLimits = { ...USUAL_LIMITS, items: 3 };
		const read = (type: string) => decodeValues([{ name: "", type }], new Uint8Array(200), limits);
		expect(read("uint8[3]")).toEqual([[0n, 0n, 0n]]);
		expect(() => read("uint8[4]")).toThrow("too many values");
	});
});
