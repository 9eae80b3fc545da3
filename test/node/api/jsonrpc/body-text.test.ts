import { describe, expect, test } from "vitest";
import { decodeBodyText } from "../../../../src/node/api/jsonrpc/body-text.js";
import { JsonTextError } from "../../../../src/node/api/jsonrpc/json-reader.js";

const TEXT = '{"é":"€𝄞"}';

function utf32(text: string, littleEndian: boolean): Buffer {
	const codes = [...text].map((ch) => ch.codePointAt(0) as number);
	const bytes = Buffer.alloc(4 * codes.length);
	for (const [i, code] of codes.entries()) {
		if (littleEndian) bytes.writeUInt32LE(code, 4 * i);
		else bytes.writeUInt32BE(code, 4 * i);
	}
	return bytes;
}

const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

describe("the text of a body", () => {
	test.each<[string, Buffer]>([
		["UTF-8", Buffer.from(TEXT)],
		["UTF-8 with a mark", Buffer.from(`\ufeff${TEXT}`)],
		["UTF-16 little-endian", Buffer.from(TEXT, "utf16le")],
		["UTF-16 little-endian with a mark", Buffer.from(`\ufeff${TEXT}`, "utf16le")],
		["UTF-16 big-endian", utf16be(TEXT)],
		["UTF-16 big-endian with a mark", utf16be(`\ufeff${TEXT}`)],
		["UTF-32 little-endian", utf32(TEXT, true)],
		["UTF-32 big-endian", utf32(TEXT, false)],
		["UTF-32 big-endian with a mark", utf32(`\ufeff${TEXT}`, false)],
	])("is found in %s", (_name, bytes) => {
		expect(decodeBodyText(bytes)).toBe(TEXT);
	});

	test.each<[string, Buffer]>([
		["no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
		["a character beyond Unicode", Buffer.from([0, 0, 0, 0x22, 0, 0x11, 0, 0])],
	])("is refused: %s", (_name, bytes) => {
		expect(() => decodeBodyText(bytes)).toThrow(JsonTextError);
	});

	test("of no bytes is empty", () => {
		expect(decodeBodyText(new Uint8Array(0))).toBe("");
	});
});
