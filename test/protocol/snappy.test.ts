import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { compress, SnappyError, uncompress, uncompressedLength } from "../../src/protocol/snappy.js";

describe("snappy", () => {
	it("compresses the recorded example to the same bytes", () => {
		const message = new Uint8Array(40);
		message[0] = 0x22;
		expect(toHex(compress(message))).toBe("28042200960100");
	});

	it("gives back what it took", () => {
		fc.assert(
			fc.property(
				fc.array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 80 })), {
					maxLength: 60,
				}),
				(parts) => {
					const input = Buffer.concat(
						parts.flatMap(([bytes, count]) => Array<Uint8Array>(count).fill(bytes)),
					);
					expect(Buffer.compare(uncompress(compress(input)), input)).toBe(0);
				},
			),
			{ seed: 1, numRuns: 200 },
		);
	});

	it.each([0, 1, 14, 15, 16, 59, 60, 61, 255, 256, 257, 65_535, 65_536, 65_537, 300_000])(
		"takes %i equal and %i unequal bytes",
		(length) => {
			for (const step of [0, 1, 97]) {
				const input = Uint8Array.from({ length }, (_each, i) => (i * step * (i >> 8 || 1)) & 0xff);
				expect(Buffer.compare(uncompress(compress(input)), input)).toBe(0);
			}
		},
	);

	it("never takes more room than its bound", () => {
		const noise = Uint8Array.from({ length: 100_000 }, (_each, i) => Math.imul(i, 0x9e3779b1) >>> 24);
		expect(compress(noise).length).toBeLessThan(noise.length + 32);
	});

	it.each([
		["no length", ""],
		["a length without end", "ffffffffff01"],
		["a length above 32 bits", "ffffffff7f"],
		["a literal that is cut off", "0a24010203"],
		["a length of a literal that is cut off", "0af4ff"],
		["a copy that is cut off", "0a0401020a"],
		["a copy from before the beginning", "0800012201"],
		["a copy from offset 0", "08000501020000"],
		["more than it claims", "0408010203"],
		["less than it claims", "04000102"],
		["a far copy of four bytes", "08000107ffffffff"],
	])("refuses %s", (_name, hex) => {
		expect(() => uncompress(fromHex(hex))).toThrow(SnappyError);
	});

	it("refuses any broken input in the one way", () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (input) => {
				input[0] = (input[0] as number) & 0x7f;
				try {
					expect(uncompress(input).length).toBe(uncompressedLength(input));
				} catch (error) {
					expect(error).toBeInstanceOf(SnappyError);
				}
			}),
			{ seed: 2, numRuns: 2000 },
		);
	});
});
