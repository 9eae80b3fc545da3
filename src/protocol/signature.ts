/**
 * Signatures over 32-byte hashes: secp256k1, 65 bytes r‖s‖v (protocol/permissions §§3.1 and 3.2).
 *
 * Acceptance is wider than a library's: r and s are not range-checked and trailing bytes are ignored, as on the
 * network. The common case goes to a compiled library; everything unusual to the rule spelled out here.
 */

import { createECDH, createHmac } from "node:crypto";
import * as secp256k1 from "@noble/secp256k1";
import { addressFromHash, addressFromPublicKey } from "./address.js";
import { concatBytes, utf8 } from "./bytes.js";
import { SIGNED_MESSAGE_PREFIX } from "./dialect.js";
import { keccak256, sha256 } from "./hash.js";

/** Order of the curve secp256k1: private keys are below it. */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export const SIGNATURE_LENGTH = 65;

/** A signature that yields no public key. The message is the wire text, with the class that clients see. */
export class SignatureError extends Error {
	override readonly name: string = "SignatureError";
}

/** A compiled library. */
export interface RecoverEngine {
	/**
	 * Recovers an uncompressed public key from a well-formed signature.
	 * Returns undefined for anything out of the ordinary; the caller then applies the full rule. Of numbers in range that
	 * is an x without a point, and a result that is the point at infinity.
	 */
	readonly recover: (hash: Uint8Array, signature: Uint8Array, recovery: number) => Uint8Array | undefined;
	/** Whether these 33 bytes are a point of the curve in its compressed form. */
	readonly isPoint: (compressed: Uint8Array) => boolean;
	/**
	 * Signers of many signatures at once, if the library can do that.
	 * @param questions 97 bytes each: hash, r, s, header byte
	 * @param prefix first byte of an address
	 * @param answers 86 bytes each, filled: 1, the address, x and y of the key, or zeros for what {@link recoverAddress} has to decide
	 */
	readonly recoverSigners?: (questions: Uint8Array, prefix: number, answers: Uint8Array) => void;
	/**
	 * Whether many signatures were all made by the keys that are expected, if the library can tell.
	 * @param claims 115 bytes each, 512 at most: hash, r, s, header byte, 16 bytes that nobody foresees, index of the key (2, little-endian)
	 * @param keys 64 bytes each: x and y
	 * @returns false where one wasn't, or is none that the library decides
	 */
	readonly checkSigners?: (claims: Uint8Array, keys: Uint8Array) => boolean;
}

let engine: (RecoverEngine & { readonly name: string }) | undefined;

/** Installs a compiled library for the common case of {@link recoverAddress}; undefined: none. */
export function setRecoverEngine(name: string, library: RecoverEngine | undefined): void {
	engine = library && { name, ...library };
}

/** Signs a hash as {@link sign} does, without v. */
export type SignEngine = (
	hash: Uint8Array,
	privateKey: Uint8Array,
) => { readonly signature: Uint8Array; readonly recid: number };

let signEngine: SignEngine | undefined;

/** Installs a compiled library for {@link sign}; undefined: the portable one. */
export function setSignEngine(sign: SignEngine | undefined): void {
	signEngine = sign;
}

/** The compiled library of this thread; undefined: there is none. */
export const recoverEngine = (): RecoverEngine | undefined => engine;

/** Which library recovers signatures in this thread. */
export function recoverEngineName(): string {
	return engine?.name ?? "noble";
}

const { etc, Point } = secp256k1;
const { n: N, p: P } = Point.CURVE();
const ORDER = Buffer.from(N.toString(16), "hex");
const ZERO = Buffer.alloc(32);

secp256k1.hashes.sha256 = (message) => new Uint8Array(sha256(message));
secp256k1.hashes.hmacSha256 = (key, message) =>
	new Uint8Array(createHmac("sha256", key).update(message).digest());

/**
 * The address that made a signature over a hash.
 * @param hash 32 bytes
 * @param signature at least 65 bytes; more are ignored
 * @throws {SignatureError} with the text that the network reports
 */
export function recoverAddress(hash: Uint8Array, signature: Uint8Array): Uint8Array {
	if (signature.length < SIGNATURE_LENGTH) throw new SignatureError(`Signature size is ${signature.length}`);
	const recovery = recoveryId(signature);
	if (engine) {
		const publicKey = engine.recover(hash, signature, recovery);
		if (publicKey) return addressFromPublicKey(publicKey);
		if (recovery < 2 && isInRange(signature, 0) && isInRange(signature, 32)) {
			return recoverRefused(engine, signature);
		}
	}
	return recoverByRule(hash, signature, recovery);
}

/** Whether a number of the signature is from 1 to the order of the group less one. */
function isInRange(signature: Uint8Array, offset: number): boolean {
	const number = signature.subarray(offset, offset + 32);
	return Buffer.compare(number, ORDER) < 0 && Buffer.compare(number, ZERO) > 0;
}

/**
 * What the rule makes of numbers in range that the engine refuses: there is no point with this x, or the result is the
 * point at infinity. Which of the two a square root tells, a tenth of a recovery: signatures of both kinds can be made
 * on purpose, by the thousand.
 */
function recoverRefused({ isPoint }: RecoverEngine, signature: Uint8Array): Uint8Array {
	const compressed = Buffer.allocUnsafe(33);
	compressed[0] = 2;
	compressed.set(signature.subarray(0, 32), 1);
	if (isPoint(compressed)) return addressFromHash(keccak256(new Uint8Array(0)));
	throw new SignatureError("java.lang.IllegalArgumentException: Invalid point compression");
}

function recoveryId(signature: Uint8Array): number {
	let v = ((signature[64] as number) << 24) >> 24;
	if (v < 27) v += 27;
	if (v < 27 || v > 34)
		throw new SignatureError(`java.security.SignatureException: Header byte out of range: ${v}`);
	return v >= 31 ? v - 31 : v - 27;
}

function recoverByRule(hash: Uint8Array, signature: Uint8Array, recovery: number): Uint8Array {
	const r = toInteger(signature.subarray(0, 32));
	const s = toInteger(signature.subarray(32, 64));
	const x = r + BigInt(recovery >> 1) * N;
	if (x >= P) {
		throw new SignatureError("java.security.SignatureException: Could not recover public key from signature");
	}
	const point = liftX(x, (recovery & 1) === 1);
	if (r % N === 0n) throw new SignatureError("java.lang.ArithmeticException: BigInteger not invertible.");
	const inverse = etc.invert(r % N, N);
	const e = toInteger(hash);
	const u1 = etc.mod(-e * inverse, N);
	const u2 = etc.mod(s * inverse, N);
	let q = Point.ZERO;
	if (u1 !== 0n) q = q.add(Point.BASE.multiply(u1));
	if (u2 !== 0n) q = q.add(point.multiply(u2));
	if (q.equals(Point.ZERO)) return addressFromHash(keccak256(new Uint8Array(0)));
	return addressFromPublicKey(q.toBytes(false));
}

/** The point with this x coordinate and parity of y. */
function liftX(x: bigint, odd: boolean): InstanceType<typeof Point> {
	try {
		return Point.fromHex((odd ? "03" : "02") + x.toString(16).padStart(64, "0"));
	} catch {
		throw new SignatureError("java.lang.IllegalArgumentException: Invalid point compression");
	}
}

function toInteger(bytes: Uint8Array): bigint {
	return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

/**
 * Signs a 32-byte hash: deterministic (RFC 6979), low s, v = recovery id + 27 as wallets write it.
 * @param privateKey 32 bytes
 * @returns 65 bytes r‖s‖v
 */
export function sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
	const signature = Buffer.allocUnsafe(SIGNATURE_LENGTH);
	if (signEngine) {
		const signed = signEngine(hash, privateKey);
		signature.set(signed.signature, 0);
		signature[64] = signed.recid + 27;
		return signature;
	}
	const recovered = secp256k1.sign(hash, privateKey, { prehash: false, format: "recovered", lowS: true });
	signature.set(recovered.subarray(1), 0);
	signature[64] = (recovered[0] as number) + 27;
	return signature;
}

/** Signs the hash of a block header as nodes write it: like {@link sign}, with v = recovery id. */
export function signBlock(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
	const signature = sign(hash, privateKey);
	signature[64] = (signature[64] as number) - 27;
	return signature;
}

/** What is signed of a personal message of any length: the prefix carries its length in bytes (protocol/wallet-formats §3). */
export function messageHash(message: Uint8Array): Uint8Array {
	return keccak256(concatBytes(utf8(`${SIGNED_MESSAGE_PREFIX}${message.length}`), message));
}

/** The address whose private key this is. */
export function addressOfPrivateKey(privateKey: Uint8Array): Uint8Array {
	const pair = createECDH("secp256k1");
	pair.setPrivateKey(privateKey);
	return addressFromPublicKey(pair.getPublicKey());
}
