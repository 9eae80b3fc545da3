import { expect, test } from "vitest";
import { toHex } from "../../../../src/protocol/bytes.js";
import { keccak256 } from "../../../../src/protocol/hash.js";
import { assemble, storeBytes } from "../assembler.js";
import { Chance } from "../fuzz/chance.js";
import { runCode } from "../machine-fixture.js";

test("a compiled program hashes like the node, whatever the size", async () => {
	const data = new Chance(5, 0).bytes(700);
	for (const [offset, size] of [0, 1, 31, 32, 64, 135, 136, 137, 271, 272, 273, 600].map((n, i) => [i, n])) {
		const words = `${storeBytes(data)} 0x${size?.toString(16)} 0x${offset?.toString(16)} SHA3`;
		const frame = await runCode(toHex(assemble(`${words} 0x00 MSTORE 0x20 0x00 RETURN`)), {
			compiles: "always",
		});
		const from = offset as number;
		expect(toHex(frame.output)).toBe(toHex(keccak256(data.subarray(from, from + (size as number)))));
	}
});
