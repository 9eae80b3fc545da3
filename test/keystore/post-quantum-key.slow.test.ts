import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
	addKey,
	addKeyFile,
	changePassword,
	exportKeyFile,
	type KeystoreEntry,
	listKeystore,
	unlockAnyKey,
	unlockKey,
	unlockKeyFile,
} from "../../src/keystore/keystore.js";
import { readPlainKey, writePlainKey } from "../../src/keystore/plain-post-quantum-key.js";
import {
	newPostQuantumKey,
	type PostQuantumKey,
	postQuantumKeyOf,
} from "../../src/keystore/post-quantum-key.js";
import type { PrivateKey } from "../../src/keystore/private-key.js";
import { encryptSecret, passwordBytes } from "../../src/keystore/secret-storage.js";
import { concatBytes, fromHex, toHex } from "../../src/protocol/bytes.js";
import { FN_DSA_512, ML_DSA_44 } from "../../src/protocol/post-quantum/schemes.js";

const light = { strength: "light" } as const;
const PASSWORD = "correct horse";

let directory: string;
let falcon: PostQuantumKey;
let dilithium: PostQuantumKey;
beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-keystore-"));
	falcon = await newPostQuantumKey(FN_DSA_512, fromHex("07".repeat(48)));
	dilithium = await newPostQuantumKey(ML_DSA_44, fromHex("09".repeat(32)));
});
afterAll(() => rmSync(directory, { recursive: true }));

const hexOf = (key: PrivateKey): string[] =>
	key instanceof Uint8Array ? [toHex(key)] : [key.scheme.name, toHex(key.privateKey), toHex(key.publicKey)];

const written = (entry: KeystoreEntry): Record<string, unknown> =>
	JSON.parse(readFileSync(entry.file, "utf8")) as Record<string, unknown>;

describe("a post-quantum key in the keystore", () => {
	it("is kept under its address with its scheme, opens again, and changes its password", async () => {
		const folder = join(directory, "kept");
		for (const key of [falcon, dilithium]) {
			const entry = await addKey(folder, key, PASSWORD, { ...light, name: key.scheme.name });
			expect(entry).toMatchObject({ kind: "key", scheme: key.scheme });
			expect(written(entry)).toMatchObject({ version: "post-quantum-1", scheme: key.scheme.name });
			expect(hexOf(await unlockAnyKey(entry, PASSWORD))).toEqual(hexOf(key));
			await expect(unlockAnyKey(entry, "wrong horse")).rejects.toMatchObject({ code: "bad_password" });
			await changePassword(entry, PASSWORD, "battery staple", "light");
			expect(written(entry)).toMatchObject({ version: "post-quantum-1", name: key.scheme.name });
			expect(hexOf(await unlockAnyKey(entry, "battery staple"))).toEqual(hexOf(key));
		}
		const { entries, unusable } = await listKeystore(folder);
		expect(entries.map(({ name, scheme }) => [name, scheme?.name])).toEqual([
			["FN_DSA_512", "FN_DSA_512"],
			["ML_DSA_44", "ML_DSA_44"],
		]);
		expect(unusable).toEqual([]);
	});

	it("goes to another directory as its encrypted file, but not in Ethereum's form", async () => {
		const entry = await addKey(join(directory, "from"), dilithium, PASSWORD, light);
		const copy = join(directory, "copy.json");
		writeFileSync(copy, await exportKeyFile(entry, "base58"));
		const stored = await addKeyFile(join(directory, "to"), copy, PASSWORD, "moved");
		expect(stored).toMatchObject({ name: "moved", base58: entry.base58, scheme: ML_DSA_44 });
		await expect(exportKeyFile(entry, "ethereum")).rejects.toThrow("is a key of ML_DSA_44");
	});

	it("is nothing for what takes secp256k1 keys alone", async () => {
		const entry = await addKey(join(directory, "other"), dilithium, PASSWORD, light);
		await expect(unlockKey(entry, PASSWORD)).rejects.toMatchObject({ code: "bad_value" });
	});

	it("is refused where its halves don't belong together, its lengths are another scheme's, or nobody knows it", async () => {
		const folder = join(directory, "wrong");
		const strange = { ...falcon, publicKey: falcon.publicKey.map((byte) => byte ^ 1) };
		await expect(addKey(folder, strange, PASSWORD, light)).rejects.toMatchObject({ code: "keystore_format" });
		const entry = await addKey(folder, dilithium, PASSWORD, light);
		const changed = async (scheme: string, secret: Uint8Array, version = "post-quantum-1") => {
			const label = { address: entry.base58, scheme: ML_DSA_44 };
			const text = await encryptSecret(secret, passwordBytes(PASSWORD), label, "light");
			writeFileSync(entry.file, JSON.stringify({ ...JSON.parse(text), scheme, version }));
			return unlockAnyKey(entry, PASSWORD);
		};
		const secret = concatBytes(dilithium.privateKey, dilithium.publicKey);
		await expect(changed("ML_DSA_44", secret.subarray(1))).rejects.toThrow("holds 3871 bytes");
		await expect(changed("FN_DSA_512", secret)).rejects.toThrow("holds 3872 bytes");
		await expect(changed("ML_DSA_65", secret)).rejects.toThrow("names no scheme that is known here");
		await expect(changed("ML_DSA_44", secret, "post-quantum-2")).rejects.toThrow("version is not supported");
		const [other] = [
			concatBytes(
				dilithium.privateKey,
				dilithium.publicKey.map((byte) => byte ^ 1),
			),
		];
		await expect(changed("ML_DSA_44", other)).rejects.toThrow("is not that of the public one");
	});
});

describe("a post-quantum key from its bytes", () => {
	const refused = (message: string) => ({ code: "bad_value", message: expect.stringContaining(message) });

	it("is the key that the keystore would have; the public half follows where the private one holds it", async () => {
		const { scheme, privateKey, publicKey } = falcon;
		expect(hexOf(await postQuantumKeyOf(scheme, privateKey, publicKey))).toEqual(hexOf(falcon));
		expect(hexOf(await postQuantumKeyOf(ML_DSA_44, dilithium.privateKey))).toEqual(hexOf(dilithium));
	});

	it("is refused for other lengths, or halves that don't belong together", async () => {
		const { privateKey, publicKey } = falcon;
		await expect(postQuantumKeyOf(FN_DSA_512, privateKey)).rejects.toMatchObject(refused("needs its public"));
		await expect(postQuantumKeyOf(ML_DSA_44, privateKey)).rejects.toMatchObject(
			refused("a private key of ML_DSA_44 has 2560 bytes, not 1280"),
		);
		await expect(postQuantumKeyOf(FN_DSA_512, privateKey, publicKey.subarray(1))).rejects.toMatchObject(
			refused("a public key of FN_DSA_512 has 896 bytes, not 895"),
		);
		const strange = publicKey.map((byte) => byte ^ 1);
		await expect(postQuantumKeyOf(FN_DSA_512, privateKey, strange)).rejects.toMatchObject(
			refused("the private key of FN_DSA_512 is none"),
		);
		const none = new Uint8Array(2560).fill(0xff);
		await expect(postQuantumKeyOf(ML_DSA_44, none)).rejects.toMatchObject(refused("of ML_DSA_44 is none"));
		for (const scheme of [FN_DSA_512, ML_DSA_44])
			await expect(newPostQuantumKey(scheme, new Uint8Array(33))).rejects.toMatchObject(
				refused(`a seed of ${scheme.name} has ${scheme.seedLength} bytes, not 33`),
			);
	});
});

describe("a key file wherever it is", () => {
	it("opens with its password, whatever its key's scheme, and names its key's address or none", async () => {
		for (const key of [falcon, dilithium, new Uint8Array(32).fill(0x11)]) {
			const { file } = await addKey(join(directory, "files"), key, PASSWORD, light);
			expect(hexOf(await unlockKeyFile(file, PASSWORD))).toEqual(hexOf(key));
			await expect(unlockKeyFile(file, "wrong horse")).rejects.toMatchObject({ code: "bad_password" });
			const members = JSON.parse(readFileSync(file, "utf8")) as object;
			writeFileSync(file, JSON.stringify({ ...members, address: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC" }));
			await expect(unlockKeyFile(file, PASSWORD)).rejects.toThrow("but the key inside belongs to");
			writeFileSync(file, JSON.stringify({ ...members, address: undefined }));
			expect(hexOf(await unlockKeyFile(file, PASSWORD))).toEqual(hexOf(key));
			writeFileSync(file, `${JSON.stringify(members)}${" ".repeat(65_536)}`);
			await expect(unlockKeyFile(file, PASSWORD)).rejects.toThrow("at most 65536 bytes");
		}
	});
});

describe("the network's own file of a post-quantum key", () => {
	it("is written, and read again; a seed does as well", async () => {
		for (const key of [falcon, dilithium])
			expect(hexOf(await readPlainKey(writePlainKey(key)))).toEqual(hexOf(key));
		const seed = JSON.stringify({ scheme: "ML_DSA_44", seed: "09".repeat(32) });
		expect(hexOf(await readPlainKey(seed))).toEqual(hexOf(dilithium));
	});

	it("is refused without a word of what it holds", async () => {
		const secret = "ab".repeat(100);
		for (const text of [
			`{"privateKey": "${secret}"`,
			`{"scheme":"ML_DSA_44","privateKey":"${secret}"}`,
			`{"scheme":"ML_DSA_44","privateKey":"${"ab".repeat(2560)}"}`,
			"[]",
		]) {
			const refusal = await readPlainKey(text).catch((error: Error) => error);
			expect(refusal).toMatchObject({ code: "bad_value" });
			expect((refusal as Error).message).not.toMatch(/abab|coefficient|ETA/);
		}
		await expect(readPlainKey(`{"a":"${"0".repeat(70_000)}"}`)).rejects.toThrow("more than 65536 bytes");
	});
});
