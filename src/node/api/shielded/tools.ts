/** Tools for the shielded transaction methods: randomness, a prover, and notes in messages. */

import { randomBytes } from "node:crypto";
import { EMPTY } from "../../../protocol/bytes.js";
import type { Dialect } from "../../../protocol/dialect.js";
import { Note as NoteMessage, type ReceiveNote } from "../../../protocol/messages.js";
import type { NoteToSend, Randomness } from "../../../protocol/sapling/descriptions.js";
import { checkLength, ShieldedError } from "../../../protocol/sapling/failure.js";
import type { Note } from "../../../protocol/sapling/note.js";
import { readPaymentAddress, writePaymentAddress } from "../../../protocol/sapling/payment-address.js";
import type { Prover } from "../../../protocol/sapling/prover.js";
import { authorizationKey } from "../../../protocol/sapling/shielded-keys.js";
import { KEY_SIZE } from "../../../protocol/sapling/sizes.js";
import type { TransferKeys } from "../../../protocol/sapling/transfer-builder.js";
import type { ApiContext } from "../context.js";

/** Cryptographically secure random bytes: the process's own, unless the node was given another source. */
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
 * The note in a message.
 * @throws {Bech32Error | ShieldedError} if its address is none
 */
export function readNote(message: Readonly<NoteMessage> | undefined): Note {
	const { diversifier, transmissionKey } = readPaymentAddress(message?.payment_address ?? "");
	const { value, rcm } = message ?? new NoteMessage();
	return { diversifier, transmissionKey, value, randomness: rcm };
}

/** A note to send, with its memo. @throws as {@link readNote} */
export const readReceive = ({ note }: Readonly<ReceiveNote>): NoteToSend => ({
	note: readNote(note),
	memo: note?.memo ?? EMPTY,
});

/** A sender's first key: either signs the spends, or leaves signing for later. */
export type FirstKey = { readonly ask: Uint8Array } | { readonly ak: Uint8Array };

/** @throws {ShieldedError} */
export function senderKeys(key: FirstKey, nsk: Uint8Array): TransferKeys {
	if ("ak" in key) return { ak: key.ak, nsk };
	checkLength(key.ask, KEY_SIZE);
	return { ask: key.ask, ak: authorizationKey(key.ask), nsk };
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
