/**
 * Signatures over 32-byte hashes: secp256k1, 65 bytes r‖s‖v (protocol/permissions §§3.1 and 3.2).
 *
 * Acceptance is wider than in libraries: like the network, it doesn't range-check r and s, and ignores
 * trailing bytes. Common cases use a compiled library; anything unusual falls back to the full rule here.
 */

import { createECDH, createHmac } from "node:crypto";
import * as secp256k1 from "@noble/secp256k1";
import { addressFromHash, addressFromPublicKey } from "./address.js";
import { concatBytes, utf8 } from "./bytes.js";
import { SIGNED_MESSAGE_PREFIX } from "./dialect.js";
import { keccak256, sha256 } from "./hash.js";

/** Order of the curve secp256k1; private keys are below it. */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export const SIGNATURE_LENGTH = 65;

/** No public key can be recovered. The message is the wire text, including the class that clients see. */
export class SignatureError extends Error {
	override readonly name: string = "SignatureError";
}

/** A compiled library for key recovery. */
export interface RecoverEngine {
	/**
	 * Recovers an uncompressed public key from a well-formed signature. Returns undefined for anything unusual,
	 * for which the caller applies the full rule. For r and s in range, that is an x not on the curve, or the
	 * point at infinity.
	 */
	readonly recover: (hash: Uint8Array, signature: Uint8Array, recovery: number) => Uint8Array | undefined;
	/** Whether 33 bytes are a valid compressed point. */
	readonly isPoint: (compressed: Uint8Array) => boolean;
	/**
	 * Recovers the signers of many signatures at once, if supported.
	 * @param questions 97 bytes each: hash, r, s, header byte
	 * @param prefix first byte of an address
	 * @param answers output, 86 bytes each: 1, address, x, y; zeros if {@link recoverAddress} must decide
	 */
	readonly recoverSigners?: (questions: Uint8Array, prefix: number, answers: Uint8Array) => void;
	/**
	 * Batch verification against expected keys, if supported.
	 * @param claims 115 bytes each, at most 512: hash, r, s, header, 16 unpredictable bytes, key index (2, LE)
	 * @param keys 64 bytes each: x and y
	 * @returns false if any signature is wrong or unsupported
	 */
	readonly checkSigners?: (claims: Uint8Array, keys: Uint8Array) => boolean;
}

let engine: (RecoverEngine & { readonly name: string }) | undefined;

/** Installs a compiled library for {@link recoverAddress}; undefined removes it. */
export function setRecoverEngine(name: string, library: RecoverEngine | undefined): void {
	engine = library && { name, ...library };
}

/** Signs a hash like {@link sign}, without v. */
export type SignEngine = (
	hash: Uint8Array,
	privateKey: Uint8Array,
) => { readonly signature: Uint8Array; readonly recid: number };

let signEngine: SignEngine | undefined;

/** Installs a compiled library for {@link sign}; undefined: the portable one. */
export function setSignEngine(sign: SignEngine | undefined): void {
	signEngine = sign;
}

/** The compiled library of this thread, if any. */
export const recoverEngine = (): RecoverEngine | undefined => engine;

/** Name of the library that recovers signatures in this thread. */
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
 * Recovers the address that signed a hash.
 * @param hash 32 bytes
 * @param signature at least 65 bytes; the rest is ignored
 * @throws {SignatureError} with the network's text
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

/** Whether r or s is between 1 and the group order less one. */
function isInRange(signature: Uint8Array, offset: number): boolean {
	const number = signature.subarray(offset, offset + 32);
	return Buffer.compare(number, ORDER) < 0 && Buffer.compare(number, ZERO) > 0;
}

/**
 * The result for r and s in range that the engine rejects: either x is not on the curve, or the result is the
 * point at infinity. A square root distinguishes them at a tenth of the cost of a recovery, since attackers
 * can produce such signatures by the thousand.
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

/** Signs a block header hash like {@link sign}, but with v = recovery id, as nodes write it. */
export function signBlock(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
	const signature = sign(hash, privateKey);
	signature[64] = (signature[64] as number) - 27;
	return signature;
}

/** Hash of a personal message; the prefix includes its length in bytes (protocol/wallet-formats §3). */
export function messageHash(message: Uint8Array): Uint8Array {
	return keccak256(concatBytes(utf8(`${SIGNED_MESSAGE_PREFIX}${message.length}`), message));
}

/** The address of a private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Uint8Array {
	const pair = createECDH("secp256k1");
	pair.setPrivateKey(privateKey);
	return addressFromPublicKey(pair.getPublicKey());
}
