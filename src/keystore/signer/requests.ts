/** What a node asks a signer for, how long lines are, and what of a request the signer checks before it looks at its marks. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { be64, equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import { BlockHeaderRaw, PBFTMessageRaw } from "../../protocol/messages.js";
import type { MarkedStep } from "./marks.js";

/** Characters of a request: a vote for a list of 27 witnesses is the longest, two digits a byte. */
export const MAX_SIGNER_REQUEST = 4_096;
/** What an answer takes at most, post-quantum keys included. */
export const MAX_SIGNER_ANSWER = 1 << 20;
/** Longest time that a node waits for one. */
export const SIGNER_ANSWER_MS = 1_000;

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

/**
 * Reads what is to be signed. Only canonical bytes are taken, without a field that the message doesn't have: none of them is a
 * transaction as well.
 * @param data hexadecimal digits; of a greeting its time in milliseconds
 * @returns a reason if it is no such thing
 */
export function readRequest(kind: SignedKind, key: string, data: string): ReadRequest | string {
	if (kind === "hello") {
		if (!/^\d{1,14}$/.test(data) || BigInt(data) >= MAX_TIME_MS) return "not a time";
		return { hash: sha256(be64(BigInt(data))), step: undefined, facts: { timestamp: data } };
	}
	if (!/^(?:[0-9a-f]{2})+$/.test(data)) return "not bytes";
	const bytes = fromHex(data);
	const hash = sha256(bytes);
	const step = (name: string, places: readonly bigint[]): MarkedStep => ({
		subject: `${key} ${name}`,
		places,
		hash: toHex(hash),
	});
	try {
		if (kind === "vote") {
			const vote = PBFTMessageRaw.decode(bytes);
			if (vote.$unknown !== undefined || !equalBytes(PBFTMessageRaw.encode(vote), bytes))
				return "not canonical";
			if (!VOTES.has(vote.msg_type) || vote.view_n <= 0n) return "not a vote";
			const facts = { view: String(vote.view_n), round: String(vote.msg_type), of: String(vote.data_type) };
			return { hash, step: step(`vote ${vote.data_type} ${vote.msg_type}`, [vote.view_n]), facts };
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
		const facts = { block: String(number), timestamp: String(timestamp), witness: toHex(witness_address) };
		return { hash, step: step("block", [number, timestamp]), facts };
	} catch {
		return `not a ${kind}`;
	}
}
