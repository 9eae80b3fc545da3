/** Precompiled contracts, with the slowest inputs for their price. */

import { Buffer } from "node:buffer";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";

import { p256 } from "@noble/curves/nist.js";

import { secp256k1 } from "@noble/curves/secp256k1.js";

import { addressWord } from "../../src/node/vm/addresses.js";
import { precompiles } from "../../src/node/vm/precompiles/precompiles.js";
import { toWord, wordToBytes } from "../../src/node/vm/word.js";
import { sha256 } from "../../src/protocol/hash.js";
import { Account } from "../../src/protocol/messages.js";
import { loadPostQuantum, postQuantumAlgorithm } from "../../src/protocol/post-quantum/algorithms.js";
import {
	addressOfPostQuantumKey,
	FN_DSA_512,
	postQuantumSchemes,
} from "../../src/protocol/post-quantum/schemes.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import { storeBytes } from "../../test/node/vm/assembler.js";
import { CONTRACT, type Shape } from "./host.js";
import { voter } from "./state.js";

const hex = (value: number): string => `0x${value.toString(16)}`;
const words = (...values: readonly (bigint | number | Uint8Array)[]): Uint8Array =>
	Buffer.concat(
		values.map((value) => (typeof value === "object" ? value : wordToBytes(toWord(BigInt(value))))),
	);

const wordOf = new Map(precompiles.map(({ name, word }) => [name, word]));

/** Calls a precompiled contract with the first `size` bytes of memory; output is written after them. */
const ask = (name: string, size: number, energy = "GAS"): string =>
	`PUSH0 ${hex(32 * Math.ceil(size / 32))} ${hex(size)} PUSH0 ${hex(wordOf.get(name) as number)} ${energy} STATICCALL POP`;

/** A failing call consumes all energy given to it, so give it no more than its price. */
const failing = (name: string, size: number, energy: number): Partial<Shape> => ({
	body: ask(name, size, energy === 0 ? "PUSH0" : hex(energy)),
});

/** Input stored in memory at 0. */
function withInput(name: string, kind: string, input: Uint8Array, more: Partial<Shape> = {}): Shape {
	return {
		name: `${name}, ${kind}`,
		covers: [name],
		before: storeBytes(input),
		body: ask(name, input.length),
		unroll: 16,
		...more,
	};
}

/** Input is the first `size` bytes of expanded memory: `start`, then zeros. */
function ofMemory(
	name: string,
	kind: string,
	size: number,
	start: Uint8Array,
	more: Partial<Shape> = {},
): Shape {
	return {
		name: `${name}, ${kind}`,
		covers: [name],
		before: `${storeBytes(start)} 0x01 ${hex(size - 32)} MSTORE`,
		body: ask(name, size),
		unroll: 1,
		...more,
	};
}

const NONE = new Uint8Array(0);
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HASH = Buffer.alloc(32, 0x5a);
const KEY = Buffer.alloc(32, 7);
const SIGNATURE = sign(HASH, KEY);
const GENERATOR_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;

/** With r = x of the generator and s = hash, the recovered key is the point at infinity. */
const infinity = words(HASH, 27, GENERATOR_X, BigInt(`0x${HASH.toString("hex")}`));

const large = (size: number): Partial<Shape> => ({
	energy: Math.ceil(8 * size + 1.5 * (3 * (size / 32) + (size / 32) ** 2 / 512)),
	reserve: Math.ceil(6 * size),
});

const hashes: readonly Shape[] = ["sha256", "ripemd160", "identity", "ethRipemd160"].flatMap((name) => [
	withInput(name, "nothing", NONE),
	withInput(name, "a word", words(1)),
	ofMemory(name, "512 KiB", 2 ** 19, words(1), large(2 ** 19)),
]);

const recoveries: readonly Shape[] = [
	withInput("ecrecover", "a signature", words(HASH, SIGNATURE[64] as number, SIGNATURE.subarray(0, 64))),
	withInput("ecrecover", "of the point at infinity", infinity),
	withInput("ecrecover", "no such point", words(HASH, 27, 5, 5)),
	withInput("ecrecover", "s of the order less one", words(HASH, 28, GENERATOR_X, ORDER - 1n)),
	withInput("ecrecover", "nothing", NONE),
];

/** ABI data of a signature array at word `index`; all entries share the same signature. */
function signatures(count: number, signature: Uint8Array): Uint8Array {
	const padded = Buffer.alloc(96);
	padded.set(signature);
	return words(count, ...Array.from({ length: count }, () => 32 * count), 65, padded);
}

function batch(count: number, signature: Uint8Array): Uint8Array {
	const array = signatures(count, signature);
	const address = addressWord(addressOfPrivateKey(KEY));
	return words(
		HASH,
		96,
		96 + array.length,
		array,
		count,
		...Array.from({ length: count }, () => BigInt(address)),
	);
}

/** The first of 32 numbers that is the x coordinate of a curve point. */
function coordinateFrom(first: number): number {
	for (let x = first; x < first + 32; x++) {
		try {
			secp256k1.Point.fromHex(`02${x.toString(16).padStart(64, "0")}`);
			return x;
		} catch {
			// No point has this x.
		}
	}
	throw new Error(`no point near ${first}`);
}

/**
 * The shortest array of `count` entries: each offset and the next two double as a signature, the last ones
 * several times; `count` also serves as hash and number of addresses.
 */
function overlapping(count: number): Uint8Array {
	// Offset i points at word i + 5 as length: that has to be 65 or more, and r and s must follow.
	const most = count - 4;
	const offsets = Array.from({ length: count }, (_, i) => coordinateFrom(32 * (2 + (i % most)) + 1));
	return words(count, 64, count, ...offsets);
}

/** A different signature per entry. */
function different(count: number): Uint8Array {
	const places = Array.from({ length: count }, (_, i) => 32 * count + 128 * i);
	const signed = Array.from({ length: count }, (_, i) => {
		const signature = Buffer.alloc(96);
		signature.set(sign(HASH, Buffer.alloc(32, i + 1)));
		return words(65, signature);
	});
	const array = words(count, ...places, ...signed);
	const addresses = Array.from({ length: count }, (_, i) => BigInt(i));
	return words(HASH, 96, 96 + array.length, array, count, ...addresses);
}

const infinitySignature = Buffer.concat([infinity.subarray(64), Buffer.of(27)]);
const offCurve = Buffer.concat([words(5, 5), Buffer.of(27)]);
const multi = (count: number, signature: Uint8Array): Uint8Array =>
	words(BigInt(addressWord(CONTRACT)), 0, HASH, 128, signatures(count, signature));

const SIGNATURE_KINDS: readonly (readonly [string, Uint8Array])[] = [
	["signatures", SIGNATURE],
	["of the point at infinity", infinitySignature],
	["without a point", offCurve],
];

const checks: readonly Shape[] = [
	...SIGNATURE_KINDS.flatMap(([kind, signature]) => [
		withInput("batchvalidatesign", `16 ${kind}`, batch(16, signature), { unroll: 4 }),
		withInput("validatemultisign", `5 ${kind}`, multi(5, signature), { unroll: 4 }),
	]),
	withInput("batchvalidatesign", "16 different signatures", different(16), { unroll: 4 }),
	withInput("batchvalidatesign", "16 that overlap", overlapping(16), { unroll: 4 }),
	withInput("batchvalidatesign", "7 that overlap, without a price", overlapping(7), { unroll: 4 }),
	withInput("validatemultisign", "250 entries", multi(250, SIGNATURE), {
		unroll: 1,
		energy: 4_000_000,
		reserve: 1_000_000,
	}),
	withInput("batchvalidatesign", "250 entries", batch(250, SIGNATURE), {
		unroll: 1,
		energy: 4_000_000,
		reserve: 1_000_000,
	}),
	withInput("batchvalidatesign", "nothing", NONE),
];

const header = (base: number, exponent: number, modulus: number): Uint8Array =>
	words(base, exponent, modulus);

/** A number with all bits set. */
const full = (length: number): Uint8Array => Buffer.alloc(length, 0xff);

function powerInput(base: number, exponent: number, modulus: number): Uint8Array {
	const end = full(modulus);
	if (modulus > 0) end[modulus - 1] = 0xfd;
	return Buffer.concat([header(base, exponent, modulus), full(base), full(exponent), end]);
}

const POWERS = [
	[1, 1, 1],
	[1, 32, 1],
	[2, 32, 2],
	[4, 32, 4],
	[6, 32, 6],
	[8, 32, 8],
	[16, 32, 16],
	[32, 32, 32],
	[64, 32, 64],
	[1, 256, 1],
	[1, 4096, 1],
	[2, 4096, 2],
	[3, 4096, 3],
	[4, 4096, 4],
	[8, 1024, 8],
	[32, 256, 32],
	[0, 32, 0],
	[32, 0, 32],
	[32, 1, 32],
	[256, 1, 256],
	[256, 32, 256],
	[1024, 1, 1024],
	[1, 4096, 0],
] as const;

const modexp: readonly Shape[] = [
	...POWERS.map(([base, exponent, modulus]) =>
		withInput("modexp", `${base} ^ ${exponent} % ${modulus} bytes`, powerInput(base, exponent, modulus), {
			unroll: exponent > 1000 || base > 100 ? 1 : 8,
			energy: 4_000_000,
			reserve: 2_000_000,
		}),
	),
	withInput(
		"modexp",
		"an even modulus",
		Buffer.concat([header(32, 32, 32), full(64), full(31), Buffer.of(0xfe)]),
		{ energy: 4_000_000, reserve: 400_000 },
	),
	ofMemory(
		"modexp",
		"lengths beyond everything",
		128,
		words(0x7fffffff, 0x7fffffff, 0x7fffffff),
		failing("modexp", 128, 0),
	),
	ofMemory("modexp", "an exponent of 1 GiB alone", 128, words(0, 0x3fffffff, 0), { unroll: 8 }),
	ofMemory(
		"modexp",
		"a small power of 256 KiB of exponent",
		2 ** 18,
		Buffer.concat([header(1, 2 ** 18 - 98, 1), full(64)]),
		{
			energy: 3_000_000,
			reserve: 500_000,
		},
	),
];

/** Prices and limits of parameter #96. */
const OSAKA_POWERS = [
	[1, 1, 1],
	[1, 32, 1],
	[8, 32, 8],
	[16, 32, 16],
	[31, 32, 31],
	[32, 1, 32],
	[32, 32, 32],
	[40, 32, 40],
	[64, 32, 64],
	[1, 1024, 1],
	[2, 1024, 2],
	[3, 1024, 3],
	[4, 1024, 4],
	[8, 1024, 8],
	[32, 1024, 32],
	[256, 1, 256],
	[256, 32, 256],
	[1024, 1, 1024],
	[0, 1024, 32],
	[1024, 0, 1],
	[1, 1, 1024],
	[1024, 1, 32],
] as const;

const osakaModexp: readonly Shape[] = OSAKA_POWERS.map(([base, exponent, modulus]) =>
	withInput(
		"modexp",
		`${base} ^ ${exponent} % ${modulus} bytes since #96`,
		powerInput(base, exponent, modulus),
		{
			gates: { osaka: true },
			unroll: exponent > 1000 || base > 100 || modulus > 100 ? 1 : 8,
			energy: 20_000_000,
			reserve: 18_000_000,
		},
	),
);

const p256Key = Buffer.alloc(32, 9);
const p256Point = Buffer.from(p256.getPublicKey(p256Key, false)).subarray(1);
const p256Signature = p256.sign(HASH, p256Key, { prehash: false, lowS: false });
const p256Input = Buffer.concat([HASH, p256Signature, p256Point]);
const p256OfZero = Buffer.concat([
	Buffer.alloc(32),
	p256.sign(new Uint8Array(32), p256Key, { prehash: false, lowS: false }),
	p256Point,
]);

const p256s: readonly Shape[] = (
	[
		["a signature", p256Input],
		["of another hash", Buffer.concat([KEY, p256Input.subarray(32)])],
		["of a hash of zero", p256OfZero],
		["a point off the curve", Buffer.concat([p256Input.subarray(0, 159), Buffer.of(1)])],
		["a byte too few", p256Input.subarray(1)],
	] as const
).map(([kind, input]) => withInput("p256Verify", kind, input, { gates: { osaka: true }, unroll: 4 }));

const G = words(1, 2);
const random = bn254.G1.Point.BASE.multiply(0x123456789abcdefn).toAffine();
const R = words(random.x, random.y);
const h = bn254.G2.Point.BASE.toAffine();
const H = words(h.x.c1, h.x.c0, h.y.c1, h.y.c0);

const curves: readonly Shape[] = [
	withInput("bn128Add", "two points", Buffer.concat([G, R])),
	withInput("bn128Add", "one point twice", Buffer.concat([R, R])),
	withInput("bn128Add", "infinity", words(0, 0, 0, 0)),
	withInput(
		"bn128Add",
		"a point off the curve",
		Buffer.concat([G, words(1, 3)]),
		failing("bn128Add", 128, 150),
	),
	withInput("bn128Mul", "a full scalar", Buffer.concat([R, full(32)])),
	withInput("bn128Mul", "a scalar of one", Buffer.concat([R, words(1)])),
	withInput("bn128Pairing", "nothing", NONE, { unroll: 1, energy: 2_000_000, reserve: 300_000 }),
	withInput("bn128Pairing", "one pair", Buffer.concat([R, H]), {
		unroll: 2,
		reserve: 200_000,
		energy: 2_000_000,
	}),
	withInput(
		"bn128Pairing",
		"ten pairs",
		Buffer.concat(Array.from({ length: 10 }, () => Buffer.concat([R, H]))),
		{
			unroll: 1,
			reserve: 500_000,
			energy: 3_000_000,
		},
	),
	withInput(
		"bn128Pairing",
		"a point outside the group",
		Buffer.concat([R, H.subarray(32), H.subarray(0, 32)]),
		{
			unroll: 2,
			reserve: 200_000,
			energy: 2_000_000,
			...failing("bn128Pairing", 192, 79_000),
		},
	),
];

/** A point in the BLS12-381 subgroup G1. */
const blsPoint = (scalar: bigint): Uint8Array => bls12_381.G1.Point.BASE.multiply(scalar).toBytes();
const HALF = 0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5an;

/** A wrong proof that takes all verification steps. */
function evaluation(commitment: Uint8Array, proof: Uint8Array): Uint8Array {
	const hash = Buffer.concat([Buffer.of(1), sha256(commitment).subarray(1)]);
	return Buffer.concat([hash, words(HALF, HALF - 1n), commitment, proof]);
}

const INFINITY = Buffer.concat([Buffer.of(0xc0), Buffer.alloc(47)]);
const ofOrder3 = Buffer.concat([Buffer.of(0x80), Buffer.alloc(47)]);

const evaluations: readonly Shape[] = (
	[
		["a wrong proof", evaluation(blsPoint(HALF), blsPoint(HALF - 5n))],
		[
			"the point at infinity",
			Buffer.concat([evaluation(INFINITY, INFINITY).subarray(0, 64), words(0), INFINITY, INFINITY]),
		],
		["a point outside the group", evaluation(blsPoint(HALF), ofOrder3)],
		["another length", full(191)],
	] as const
).map(([kind, input]) =>
	withInput("pointEvaluation", kind, input, {
		gates: { pointEvaluation: true },
		unroll: 1,
		...(kind === "the point at infinity" ? {} : failing("pointEvaluation", input.length, 50_000)),
	}),
);

const blake = (rounds: number): Uint8Array =>
	Buffer.concat([words(rounds).subarray(28), Buffer.alloc(208, 0xa5), Buffer.of(1)]);

const blakes: readonly Shape[] = [
	withInput("blake2F", "no round", blake(0)),
	withInput("blake2F", "one round", blake(1)),
	withInput("blake2F", "12 rounds", blake(12)),
	withInput("blake2F", "100,000 rounds", blake(100_000), { unroll: 1, energy: 3_000_000, reserve: 500_000 }),
	withInput("blake2F", "malformed", Buffer.alloc(64), failing("blake2F", 64, 0)),
];

const SHIELDED = [
	["verifyMintProof", 1504],
	["verifyTransferProof", 2080],
	["verifyBurnProof", 512],
	["merkleHash", 96],
] as const;

const shielded: readonly Shape[] = SHIELDED.map(([name, size]) =>
	ofMemory(name, "its bookkeeping alone", size, NONE, { unroll: 1, energy: 3_000_000, reserve: 500_000 }),
);

/** Queries of addresses and numbers, with their count of words. */
const QUERIES: readonly (readonly [name: string, words: number])[] = [
	["rewardBalance", 0],
	["isSrCandidate", 1],
	["voteCount", 2],
	["usedVoteCount", 1],
	["receivedVoteCount", 1],
	["totalVoteCount", 1],
	["getChainParameter", 1],
	["availableUnfreezeV2Size", 1],
	["unfreezableBalanceV2", 2],
	["expireUnfreezeBalanceV2", 2],
	["delegatableResource", 2],
	["resourceV2", 3],
	["checkUnDelegateResource", 3],
	["resourceUsage", 2],
	["totalResource", 2],
	["totalDelegatedResource", 2],
	["totalAcquiredResource", 2],
];

const own = BigInt(addressWord(CONTRACT));

const queries: readonly Shape[] = QUERIES.flatMap(([name, count]) => {
	const operands = [own, name === "resourceV2" ? 0x7001n : 1n, 1n].slice(0, count);
	const shape = withInput(name, "the contract's own", words(...operands));
	const other: Shape = {
		name: `${name}, others that aren't there`,
		covers: [name],
		before: storeBytes(words(...operands)),
		body: `GAS PUSH0 MSTORE ${ask(name, 32 * count)}`,
		unroll: 16,
	};
	return [
		{ ...shape, prepare: voter },
		{ ...other, prepare: voter },
	];
});

await loadPostQuantum();

/** ABI encoding: words inline; byte strings and arrays in the tail. */
function abiData(...values: readonly (bigint | Uint8Array | readonly (bigint | Uint8Array)[])[]): Uint8Array {
	const tails: Uint8Array[] = [];
	let end = 32 * values.length;
	const head = values.map((value) => {
		if (!Array.isArray(value)) return words(value as bigint | Uint8Array);
		const tail = arrayData(value);
		tails.push(tail);
		end += tail.length;
		return words(end - tail.length);
	});
	return Buffer.concat([...head, ...tails]);
}

function arrayData(values: readonly (bigint | Uint8Array)[]): Uint8Array {
	const entries = values.map((value) => {
		if (typeof value === "bigint") return value;
		return Buffer.concat([words(value.length), value, Buffer.alloc(-value.length & 31)]);
	});
	let end = 32 * values.length;
	const heads = entries.map((entry) => {
		if (typeof entry === "bigint") return entry;
		end += entry.length;
		return end - entry.length;
	});
	return Buffer.concat([
		words(values.length, ...heads),
		...entries.filter((entry) => typeof entry !== "bigint"),
	]);
}

const PQ_GATES = { fnDsa512: true, mlDsa44: true, anyPostQuantum: true };
/** The most per call. */
const PQ_BATCH = 16;
const PQ_SIGNERS = 5;

const postQuantum: readonly Shape[] = postQuantumSchemes.flatMap((scheme) => {
	const { keysOfSeed, sign } = postQuantumAlgorithm(scheme);
	const keys = keysOfSeed(new Uint8Array(scheme.seedLength).fill(7));
	const name = scheme === FN_DSA_512 ? "FnDsa512" : "MlDsa44";
	/** As in call data: Falcon signatures without header byte, zero-padded. */
	const slotOf = (message: Uint8Array): Uint8Array => {
		const signature = sign(message, keys.privateKey, (length) => new Uint8Array(length).fill(5));
		return scheme === FN_DSA_512
			? Buffer.concat([signature.subarray(1), Buffer.alloc(667 - signature.length)])
			: signature;
	};
	const slot = slotOf(HASH);
	const signer = addressOfPostQuantumKey(keys.publicKey);
	const times = <T>(count: number, value: T): T[] => new Array<T>(count).fill(value);
	const [slots, publicKeys] = [times(PQ_BATCH, slot), times(PQ_BATCH, keys.publicKey)];
	const batch = abiData(HASH, slots, publicKeys, times(PQ_BATCH, BigInt(addressWord(signer))));
	const message = sha256(Buffer.concat([signer, Buffer.alloc(4), HASH]));
	const [own, one] = [BigInt(addressWord(signer)), BigInt(scheme.id)];
	// Signers are verified once: five entries cost one verification.
	const multi = abiData(
		own,
		0n,
		HASH,
		[],
		times(PQ_SIGNERS, one),
		times(PQ_SIGNERS, slotOf(message)),
		times(PQ_SIGNERS, keys.publicKey),
	);
	const more: Partial<Shape> = { gates: PQ_GATES, unroll: 4 };
	const large: Partial<Shape> = { ...more, unroll: 1, energy: 3_000_000, reserve: 500_000 };
	return [
		withInput(`verify${name}`, "a signature", Buffer.concat([HASH, slot, keys.publicKey]), more),
		withInput(`verify${name}`, "of another hash", Buffer.concat([KEY, slot, keys.publicKey]), more),
		withInput(`batchVerify${name}`, "sixteen signatures", batch, large),
		{
			...withInput("validatemultipqsign", `${scheme.name}, one key five times`, multi, large),
			prepare: (view) => view.account.put(signer, Account.create({ address: signer })),
		},
	];
});

export const precompileShapes: readonly Shape[] = [
	...hashes,
	...recoveries,
	...checks,
	...modexp,
	...osakaModexp,
	...p256s,
	...curves,
	...evaluations,
	...blakes,
	...shielded,
	...queries,
	...postQuantum,
];

export const precompileNames: readonly string[] = precompiles.map(({ name }) => name);
