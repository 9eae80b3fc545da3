/** The way of each note to a root that the pool knows: from the vouchers of one's own reading, and only where these are missing from the contract, which then learns what is asked about. */

import { equalBytes } from "../../protocol/bytes.js";
import {
	type NotePath,
	type NoteVoucher,
	voucherPath,
	voucherRoot,
} from "../../protocol/sapling/incremental-tree.js";
import type { Note } from "../../protocol/sapling/note.js";
import { Failure } from "../failure.js";
import type { NodeClient } from "../node/node-client.js";
import type { HeldNote, Holdings } from "./holdings.js";
import type { JudgedNote } from "./note-state.js";
import type { Pool } from "./pool.js";
import type { ScanResult } from "./scan.js";
import { ShieldedContract } from "./shielded-contract.js";

/** A note with everything that its spend proves. */
export interface ReadyNote {
	readonly note: Note;
	readonly nullifier: Uint8Array;
	/** Root that the path leads to. */
	readonly anchor: Uint8Array;
	readonly path: NotePath;
}

/**
 * @param onAsked called where the contract had to be asked
 * @throws {Failure}
 */
export async function readyNotes(
	client: NodeClient,
	pool: Pool,
	chosen: readonly JudgedNote[],
	{ holdings, irreversible }: ScanResult,
	onAsked: () => void,
): Promise<readonly ReadyNote[]> {
	// An older root stays known whatever becomes of the newest blocks.
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
