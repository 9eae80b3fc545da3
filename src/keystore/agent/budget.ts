/**
 * What an agent and its clients take at most. A connection carries one line of JSON each way, in which bytes are hexadecimal digits: the
 * longest answer is a post-quantum signature with its public key, and nothing longer is read.
 */

import { postQuantumSchemes } from "../../protocol/post-quantum/schemes.js";
import { KeystoreError } from "../keystore-error.js";

/** Keys that one agent holds, of all kinds; the list of their addresses is shorter than the longest answer. */
export const MAX_HELD_KEYS = 64;
/** Characters of a request: an address and two words, with the names of members. */
export const MAX_AGENT_REQUEST = 512;
/** Names of members, and what JSON puts around values. */
const FRAME = 128;
/** Characters of an answer. */
export const MAX_AGENT_ANSWER =
	FRAME +
	2 *
		Math.max(
			...postQuantumSchemes.map(
				({ publicKeyLength, longestSignature }) => publicKeyLength + longestSignature,
			),
		);

/** @throws {KeystoreError} `bad_value` for more keys than an agent holds */
export function checkKeyCount(count: number): void {
	if (count > MAX_HELD_KEYS)
		throw new KeystoreError(
			"bad_value",
			`an agent holds at most ${MAX_HELD_KEYS} keys, and ${count} are named`,
		);
}
