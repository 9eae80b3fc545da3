import { bls12_381 } from "@noble/curves/bls12-381.js";
import { beforeAll, describe, expect, it } from "vitest";
import type { Machine } from "../../../../src/node/vm/machine.js";
import {
	BLS_MODULUS,
	isCompressedPoint,
	type Kzg,
	kzg,
	loadKzg,
	portableKzg,
} from "../../../../src/node/vm/precompiles/kzg.js";
import { TAU_G2 } from "../../../../src/node/vm/precompiles/kzg-setup.js";
import { pointEvaluation } from "../../../../src/node/vm/precompiles/point-evaluation.js";
import { findPrecompile } from "../../../../src/node/vm/precompiles/precompiles.js";
import { wordToBytes } from "../../../../src/node/vm/word.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { sha256 } from "../../../../src/protocol/hash.js";
import { assemble, storeBytes } from "../assembler.js";
import {
	CALLER,
	CONTRACT,
	emptyState,
	latestGates,
	putTestContract,
	runContract,
} from "../machine-fixture.js";
import { seededRandom } from "../random.js";

const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;
const { Fp, Fp12 } = bls12_381.fields;

/** A proof over the ceremony's secret that other programs for this rule are tested with. */
const KNOWN =
	"01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b" +
	"564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d36306" +
	"24d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a1" +
	"8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7" +
	"873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a";

const ANSWER =
	"0000000000000000000000000000000000000000000000000000000000001000" +
	"73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";

/** [τ]G1, the second of the setup's `g1_monomial`: with it, proofs of linear polynomials can be made. */
const TAU_G1 = G1.fromHex(
	"ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81",
);

const INFINITY = Buffer.concat([Buffer.of(0xc0), Buffer.alloc(47)]);
const MAX = 2n ** 256n - 1n;

interface Parts {
	readonly hash?: Uint8Array;
	readonly z: bigint;
	readonly y: bigint;
	readonly commitment: Uint8Array;
	readonly proof: Uint8Array;
}

const hashOf = (commitment: Uint8Array, version = 1): Buffer =>
	Buffer.concat([Buffer.of(version), sha256(commitment).subarray(1)]);

function inputOf({ z, y, commitment, proof, hash = hashOf(commitment) }: Parts): Buffer {
	return Buffer.concat([hash, wordToBytes(z), wordToBytes(y), commitment, proof]);
}

const times = (point: InstanceType<typeof G1>, scalar: bigint) =>
	scalar === 0n ? G1.ZERO : point.multiply(scalar);

/** That a + b X has its value at z. */
function linear(a: bigint, b: bigint, z: bigint): Parts {
	const commitment = times(G1.BASE, a).add(times(TAU_G1, b)).toBytes();
	return { z, y: (a + b * z) % BLS_MODULUS, commitment, proof: times(G1.BASE, b).toBytes() };
}

const withByte = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
	const changed = Uint8Array.from(bytes);
	changed[at] = value;
	return changed;
};

/** A point of the curve that is, all but surely, not in the group: the first from this coordinate on. */
function outside(first: bigint): Uint8Array {
	for (let x = first; ; x++) {
		const square = Fp.create(x * x * x + 4n);
		if (Fp.pow(square, (Fp.ORDER - 1n) / 2n) !== 1n) continue;
		const bytes = Buffer.from(x.toString(16).padStart(96, "0"), "hex");
		return withByte(bytes, 0, (bytes[0] as number) | 0x80);
	}
}

describe("pointEvaluation", () => {
	const good = linear(5n, 7n, 11n);
	const zero = { z: 3n, y: 0n, commitment: INFINITY, proof: INFINITY };
	let compiled: Kzg;

	beforeAll(async () => {
		compiled = await loadKzg();
	});

	/** The answer to an input, which must be that of both libraries. */
	function ask(input: Uint8Array): string {
		const { success, output } = pointEvaluation.run(input, { machine: {} as Machine, caller: CALLER });
		if (input.length === 192) {
			const [z, y] = [input.subarray(32, 64), input.subarray(64, 96)];
			const [commitment, proof] = [input.subarray(96, 144), input.subarray(144)];
			const below = [z, y].every((word) => BigInt(`0x${toHex(word)}`) < BLS_MODULUS);
			if (below && isCompressedPoint(commitment) && isCompressedPoint(proof)) {
				const claim = { commitment, z, y, proof };
				const [fast, slow] = [compiled.verify(claim), portableKzg.verify(claim)];
				expect(fast, toHex(input)).toBe(slow);
				if (toHex(input.subarray(0, 32)) === toHex(hashOf(commitment))) expect(success).toBe(slow);
			}
		}
		if (!success) expect(toHex(output)).toBe("00".repeat(32));
		return success ? toHex(output) : "failed";
	}

	it("uses the compiled library once it is loaded", () => {
		expect([compiled.name, kzg().name, portableKzg.name]).toEqual(["compiled", "compiled", "portable"]);
	});

	it("is at 0x2000a on Nile alone, for 50,000 energy", () => {
		expect(findPrecompile(latestGates, 0x2000a)).toBeUndefined();
		expect(findPrecompile({ ...latestGates, pointEvaluation: true }, 0x2000a)).toBe(pointEvaluation);
		expect(pointEvaluation.energy(new Uint8Array(0), latestGates)).toBe(50_000n);
	});

	it("knows the ceremony's secret in the second group", () => {
		const pair = [
			{ g1: TAU_G1, g2: G2.BASE },
			{ g1: G1.BASE.negate(), g2: G2.fromHex(TAU_G2) },
		];
		expect(Fp12.eql(bls12_381.pairingBatch(pair), Fp12.ONE)).toBe(true);
	});

	it("answers a proof with the size of a blob and the order of the group", () => {
		expect(ask(fromHex(KNOWN))).toBe(ANSWER);
	});

	it("accepts proofs of constant and linear polynomials", () => {
		const random = seededRandom(4844);
		const scalar = (): bigint => (BigInt(random(2 ** 32)) * BigInt(random(2 ** 32)) ** 6n) % BLS_MODULUS;
		for (let i = 0; i < 6; i++) expect(ask(inputOf(linear(scalar(), scalar(), scalar())))).toBe(ANSWER);
		for (const a of [0n, 1n, BLS_MODULUS - 1n]) {
			for (const b of [0n, 1n, BLS_MODULUS - 1n]) {
				for (const z of [0n, 1n, BLS_MODULUS - 1n]) {
					expect(ask(inputOf(linear(a, b, z))), `${a} ${b} ${z}`).toBe(ANSWER);
				}
			}
		}
	});

	it("accepts the point at infinity for commitment and proof", () => {
		expect(ask(inputOf(zero))).toBe(ANSWER);
		expect(ask(inputOf({ ...zero, y: 1n }))).toBe("failed");
		expect(ask(inputOf({ ...good, proof: INFINITY }))).toBe("failed");
		expect(ask(inputOf({ ...good, commitment: INFINITY }))).toBe("failed");
	});

	it.each<[string, Parts]>([
		["another value", { ...good, y: good.y + 1n }],
		["another point", { ...good, z: good.z + 1n }],
		["another proof", { ...good, proof: G1.BASE.toBytes() }],
		["another commitment", { ...good, commitment: G1.BASE.toBytes() }],
		["a proof with the other sign", { ...good, proof: G1.BASE.multiply(7n).negate().toBytes() }],
		["the hash of another commitment", { ...good, hash: hashOf(G1.BASE.toBytes()) }],
		["a hash of version 0", { ...good, hash: hashOf(good.commitment, 0) }],
		["a hash of version 2", { ...good, hash: hashOf(good.commitment, 2) }],
		["a hash that is whole", { ...good, hash: sha256(good.commitment) }],
		["a value of the order", { ...zero, y: BLS_MODULUS }],
		["a value that is right modulo the order", { ...good, y: good.y + BLS_MODULUS }],
		["a point of the order", { ...zero, z: BLS_MODULUS }],
		["a point that is right modulo the order", { ...good, z: good.z + BLS_MODULUS }],
		["the greatest words", { ...zero, z: MAX, y: MAX }],
	])("fails for %s", (_, parts) => {
		expect(ask(inputOf(parts))).toBe("failed");
	});

	it.each([0, 1, 160, 191, 193, 384])("fails for %i bytes", (length) => {
		const bytes = Buffer.concat([inputOf(good), Buffer.alloc(192)]).subarray(0, length);
		expect(ask(bytes)).toBe("failed");
	});

	it("fails for points outside the group, of order 3 too", () => {
		const points = [0n, 1n, 4n, 100n, 2n ** 300n].map(outside);
		expect(toHex(points[0] as Uint8Array)).toBe(`80${"00".repeat(47)}`);
		for (const point of points) {
			expect(isCompressedPoint(point)).toBe(true);
			for (const parts of [zero, good]) {
				expect(ask(inputOf({ ...parts, commitment: point }))).toBe("failed");
				expect(ask(inputOf({ ...parts, proof: point }))).toBe("failed");
				expect(ask(inputOf({ ...parts, proof: withByte(point, 0, (point[0] as number) | 0x20) }))).toBe(
					"failed",
				);
			}
		}
	});

	it("fails for coordinates without a point, or not below the field's order", () => {
		const order = Fp.ORDER.toString(16).padStart(96, "0");
		const beyond = withByte(fromHex(order), 0, 0x9a);
		const last = withByte(beyond, 47, 0xaa);
		expect([isCompressedPoint(beyond), isCompressedPoint(last)]).toEqual([false, true]);
		const none = withByte(G1.BASE.toBytes(), 47, 0xbc);
		for (const point of [beyond, last, none, Buffer.alloc(48, 0xff), Buffer.alloc(48)]) {
			expect(ask(inputOf({ ...zero, commitment: point }))).toBe("failed");
			expect(ask(inputOf({ ...zero, proof: point }))).toBe("failed");
		}
	});

	it("takes the flags of a point as the portable library does", () => {
		const decodes = (bytes: Uint8Array): boolean => {
			try {
				return G1.fromBytes(Uint8Array.from(bytes)) !== undefined;
			} catch {
				return false;
			}
		};
		const generator = G1.BASE.toBytes();
		for (let flags = 0; flags < 256; flags += 0x20) {
			const point = withByte(generator, 0, flags | ((generator[0] as number) & 0x1f));
			expect(isCompressedPoint(point), toHex(point)).toBe(decodes(point));
			const infinity = withByte(INFINITY, 0, flags);
			const isInfinity = (flags & 0x40) !== 0;
			if (isInfinity) expect(isCompressedPoint(infinity), toHex(infinity)).toBe(flags === 0xc0);
			for (const bytes of [point, infinity]) ask(inputOf({ ...zero, proof: bytes }));
		}
		expect(isCompressedPoint(withByte(INFINITY, 47, 1))).toBe(false);
		expect(isCompressedPoint(withByte(INFINITY, 0, 0xc1))).toBe(false);
		expect(ask(inputOf({ ...zero, proof: withByte(INFINITY, 47, 1) }))).toBe("failed");
	});

	it("takes all energy of a call that fails, and its price of one that doesn't", async () => {
		for (const [claim, energy, result, least, size] of [
			[good, 50_000, 1, 50_000n, 64],
			[good, 60_000, 1, 50_000n, 64],
			[good, 49_999, 0, 49_999n, 0],
			[{ ...good, y: 0n }, 60_000, 0, 60_000n, 0],
		] as const) {
			const state = await emptyState();
			const call = `PUSH0 PUSH0 0xc0 PUSH0 0x02000a 0x${energy.toString(16).padStart(6, "0")} STATICCALL`;
			const end = "PUSH0 MSTORE RETURNDATASIZE 0x20 MSTORE 0x40 PUSH0 RETURN";
			const code = assemble(`${storeBytes(inputOf(claim))} ${call} ${end}`);
			putTestContract(state, CONTRACT, toHex(code));
			const frame = runContract(state, { gates: { pointEvaluation: true } });
			expect([Number(frame.output[31]), Number(frame.output[63])]).toEqual([result, size]);
			expect(BigInt(frame.used) - least).toBeGreaterThan(0n);
			expect(BigInt(frame.used) - least).toBeLessThan(300n);
		}
	});
});
