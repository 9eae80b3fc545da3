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

test("hashes of 64 bytes are right the first time and again, when there are more than are remembered", async () => {
	const [rounds, seed] = [600, 0xabcdef];
	const body = "DUP1 0x20 MSTORE 0x40 0x00 SHA3 DUP1 0x40 0x00 SHA3 XOR @bad JUMPI 0x00 MSTORE";
	const code = `0x${seed.toString(16)} 0x00 MSTORE 0x${rounds.toString(16)} a: ${body} 0x01 SWAP1 SUB DUP1 @a JUMPI 0x20 0x00 RETURN bad: 0x00 0x00 REVERT`;
	const word = (value: number): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
	let chain: Uint8Array = word(seed);
	for (let round = rounds; round > 0; round--) chain = keccak256(Buffer.concat([chain, word(round)]));
	for (let again = 0; again < 2; again++) {
		const frame = await runCode(toHex(assemble(code)), { compiles: "always", energy: 10_000_000 });
		expect(toHex(frame.output)).toBe(toHex(chain));
	}
});

test("64 zeros have a hash, too", async () => {
	const code = "0x00 0x20 MSTORE 0x40 0x00 SHA3 0x00 MSTORE 0x20 0x00 RETURN";
	const frame = await runCode(toHex(assemble(code)), { compiles: "always" });
	expect(toHex(frame.output)).toBe(toHex(keccak256(new Uint8Array(64))));
});
