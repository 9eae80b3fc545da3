/**
 * The notes of one holder as of a block: what a pool published so far, seen with the holder's keys. Values are never changed;
 * {@link HoldingsReader} makes the next from the one before. A note's voucher grows with every later note of the pool, and
 * is what makes its path in the tree without asking anybody.
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

/** A place in the chain. */
interface Occurrence {
	/** 64 hexadecimal digits. */
	readonly txID: string;
	readonly block: bigint;
}

/** A note that came. */
export interface HeldNote extends Occurrence {
	readonly note: Note;
	/** Without the zeros behind it. */
	readonly memo: Uint8Array;
	/** Among the new notes of its transaction. */
	readonly index: number;
	/** Unknown where the beginning of the tree is. */
	readonly position: bigint | undefined;
	/** Unknown without a full viewing key, or without a position. */
	readonly nullifier: Uint8Array | undefined;
	/** Only of notes that are not spent, where the whole tree is known. */
	readonly voucher: NoteVoucher | undefined;
	readonly spent: Occurrence | undefined;
}

/** A note that the holder sent. */
export interface SentNote extends Occurrence {
	readonly note: Note;
	readonly memo: Uint8Array;
}

/** What the holder's notes paid to a transparent account. */
export interface BurntNote extends Occurrence, PublishedBurn {}

export interface Holdings {
	/** Number of the last block that was read, and its id; -1 and none before the first. */
	readonly through: bigint;
	readonly id: Uint8Array;
	/** All notes of the pool; undefined where its beginning isn't known. */
	readonly tree: NoteTree | undefined;
	readonly received: readonly HeldNote[];
	readonly sent: readonly SentNote[];
	readonly burnt: readonly BurntNote[];
	/** Notes were spent without it being told which. */
	readonly hasSilentSpends: boolean;
}

/** More are not kept: each costs whoever sends it a transaction. */
const MAX_NOTES = 100_000;

/**
 * Nothing yet.
 * @param isWhole reading starts where the pool does
 */
export function noHoldings(through: bigint, id: Uint8Array, isWhole: boolean): Holdings {
	const tree = isWhole ? EMPTY_NOTE_TREE : undefined;
	return { through, id, tree, received: [], sent: [], burnt: [], hasSilentSpends: false };
}

export class HoldingsReader {
	private tree: NoteTree | undefined;
	/** The tree with the next note in it already. */
	private start: NoteTree | undefined;
	private readonly received: HeldNote[];
	private readonly sent: SentNote[];
	private readonly burnt: BurntNote[];
	private hasSilentSpends: boolean;
	/** Places of notes that are not spent, by nullifier. */
	private readonly unspent = new Map<string, number>();
	/** Places of notes that have a voucher. */
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

	/** Knows the tree from elsewhere from here on. @param tree with the next note as its last leaf */
	startWith(tree: NoteTree): void {
		this.start = tree;
	}

	/** The next transaction of the pool. @throws {Failure} */
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

	/** Puts a note into the tree and beside the ways of those before. @returns its position, if that is known */
	private append({ cm, position }: PublishedNote): bigint | undefined {
		if (this.start) {
			this.tree = this.start;
			this.start = undefined;
			return BigInt(treeSize(this.tree) - 1);
		}
		// The first note of all: nothing of the tree was missed.
		if (!this.tree && position === 0n) this.tree = EMPTY_NOTE_TREE;
		if (!this.tree) return position;
		const next = BigInt(treeSize(this.tree));
		if (position !== undefined && position !== next) {
			// Notes are missing: from here on, paths have to come from the contract.
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

	/** What is known after a block. */
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

/** A note that its sender made wrongly is passed over; it is no one's. */
function opening<T>(open: () => T | undefined): T | undefined {
	try {
		return open();
	} catch (error) {
		if (error instanceof ShieldedError) return undefined;
		throw error;
	}
}
