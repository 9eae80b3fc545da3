/**
 * The two post-quantum signature schemes of the Nile test network (protocol/post-quantum §2): lengths, names
 * and numbers. The algorithms are in `algorithms.ts`, loaded on demand.
 */

import { addressFromHash } from "../address.js";
import { keccak256 } from "../hash.js";
import { type PQAuthSig, PQScheme, PQSchemeEnum } from "../messages.js";

export interface PostQuantumScheme {
	/** Number on the wire. */
	readonly id: number;
	readonly name: "FN_DSA_512" | "ML_DSA_44";
	/** Property of the chain parameter that enables it. */
	readonly property: "ALLOW_FN_DSA_512" | "ALLOW_ML_DSA_44";
	/** Lengths in bytes. Falcon keys exclude their header byte. */
	readonly publicKeyLength: number;
	readonly privateKeyLength: number;
	readonly seedLength: number;
	readonly shortestSignature: number;
	readonly longestSignature: number;
	/** Bytes counted per entry, with tag and length, whatever its signature's length. */
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

/** Name of a wire number, supported or not. */
export const postQuantumSchemeName = (id: number): string => PQSchemeEnum.names.get(id) ?? "UNRECOGNIZED";

/** Whether the name has a wire number, supported or not. */
export const isSchemeName = (name: string): boolean => Object.hasOwn(PQScheme, name);

/** Whether a signature of this length can be one of the scheme. */
export const isSignatureLength = (scheme: PostQuantumScheme, length: number): boolean =>
	length >= scheme.shortestSignature && length <= scheme.longestSignature;

/** Whether key and signature have lengths of the scheme. */
export const hasLengthsOf = (scheme: PostQuantumScheme, entry: Readonly<PQAuthSig>): boolean =>
	entry.public_key.length === scheme.publicKeyLength && isSignatureLength(scheme, entry.signature.length);

/** Address of a public key in wire encoding (protocol/post-quantum §3). */
export const addressOfPostQuantumKey = (publicKey: Uint8Array): Uint8Array =>
	addressFromHash(keccak256(publicKey));
