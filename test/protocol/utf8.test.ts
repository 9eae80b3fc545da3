import { describe, expect, test } from "vitest";
import { fromHex, fromUtf8 } from "../../src/protocol/bytes.js";

describe("bytes that are not UTF-8 become as many characters as on the network", () => {
	test.each([
		["an encoded surrogate", "41eda08042", "A\ufffdB"],
		["two of them", "eda0bdedb888", "\ufffd\ufffd"],
		["one without its last byte", "eda041", "\ufffdA"],
		["one cut short by the end", "edbf", "\ufffd"],
		["one and a byte more", "eda08080", "\ufffd\ufffd"],
		["a character beside a surrogate", "ed9fbfee8080", "\ud7ff\ue000"],
		["an overlong form", "e08080", "\ufffd\ufffd\ufffd"],
		["a cut character", "e4b841", "\ufffdA"],
		["single bytes", "fffec3", "\ufffd\ufffd\ufffd"],
	])("%s", (_, hex, text) => {
		expect(fromUtf8(fromHex(hex))).toBe(text);
	});
});
