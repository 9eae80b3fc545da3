import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { PQAuthSig } from "../../../src/protocol/messages.js";
import {
	isPostQuantumSignature,
	loadPostQuantum,
	postQuantumAlgorithm,
} from "../../../src/protocol/post-quantum/algorithms.js";
import {
	addressOfPostQuantumKey,
	FN_DSA_512,
	hasLengthsOf,
	isSignatureLength,
	ML_DSA_44,
	type PostQuantumScheme,
	postQuantumSchemes,
} from "../../../src/protocol/post-quantum/schemes.js";

interface Recorded {
	readonly keys: readonly {
		readonly scheme: string;
		readonly seed: string;
		readonly privateKey: string;
		readonly publicKey: string;
		readonly address: string;
	}[];
	readonly vectors: readonly {
		readonly label: string;
		readonly scheme: string;
		readonly publicKey: string;
		readonly message: string;
		readonly signature: string;
		readonly valid: boolean;
		/** The reference's text where it doesn't even try. */
		readonly refused?: string;
	}[];
}

const file = new URL("../../golden/pq-vectors/pq-vectors.json.br", import.meta.url);
const { keys, vectors } = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Recorded;
const schemeNamed = (name: string) =>
	postQuantumSchemes.find((each) => each.name === name) as PostQuantumScheme;
const entry = (scheme: PostQuantumScheme, publicKey: Uint8Array, signature: Uint8Array) =>
	PQAuthSig.create({ scheme: scheme.id, public_key: publicKey, signature });

beforeAll(loadPostQuantum);

it("verdicts are those that were recorded, a real header's among them", () => {
	expect(vectors).toHaveLength(125);
	for (const { label, scheme: name, publicKey, message, signature, valid, refused } of vectors) {
		const scheme = schemeNamed(name);
		const recorded = entry(scheme, fromHex(publicKey), fromHex(signature));
		expect(isPostQuantumSignature(fromHex(message), recorded), `${name} ${label}`).toBe(valid);
		expect(hasLengthsOf(scheme, recorded), `${name} ${label}`).toBe(refused === undefined);
		if (valid) continue;
		// Also the arithmetic itself, which a precompile asks without the lengths of an entry.
		const { verify } = postQuantumAlgorithm(scheme);
		expect(verify(fromHex(message), recorded.public_key, recorded.signature), `${name} ${label}`).toBe(false);
	}
});

it("seeds make the recorded keys, whose private halves sign for their public ones", () => {
	expect(keys).toHaveLength(5);
	const message = new Uint8Array(32).fill(5);
	for (const { scheme: name, seed, privateKey, publicKey, address } of keys) {
		const scheme = schemeNamed(name);
		const { keysOfSeed, sign, publicKeyOf } = postQuantumAlgorithm(scheme);
		const made = keysOfSeed(fromHex(seed));
		expect([toHex(made.publicKey), toHex(made.privateKey)]).toEqual([publicKey, privateKey]);
		expect(toHex(addressOfPostQuantumKey(fromHex(publicKey)))).toBe(address);
		const derived = publicKeyOf?.(fromHex(privateKey));
		if (publicKeyOf) expect(toHex(derived ?? new Uint8Array())).toBe(publicKey);
		const signature = sign(message, fromHex(privateKey));
		expect(isPostQuantumSignature(message, entry(scheme, fromHex(publicKey), signature))).toBe(true);
	}
});

describe.each([
	["FN_DSA_512", FN_DSA_512, 0x07, "41b595679a2f6463cc55601c4d837ea9d2cee53982"],
	["ML_DSA_44", ML_DSA_44, 0x09, "4187ae027857e623d451fa885fa85113cf290f29e1"],
] as const)("%s", (_, scheme, seedByte, address) => {
	it("has keys of its lengths, with the address that is documented", () => {
		const algorithm = postQuantumAlgorithm(scheme);
		const { publicKey, privateKey } = algorithm.keysOfSeed(new Uint8Array(scheme.seedLength).fill(seedByte));
		expect(publicKey).toHaveLength(scheme.publicKeyLength);
		expect(privateKey).toHaveLength(scheme.privateKeyLength);
		expect(toHex(addressOfPostQuantumKey(publicKey))).toBe(address);
		if (algorithm.publicKeyOf) expect(algorithm.publicKeyOf(privateKey)).toEqual(publicKey);
	});

	it("signs with other bytes each time, which are right for this message alone", () => {
		const algorithm = postQuantumAlgorithm(scheme);
		const { publicKey, privateKey } = algorithm.keysOfSeed(new Uint8Array(scheme.seedLength).fill(1));
		const message = new Uint8Array(32).fill(5);
		const [one, other] = [algorithm.sign(message, privateKey), algorithm.sign(message, privateKey)];
		expect(toHex(one)).not.toBe(toHex(other));
		for (const signature of [one, other]) {
			expect(isSignatureLength(scheme, signature.length)).toBe(true);
			expect(isPostQuantumSignature(message, entry(scheme, publicKey, signature))).toBe(true);
			expect(isPostQuantumSignature(new Uint8Array(32), entry(scheme, publicKey, signature))).toBe(false);
		}
	});
});
