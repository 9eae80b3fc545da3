/** The batch check of signatures against another reading of its table (protocol/post-quantum §7.2), with data near its bounds. */

import { beforeAll, describe, expect, it } from "vitest";
import { postQuantumPrecompiles } from "../../../../src/node/vm/precompiles/post-quantum.js";
import type { Precompile } from "../../../../src/node/vm/precompiles/precompile.js";
import { concatBytes, toHex } from "../../../../src/protocol/bytes.js";
import {
	loadPostQuantum,
	type PostQuantumKeys,
	postQuantumAlgorithm,
} from "../../../../src/protocol/post-quantum/algorithms.js";
import { addressOfPostQuantumKey, ML_DSA_44 } from "../../../../src/protocol/post-quantum/schemes.js";
import { Randomness } from "../../../simulation/randomness.js";

const ROUNDS = 1000;
const HASH = new Uint8Array(32).fill(7);
const context = { machine: { options: { deadlineMs: Number.POSITIVE_INFINITY } } } as Parameters<
	Precompile["run"]
>[1];

let keys: PostQuantumKeys;
let signature: Uint8Array;
beforeAll(async () => {
	await loadPostQuantum();
	const algorithm = postQuantumAlgorithm(ML_DSA_44);
	keys = algorithm.keysOfSeed(new Uint8Array(32).fill(1));
	signature = algorithm.sign(HASH, keys.privateKey);
});

const word = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
const padded = (bytes: Uint8Array): Uint8Array => {
	const out = new Uint8Array(Math.ceil(bytes.length / 32) * 32);
	out.set(bytes);
	return out;
};

function byteStrings(items: readonly Uint8Array[]): Uint8Array {
	let at = BigInt(32 * items.length);
	const heads: Uint8Array[] = [];
	const tails: Uint8Array[] = [];
	for (const item of items) {
		const tail = concatBytes(word(BigInt(item.length)), padded(item));
		heads.push(word(at));
		tails.push(tail);
		at += BigInt(tail.length);
	}
	return concatBytes(word(BigInt(items.length)), ...heads, ...tails);
}

/** Data as a contract would write them. */
function callData(
	slots: readonly Uint8Array[],
	publicKeys: readonly Uint8Array[],
	addresses: readonly bigint[],
) {
	const arrays = [
		byteStrings(slots),
		byteStrings(publicKeys),
		concatBytes(word(BigInt(addresses.length)), ...addresses.map(word)),
	];
	let at = 128n;
	const offsets = arrays.map((array) => {
		const offset = word(at);
		at += BigInt(array.length);
		return offset;
	});
	return concatBytes(HASH, ...offsets, ...arrays);
}

/** The table's sentences, one after another. @returns undefined: failure */
function expected(data: Uint8Array): string | undefined {
	const size = BigInt(data.length);
	const at = (index: bigint): bigint | undefined =>
		index >= 0n && (index + 1n) * 32n <= size
			? BigInt(`0x${toHex(data.subarray(Number(index) * 32, Number(index) * 32 + 32))}`)
			: undefined;
	if (size % 32n !== 0n || size < 128n) return undefined;
	const first: bigint[] = [];
	const counts: bigint[] = [];
	for (const argument of [1n, 2n, 3n]) {
		const offset = at(argument) as bigint;
		if (offset < 128n || offset % 32n !== 0n) return undefined;
		const count = at(offset / 32n);
		if (count === undefined) return undefined;
		first.push(offset / 32n + 1n);
		counts.push(count);
	}
	const [count = 0n] = counts;
	if (count < 1n || count > 16n || counts.some((each) => each !== count)) return undefined;
	const strings: Uint8Array[][] = [[], []];
	for (const array of [0, 1]) {
		for (let i = 0n; i < count; i++) {
			const base = first[array] as bigint;
			const offset = at(base + i);
			if (offset === undefined || offset % 32n !== 0n) return undefined;
			const length = at(base + offset / 32n);
			const from = (base + offset / 32n + 1n) * 32n;
			if (length === undefined || from + length > size) return undefined;
			strings[array]?.push(data.subarray(Number(from), Number(from + length)));
		}
	}
	if (at((first[2] as bigint) + count - 1n) === undefined) return undefined;
	const address = BigInt(`0x${toHex(addressOfPostQuantumKey(keys.publicKey).subarray(1))}`);
	const hash = toHex(data.subarray(0, 32));
	let result = "";
	for (let i = 0; i < 32; i++) {
		const same = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
			a !== undefined && toHex(a) === toHex(b);
		const holds =
			BigInt(i) < count &&
			hash === toHex(HASH) &&
			same(strings[0]?.[i], signature) &&
			same(strings[1]?.[i], keys.publicKey) &&
			(at((first[2] as bigint) + BigInt(i)) as bigint) % (1n << 160n) === address;
		result += holds ? "01" : "00";
	}
	return result;
}

describe("0x02000019", () => {
	const precompile = () => {
		const found = postQuantumPrecompiles.find(({ word: address }) => address === 0x02000019);
		if (!found) throw new Error("there is none");
		return found;
	};
	const base = (random: Randomness): Uint8Array => {
		const count = random.between(1, 3);
		const address = BigInt(`0x${toHex(addressOfPostQuantumKey(keys.publicKey).subarray(1))}`);
		const each = <T>(make: () => T): T[] => Array.from({ length: count }, make);
		return callData(
			each(() => (random.chance(0.2) ? signature : signature.subarray(0, random.pick([0, 1, 32, 2419])))),
			each(() => (random.chance(0.7) ? keys.publicKey : keys.publicKey.subarray(0, random.pick([0, 1311])))),
			each(() => random.pick([address, address | (0x41n << 160n), 0n])),
		);
	};

	it("reads its data as the table says, also where they are damaged", () => {
		const random = new Randomness(5);
		const seen = new Map<string, number>();
		for (let round = 0; round < ROUNDS; round++) {
			const data = new Uint8Array(base(random));
			const near = [0, 1, 31, 32, 33, 64, 96, 127, 128, 129, 160, data.length - 32, data.length, 2 ** 31];
			for (let damages = random.below(3); damages > 0; damages--) {
				const index = random.chance(0.6) ? random.between(1, 7) : random.below(data.length / 32);
				const value = random.chance(0.05) ? 2n ** 256n - 32n : BigInt(random.pick(near));
				data.set(word(value), index * 32);
			}
			const cut = random.chance(0.1)
				? data.length - random.pick([1, 31, 32, 64, data.length - 96])
				: data.length;
			const input = data.subarray(0, cut);
			const { success, output } = precompile().run(input, context);
			const wanted = expected(input);
			expect(success ? toHex(output) : undefined, `round ${round}`).toBe(wanted);
			const kind = wanted === undefined ? "failure" : wanted.includes("1") ? "some" : "none";
			seen.set(kind, (seen.get(kind) ?? 0) + 1);
		}
		// Each kind often enough that the comparison says something.
		for (const kind of ["failure", "some", "none"]) expect(seen.get(kind), kind).toBeGreaterThan(ROUNDS / 50);
	});
});
