/**
 * The notes of one holder as of a block, decrypted with the holder's keys. Values are immutable; {@link
 * HoldingsReader} derives the next from the previous one. A note's voucher is updated with every later note
 * of the pool, so that its path in the tree can be computed without a query.
 */

import { toHex } from "../../protocol/bytes.js";
import { ShieldedError } from "../../protocol/sapling/failure.js";
import {
	appendLeaf,
	appendToVoucher,
	EMPTY_NOTE_TREE,
	issueVoucher,
	type NoteTree,
	type NoteVoucher,
	treeSize,
} from "../../protocol/sapling/incremental-tree.js";
import type { ShieldedKeys } from "../../protocol/sapling/key-set.js";
import type { Note } from "../../protocol/sapling/note.js";
import { nullifier } from "../../protocol/sapling/note.js";
import { openNote, openSentNote } from "../../protocol/sapling/note-encryption.js";
import { Failure } from "../failure.js";
import type { PoolTransaction, PublishedBurn, PublishedNote } from "./pool.js";
import { withoutFilling } from "./pool-reading.js";

/** A transaction's position in the chain. */
interface Occurrence {
	/** 64 hexadecimal digits. */
	readonly txID: string;
	readonly block: bigint;
}

/** A note that the holder received. */
export interface HeldNote extends Occurrence {
	readonly note: Note;
	/** Without trailing zeros. */
	readonly memo: Uint8Array;
	/** Index among the new notes of its transaction. */
	readonly index: number;
	/** Position in the tree; undefined if the beginning of the tree isn't known. */
	readonly position: bigint | undefined;
	/** Undefined without a full viewing key, or without a position. */
	readonly nullifier: Uint8Array | undefined;
	/** Only for unspent notes, and if the whole tree is known. */
	readonly voucher: NoteVoucher | undefined;
	readonly spent: Occurrence | undefined;
}

/** A note that the holder sent. */
export interface SentNote extends Occurrence {
	readonly note: Note;
	readonly memo: Uint8Array;
}

/** A payment from the holder's notes to a transparent account. */
export interface BurntNote extends Occurrence, PublishedBurn {}

export interface Holdings {
	/** Number of the last block read, followed by its id; -1 and an empty id before the first. */
	readonly through: bigint;
	readonly id: Uint8Array;
	/** The tree of all notes of the pool; undefined if its beginning isn't known. */
	readonly tree: NoteTree | undefined;
	readonly received: readonly HeldNote[];
	readonly sent: readonly SentNote[];
	readonly burnt: readonly BurntNote[];
	/** Whether notes were spent in transactions that don't show which ones. */
	readonly hasSilentSpends: boolean;
}

/** The most notes that are kept; flooding a holder with more would cost the sender a transaction for each. */
const MAX_NOTES = 100_000;

/**
 * Holdings before anything was read.
 * @param isWhole whether reading starts at the pool's beginning
 */
export function noHoldings(through: bigint, id: Uint8Array, isWhole: boolean): Holdings {
	const tree = isWhole ? EMPTY_NOTE_TREE : undefined;
	return { through, id, tree, received: [], sent: [], burnt: [], hasSilentSpends: false };
}

export class HoldingsReader {
	private tree: NoteTree | undefined;
	/** The tree that already includes the next note. */
	private start: NoteTree | undefined;
	private readonly received: HeldNote[];
	private readonly sent: SentNote[];
	private readonly burnt: BurntNote[];
	private hasSilentSpends: boolean;
	/** Indexes of unspent notes, by nullifier. */
	private readonly unspent = new Map<string, number>();
	/** Indexes of notes that have a voucher. */
	private readonly growing = new Set<number>();

	constructor(
		private readonly keys: ShieldedKeys,
		before: Holdings,
	) {
		this.tree = before.tree;
		this.received = [...before.received];
		this.sent = [...before.sent];
		this.burnt = [...before.burnt];
		this.hasSilentSpends = before.hasSilentSpends;
		for (const [place, held] of this.received.entries()) this.index(place, held);
	}

	/** Whether the whole tree is known. */
	get isWhole(): boolean {
		return this.tree !== undefined;
	}

	/** Continues with a tree obtained elsewhere. @param tree whose last leaf is the next note */
	startWith(tree: NoteTree): void {
		this.start = tree;
	}

	/** Applies the next transaction of the pool. @throws {Failure} */
	take(transaction: PoolTransaction): void {
		const { txID, block } = transaction;
		let isOwn = false;
		for (const spent of transaction.nullifiers) {
			const place = this.unspent.get(toHex(spent));
			if (place === undefined) continue;
			isOwn = true;
			this.unspent.delete(toHex(spent));
			this.growing.delete(place);
			const held = this.received[place] as HeldNote;
			this.received[place] = { ...held, voucher: undefined, spent: { txID, block } };
		}
		for (const published of transaction.notes) this.takeNote(published, { txID, block });
		if (isOwn) this.burnt.push(...transaction.burns.map((burn) => ({ ...burn, txID, block })));
		this.hasSilentSpends ||= transaction.isSilent;
	}

	private takeNote(published: PublishedNote, place: Occurrence): void {
		const position = this.append(published);
		const opened = opening(() => openNote(this.keys.ivk, published.epk, published.forReceiver, published.cm));
		if (!opened) {
			this.takeSent(published, place);
			return;
		}
		if (this.received.length >= MAX_NOTES)
			throw new Failure("bad_value", `this key has received ${MAX_NOTES} notes; more are not kept`);
		const { full } = this.keys;
		const held: HeldNote = {
			...place,
			note: opened.note,
			memo: withoutFilling(opened.memo),
			index: published.index,
			position,
			nullifier:
				full && position !== undefined ? nullifier(opened.note, full.ak, full.nk, position) : undefined,
			voucher: this.tree && issueVoucher(this.tree),
			spent: undefined,
		};
		this.received.push(held);
		this.index(this.received.length - 1, held);
	}

	private takeSent(published: PublishedNote, place: Occurrence): void {
		const { ovk } = this.keys;
		if (!ovk) return;
		const opened = opening(() => openSentNote(ovk, published));
		if (opened && this.sent.length < MAX_NOTES)
			this.sent.push({ ...place, note: opened.note, memo: withoutFilling(opened.memo) });
	}

	private index(place: number, { nullifier: mark, spent, voucher }: HeldNote): void {
		if (spent) return;
		if (mark) this.unspent.set(toHex(mark), place);
		if (voucher) this.growing.add(place);
	}

	/** Appends a note to the tree and to the vouchers of earlier notes. @returns its position, if known */
	private append({ cm, position }: PublishedNote): bigint | undefined {
		if (this.start) {
			this.tree = this.start;
			this.start = undefined;
			return BigInt(treeSize(this.tree) - 1);
		}
		// The pool's very first note: no part of the tree was missed.
		if (!this.tree && position === 0n) this.tree = EMPTY_NOTE_TREE;
		if (!this.tree) return position;
		const next = BigInt(treeSize(this.tree));
		if (position !== undefined && position !== next) {
			// Some notes were missed: from here on, paths have to be queried from the contract.
			this.forgetTree();
			return position;
		}
		this.tree = appendLeaf(this.tree, cm);
		for (const place of this.growing) {
			const held = this.received[place] as HeldNote;
			if (held.voucher) this.received[place] = { ...held, voucher: appendToVoucher(held.voucher, cm) };
		}
		return next;
	}

	private forgetTree(): void {
		this.tree = undefined;
		this.growing.clear();
		for (const [place, held] of this.received.entries())
			if (held.voucher) this.received[place] = { ...held, voucher: undefined };
	}

	/** The holdings after a block. */
	after(through: bigint, id: Uint8Array): Holdings {
		const { tree, hasSilentSpends } = this;
		return {
			through,
			id,
			tree,
			received: [...this.received],
			sent: [...this.sent],
			burnt: [...this.burnt],
			hasSilentSpends,
		};
	}
}

/** Opens a note; undefined for one that its sender encoded wrongly, which nobody can spend. */
function opening<T>(open: () => T | undefined): T | undefined {
	try {
		return open();
	} catch (error) {
		if (error instanceof ShieldedError) return undefined;
		throw error;
	}
}
