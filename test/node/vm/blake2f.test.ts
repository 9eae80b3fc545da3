import { describe, expect, it } from "vitest";
import { compiledCompression } from "../../../src/node/vm/precompiles/blake2f-compiled.js";
import { portableCompression } from "../../../src/node/vm/precompiles/blake2f-portable.js";
import { sha256 } from "../../../src/protocol/hash.js";

const compiled = compiledCompression();

/** 208 bytes that depend on a number alone. */
const operands = (seed: number): Uint8Array =>
	Buffer.concat(Array.from({ length: 7 }, (_, i) => sha256(Buffer.of(seed, i)))).subarray(0, 208);

describe("the two compressions of BLAKE2b", () => {
	it.each([0, 1, 2, 9, 10, 11, 12, 21, 1000])("agree after %d rounds", (rounds) => {
		for (let seed = 0; seed < 20; seed++) {
			const [a, b] = [compiled, portableCompression].map((compression) => {
				compression?.begin(operands(seed), seed % 2 === 1);
				if (rounds > 0) compression?.mix(rounds);
				return compression?.end();
			});
			expect(a).toEqual(b);
		}
	});

	it("agree on words of ones and zeros", () => {
		for (const byte of [0, 0xff, 0x80]) {
			const [a, b] = [compiled, portableCompression].map((compression) => {
				compression?.begin(new Uint8Array(208).fill(byte), true);
				compression?.mix(12);
				return compression?.end();
			});
			expect(a).toEqual(b);
		}
	});

	it("go on after a multiple of ten rounds", () => {
		for (const compression of [compiled, portableCompression]) {
			compression?.begin(operands(1), true);
			compression?.mix(33);
			const whole = compression?.end();
			compression?.begin(operands(1), true);
			for (const rounds of [10, 20, 3]) compression?.mix(rounds);
			expect(compression?.end()).toEqual(whole);
		}
	});
});
