/** What a node asks a signer for, how long lines are, and what of a request the signer checks before it looks at its marks. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { be64, equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import { BlockHeaderRaw, PBFTMessageRaw } from "../../protocol/messages.js";
import { SLOT_MS } from "../../protocol/timing.js";
import type { MarkedStep } from "./marks.js";

/** Characters of a request: a vote for a list of 27 witnesses is the longest, two digits a byte. */
export const MAX_SIGNER_REQUEST = 4_096;
/** Bytes of a transaction that the network takes. */
export const MAX_JUDGED_BYTES = 512_000;
/** Characters of a request of a client: a transaction, two digits a byte, with the names of members. */
export const MAX_CLIENT_REQUEST = 2 * MAX_JUDGED_BYTES + 512;
/** What an answer takes at most, post-quantum keys included. */
export const MAX_SIGNER_ANSWER = 1 << 20;
/** Longest time that a node waits for one. */
export const SIGNER_ANSWER_MS = 1_000;
/** The same of a client: a slot isn't lost meanwhile, and a disk may be busy. */
export const CLIENT_ANSWER_MS = 15_000;

/** What is signed: a block's header, the greeting of a relay node, or a vote for a block. */
export type SignedKind = "block" | "hello" | "vote";

/** What is to be signed, once it is known to be nothing else. */
export interface ReadRequest {
	/** What the signature is of. */
	readonly hash: Uint8Array;
	/** Undefined for what may be signed twice. */
	readonly step: MarkedStep | undefined;
	/** For the log. */
	readonly facts: Readonly<Record<string, string>>;
}

const ROOT_LENGTH = 32;
/** Votes are for blocks and for lists of witnesses, in two rounds. */
const VOTES: ReadonlySet<number> = new Set([3, 4]);
/** A time of this size begins with bytes that no message does. */
const MAX_TIME_MS = 1n << 45n;

/** A slot is packed a moment before its time; clocks of two machines differ a little. */
const AHEAD_MS = 10_000n;
const GREETING_MS = 3_600_000n;
const VOTE_MS = 86_400_000n;

function signable(
	kind: SignedKind,
	key: string,
	hash: Uint8Array,
	facts: Readonly<Record<string, string>>,
): ReadRequest {
	const named = { ...facts, sha256: toHex(hash) };
	return { hash, facts: named, step: markedStepOf(kind, key, named) };
}

/** How far a key is by what the log has of a decision; undefined for what may be signed twice. */
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
 * Reads what is to be signed. Only canonical bytes are taken, without a field that the message doesn't have: none of them is a
 * transaction as well.
 * @param data hexadecimal digits; of a greeting its time in milliseconds
 * @param nowMs by the signer's clock: what is far from it could use up times to come
 * @returns a reason if it is no such thing
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
			// Heights, or the time of the next maintenance.
			if (vote.view_n > nowMs + VOTE_MS) return "far from the signer's clock";
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
		return signable(kind, key, hash, {
			block: String(number),
			timestamp: String(timestamp),
			witness: toHex(witness_address),
		});
	} catch {
		return `not a ${kind}`;
	}
}
