import { describe, expect, it } from "vitest";
import { byteStringText } from "../../src/protocol/byte-string-text.js";

const contents = (bytes: Uint8Array): string => byteStringText(bytes).replace(/^<ByteString@[0-9a-f]+ /, "<");

describe("raw bytes in a message", () => {
	it.each([
		["plain text", Buffer.from("1000088"), '<size=7 contents="1000088">'],
		["quotes and backslashes", Buffer.from("a\"b'c\\"), '<size=6 contents="a\\"b\\\'c\\\\">'],
		[
			"control and high bytes",
			Uint8Array.of(0, 7, 10, 127, 255),
			'<size=5 contents="\\000\\a\\n\\177\\377">',
		],
		["nothing", new Uint8Array(0), '<size=0 contents="">'],
	])("show %s", (_what, bytes, expected) => {
		expect(contents(bytes)).toBe(expected);
	});

	it("are shortened beyond fifty", () => {
		expect(contents(Buffer.alloc(50, "x"))).toBe(`<size=50 contents="${"x".repeat(50)}">`);
		expect(contents(Buffer.alloc(51, "x"))).toBe(`<size=51 contents="${"x".repeat(47)}...">`);
	});
});
