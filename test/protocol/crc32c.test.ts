import fc from "fast-check";
import { expect, it } from "vitest";
import { crc32c, maskedCrc32c, prefixWithCrc32c, unmaskedCrc32c } from "../../src/protocol/crc32c.js";

// RFC 3720, appendix B.4.
it.each([
	["32 zeros", new Uint8Array(32), 0x8a9136aa],
	["32 times 255", new Uint8Array(32).fill(0xff), 0x62a8ab43],
	["0 to 31", Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
	["the check string", Buffer.from("123456789"), 0xe3069283],
	["nothing", new Uint8Array(0), 0],
])("CRC-32C of %s", (_, bytes, crc) => {
	expect(crc32c(bytes)).toBe(crc);
});

it("is the same bit by bit, whatever part is taken", () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(20), (bytes, skipped) => {
			const start = Math.min(skipped, bytes.length);
			let crc = 0xffffffff;
			for (const byte of bytes.subarray(start)) {
				crc ^= byte;
				for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
			}
			expect(crc32c(bytes, start)).toBe(~crc >>> 0);
			expect(unmaskedCrc32c(maskedCrc32c(~crc >>> 0))).toBe(~crc >>> 0);
		}),
	);
});

it("finds how many bytes a checksum is of", () => {
	const bytes = Buffer.from("something with an end, and more");
	expect(prefixWithCrc32c(bytes, 5, bytes.length, crc32c(bytes, 5, 21))).toBe(16);
	expect(prefixWithCrc32c(bytes, 5, 20, crc32c(bytes, 5, 21))).toBe(-1);
});
