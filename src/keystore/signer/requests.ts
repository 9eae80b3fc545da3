/** A node's requests to a signer: their limits, and the checks that a signer makes before it consults its marks. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { be64, equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import { BlockHeaderRaw, PBFTMessageRaw } from "../../protocol/messages.js";
import { postQuantumAlgorithm } from "../../protocol/post-quantum/algorithms.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { recoverAddress } from "../../protocol/signature.js";
import { SLOT_MS } from "../../protocol/timing.js";
import type { MarkedStep } from "./marks.js";

/** The most characters of a node's request: the longest has a post-quantum signature, with two digits per byte. */
export const MAX_SIGNER_REQUEST = 8_192;
/** Size limit of a transaction on the network, in bytes. */
export const MAX_JUDGED_BYTES = 512_000;
/** The most characters of a client's request: a transaction, with two digits per byte, and member names. */
export const MAX_CLIENT_REQUEST = 2 * MAX_JUDGED_BYTES + 512;
/** The most characters of a response, including post-quantum keys. */
export const MAX_SIGNER_ANSWER = 1 << 20;
/** How long a node waits for a response. */
export const SIGNER_ANSWER_MS = 1_000;
/** How long a client waits: longer, since no slot depends on it, and the signer's disk may be busy. */
export const CLIENT_ANSWER_MS = 15_000;
/** The longest that a client waits, in addition, for somebody to confirm on a signer's device. */
export const MAX_CONFIRM_MS = 600_000;

/** What is signed: a block header, the greeting (handshake) of a relay node, or a vote. */
export type SignedKind = "block" | "hello" | "vote";

/** A request to sign, after checking that its bytes can't be anything else. */
export interface ReadRequest {
	/** The hash to sign. */
	readonly hash: Uint8Array;
	/** Undefined for what may be signed any number of times. */
	readonly step: MarkedStep | undefined;
	/** For the log. */
	readonly facts: Readonly<Record<string, string>>;
}

/** @param postQuantum the public key, for a key that isn't of secp256k1; its library must be loaded */
export function isSignatureOf(
	hash: Uint8Array,
	signature: Uint8Array,
	address: Uint8Array,
	postQuantum?: { readonly scheme: PostQuantumScheme; readonly publicKey: Uint8Array },
): boolean {
	try {
		return postQuantum
			? postQuantumAlgorithm(postQuantum.scheme).verify(hash, postQuantum.publicKey, signature)
			: equalBytes(recoverAddress(hash, signature), address);
	} catch {
		return false;
	}
}

const ROOT_LENGTH = 32;
/** Message types of the two voting rounds; votes are for blocks and for lists of witnesses. */
const VOTES: ReadonlySet<number> = new Set([3, 4]);
/** A smaller timestamp begins with bytes with which no message begins. */
const MAX_TIME_MS = 1n << 45n;

/** Tolerance: a block is packed shortly before its slot, and the clocks of two machines differ slightly. */
const AHEAD_MS = 10_000n;
/**
 * A later block is no use to the network, but could be a second one for a slot that the marks don't know: of a signer that is replaced,
 * or whose directory was restored.
 */
const BEHIND_MS = 10_000n;
const GREETING_MS = 3_600_000n;
const VOTE_MS = 86_400_000n;
/**
 * How long after the end of its cycle something is voted for: the first block of the next one has that epoch, and its round lasts a
 * minute. A later vote could be a second one for a height that the marks don't know.
 */
const VOTE_BEHIND_MS = 120_000n;

function signable(
	kind: SignedKind,
	key: string,
	hash: Uint8Array,
	facts: Readonly<Record<string, string>>,
): ReadRequest {
	const named = { ...facts, sha256: toHex(hash) };
	return { hash, facts: named, step: markedStepOf(kind, key, named) };
}

/** The step of a logged decision; undefined for what may be signed any number of times. */
export function markedStepOf(
	kind: SignedKind,
	key: string,
	{ block, timestamp, view, round, of, sha256: hash }: Readonly<Record<string, string | undefined>>,
): MarkedStep | undefined {
	if (hash === undefined) return undefined;
	if (kind === "block" && block !== undefined && timestamp !== undefined)
		return { subject: `${key} block`, places: [BigInt(block), BigInt(timestamp)], gap: SLOT_MS, hash };
	if (kind === "vote" && view !== undefined)
		return { subject: `${key} vote ${of} ${round}`, places: [BigInt(view)], gap: 1n, hash };
	return undefined;
}

/**
 * Reads a request to sign. Only canonical bytes without unknown fields are accepted, so that they can't also be a valid
 * transaction.
 * @param data in hexadecimal; for a greeting, its timestamp in milliseconds
 * @param nowMs the signer's clock: signing a timestamp far ahead of it could block future slots, one far behind it be a second one
 * @returns the reason if the request is invalid
 */
export function readRequest(
	kind: SignedKind,
	key: string,
	data: string,
	nowMs: bigint,
): ReadRequest | string {
	if (kind === "hello") {
		if (!/^\d{1,14}$/.test(data) || BigInt(data) >= MAX_TIME_MS) return "not a time";
		const offMs = BigInt(data) - nowMs;
		if (offMs > GREETING_MS || offMs < -GREETING_MS) return "far from the signer's clock";
		return signable(kind, key, sha256(be64(BigInt(data))), { timestamp: data });
	}
	if (!/^(?:[0-9a-f]{2})+$/.test(data)) return "not bytes";
	const bytes = fromHex(data);
	const hash = sha256(bytes);
	try {
		if (kind === "vote") {
			const vote = PBFTMessageRaw.decode(bytes);
			if (vote.$unknown !== undefined || !equalBytes(PBFTMessageRaw.encode(vote), bytes))
				return "not canonical";
			if (!VOTES.has(vote.msg_type) || vote.view_n <= 0n) return "not a vote";
			// A block height, or the time of the next maintenance period.
			if (vote.view_n > nowMs + VOTE_MS) return "far from the signer's clock";
			// The end of the cycle that the block is in, or of the one that the list is for.
			if (vote.epoch < nowMs - VOTE_BEHIND_MS) return "behind the signer's clock";
			return signable(kind, key, hash, {
				view: String(vote.view_n),
				round: String(vote.msg_type),
				of: String(vote.data_type),
			});
		}
		const header = BlockHeaderRaw.decode(bytes);
		if (header.$unknown !== undefined || !equalBytes(BlockHeaderRaw.encode(header), bytes))
			return "not canonical";
		const { number, timestamp, txTrieRoot, parentHash, witness_address, accountStateRoot } = header;
		const isWhole =
			[txTrieRoot, parentHash].every(({ length }) => length === ROOT_LENGTH) &&
			witness_address.length === ADDRESS_LENGTH;
		const hasStateRoot = accountStateRoot.length === 0 || accountStateRoot.length === ROOT_LENGTH;
		if (number <= 0n || timestamp <= 0n || !isWhole || !hasStateRoot) return "not a header of a block";
		if (timestamp > nowMs + AHEAD_MS) return "ahead of the signer's clock";
		if (timestamp < nowMs - BEHIND_MS) return "behind the signer's clock";
		return signable(kind, key, hash, {
			block: String(number),
			timestamp: String(timestamp),
			witness: toHex(witness_address),
		});
	} catch {
		return `not a ${kind}`;
	}
}
