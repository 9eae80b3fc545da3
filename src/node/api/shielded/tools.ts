/** What the methods of shielded transactions work with: randomness, a prover, and the forms of notes in messages. */

import { randomBytes } from "node:crypto";
import type { Dialect } from "../../../protocol/dialect.js";
import { Note as NoteMessage } from "../../../protocol/messages.js";
import type { Randomness } from "../../../protocol/sapling/descriptions.js";
import { ShieldedError } from "../../../protocol/sapling/failure.js";
import type { Note } from "../../../protocol/sapling/note.js";
import { readPaymentAddress, writePaymentAddress } from "../../../protocol/sapling/payment-address.js";
import type { Prover } from "../../../protocol/sapling/prover.js";
import type { ApiContext } from "../context.js";

/** Unpredictable bytes: the process's own, unless the node was given others. */
export const randomnessOf = ({ node }: ApiContext): Randomness =>
	node.shieldedWork?.random ?? ((length) => Uint8Array.from(randomBytes(length)));

/** @throws {ShieldedError} where the node has nothing that makes proofs */
export async function proverOf({ node }: ApiContext): Promise<Prover> {
	const prover = await node.shieldedWork?.prover();
	if (!prover)
		throw new ShieldedError(
			"this node makes no proofs: node.shielded.params is not set; set it to a folder with sapling-spend.params and sapling-output.params of the network, or make the proofs where the keys are (coin shielded send)",
		);
	return prover;
}

/**
 * The note of a message.
 * @throws {Bech32Error | ShieldedError} if its address is none
 */
export function readNote(message: Readonly<NoteMessage> | undefined): Note {
	const { diversifier, transmissionKey } = readPaymentAddress(message?.payment_address ?? "");
	const { value, rcm } = message ?? new NoteMessage();
	return { diversifier, transmissionKey, value, randomness: rcm };
}

/** @param memo 512 bytes; zeros at the end are not shown */
export function writeNote(note: Note, memo: Uint8Array, dialect: Dialect): NoteMessage {
	let end = memo.length;
	while (end > 0 && memo[end - 1] === 0) end--;
	return NoteMessage.create({
		value: note.value,
		payment_address: writePaymentAddress(note, dialect),
		rcm: note.randomness,
		memo: memo.slice(0, end),
	});
}
