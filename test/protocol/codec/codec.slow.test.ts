import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import protobuf from "protobufjs";
import { describe, expect, test } from "vitest";
import { budgetOfBytes } from "../../../src/protocol/codec/budget.js";
import type { FieldDescriptor, Message, MessageType } from "../../../src/protocol/codec/descriptor.js";
import { getField } from "../../../src/protocol/codec/descriptor.js";
import { EMPTY_LIST, EMPTY_MAP } from "../../../src/protocol/codec/empty.js";
import { DecodeError } from "../../../src/protocol/codec/reader.js";
import { className } from "../../../src/protocol/json/exceptions.js";
import * as messages from "../../../src/protocol/messages.js";
import {
	Account,
	AuthenticationPath,
	Block,
	MetricsInfoRateInfo,
	Permission,
	Proposal,
	Transaction,
	TransactionRaw,
} from "../../../src/protocol/messages.js";
import { processorMs } from "../../processor-time.js";
import { randomMessage } from "./random-message.js";

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");
const asHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Every message class of the schema. */
const types = Object.values(messages).filter(
	(value): value is MessageType<Message> & typeof value => typeof value === "function" && "fields" in value,
) as unknown as readonly MessageType<Message>[];

function protoFiles(directory: string): string[] {
	return readdirSync(directory, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith(".proto"))
		.map((entry) => join(entry.parentPath, entry.name));
}

/** The same schema in a library that works from descriptions, not from generated code. */
const reflected = new protobuf.Root();
reflected.resolvePath = (_origin, target) =>
	target.startsWith("google/")
		? join("node_modules", "protobufjs", target)
		: target.startsWith("proto/")
			? target
			: join("proto", target);
reflected.loadSync(protoFiles("proto"), { keepCase: true });

/** The library's integers; its own types don't tell. */
const Long = protobuf.util.Long as unknown as { fromString(text: string): unknown };

/** The message as the library wants it: 64-bit integers as Long, maps as objects. */
function toReflected(type: MessageType<Message>, message: Readonly<Message>): Record<string, unknown> {
	const plain: Record<string, unknown> = {};
	for (const field of type.fields) {
		const value = getField(message, field.name);
		const one = (each: unknown): unknown => valueToReflected(field, each);
		if (field.label === "repeated") plain[field.name] = (value as unknown[]).map(one);
		else if (field.label === "singular") {
			if (!isDefault(value)) plain[field.name] = one(value);
		}
	}
	return plain;
}

function isDefault(value: unknown): boolean {
	if (value === undefined || value === false || value === 0n || value === "") return true;
	if (value instanceof Uint8Array) return value.length === 0;
	return value === 0 && !Object.is(value, -0);
}

function valueToReflected(field: FieldDescriptor, value: unknown): unknown {
	if (field.kind === "int64") return Long.fromString(String(value));
	if (field.kind === "message")
		return toReflected((field.message as () => MessageType<Message>)(), value as Message);
	return value;
}

/** Maps keep their order here and not there. */
const hasMap = (type: MessageType<Message>, depth = 4): boolean =>
	depth > 0 &&
	type.fields.some(
		(field) => field.label === "map" || (field.message !== undefined && hasMap(field.message(), depth - 1)),
	);

describe("every message of the schema", () => {
	test.each(types.map((type) => [type.typeName, type] as const))("%s survives a round trip", (_, type) => {
		fc.assert(
			fc.property(randomMessage(type), (message) => {
				const bytes = type.encode(message);
				expect(type.size(message)).toBe(bytes.length);
				const decoded = type.decode(bytes);
				expect(asHex(type.encode(decoded))).toBe(asHex(bytes));
				expect(asHex(type.encode(type.copy(decoded)))).toBe(asHex(bytes));
			}),
			{ numRuns: 15 },
		);
	});

	const comparable = types.filter((type) => !hasMap(type));
	test.each(comparable.map((type) => [type.typeName, type] as const))(
		"%s is written as a library writes it",
		(name, type) => {
			// One network's form of a message has the name that all share.
			const own =
				type === messages.PostQuantumDelegableRequest ? "protocol.PostQuantumDelegableRequest" : name;
			const other = reflected.lookupType(own);
			fc.assert(
				fc.property(randomMessage(type), (message) => {
					const bytes = type.encode(message);
					const theirs = other.encode(toReflected(type, message)).finish();
					expect(asHex(bytes)).toBe(asHex(theirs));
				}),
				{ numRuns: 10 },
			);
		},
	);

	test("is among those tested", () => {
		expect(types.length).toBeGreaterThan(150);
		expect(comparable.length).toBeGreaterThan(100);
	});
});

describe("varints", () => {
	test.each([
		["0", "00", 0n],
		["127", "7f", 127n],
		["128", "80 01", 128n],
		["2^49-1, the last that fits one double", "ff ff ff ff ff ff 7f", 2n ** 49n - 1n],
		["2^49", "80 80 80 80 80 80 80 01", 2n ** 49n],
		["the greatest", "ff ff ff ff ff ff ff ff 7f", 2n ** 63n - 1n],
		["-1", "ff ff ff ff ff ff ff ff ff 01", -1n],
		["the least", "80 80 80 80 80 80 80 80 80 01", -(2n ** 63n)],
		[
			"ten bytes without the highest bit, which is set all the same",
			"85 80 80 80 80 80 80 80 80 00",
			5n - 2n ** 63n,
		],
		["bits beyond 64, which are lost", "80 80 80 80 80 80 80 80 80 02", -(2n ** 63n)],
	])("of 64 bits: %s", (_, text, value) => {
		expect(TransactionRaw.decode(hex(`40 ${text}`)).expiration).toBe(value);
	});

	test.each([
		["-1 in ten bytes", "ff ff ff ff ff ff ff ff ff 01", -1],
		["-1 in five bytes", "ff ff ff ff 0f", -1],
		["bits beyond 32, which are lost", "81 80 80 80 10", 1],
	])("of 32 bits: %s", (_, text, value) => {
		expect(Permission.decode(hex(`10 ${text}`)).id).toBe(value);
	});

	test("of negative 32-bit numbers take ten bytes", () => {
		expect(asHex(Permission.encode(Permission.create({ id: -2 })))).toBe("10feffffffffffffffff01");
	});

	test("of a boolean count any bit as true", () => {
		const [field] = Account.fields.filter(({ kind }) => kind === "bool");
		const tag = Buffer.of((((field?.number ?? 0) * 8) & 0x7f) | 0x80, ((field?.number ?? 0) * 8) >> 7);
		for (const [text, value] of [
			["00", false],
			["02", true],
			["80 80 80 80 80 80 80 80 80 01", true],
			["80 80 80 80 80 80 80 80 80 00", true],
			["80 00", false],
		] as const) {
			const account = Account.decode(Buffer.concat([tag, hex(text)]));
			expect(getField(account, field?.name ?? "")).toBe(value);
		}
	});
});

describe("canonical form", () => {
	test("drops defaults and shortens varints", () => {
		// expiration 5 in two bytes, an empty data field, fee_limit 0
		const loose = hex("40 85 00 52 00 90 01 00");
		expect(asHex(TransactionRaw.encode(TransactionRaw.decode(loose)))).toBe("4005");
	});

	test("puts fields in ascending order, whatever order they came in", () => {
		const loose = hex("70 01 40 02 0a 01 aa");
		expect(asHex(TransactionRaw.encode(TransactionRaw.decode(loose)))).toBe("0a01aa40027001");
	});

	test("keeps a result of success as the network writes it", () => {
		const transaction = hex("2a 02 18 01");
		expect(asHex(Transaction.encode(Transaction.decode(transaction)))).toBe("2a021801");
	});

	test("keeps the last of a scalar that comes twice", () => {
		expect(TransactionRaw.decode(hex("40 01 40 02")).expiration).toBe(2n);
	});

	test("keeps negative zero, which is not a default", () => {
		const bytes = MetricsInfoRateInfo.encode(MetricsInfoRateInfo.create({ meanRate: -0, oneMinuteRate: 0 }));
		expect(asHex(bytes)).toBe("110000000000000080");
		expect(Object.is(MetricsInfoRateInfo.decode(bytes).meanRate, -0)).toBe(true);
	});
});

describe("a singular message that comes twice", () => {
	test("is merged: later scalars win, lists grow", () => {
		// raw_data {expiration 1, contract {type 1}}, then raw_data {expiration 2, contract {type 2}, timestamp 3}
		const bytes = hex("0a 06 40 01 5a 02 08 01  0a 08 40 02 5a 02 08 02 70 03");
		const { raw_data } = Transaction.decode(bytes);
		expect(raw_data).toMatchObject({ expiration: 2n, timestamp: 3n });
		expect(raw_data?.contract.map(({ type }) => type)).toEqual([1, 2]);
	});

	test("is merged at every level", () => {
		// block_header {raw_data {number 1}} twice, the second with timestamp only
		const { block_header } = Block.decode(hex("12 04 0a 02 38 01  12 04 0a 02 08 05"));
		expect(block_header?.raw_data).toMatchObject({ number: 1n, timestamp: 5n });
	});
});

describe("repeated scalars", () => {
	test("are read packed, unpacked, and mixed; written packed", () => {
		const { value } = AuthenticationPath.decode(hex("08 01  0a 03 00 01 00  08 01"));
		expect(value).toEqual([true, false, true, false, true]);
		expect(asHex(AuthenticationPath.encode(AuthenticationPath.create({ value })))).toBe("0a050100010001");
	});

	test("of an empty packed run are none", () => {
		expect(AuthenticationPath.decode(hex("0a 00")).value).toEqual([]);
	});
});

describe("maps", () => {
	test("keep the order of their keys' first appearance and the last value", () => {
		const entry = (key: number, value: number): string => `12 04 08 0${key} 10 0${value}`;
		const { parameters } = Proposal.decode(
			hex([entry(2, 1), entry(1, 1), entry(2, 7)].join("").replaceAll("12 04", "1a 04")),
		);
		expect([...parameters]).toEqual([
			[2n, 7n],
			[1n, 1n],
		]);
	});

	test("write both members of an entry even where they are defaults, and read either missing", () => {
		const proposal = Proposal.create({ parameters: new Map([[0n, 0n]]) });
		expect(asHex(Proposal.encode(proposal))).toBe("1a0408001000");
		expect([...Proposal.decode(hex("1a 00")).parameters]).toEqual([[0n, 0n]]);
	});
});

describe("unknown fields", () => {
	test.each([
		["a varint", "f8 07 85 00", "f80705"],
		["a varint of ten bytes", "f8 07 85 80 80 80 80 80 80 80 80 00", "f80785808080808080808001"],
		["eight bytes", "f9 07 01 02 03 04 05 06 07 08", "f9070102030405060708"],
		["a run of bytes", "fa 07 82 00 aa bb", "fa0702aabb"],
		["a group", "fb 07 08 01 fc 07", "fb070801fc07"],
		["four bytes", "fd 07 01 02 03 04", "fd0701020304"],
	])("of %s are kept, after the known ones and in minimal form", (_, text, kept) => {
		expect(asHex(TransactionRaw.encode(TransactionRaw.decode(hex(`${text} 40 01`))))).toBe(`4001${kept}`);
	});

	test("stand by number, in the order of wire types that the network uses", () => {
		const bytes = hex("f8 07 02  e0 07 01  f9 07 01 02 03 04 05 06 07 08  f8 07 03");
		expect(asHex(TransactionRaw.encode(TransactionRaw.decode(bytes)))).toBe(
			"e00701f80702f80703f9070102030405060708",
		);
	});

	test("count where a known number comes with another wire type", () => {
		const raw = TransactionRaw.decode(hex("42 01 aa 40 05"));
		expect(raw.expiration).toBe(5n);
		expect(asHex(TransactionRaw.encode(raw))).toBe("40054201aa");
	});

	test("are kept by a copy", () => {
		const copy = TransactionRaw.copy(TransactionRaw.decode(hex("f8 07 05")));
		copy.expiration = 1n;
		expect(asHex(TransactionRaw.encode(copy))).toBe("4001f80705");
	});

	test("that stand between known ones are brought together", () => {
		const bytes = hex("f8 07 01  40 01  fa 07 01 aa  40 02  f8 07 02");
		const raw = TransactionRaw.decode(bytes);
		expect(raw.expiration).toBe(2n);
		expect(raw.$unknown?.list().map(({ number, wireType }) => [number, wireType])).toEqual([
			[127, 0],
			[127, 0],
			[127, 2],
		]);
		expect(asHex(TransactionRaw.encode(raw))).toBe("4002f80701f80702fa0701aa");
	});

	test("have the form that sorting and shortening them one by one would give", () => {
		const field = fc.tuple(
			fc.constantFrom(100, 127, 128, 5000, 2 ** 29 - 1),
			fc.constantFrom(0, 1, 2, 3, 5),
			fc.uint8Array({ minLength: 8, maxLength: 20 }),
			fc.boolean(),
		);
		fc.assert(
			fc.property(fc.array(field, { maxLength: 12 }), (fields) => {
				const parts = fields.map(([number, wireType, content, isLoose]) => {
					const tag = varint(BigInt(number * 8 + wireType));
					const looseTag = isLoose && tag.length < 5 ? Buffer.concat([continued(tag), hex("00")]) : tag;
					const value = unknownValue(wireType, number, content, isLoose);
					return { key: number * 8 + (UNKNOWN_ORDER[wireType] as number), tag, looseTag, ...value };
				});
				const loose = Buffer.concat(parts.flatMap(({ looseTag, received }) => [looseTag, received]));
				const sorted = [...parts].sort((a, b) => a.key - b.key);
				const expected = Buffer.concat(sorted.flatMap(({ tag, canonical }) => [tag, canonical]));
				expect(asHex(TransactionRaw.encode(TransactionRaw.decode(loose)))).toBe(asHex(expected));
			}),
			{ numRuns: 500 },
		);
	});

	test("of two million take the time of their bytes, in order or not, together or apart", () => {
		const count = 2_000_000;
		const together = Buffer.alloc(2 * count, hex("78 01"));
		const apart = Buffer.alloc(6 * (count / 3), hex("78 01 40 01 38 01"));
		for (const bytes of [Buffer.concat([hex("f8 07 01"), together]), apart]) {
			const ms = processorMs(() => {
				expect(TransactionRaw.size(TransactionRaw.decode(bytes))).toBeGreaterThan(count / 2);
			});
			expect(ms).toBeLessThan(6_000);
		}
	});

	test("by the hundred thousand take no quadratic time", () => {
		const bytes = Buffer.concat(Array.from({ length: 170_000 }, () => hex("f8 07 01")));
		const ms = processorMs(() => {
			expect(TransactionRaw.size(TransactionRaw.decode(bytes))).toBe(bytes.length);
		});
		expect(ms).toBeLessThan(6_000);
	});
});

/** Wire type -> place among fields of one number. */
const UNKNOWN_ORDER = [0, 2, 3, 4, 5, 1];

function varint(value: bigint): Buffer {
	const bytes: number[] = [];
	let rest = value;
	for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
	return Buffer.from([...bytes, Number(rest)]);
}

/** A varint that goes on. */
function continued(bytes: Buffer): Buffer {
	const out = Buffer.from(bytes);
	out[out.length - 1] = (out.at(-1) as number) | 0x80;
	return out;
}

/** A value as it may be received, and as it is written. */
function unknownValue(wireType: number, number: number, content: Uint8Array, isLoose: boolean) {
	const fixed = (value: Uint8Array) => ({ received: value, canonical: value });
	switch (wireType) {
		case 0: {
			let canonical = varint(BigInt.asUintN(64, BigInt(`0x${asHex(content.subarray(0, 8))}`)));
			if (canonical.length === 9 && isLoose) canonical = Buffer.concat([continued(canonical), hex("01")]);
			const isLong = canonical.length === 10;
			const received = Buffer.from(
				isLong || !isLoose ? canonical : Buffer.concat([continued(canonical), hex("00")]),
			);
			if (isLong && isLoose) received[9] = 0x7f;
			return { received, canonical };
		}
		case 1:
			return fixed(content.subarray(0, 8));
		case 2: {
			const length = varint(BigInt(content.length));
			const canonical = Buffer.concat([length, content]);
			return {
				canonical,
				received: isLoose ? Buffer.concat([continued(length), hex("00"), content]) : canonical,
			};
		}
		case 3:
			return fixed(Buffer.concat([hex("08 81 00"), varint(BigInt(number * 8 + 4))]));
		default:
			return fixed(content.subarray(0, 4));
	}
}

describe("a budget", () => {
	const block = (count: number) => Buffer.alloc(2 * count, hex("0a 00"));

	test("of bytes refuses what is longer before looking at it", () => {
		expect(Block.decode(block(5), budgetOfBytes(10)).transactions).toHaveLength(5);
		expect(() => Block.decode(block(6), budgetOfBytes(10))).toThrow(DecodeError);
	});

	test("of items counts embedded messages and list elements at every level", () => {
		const budget = { ...budgetOfBytes(1_000), items: 4 };
		// Two transactions with a signature each.
		expect(Block.decode(hex("0a 03 12 01 aa 0a 03 12 01 bb"), budget).transactions).toHaveLength(2);
		expect(() => Block.decode(hex("0a 03 12 01 aa 0a 05 12 01 bb 12 00"), budget)).toThrow(DecodeError);
		expect(() => AuthenticationPath.decode(hex("0a 05 01 01 01 01 01"), budget)).toThrow(DecodeError);
		expect(() => AuthenticationPath.decode(hex("08 01 08 01 08 01 08 01 08 01"), budget)).toThrow(
			DecodeError,
		);
	});

	test("of bytes alone refuses nothing that its bytes can hold", () => {
		expect(Block.decode(block(1_000_500), budgetOfBytes(2_001_000)).transactions).toHaveLength(1_000_500);
	});

	test("of levels refuses what is deeper", () => {
		const bytes = hex("0a 04 0a 02 5a 00");
		expect(() => Block.decode(bytes, { ...budgetOfBytes(100), depth: 3 })).not.toThrow();
		expect(() => Block.decode(bytes, { ...budgetOfBytes(100), depth: 2 })).toThrow(DecodeError);
	});
});

const TRUNCATED =
	"While parsing a protocol message, the input ended unexpectedly in the middle of a field.  This could mean either " +
	"that the input has been truncated or that an embedded message misreported its own length.";

describe("malformed input", () => {
	test.each([
		["ends in a tag", "80", TRUNCATED],
		["ends in a varint", "40 80", TRUNCATED],
		["ends before a value", "40", TRUNCATED],
		["ends in bytes", "0a 05 01", TRUNCATED],
		["ends in an embedded message", "5a 05 08", TRUNCATED],
		["has a message that claims more than its parent holds", "5a 02 12 05 00", TRUNCATED],
		["ends in an unknown eight bytes", "f9 07 01 02", TRUNCATED],
		["has the tag zero", "00", "Protocol message contained an invalid tag (zero)."],
		[
			"has a varint of eleven bytes",
			`40 ${"80 ".repeat(10)}01`,
			"CodedInputStream encountered a malformed varint.",
		],
		["has wire type six", "46", "Protocol message tag had invalid wire type."],
		["ends a group that never began", "44", "Protocol message end-group tag did not match expected tag."],
		[
			"ends a group of another number",
			"fb 07 f4 07",
			"Protocol message end-group tag did not match expected tag.",
		],
		["ends in a group", "fb 07", "Protocol message end-group tag did not match expected tag."],
		[
			"ends in a group within a message",
			"5a 02 fb 07",
			"Protocol message end-group tag did not match expected tag.",
		],
		["ends in a tag within a group", "fb 07 80", TRUNCATED],
		[
			"has a hundred and one groups in each other",
			"0b".repeat(101),
			"Protocol message had too many levels of nesting.  May be malicious.  Use setRecursionLimit() to increase the recursion depth limit.",
		],
		[
			"has a negative length",
			"0a ff ff ff ff 0f",
			"CodedInputStream encountered an embedded string or message which claimed to have negative size.",
		],
	])("that %s is refused with the network's text", (_, text, message) => {
		expect(() => TransactionRaw.decode(hex(text))).toThrow(new DecodeError(message));
	});

	test.each([
		["0b 0f", "InvalidProtocolBufferException$InvalidWireTypeException"],
		["0b 13 0e", "InvalidProtocolBufferException$InvalidWireTypeException"],
		["0f", "InvalidProtocolBufferException"],
		["0b 14", "InvalidProtocolBufferException"],
	])("%s is refused under the network's class", (text, name) => {
		let caught: unknown;
		try {
			TransactionRaw.decode(hex(text));
		} catch (error) {
			caught = error;
		}
		expect(className(caught as Error, "neutral")).toBe(name.replace(/^.*\$/, ""));
		expect(className(caught as Error, "deployed")).toBe(`com.google.protobuf.${name}`);
	});

	test("with broken UTF-8 in a text, short or long, is refused", () => {
		const type = Permission.fields.find(({ kind }) => kind === "string") as FieldDescriptor;
		for (const length of [1, 60]) {
			const text = Buffer.alloc(length, 0x61);
			text[length - 1] = 0xc3;
			const bytes = Buffer.concat([Buffer.of(type.number * 8 + 2, length), text]);
			expect(() => Permission.decode(bytes)).toThrow(new DecodeError("Protocol message had invalid UTF-8."));
		}
	});

	test("nested deeper than a hundred levels is refused, not followed", () => {
		const groups = Buffer.concat([Buffer.alloc(2 * 101, hex("fb 07")), Buffer.alloc(2 * 101, hex("fc 07"))]);
		expect(() => TransactionRaw.decode(groups)).toThrow(DecodeError);
	});

	test("of any kind gives a message or a decode error", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
				try {
					const block = Block.decode(bytes);
					const once = Block.encode(block);
					expect(asHex(Block.encode(Block.decode(once)))).toBe(asHex(once));
				} catch (error) {
					expect(error).toBeInstanceOf(DecodeError);
				}
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe("shared defaults", () => {
	test("can't be changed by mistake", () => {
		expect(() => (EMPTY_LIST as unknown as unknown[]).push(1)).toThrow(TypeError);
		expect(() => (EMPTY_MAP as Map<number, number>).set(1, 1)).toThrow(TypeError);
		expect(new Account().frozen).toBe(EMPTY_LIST);
	});
});
