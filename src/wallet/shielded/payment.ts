/** A payment before proving: the notes that it spends and creates (protocol/shielded §§10 and 11). */

import { randomBytes } from "node:crypto";
import { equalBytes } from "../../protocol/bytes.js";
import {
	type BuildingTools,
	type NoteToSend,
	type NoteToSpend,
	randomScalar,
	type SpendingKeys,
} from "../../protocol/sapling/descriptions.js";
import {
	type NotePath,
	type NoteVoucher,
	voucherPath,
	voucherRoot,
} from "../../protocol/sapling/incremental-tree.js";
import { addressOfKeys, type ShieldedKeys } from "../../protocol/sapling/key-set.js";
import type { Note } from "../../protocol/sapling/note.js";
import type { PaymentAddress } from "../../protocol/sapling/payment-address.js";
import type { SpendAuthority } from "../../protocol/sapling/spend-authorization.js";
import { Failure } from "../failure.js";
import type { NodeClient } from "../node/node-client.js";
import type { HeldNote, Holdings } from "./holdings.js";
import type { JudgedNote } from "./note-state.js";
import type { Pool } from "./pool.js";
import type { ScanResult } from "./scan.js";
import { ShieldedContract } from "./shielded-contract.js";

/** A note with everything needed to prove its spend. */
export interface ReadyNote {
	readonly note: Note;
	readonly nullifier: Uint8Array;
	/** Root of the tree that the path leads to. */
	readonly anchor: Uint8Array;
	readonly path: NotePath;
}

/**
 * Determines the anchor and path of each chosen note.
 * @param onAsked called if the contract had to be queried
 * @throws {Failure}
 */
export async function readyNotes(
	client: NodeClient,
	pool: Pool,
	chosen: readonly JudgedNote[],
	{ holdings, irreversible }: ScanResult,
	onAsked: () => void,
): Promise<readonly ReadyNote[]> {
	// An older root remains valid even if the newest blocks are dropped in a reorg.
	const isFirm = chosen.every(({ held }) => held.block <= irreversible.through);
	const known = isFirm ? irreversible : holdings;
	const own = chosen.map(({ held }) => ({ held, voucher: voucherIn(known, held) }));
	const [first] = own;
	const root = first?.voucher && voucherRoot(first.voucher);
	const isUsable =
		own.every(({ voucher }) => voucher) &&
		root !== undefined &&
		(pool.kind === "native" || (await new ShieldedContract(client, pool.contract).knowsRoot(root)));
	if (isUsable)
		return own.map(({ held, voucher }) => ({
			note: held.note,
			nullifier: markOf(held),
			anchor: root,
			path: voucherPath(voucher as NoteVoucher),
		}));
	if (pool.kind === "native")
		throw new Failure("not_found", "the tree of notes isn't known from its beginning", {
			hint: "coin shielded scan --again reads everything anew",
		});
	onAsked();
	const contract = new ShieldedContract(client, pool.contract);
	return await Promise.all(chosen.map(({ held }) => askedPath(contract, held)));
}

async function askedPath(contract: ShieldedContract, held: HeldNote): Promise<ReadyNote> {
	const { position, note } = held;
	if (position === undefined) throw new Failure("internal", "a note of a contract has no position");
	const { root, siblings } = await contract.path(position);
	return { note, nullifier: markOf(held), anchor: root, path: { siblings, position } };
}

function voucherIn({ received }: Holdings, { txID, index, note }: HeldNote): NoteVoucher | undefined {
	return received.find(
		(held) => held.txID === txID && held.index === index && equalBytes(held.note.randomness, note.randomness),
	)?.voucher;
}

function markOf({ nullifier }: HeldNote): Uint8Array {
	if (!nullifier) throw new Failure("internal", "a note without a nullifier was chosen");
	return nullifier;
}

/** Recipient of a payment: a shielded address, or a transparent account. */
export type PaymentTarget =
	| { readonly kind: "shielded"; readonly address: PaymentAddress }
	/** 21 bytes. */
	| { readonly kind: "account"; readonly account: Uint8Array };

/** A payment, with values in units of notes. */
export interface ShieldedPayment {
	readonly kind: "mint" | "transfer" | "burn";
	/** Keys of the spender; for a mint, only used for the sender's own copy of the notes. */
	readonly keys: ShieldedKeys | undefined;
	readonly spends: readonly ReadyNote[];
	readonly target: PaymentTarget;
	/** Value that the recipient receives. */
	readonly value: bigint;
	/** Value that returns to the sender. */
	readonly change: bigint;
	/** Memo that only the recipient can read; truncated at 512 bytes. */
	readonly memo: Uint8Array;
}

const SCALAR_BYTES = 64;

/** The operating system's cryptographic randomness. */
export const systemRandom = (length: number): Uint8Array => randomBytes(length);

/** The notes that a payment creates, with their randomness. */
export function notesToSend(payment: ShieldedPayment, random: BuildingTools["random"]): NoteToSend[] {
	const { target, value, change, memo, keys } = payment;
	const notes: NoteToSend[] = [];
	if (target.kind === "shielded") notes.push(outgoingNote(target.address, value, memo, random));
	if (change > 0n) {
		if (!keys) throw new Failure("internal", "change needs the keys that it goes back to");
		notes.push(outgoingNote(addressOfKeys(keys), change, new Uint8Array(0), random));
	}
	// Random order, so that it doesn't reveal which of the two notes is the change.
	return ((random(1)[0] as number) & 1) === 1 ? notes.reverse() : notes;
}

/** A note to create. @param memo truncated at 512 bytes */
export function outgoingNote(
	address: PaymentAddress,
	value: bigint,
	memo: Uint8Array,
	random: BuildingTools["random"],
): NoteToSend {
	return { note: { ...address, value, randomness: randomScalar(random) }, memo };
}

/** The notes that a payment spends, with the randomness for authorizing the spends. */
export function notesToSpend(payment: ShieldedPayment, random: BuildingTools["random"]): NoteToSpend[] {
	return payment.spends.map(({ note, anchor, path }) => ({
		note,
		anchor,
		path,
		alpha: randomScalar(random),
	}));
}

/** The key that encrypts the sender's copy of new notes: the sender's own, or a random throwaway key. */
export function outgoingKeyOf({ keys }: ShieldedPayment, random: BuildingTools["random"]): Uint8Array {
	return keys?.ovk ?? random(SCALAR_BYTES).slice(0, 32);
}

/** The keys needed to spend. @throws {Failure} `watch_only` */
export function spendingKeysOf({ keys }: ShieldedPayment): SpendingKeys & SpendAuthority {
	const secret = keys?.spending ?? keys?.delegated;
	if (!secret || !keys?.full) throw new Failure("watch_only", "this is a viewing key: it can't spend notes");
	const { ak } = keys.full;
	return "ask" in secret ? { ak, nsk: secret.nsk, ask: secret.ask } : { ak, ...secret };
}
