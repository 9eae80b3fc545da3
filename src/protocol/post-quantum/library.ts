/** The two schemes, converting the library's key and signature encodings to those of the wire. */

import { falcon512 } from "@noble/post-quantum/falcon.js";
import { ml_dsa44 } from "@noble/post-quantum/ml-dsa.js";
import { concatBytes } from "../bytes.js";
import type { PostQuantumAlgorithm, PostQuantumKeys } from "./algorithms.js";
import { FN_DSA_512 } from "./schemes.js";

/** Header bytes of Falcon-512 keys, omitted on the wire and in key files. */
const FALCON_PUBLIC = Uint8Array.of(0x09);
const FALCON_PRIVATE = Uint8Array.of(0x59);
/** Header byte of a compressed Falcon-512 signature. */
const FALCON_SIGNATURE = 0x39;
/** Maximum attempts to get a signature that is short enough; nearly all are. */
const MAX_DRAWS = 16;

/** The library's verdict; it throws for keys and signatures that it can't parse. */
function judged(verify: () => boolean): boolean {
	try {
		return verify();
	} catch (error) {
		if (error instanceof Error) return false;
		throw error;
	}
}

export const fnDsa512: PostQuantumAlgorithm = {
	verify: (message, publicKey, signature) =>
		signature[0] === FALCON_SIGNATURE &&
		judged(() => falcon512.verify(signature, message, concatBytes(FALCON_PUBLIC, publicKey))),
	sign(message, privateKey, random) {
		const key = concatBytes(FALCON_PRIVATE, privateKey);
		try {
			for (let draws = 0; draws < MAX_DRAWS; draws++) {
				const signature = falcon512.sign(message, key, random ? { extraEntropy: random(48) } : {});
				if (signature.length <= FN_DSA_512.longestSignature) return signature;
			}
		} finally {
			key.fill(0);
		}
		throw new RangeError(
			`no signature of ${FN_DSA_512.longestSignature} bytes or less in ${MAX_DRAWS} draws`,
		);
	},
	keysOfSeed(seed): PostQuantumKeys {
		const { publicKey, secretKey } = falcon512.keygen(seed);
		return { publicKey: publicKey.slice(1), privateKey: secretKey.subarray(1) };
	},
	publicKeyOf: undefined,
};

export const mlDsa44: PostQuantumAlgorithm = {
	verify: (message, publicKey, signature) => judged(() => ml_dsa44.verify(signature, message, publicKey)),
	sign: (message, privateKey, random) =>
		ml_dsa44.sign(message, privateKey, random ? { extraEntropy: random(32) } : {}),
	keysOfSeed(seed): PostQuantumKeys {
		const { publicKey, secretKey } = ml_dsa44.keygen(seed);
		return { publicKey, privateKey: secretKey };
	},
	publicKeyOf(privateKey): Uint8Array | undefined {
		try {
			return ml_dsa44.getPublicKey(privateKey);
		} catch (error) {
			// Its message would reveal part of the key.
			if (error instanceof Error) return undefined;
			throw error;
		}
	},
};
