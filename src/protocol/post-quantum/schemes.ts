/**
 * The two signature schemes that withstand quantum computers, as the test network Nile has them (protocol/post-quantum §2):
 * lengths, names and numbers. Their arithmetic is in `algorithms.ts`, which is loaded only where it is needed.
 */

import { addressFromHash } from "../address.js";
import { keccak256 } from "../hash.js";
import { type PQAuthSig, PQScheme, PQSchemeEnum } from "../messages.js";

export interface PostQuantumScheme {
	/** Number on the wire. */
	readonly id: number;
	readonly name: "FN_DSA_512" | "ML_DSA_44";
	/** The chain parameter that allows it, by its property. */
	readonly property: "ALLOW_FN_DSA_512" | "ALLOW_ML_DSA_44";
	/** Lengths in bytes. A Falcon key goes without its header byte. */
	readonly publicKeyLength: number;
	readonly privateKeyLength: number;
	readonly seedLength: number;
	readonly shortestSignature: number;
	readonly longestSignature: number;
	/** Bytes that an entry of this scheme is counted with, whatever its signature's length: with tag and length. */
	readonly entryBytes: number;
}

export const FN_DSA_512: PostQuantumScheme = {
	id: PQScheme.FN_DSA_512,
	name: "FN_DSA_512",
	property: "ALLOW_FN_DSA_512",
	publicKeyLength: 896,
	privateKeyLength: 1280,
	seedLength: 48,
	shortestSignature: 617,
	longestSignature: 667,
	entryBytes: 1574,
};

export const ML_DSA_44: PostQuantumScheme = {
	id: PQScheme.ML_DSA_44,
	name: "ML_DSA_44",
	property: "ALLOW_ML_DSA_44",
	publicKeyLength: 1312,
	privateKeyLength: 2560,
	seedLength: 32,
	shortestSignature: 2420,
	longestSignature: 2420,
	entryBytes: 3743,
};

export const postQuantumSchemes: readonly PostQuantumScheme[] = [FN_DSA_512, ML_DSA_44];

export const postQuantumScheme = (id: number): PostQuantumScheme | undefined =>
	postQuantumSchemes.find((scheme) => scheme.id === id);

/** The name of a number on the wire, whether there is such a scheme or not. */
export const postQuantumSchemeName = (id: number): string => PQSchemeEnum.names.get(id) ?? "UNRECOGNIZED";

/** Whether the wire has a number for a name, whether it is a scheme or not. */
export const isSchemeName = (name: string): boolean => Object.hasOwn(PQScheme, name);

/** Whether a signature of this length can be one of the scheme. */
export const isSignatureLength = (scheme: PostQuantumScheme, length: number): boolean =>
	length >= scheme.shortestSignature && length <= scheme.longestSignature;

/** Whether key and signature have lengths of the scheme. */
export const hasLengthsOf = (scheme: PostQuantumScheme, entry: Readonly<PQAuthSig>): boolean =>
	entry.public_key.length === scheme.publicKeyLength && isSignatureLength(scheme, entry.signature.length);

/** The address of a public key as it is on the wire (protocol/post-quantum §3). */
export const addressOfPostQuantumKey = (publicKey: Uint8Array): Uint8Array =>
	addressFromHash(keccak256(publicKey));
