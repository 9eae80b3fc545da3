import { secp256k1 } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import {
	addressOfPrivateKey,
	recoverAddress,
	recoverEngineName,
	SignatureError,
	setRecoverEngine,
	sign,
	signBlock,
} from "../../src/protocol/signature.js";

const N = secp256k1.Point.Fn.ORDER;
const P = secp256k1.Point.Fp.ORDER;
const be32 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
const hash = Buffer.alloc(32, 0x5a);
const key = Buffer.alloc(32, 0x11);
const made = sign(hash, key);
const r = BigInt(`0x${toHex(made.subarray(0, 32))}`);
const s = BigInt(`0x${toHex(made.subarray(32, 64))}`);
const recovery = (made[64] as number) - 27;
const signatureOf = (rValue: bigint, sValue: bigint, v: number): Buffer =>
	Buffer.concat([be32(rValue), be32(sValue), Buffer.of(v)]);

/** What a signature yields, as address or text. */
function outcome(bytes: Uint8Array, digest: Uint8Array = hash): string {
	try {
		return toHex(recoverAddress(digest, bytes));
	} catch (error) {
		if (!(error instanceof SignatureError)) throw error;
		return error.message;
	}
}

const signer = toHex(addressOfPrivateKey(key));
/** The address of no point at all. */
const NO_POINT = "41dcc703c0e500b653ca82273b7bfad8045d85a470";

const ENGINES = ["noble", "wasm", "native"] as const;
async function use(name: (typeof ENGINES)[number]): Promise<void> {
	if (name === "noble") setRecoverEngine("noble", undefined);
	else installRecoverEngine(name);
}
afterAll(() => use("noble"));

describe.each(ENGINES)("with the engine %s", (name) => {
	beforeAll(() => use(name));

	test("the engine is the one that was asked for", () => {
		expect(recoverEngineName()).toBe(name);
	});

	test.each([0, 4, 27, 31].map((base) => base + recovery))("v = %d names the signer", (v) => {
		expect(outcome(signatureOf(r, s, v))).toBe(signer);
	});

	test.each([
		[8, 35],
		[26, 53],
		[35, 35],
		[127, 127],
		[128, -101],
		[255, 26],
	])("v = %d is out of range, as %d", (v, shown) => {
		expect(outcome(signatureOf(r, s, v))).toBe(
			`java.security.SignatureException: Header byte out of range: ${shown}`,
		);
	});

	test("the other s with the other v names the same signer: no low-s rule", () => {
		expect(outcome(signatureOf(r, N - s, 27 + (recovery ^ 1)))).toBe(signer);
	});

	test("s beyond the order counts as its remainder", () => {
		const small = 5n;
		expect(outcome(signatureOf(r, N + small, 27))).toBe(outcome(signatureOf(r, small, 27)));
	});

	test("s of zero names an address, and so does s of the order", () => {
		const zero = outcome(signatureOf(r, 0n, 27));
		expect(zero).toMatch(/^41[0-9a-f]{40}$/);
		expect(outcome(signatureOf(r, N, 27))).toBe(zero);
	});

	test("bytes after the 65th are ignored", () => {
		expect(outcome(Buffer.concat([made, Buffer.from("more")]))).toBe(signer);
	});

	test("an x that would leave the field is refused", () => {
		const text = "java.security.SignatureException: Could not recover public key from signature";
		expect(outcome(signatureOf(P, s, 27))).toBe(text);
		expect(outcome(signatureOf(P - N, s, 29))).toBe(text);
	});

	test("an x without a point is refused", () => {
		const text = "java.lang.IllegalArgumentException: Invalid point compression";
		expect(outcome(signatureOf(5n, s, 27))).toBe(text);
		expect(outcome(signatureOf(0n, s, 27))).toBe(text);
	});

	test("r between order and field is taken as the x that it is", () => {
		let x = N + 1n;
		const lies = (value: bigint): boolean => {
			try {
				secp256k1.Point.fromHex(`02${value.toString(16)}`);
				return true;
			} catch {
				return false;
			}
		};
		while (!lies(x)) x++;
		expect(outcome(signatureOf(x, s, 27))).toBe(outcome(signatureOf(x - N, s, 29)));
	});

	test("a signature made to cancel out names the address of no point", () => {
		// R = G, s = e: the key would be r^-1 (e G - e G).
		const digest = Buffer.alloc(32, 0x03);
		const G = secp256k1.Point.BASE.toAffine();
		const e = BigInt(`0x${toHex(digest)}`);
		expect(outcome(signatureOf(G.x, e, 27 + Number(G.y & 1n)), digest)).toBe(NO_POINT);
	});
});

test("all engines agree on anything that looks like a signature", async () => {
	const scalar = fc.oneof(
		fc.constantFrom(0n, 1n, N - 1n, N, N + 1n, P - N, P - 1n, P, 2n ** 256n - 1n, N / 2n, N / 2n + 1n),
		fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
	);
	const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
	const samples = fc.sample(fc.tuple(bytes32, scalar, scalar, fc.nat(255)), 120);
	const good = fc.sample(
		fc.tuple(
			bytes32,
			bytes32.filter((each) => each.some((byte) => byte !== 0 && byte !== 255)),
		),
		30,
	);
	const cases: [Uint8Array, Uint8Array][] = [
		...samples.map(([digest, a, b, v]): [Uint8Array, Uint8Array] => [digest, signatureOf(a, b, v % 40)]),
		...good.map(([digest, secret]): [Uint8Array, Uint8Array] => [digest, sign(digest, secret)]),
	];
	const answers: string[][] = [];
	for (const name of ENGINES) {
		await use(name);
		answers.push(cases.map(([digest, signature]) => outcome(signature, digest)));
	}
	expect(answers[1]).toEqual(answers[0]);
	expect(answers[2]).toEqual(answers[0]);
});

describe("signing", () => {
	test("is deterministic, low in s, and recovers to its key", () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
				const signature = sign(digest, key);
				expect(signature).toEqual(sign(digest, key));
				expect(BigInt(`0x${toHex(signature.subarray(32, 64))}`) <= N / 2n).toBe(true);
				expect(toHex(recoverAddress(digest, signature))).toBe(signer);
			}),
			{ numRuns: 20 },
		);
	});

	test("a block writes the bare recovery id, a transaction 27 more", () => {
		expect(signBlock(hash, key)[64]).toBe(recovery);
		expect(signBlock(hash, key).subarray(0, 64)).toEqual(made.subarray(0, 64));
		expect(outcome(signBlock(hash, key))).toBe(signer);
	});

	test("follows RFC 6979", () => {
		// Key 1 over the SHA-256 of "Satoshi Nakamoto", a vector that many libraries share.
		const one = Buffer.alloc(32);
		one[31] = 1;
		const digest = fromHex("a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e");
		expect(toHex(sign(digest, one).subarray(0, 64))).toBe(
			"934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5",
		);
	});
});
