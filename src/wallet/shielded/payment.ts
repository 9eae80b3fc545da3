/** A payment into, inside or out of a pool, before its proofs are made: which notes it spends, and which it makes (protocol/shielded §§10 and 11). */

import { randomBytes } from "node:crypto";
import type {
	BuildingTools,
	NoteToSend,
	NoteToSpend,
	SpendingKeys,
} from "../../protocol/sapling/descriptions.js";
import { randomScalar } from "../../protocol/sapling/descriptions.js";
import { addressOfKeys, type ShieldedKeys } from "../../protocol/sapling/key-set.js";
import type { PaymentAddress } from "../../protocol/sapling/payment-address.js";
import type { SpendAuthority } from "../../protocol/sapling/spend-authorization.js";
import { Failure } from "../failure.js";
import type { ReadyNote } from "./ready-notes.js";

/** Where a payment goes. */
export type PaymentTarget =
	| { readonly kind: "shielded"; readonly address: PaymentAddress }
	/** 21 bytes. */
	| { readonly kind: "account"; readonly account: Uint8Array };

/** What a payment does, in units of notes. */
export interface ShieldedPayment {
	readonly kind: "mint" | "transfer" | "burn";
	/** Of whoever spends; of a mint only for the sender's own copy. */
	readonly keys: ShieldedKeys | undefined;
	readonly spends: readonly ReadyNote[];
	readonly target: PaymentTarget;
	/** What arrives. */
	readonly value: bigint;
	/** What comes back. */
	readonly change: bigint;
	/** For the recipient alone; cut at 512 bytes. */
	readonly memo: Uint8Array;
}

const SCALAR_BYTES = 64;

/** Randomness of the system. */
export const systemRandom = (length: number): Uint8Array => randomBytes(length);

/** The notes that a payment makes, with their randomness. */
export function notesToSend(payment: ShieldedPayment, random: BuildingTools["random"]): NoteToSend[] {
	const { target, value, change, memo, keys } = payment;
	const notes: NoteToSend[] = [];
	if (target.kind === "shielded") notes.push(outgoingNote(target.address, value, memo, random));
	if (change > 0n) {
		if (!keys) throw new Failure("internal", "change needs the keys that it goes back to");
		notes.push(outgoingNote(addressOfKeys(keys), change, new Uint8Array(0), random));
	}
	// Which of two comes back is nobody's business.
	return ((random(1)[0] as number) & 1) === 1 ? notes.reverse() : notes;
}

/** @param memo cut at 512 bytes */
export function outgoingNote(
	address: PaymentAddress,
	value: bigint,
	memo: Uint8Array,
	random: BuildingTools["random"],
): NoteToSend {
	return { note: { ...address, value, randomness: randomScalar(random) }, memo };
}

/** The notes that a payment spends, with the randomness of their authorization. */
export function notesToSpend(payment: ShieldedPayment, random: BuildingTools["random"]): NoteToSpend[] {
	return payment.spends.map(({ note, anchor, path }) => ({
		note,
		anchor,
		path,
		alpha: randomScalar(random),
	}));
}

/** What the sender's copy of new notes is sealed with: the sender's own key, or one that nobody has. */
export function outgoingKeyOf({ keys }: ShieldedPayment, random: BuildingTools["random"]): Uint8Array {
	return keys?.ovk ?? random(SCALAR_BYTES).slice(0, 32);
}

/** The keys that spend. @throws {Failure} `watch_only` */
export function spendingKeysOf({ keys }: ShieldedPayment): SpendingKeys & SpendAuthority {
	const secret = keys?.spending ?? keys?.delegated;
	if (!secret || !keys?.full) throw new Failure("watch_only", "this is a viewing key: it can't spend notes");
	const { ak } = keys.full;
	return "ask" in secret ? { ak, nsk: secret.nsk, ask: secret.ask } : { ak, ...secret };
}
