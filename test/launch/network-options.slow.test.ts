import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPostQuantumKey } from "../../src/launch/network-options.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import {
	loadPostQuantum,
	type PostQuantumKeys,
	postQuantumAlgorithm,
} from "../../src/protocol/post-quantum/algorithms.js";
import { addressOfPostQuantumKey, FN_DSA_512, ML_DSA_44 } from "../../src/protocol/post-quantum/schemes.js";

const folder = mkdtempSync(join(tmpdir(), "coin-pq-"));
const path = join(folder, "key.json");
afterAll(() => rmSync(folder, { recursive: true }));

const FALCON_ADDRESS = fromHex("41b595679a2f6463cc55601c4d837ea9d2cee53982");
const seeds = { falcon: "07".repeat(48), dilithium: "09".repeat(32) };
let falcon: PostQuantumKeys;
let dilithium: PostQuantumKeys;
beforeAll(async () => {
	await loadPostQuantum();
	falcon = postQuantumAlgorithm(FN_DSA_512).keysOfSeed(fromHex(seeds.falcon));
	dilithium = postQuantumAlgorithm(ML_DSA_44).keysOfSeed(fromHex(seeds.dilithium));
});

function read(members: unknown, index = 0): ReturnType<typeof readPostQuantumKey> {
	writeFileSync(path, typeof members === "string" ? members : JSON.stringify(members));
	return readPostQuantumKey(path, index);
}

describe("a file of a post-quantum key", () => {
	it("holds a seed, or keys, of either scheme", () => {
		const ofSeed = read({ scheme: "FN_DSA_512", seed: `0x${seeds.falcon.toUpperCase()}`, address: " " });
		expect(addressOfPostQuantumKey(ofSeed.publicKey)).toEqual(Buffer.from(FALCON_ADDRESS));
		const [publicKey, privateKey] = [toHex(falcon.publicKey), toHex(falcon.privateKey)];
		const address = toBase58Check(FALCON_ADDRESS);
		const seed = "00".repeat(48);
		expect(
			toHex(read({ scheme: "FN_DSA_512", publicKey, privateKey, seed, address, note: 1 }).publicKey),
		).toBe(publicKey);
		expect(toHex(read({ scheme: "ML_DSA_44", privateKey: toHex(dilithium.privateKey) }).publicKey)).toBe(
			toHex(dilithium.publicKey),
		);
	});

	it.each<[string, () => unknown, string]>([
		[
			"not JSON",
			() => "secret words",
			"localPqWitness.keys[2] failed to parse key file PATH: it is not JSON",
		],
		["a list", () => [], "localPqWitness.keys[2] failed to parse key file PATH: it is no object"],
		["without a scheme", () => ({ seed: seeds.falcon }), "localPqWitness.keys[2].scheme is missing"],
		[
			"of a scheme that is none",
			() => ({ scheme: "fn_dsa_512" }),
			"invalid localPqWitness.keys[2].scheme: fn_dsa_512",
		],
		[
			"of no scheme",
			() => ({ scheme: "UNKNOWN_PQ_SCHEME" }),
			"unsupported localPqWitness.keys[2].scheme: UNKNOWN_PQ_SCHEME; registered schemes: [FN_DSA_512, ML_DSA_44]",
		],
		[
			"without a key",
			() => ({ scheme: "ML_DSA_44", publicKey: toHex(dilithium.publicKey) }),
			"localPqWitness.keys[2] (PATH) must define at least one of `seed` or `privateKey`",
		],
		[
			"with a short key",
			() => ({ scheme: "FN_DSA_512", privateKey: "0xabcd" }),
			"localPqWitness.keys[2].privateKey must be 2560 hex chars for FN_DSA_512, actual: 4",
		],
		[
			"with a short seed",
			() => ({ scheme: "ML_DSA_44", seed: "ab" }),
			"localPqWitness.keys[2].seed must be 64 hex chars for ML_DSA_44, actual: 2",
		],
		[
			"with digits that are none",
			() => ({ scheme: "ML_DSA_44", seed: "zz".repeat(32) }),
			"localPqWitness.keys[2].seed is not valid hex for ML_DSA_44",
		],
		[
			"without a public key",
			() => ({ scheme: "FN_DSA_512", privateKey: toHex(falcon.privateKey) }),
			"localPqWitness.keys[2].publicKey is required for FN_DSA_512 (BouncyCastle provides no API to derive it from the private key)",
		],
		[
			"with another public key",
			() => ({
				scheme: "FN_DSA_512",
				privateKey: toHex(falcon.privateKey),
				publicKey: toHex(postQuantumAlgorithm(FN_DSA_512).keysOfSeed(new Uint8Array(48)).publicKey),
			}),
			"localPqWitness.keys[2] private/public key mismatch for FN_DSA_512",
		],
		[
			"with another public key than the derived one",
			() => ({ scheme: "ML_DSA_44", privateKey: toHex(dilithium.privateKey), publicKey: "00".repeat(1312) }),
			"localPqWitness.keys[2].publicKey does not match the key derived from privateKey for ML_DSA_44",
		],
		[
			"with an address that is none",
			() => ({ scheme: "ML_DSA_44", seed: seeds.dilithium, address: "x" }),
			"localPqWitness.keys[2].address format is incorrect: x",
		],
		[
			"with another address",
			() => ({ scheme: "ML_DSA_44", seed: seeds.dilithium, address: toBase58Check(FALCON_ADDRESS) }),
			`localPqWitness.keys[2].address ${toBase58Check(FALCON_ADDRESS)} does not match the address derived from the ML_DSA_44 public key`,
		],
	])("is refused, %s", (_, members, text) => {
		expect(() => read(members(), 2)).toThrow(text.replace("PATH", path));
	});

	it("must have a name, be there, and be small", () => {
		expect(() => readPostQuantumKey(" ", 0)).toThrow(
			"localPqWitness.keys[0] must be a non-blank JSON key file path",
		);
		const missing = join(folder, "missing.json");
		expect(() => readPostQuantumKey(missing, 0)).toThrow(
			`localPqWitness.keys[0] key file not found: ${missing}`,
		);
		expect(() => read(" ".repeat(65_537))).toThrow("more than 65536 bytes");
	});
});
