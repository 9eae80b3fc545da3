/**
 * The file format of inclusion proofs (protocol/inclusion-proof §1): JSON with hex text. Anything that
 * differs by a byte from what {@link writeProof} writes is refused, so that proofs are not malleable.
 */

import { fromHex, toHex } from "../bytes.js";
import { isModestJson } from "../json/modest-json.js";
import { CURVE_ORDER, SIGNATURE_LENGTH } from "../signature.js";
import type { PathStep } from "./merkle-path.js";
import { InclusionError } from "./witness-set.js";

const FORMAT = "coin inclusion proof 1";

/** Maximum text length: twice the bytes of the largest block, plus headers. */
export const MAX_PROOF_LENGTH = 5_000_000;
/** Maximum number of headers, the block's own included: more than four rounds of 27 witnesses. */
export const MAX_PROOF_HEADERS = 128;
/** Maximum tree depth: a block holds fewer than 65,536 transactions. */
const MAX_PATH = 16;
/** Counted with each object: five members; one per path step, at most two per witness and header. */
const PROOF_LIMITS = { values: 10 + 2 * MAX_PATH + 6 * MAX_PROOF_HEADERS, depth: 3 };
/** The longest post-quantum signature with its key, in bytes. */
export const MAX_POST_QUANTUM_BYTES = 4_096;
/** Maximum length of serialised header data. */
export const MAX_RAW_HEADER_BYTES = 1_024;

/** A witness and the address of its signing key (its own or its witness permission's), 21 bytes each. */
export interface WitnessKey {
	readonly address: Uint8Array;
	readonly key: Uint8Array;
}

/** A block header with exactly one signature, of either kind. */
export interface ProofHeader {
	/** Serialised `BlockHeader.raw_data`. */
	readonly raw: Uint8Array;
	/** r‖s‖recovery id (0 to 3), 65 bytes. */
	readonly signature?: Uint8Array | undefined;
	/** Serialised `PQAuthSig`, on Nile. */
	readonly postQuantum?: Uint8Array | undefined;
}

export interface InclusionProof {
	/** The whole serialised transaction, with signatures and results. */
	readonly transaction: Uint8Array;
	readonly path: readonly PathStep[];
	/** Signers of the headers, in order of first appearance. */
	readonly witnesses: readonly WitnessKey[];
	/** The header of the transaction's block and its successors, without gaps. */
	readonly headers: readonly ProofHeader[];
}

/**
 * Normalises a signature. The network accepts trailing bytes, several recovery-id encodings, -s with the
 * parity of the recovered point flipped, and r and s that are not below the group order.
 */
export function signatureInOneForm(signature: Uint8Array): Uint8Array {
	const form = Uint8Array.from(signature.subarray(0, SIGNATURE_LENGTH));
	if (form.length < SIGNATURE_LENGTH) return form;
	const number = form[64] as number;
	const recovery = number < 27 ? number : number - 27;
	if (recovery >= 8) return form;
	const [r, s] = [form.subarray(0, 32), form.subarray(32, 64)].map((each) => BigInt(`0x${toHex(each)}`)) as [
		bigint,
		bigint,
	];
	const reduced = s % CURVE_ORDER;
	const isHigh = reduced > CURVE_ORDER / 2n;
	const digits = (number: bigint): Uint8Array => fromHex(number.toString(16).padStart(64, "0"));
	form.set(digits(r % CURVE_ORDER), 0);
	form.set(digits(isHigh ? CURVE_ORDER - reduced : reduced), 32);
	const parity = reduced === 0n ? 0 : (recovery & 1) ^ Number(isHigh);
	form[64] = (recovery & 2) | (r < CURVE_ORDER ? 0 : 2) | parity;
	return form;
}

/** The only valid text of a proof. */
export function writeProof({ transaction, path, witnesses, headers }: InclusionProof): string {
	const value = {
		format: FORMAT,
		transaction: toHex(transaction),
		path: path.map(({ side, hash }) => ({ [side]: toHex(hash) })),
		witnesses: witnesses.map(({ address, key }) => ({ address: toHex(address), key: toHex(key) })),
		headers: headers.map(({ raw, signature, postQuantum }) => ({
			raw: toHex(raw),
			...(signature && { signature: toHex(signature) }),
			...(postQuantum && { postQuantum: toHex(postQuantum) }),
		})),
	};
	return `${JSON.stringify(value, undefined, "\t")}\n`;
}

/** @throws {InclusionError} if the text exceeds the limits or isn't in canonical form */
export function readProof(text: string): InclusionProof {
	checkLimits(text);
	const { format, transaction, path, witnesses, headers } = record(parsed(text), "the proof");
	if (format !== FORMAT) throw new InclusionError(`this is not a proof in the format "${FORMAT}"`);
	const proof: InclusionProof = {
		transaction: hex(transaction, "transaction", 1, MAX_PROOF_LENGTH),
		path: list(path, "path", 0, MAX_PATH).map(readStep),
		witnesses: list(witnesses, "witnesses", 1, MAX_PROOF_HEADERS).map((one) => {
			const { address, key } = record(one, "a witness");
			return { address: hex(address, "address", 21, 21), key: hex(key, "key", 21, 21) };
		}),
		headers: list(headers, "headers", 1, MAX_PROOF_HEADERS).map(readHeader),
	};
	if (writeProof(proof) !== text) throw new InclusionError("the proof is not written in its one form");
	return proof;
}

/** Checked before parsing. */
function checkLimits(text: string): void {
	if (text.length > MAX_PROOF_LENGTH)
		throw new InclusionError(`the proof is longer than ${MAX_PROOF_LENGTH} characters`);
	if (!isModestJson(text, PROOF_LIMITS)) throw new InclusionError("the proof has more parts than any");
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) throw new InclusionError("the proof is not JSON");
		throw error;
	}
}

function readStep(value: unknown): PathStep {
	const { left, right } = record(value, "a step of the path");
	return left === undefined
		? { side: "right", hash: hex(right, "right", 32, 32) }
		: { side: "left", hash: hex(left, "left", 32, 32) };
}

function readHeader(value: unknown): ProofHeader {
	const { raw, signature, postQuantum } = record(value, "a header");
	const bytes = hex(raw, "raw", 1, MAX_RAW_HEADER_BYTES);
	if (postQuantum === undefined) return { raw: bytes, signature: hex(signature, "signature", 65, 65) };
	return { raw: bytes, postQuantum: hex(postQuantum, "postQuantum", 1, MAX_POST_QUANTUM_BYTES) };
}

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw new InclusionError(`${what} is not an object`);
	return value as Readonly<Record<string, unknown>>;
}

function list(value: unknown, name: string, least: number, most: number): readonly unknown[] {
	if (!Array.isArray(value) || value.length < least || value.length > most)
		throw new InclusionError(`${name} is not a list of ${least} to ${most}`);
	return value;
}

function hex(value: unknown, name: string, least: number, most: number): Uint8Array {
	const isFitting = typeof value === "string" && value.length >= 2 * least && value.length <= 2 * most;
	if (!isFitting || value.length % 2 !== 0 || !/^[0-9a-f]*$/.test(value))
		throw new InclusionError(`${name} is not hexadecimal text of its length`);
	return fromHex(value);
}
