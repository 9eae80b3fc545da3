/**
 * Note ciphertexts for receiver and sender (protocol/shielded §7.3): ChaCha20-Poly1305 (RFC 8439) with zero
 * nonces, as every key is used once. Burns of tokens share one key and have their own nonces.
 */

import { createCipheriv, createDecipheriv } from "node:crypto";
import { blake2b } from "@noble/hashes/blake2.js";
import { concatBytes, equalBytes, fromHex } from "../bytes.js";
import { ShieldedError } from "./failure.js";
import { decodePoint, encodePoint, littleBytes, multiplySecret, readLittle, readScalar } from "./jubjub.js";
import { type Note, noteCommitment } from "./note.js";
import { diversifiedBase, transmissionKey } from "./shielded-keys.js";

/** The network's own personalisations. */
const KEY_DERIVATION = fromHex("5a74726f6e5f5361706c696e674b4446");
const OUTGOING = fromHex("5a74726f6e5f4465726976655f6f636b");

const CIPHER = "chacha20-poly1305";
const NONCE = new Uint8Array(12);
const TAG = 16;
const LEAD = 1;
const MEMO = 512;
const PLAINTEXT = 1 + 11 + 8 + 32 + MEMO;

/** A decrypted note. */
interface OpenedNote {
	readonly note: Note;
	/** 512 bytes, zero-padded. */
	readonly memo: Uint8Array;
}

/** The plaintext is authentic but malformed. */
class NoteTextError extends ShieldedError {}

/** @returns the ciphertext and its tag */
export function seal(key: Uint8Array, text: Uint8Array, nonce: Uint8Array = NONCE): Uint8Array {
	const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG });
	return concatBytes(cipher.update(text), cipher.final(), cipher.getAuthTag());
}

/** @returns undefined if authentication fails */
export function unseal(
	key: Uint8Array,
	sealed: Uint8Array,
	nonce: Uint8Array = NONCE,
): Uint8Array | undefined {
	if (sealed.length < TAG) return undefined;
	const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG });
	decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
	const text = decipher.update(sealed.subarray(0, sealed.length - TAG));
	try {
		return concatBytes(text, decipher.final());
	} catch {
		return undefined;
	}
}

/** Diffie-Hellman: [8 s] P. @returns undefined if the point or the scalar is not canonical */
export function agreeOnKey(point: Uint8Array, secret: Uint8Array): Uint8Array | undefined {
	const decoded = decodePoint(point);
	const scalar = readScalar(secret);
	if (!decoded || scalar === undefined) return undefined;
	return encodePoint(multiplySecret(decoded.clearCofactor(), scalar));
}

/** epk: the note's ephemeral public key. @returns undefined if the diversifier or key is invalid */
export function ephemeralKey(diversifier: Uint8Array, secret: Uint8Array): Uint8Array | undefined {
	const base = diversifiedBase(diversifier);
	const scalar = readScalar(secret);
	return base && scalar !== undefined ? encodePoint(multiplySecret(base, scalar)) : undefined;
}

const noteKey = (shared: Uint8Array, epk: Uint8Array): Uint8Array =>
	blake2b(concatBytes(shared, epk), { personalization: KEY_DERIVATION, dkLen: 32 });

/** ock: the key of the sender's ciphertext, bound to cv, cm and epk. */
export const outgoingKey = (ovk: Uint8Array, cv: Uint8Array, cm: Uint8Array, epk: Uint8Array): Uint8Array =>
	blake2b(concatBytes(ovk, cv, cm, epk), { personalization: OUTGOING, dkLen: 32 });

/**
 * c_enc: 580 bytes for the receiver.
 * @param secret esk, the note's ephemeral secret key
 * @param memo truncated at 512 bytes
 * @returns undefined if the note's address or the key is invalid
 */
export function sealNote(note: Note, memo: Uint8Array, secret: Uint8Array): Uint8Array | undefined {
	const epk = ephemeralKey(note.diversifier, secret);
	const shared = agreeOnKey(note.transmissionKey, secret);
	if (!epk || !shared) return undefined;
	const text = new Uint8Array(PLAINTEXT);
	text[0] = LEAD;
	text.set(note.diversifier, 1);
	text.set(littleBytes(note.value, 8), 12);
	text.set(note.randomness, 20);
	text.set(memo.subarray(0, MEMO), 52);
	return seal(noteKey(shared, epk), text);
}

/** c_out: 80 bytes for the sender. @param key from {@link outgoingKey} */
export const sealOutgoing = (key: Uint8Array, address: Uint8Array, secret: Uint8Array): Uint8Array =>
	seal(key, concatBytes(address, secret));

/** @throws {NoteTextError} */
function openText(key: Uint8Array, sealed: Uint8Array, address: (d: Uint8Array) => Uint8Array | undefined) {
	const text = unseal(key, sealed);
	if (text === undefined || text.length !== PLAINTEXT) return undefined;
	if (text[0] !== LEAD) throw new NoteTextError("lead byte of NotePlaintext is not recognized");
	const diversifier = text.slice(1, 12);
	const transmission = address(diversifier);
	const value = BigInt.asIntN(64, readLittle(text.subarray(12, 20)));
	if (!transmission) return undefined;
	if (value < 0n) throw new NoteTextError("Value should be non-negative.");
	const note = { diversifier, transmissionKey: transmission, value, randomness: text.slice(20, 52) };
	return { note, memo: text.slice(52) };
}

function matching(opened: OpenedNote | undefined, cm: Uint8Array): OpenedNote | undefined {
	if (opened === undefined) return undefined;
	const commitment = noteCommitment(opened.note);
	return commitment && equalBytes(commitment, cm) ? opened : undefined;
}

/**
 * Decrypts a note as its receiver.
 * @returns undefined if it is not for this key, or doesn't match the commitment
 * @throws {NoteTextError}
 */
export function openNote(
	ivk: Uint8Array,
	epk: Uint8Array,
	sealed: Uint8Array,
	cm: Uint8Array,
): OpenedNote | undefined {
	const shared = agreeOnKey(epk, ivk);
	if (!shared) return undefined;
	return matching(
		openText(noteKey(shared, epk), sealed, (d) => transmissionKey(ivk, d)),
		cm,
	);
}

/** A published note: cm, cv, epk, and both ciphertexts. */
interface SealedNote {
	readonly cv: Uint8Array;
	readonly cm: Uint8Array;
	readonly epk: Uint8Array;
	readonly forReceiver: Uint8Array;
	readonly forSender: Uint8Array;
}

/**
 * Decrypts a note as its sender.
 * @returns undefined if it was not sent with this key, or doesn't match the commitment
 * @throws {NoteTextError}
 */
export function openSentNote(ovk: Uint8Array, sent: SealedNote): OpenedNote | undefined {
	const { cv, cm, epk } = sent;
	const parts = unseal(outgoingKey(ovk, cv, cm, epk), sent.forSender);
	if (parts?.length !== 64) return undefined;
	const address = parts.slice(0, 32);
	const shared = agreeOnKey(address, parts.subarray(32));
	if (!shared) return undefined;
	return matching(
		openText(noteKey(shared, epk), sent.forReceiver, () => address),
		cm,
	);
}
