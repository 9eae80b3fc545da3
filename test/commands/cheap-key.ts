/**
 * Key files whose password hash costs next to nothing, so that the programs under test open them at once. Written
 * here by the format's description, not by the program.
 */

import { createCipheriv, randomBytes, scryptSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toBase58Check } from "../../src/protocol/address.js";
import { keccak256 } from "../../src/protocol/hash.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";

/** @param members further members, such as the path of a derived key */
export function writeCheapKey(
	directory: string,
	name: string,
	privateKey: Uint8Array,
	password: string,
	members: Readonly<Record<string, string>> = {},
): void {
	const [salt, iv] = [randomBytes(32), randomBytes(16)];
	const derived = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
	const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
	const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()]);
	const address = toBase58Check(addressOfPrivateKey(privateKey));
	const file = {
		address,
		id: "00000000-0000-4000-8000-000000000000",
		version: 3,
		crypto: {
			cipher: "aes-128-ctr",
			ciphertext: ciphertext.toString("hex"),
			cipherparams: { iv: iv.toString("hex") },
			kdf: "scrypt",
			kdfparams: { dklen: 32, n: 2, p: 1, r: 1, salt: salt.toString("hex") },
			mac: Buffer.from(keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]))).toString("hex"),
		},
		name,
		...members,
	};
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	writeFileSync(join(directory, `${address}.json`), JSON.stringify(file), { mode: 0o600 });
}
