import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { addressOfPrivateKey, recoverAddress, setSignEngine, sign } from "../../../src/protocol/signature.js";

afterAll(() => setSignEngine(undefined));

const one = Buffer.alloc(32);
one[31] = 1;
const pairs = [
	[Buffer.alloc(32), one],
	[Buffer.alloc(32, 0xff), Buffer.alloc(32, 7)],
	...Array.from({ length: 50 }, () => [randomBytes(32), randomBytes(32)]),
] as const;

test.each(["native", "wasm"])("the compiled library %s signs as the portable one does", async (name) => {
	setSignEngine(undefined);
	const portable = pairs.map(([hash, key]) => toHex(sign(hash as Buffer, key as Buffer)));
	expect(installRecoverEngine(name)).toBe(name);
	const compiled = pairs.map(([hash, key]) => sign(hash as Buffer, key as Buffer));
	// A hash above the curve's order is the one case in which the two choose another nonce; both are signatures.
	expect(compiled.map(toHex).filter((_, at) => at !== 1)).toEqual(portable.filter((_, at) => at !== 1));
	for (const [at, [hash, key]] of pairs.entries()) {
		const signer = recoverAddress(hash as Buffer, compiled[at] as Uint8Array);
		expect(toHex(signer)).toBe(toHex(addressOfPrivateKey(key as Buffer)));
	}
});

test.each(["native", "wasm"])("%s signs with no key out of range", async (name) => {
	installRecoverEngine(name);
	for (const key of [Buffer.alloc(32), Buffer.alloc(32, 0xff)]) {
		expect(() => sign(Buffer.alloc(32, 1), key)).toThrow();
	}
});
