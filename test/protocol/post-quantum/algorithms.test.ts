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
	}[];
	readonly vectors: readonly {
		readonly label: string;
		readonly scheme: string;
		readonly publicKey: string;
		readonly message: string;
		readonly signature: string;
		readonly valid: boolean;
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
	for (const { label, scheme, publicKey, message, signature, valid } of vectors) {
		const [key, bytes] = [fromHex(publicKey), fromHex(signature)];
		const verdict = isPostQuantumSignature(fromHex(message), entry(schemeNamed(scheme), key, bytes));
		expect(verdict, `${scheme} ${label}`).toBe(valid);
	}
});

it("seeds make the recorded keys", () => {
	for (const { scheme, seed, privateKey, publicKey } of keys) {
		const made = postQuantumAlgorithm(schemeNamed(scheme)).keysOfSeed(fromHex(seed));
		expect([toHex(made.publicKey), toHex(made.privateKey)]).toEqual([publicKey, privateKey]);
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
