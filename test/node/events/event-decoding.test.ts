import { expect, it } from "vitest";
import { readEvent } from "../../../src/node/events/event-decoding.js";
import { concatBytes, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import {
	SmartContractABI,
	SmartContractABIEntry,
	SmartContractABIEntryEntryType,
	SmartContractABIEntryParam,
	TransactionInfoLog,
} from "../../../src/protocol/messages.js";

const word = (value: number): Uint8Array => {
	const bytes = Buffer.alloc(32);
	bytes.writeUInt32BE(value, 28);
	return bytes;
};

function abiOf(name: string, types: readonly string[], inputName = ""): SmartContractABI {
	const inputs = types.map((type) => SmartContractABIEntryParam.create({ type, name: inputName }));
	const type = SmartContractABIEntryEntryType.Event;
	return SmartContractABI.create({ entrys: [SmartContractABIEntry.create({ type, name, inputs })] });
}

function logOf(name: string, types: readonly string[], data: Uint8Array): TransactionInfoLog {
	return TransactionInfoLog.create({ topics: [keccak256(utf8(`${name}(${types.join(",")})`))], data });
}

const read = (name: string, types: readonly string[], data: Uint8Array, inputName = "") =>
	readEvent(abiOf(name, types, inputName), logOf(name, types, data), "neutral");

/** Values that all are the same bytes. */
function overlapping(count: number, length: number): Uint8Array {
	const heads = Array.from({ length: count }, () => word(32 * count));
	return concatBytes(...heads, word(length), new Uint8Array(length));
}

it("reads values that stand one after the other, long ones too", () => {
	const long = new Uint8Array(100_000).fill(7);
	const data = concatBytes(word(5), word(64), word(long.length), long);
	const event = read("E", ["uint256", "bytes"], data);
	expect(event?.dataMap["0"]).toBe("5");
	expect(event?.dataMap["1"]).toBe("07".repeat(long.length));
});

it("doesn't read values that overlap so much that they would be many times the log", () => {
	const few = Array.from({ length: 4 }, () => "bytes");
	expect(read("E", few, overlapping(4, 5_000))?.dataMap["3"]).toHaveLength(10_000);
	const many = Array.from({ length: 60 }, () => "bytes");
	expect(read("E", many, overlapping(60, 5_000))).toBeUndefined();
	expect(read("E", [...many, "uint256[]"], overlapping(61, 5_000))).toBeUndefined();
});

it("has data that can't be read whole under the second place where the first can be read", () => {
	const data = concatBytes(word(5), word(64), word(0));
	const whole = Buffer.from(data).toString("hex");
	expect(read("E", ["uint256", "uint256[]"], data)?.dataMap).toEqual({ 1: whole });
	expect(read("E", ["uint256[]", "uint256"], data)?.dataMap).toEqual({ 0: whole });
	// A recorded transfer whose addresses are no topics, with the value alone as its data.
	const transfer = read("Transfer", ["address", "address", "uint256"], word(5));
	expect(transfer?.dataMap).toEqual({ 1: Buffer.from(word(5)).toString("hex") });
});

it("reads nothing by an event with too many parameters, or with long names", () => {
	const data = concatBytes(...Array.from({ length: 65 }, (_, i) => word(i)));
	expect(read("E", Array(64).fill("uint256"), data)).toBeDefined();
	expect(read("E", Array(65).fill("uint256"), data)).toBeUndefined();
	expect(read("E".repeat(257), ["uint256"], data)).toBeUndefined();
	expect(read("E", ["uint256"], data, "n".repeat(257))).toBeUndefined();
});
