/**
 * The head of a chain from headers alone, without state (protocol/inclusion-proof §4). Each header extends
 * its parent and is signed by its producer; blocks are final by two thirds of a witness set that the caller
 * trusts. Any other producer is believed to be a witness once two thirds of that set have built on a block of
 * it, since they checked it against their state.
 */

import { blockId } from "../../../protocol/block.js";
import { equalBytes, toKey } from "../../../protocol/bytes.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { sha256 } from "../../../protocol/hash.js";
import { proofHeader, type SignedHeader } from "../../../protocol/inclusion/make.js";
import {
	MAX_POST_QUANTUM_BYTES,
	MAX_PROOF_HEADERS,
	MAX_RAW_HEADER_BYTES,
	type ProofHeader,
	type WitnessKey,
} from "../../../protocol/inclusion/proof.js";
import { headerSigner } from "../../../protocol/inclusion/verify.js";
import { InclusionError, type WitnessSet } from "../../../protocol/inclusion/witness-set.js";
import type { BlockHeader } from "../../../protocol/messages.js";
import { SLOT_MS, witnessesForFinality } from "../../../protocol/timing.js";

/** Maximum headers kept: those of a branch, and as many others. */
const MAX_KEPT = 2 * MAX_PROOF_HEADERS;
/** How far ahead of our clock a block may be, in milliseconds. */
const MAX_AHEAD_MS = 3_000;

/** A refused header; the message is one sentence. The peer that sent it is to blame. */
export class HeaderError extends Error {
	override readonly name = "HeaderError";
}

/** A header whose parent isn't kept: the ones in between have to be requested. */
export class UnlinkedHeader extends Error {
	override readonly name = "UnlinkedHeader";
}

export interface WatchedBlock extends SignedHeader {
	readonly id: Uint8Array;
	readonly number: bigint;
	readonly timestampMs: bigint;
	readonly root: Uint8Array;
}

/** On every network a cycle lasts longer than this many rounds. */
const MIN_ROUNDS = 2;

/**
 * Which witness has which slot, as inferred from blocks (protocol/consensus §1.1): within a cycle each has one position in
 * every round, and no position is shared. A contradiction means an out-of-turn block, or the first of a new cycle.
 */
export class PlaceTable {
	private constructor(
		private readonly round: number,
		/** Numbered in the order in which cycles were noticed. */
		readonly cycle: number,
		/** Slot in which this cycle was noticed; undefined: it may have started at any earlier time. */
		private readonly since: number | undefined,
		private readonly witnessAt: ReadonlyMap<number, string>,
		private readonly placeOf: ReadonlyMap<string, number>,
	) {}

	/** @param round slots of a round: active witnesses */
	static empty(round: number): PlaceTable {
		return new PlaceTable(round, 0, undefined, new Map(), new Map());
	}

	/** The table after a block; undefined if the witness can't have that slot. */
	taking(witness: string, slot: number): PlaceTable | undefined {
		const place = ((slot % this.round) + this.round) % this.round;
		const [holder, own] = [this.witnessAt.get(place), this.placeOf.get(witness)];
		if (holder === witness) return this;
		if (holder === undefined && own === undefined) {
			const { round, cycle, since } = this;
			const witnessAt = new Map(this.witnessAt).set(place, witness);
			return new PlaceTable(round, cycle, since, witnessAt, new Map(this.placeOf).set(witness, place));
		}
		if (this.since !== undefined && slot - this.since < MIN_ROUNDS * this.round) return undefined;
		const { round, cycle } = this;
		return new PlaceTable(round, cycle + 1, slot, new Map([[place, witness]]), new Map([[witness, place]]));
	}
}

interface Kept extends WatchedBlock {
	/** Undefined at the lowest kept block. */
	parent: Kept | undefined;
	/** Slots since the anchor. */
	readonly slot: number;
	readonly places: PlaceTable;
}

/** The set of witnesses that makes blocks final has changed. */
export interface SetChange {
	/** The last block that shows it. */
	readonly number: bigint;
	readonly added: readonly WitnessKey[];
	readonly removed: readonly WitnessKey[];
	/**
	 * Members of the previous set that produced no block in the whole cycle: it is unknown whether they still belong to it.
	 */
	readonly silent: number;
}

/** The effect of a header. */
export interface Progress {
	readonly block: WatchedBlock;
	/** It is the new head. */
	readonly isHead: boolean;
	/** A reorg has changed the head. */
	readonly isReorg: boolean;
	/** Newly final blocks, ascending. */
	readonly final: readonly WatchedBlock[];
	readonly changes: readonly SetChange[];
}

interface HeaderChainOptions {
	/** Milliseconds since 1970. */
	readonly wallClock: () => number;
	/** Whether the network has post-quantum signatures. */
	readonly hasPostQuantum: boolean;
}

export class HeaderChain {
	/** The keys whose blocks count, by address. */
	private counted: Map<string, WitnessKey>;
	private readonly size: number;
	/** Number of distinct counted witnesses that make a block final. */
	readonly needed: number;
	private readonly kept = new Map<string, Kept>();
	private anchor: Kept | undefined;
	private tip: Kept | undefined;
	private last: Kept | undefined;
	/** Producers of final blocks in the last final block's cycle. */
	private seen = new Map<string, WitnessKey>();
	private cycle: PlaceTable["cycle"] | undefined;

	/** @param trusted at least one witness */
	constructor(
		trusted: WitnessSet,
		private readonly options: HeaderChainOptions,
	) {
		this.counted = new Map(trusted.witnesses.map((each) => [toKey(each.address), each]));
		this.size = trusted.witnesses.length;
		this.needed = witnessesForFinality(this.size);
	}

	get head(): WatchedBlock | undefined {
		return this.tip;
	}

	/** The highest block on which two thirds have built. */
	get final(): WatchedBlock | undefined {
		return this.last;
	}

	/** The witnesses whose blocks currently count. */
	get witnesses(): readonly WitnessKey[] {
		return [...this.counted.values()];
	}

	has(id: Uint8Array): boolean {
		return this.kept.has(toKey(id));
	}

	/** Ids from which a peer finds where our chain forks from its own: the last final block (or the first), and the head. */
	get summary(): readonly WatchedBlock[] {
		const from = this.last ?? this.anchor;
		if (!from) return [];
		return this.tip && this.tip.number > from.number ? [from, this.tip] : [from];
	}

	/**
	 * Forgets the blocks, so that the next one may follow anywhere after the last final one. Knowledge of witnesses is kept.
	 */
	restart(): void {
		this.kept.clear();
		this.anchor = undefined;
		this.tip = undefined;
	}

	/**
	 * Takes a header.
	 * @throws {HeaderError | UnlinkedHeader}
	 */
	add(header: Readonly<BlockHeader>): Progress {
		if (this.last && this.last !== this.anchor && this.kept.has(toKey(this.last.id)))
			this.forgetBefore(this.last);
		const bare = this.bareOf(header);
		const parent = this.kept.get(toKey(header.raw_data?.parentHash ?? new Uint8Array(0)));
		if (this.kept.has(toKey(bare.id))) throw new HeaderError(`block ${bare.number} comes twice`);
		if (!parent && this.anchor)
			throw new UnlinkedHeader(`block ${bare.number} stands on a block that isn't known`);
		if (!parent && this.last && this.contradicts(bare, this.last))
			throw new HeaderError(`block ${bare.number} is not the one that is final`);
		this.checkPlace(bare, parent);
		const slot = parent ? slotAfter(parent, bare) : 0;
		const witness = toKey(bare.address);
		const places = (parent?.places ?? PlaceTable.empty(this.size)).taking(witness, slot);
		if (!places)
			throw new HeaderError(
				`block ${bare.number} is in a slot of another witness, and no new cycle can begin there`,
			);
		const key = this.signerOf(bare);
		const block: Kept = { ...bare, key, parent, slot, places };
		this.checkStrangers(block);
		if (this.kept.size >= MAX_KEPT) throw new HeaderError("there are too many branches");
		this.kept.set(toKey(block.id), block);
		this.anchor ??= block;
		const before = this.tip;
		const isHead = !before || block.number > before.number;
		if (isHead) this.tip = block;
		const { final, changes } = isHead ? this.advance(block) : { final: [], changes: [] };
		return {
			block,
			isHead,
			isReorg: isHead && before !== undefined && block.parent !== before,
			final,
			changes,
		};
	}

	/** The headers from a final block to the one that makes it final: what a proof needs. */
	proofHeaders(id: Uint8Array): readonly SignedHeader[] | undefined {
		const headers: Kept[] = [];
		for (let at = this.tip; at; at = at.parent) {
			headers.push(at);
			if (equalBytes(at.id, id)) break;
		}
		headers.reverse();
		if (!headers[0] || !equalBytes(headers[0].id, id)) return undefined;
		const builders = new Set<string>();
		for (const [index, { address, key }] of headers.entries()) {
			if (this.counts(address, key)) builders.add(toKey(address));
			if (builders.size >= this.needed) return headers.slice(0, index + 1);
		}
		return undefined;
	}

	/** The header's claims, bounds-checked, before any signature is verified. */
	private bareOf(header: Readonly<BlockHeader>): Omit<WatchedBlock, "key"> {
		const raw = header.raw_data;
		if (!raw || raw.number < 1n) throw new HeaderError("a header without a number");
		const proven = formOf(header);
		const signatureBytes = proven.postQuantum?.length ?? 0;
		if (proven.raw.length > MAX_RAW_HEADER_BYTES || signatureBytes > MAX_POST_QUANTUM_BYTES)
			throw new HeaderError(`the header of block ${raw.number} is too long`);
		if (proven.postQuantum && !this.options.hasPostQuantum)
			throw new HeaderError(`block ${raw.number} has a signature that this network doesn't know`);
		const id = blockId(raw.number, sha256(proven.raw));
		const { number, timestamp: timestampMs, txTrieRoot: root, witness_address: address } = raw;
		return { header: proven, id, number, timestampMs, root, address };
	}

	/** Where blocks restart: nothing can be compared below the final one. */
	private contradicts({ id, number }: Omit<WatchedBlock, "key">, last: Kept): boolean {
		return number < last.number || (number === last.number && !equalBytes(id, last.id));
	}

	private checkPlace(block: Omit<WatchedBlock, "key">, parent: Kept | undefined): void {
		const { number, timestampMs } = block;
		if (Number(timestampMs) > this.options.wallClock() + MAX_AHEAD_MS)
			throw new HeaderError(`block ${number} comes before its time`);
		if (!parent) return;
		if (
			number !== parent.number + 1n ||
			timestampMs <= parent.timestampMs ||
			slotAfter(parent, block) <= parent.slot
		)
			throw new HeaderError(`block ${number} doesn't follow block ${parent.number} in number and time`);
		const anchored = (this.anchor as Kept).number;
		const unfinal = number - (this.last && this.last.number > anchored ? this.last.number : anchored);
		if (unfinal >= BigInt(MAX_PROOF_HEADERS))
			throw new HeaderError(
				`${unfinal} blocks, and fewer than ${this.needed} witnesses of the set build on them`,
			);
	}

	/** The address of the key that signed it; checked last, because it is expensive. */
	private signerOf({ header, number }: Omit<WatchedBlock, "key">): Uint8Array {
		try {
			return headerSigner(header, sha256(header.raw), number);
		} catch (error) {
			if (error instanceof InclusionError) throw new HeaderError(error.message);
			throw error;
		}
	}

	/** Non-final blocks can't have more unknown producers than two thirds leave room for. */
	private checkStrangers(block: Kept): void {
		const strangers = new Set<string>();
		for (let at: Kept | undefined = block; at && at !== this.last; at = at.parent) {
			if (!this.counts(at.address, at.key)) strangers.add(toKey(at.address));
		}
		if (strangers.size <= this.size - this.needed) return;
		throw new HeaderError(
			`${strangers.size} of the witnesses up to block ${block.number} are not in the set of ${this.size}, and ${this.needed} of those are needed`,
		);
	}

	private counts(address: Uint8Array, key: Uint8Array): boolean {
		const known = this.counted.get(toKey(address));
		return known !== undefined && equalBytes(known.key, key);
	}

	/** Advances the last final block as far as the head's branch allows. */
	private advance(head: Kept): { final: WatchedBlock[]; changes: SetChange[] } {
		const builders = new Set<string>();
		let found: Kept | undefined;
		for (let at: Kept | undefined = head; at && at !== this.last; at = at.parent) {
			if (this.counts(at.address, at.key)) builders.add(toKey(at.address));
			if (builders.size >= this.needed) {
				found = at;
				break;
			}
		}
		if (!found) return { final: [], changes: [] };
		const final: Kept[] = [];
		for (let at: Kept | undefined = found; at && at !== this.last; at = at.parent) final.unshift(at);
		if (final[0] && this.last && equalBytes(final[0].id, this.last.id)) final.shift();
		this.last = found;
		const changes = final.flatMap((block) => this.attest(block));
		return { final, changes };
	}

	/** The producer of a final block is a witness: two thirds have accepted the block. */
	private attest({ address, key, places, number }: Kept): SetChange[] {
		const changes: SetChange[] = [];
		if (this.cycle !== undefined && places.cycle !== this.cycle) {
			const change = this.renew(number);
			if (change) changes.push(change);
			this.seen = new Map();
		}
		this.cycle = places.cycle;
		this.seen.set(toKey(address), { address, key });
		if (this.seen.size === this.size) {
			const change = this.renew(number);
			if (change) changes.push(change);
		}
		return changes;
	}

	/** The counted set becomes the cycle's block producers, filled up from the previous set. */
	private renew(number: bigint): SetChange | undefined {
		const before = this.counted;
		const next = new Map(this.seen);
		for (const [witness, each] of before)
			if (next.size < this.size && !next.has(witness)) next.set(witness, each);
		const isIn = (set: ReadonlyMap<string, WitnessKey>, { address, key }: WitnessKey): boolean =>
			equalBytes(set.get(toKey(address))?.key ?? new Uint8Array(0), key);
		const added = [...next.values()].filter((each) => !isIn(before, each));
		const removed = [...before.values()].filter((each) => !isIn(next, each));
		this.counted = next;
		if (added.length + removed.length === 0) return undefined;
		return { number, added, removed, silent: this.size - this.seen.size };
	}

	/** Drops blocks before a final one, whose proofs are already made, and lost branches. */
	private forgetBefore(final: Kept): void {
		for (const [id, { number }] of this.kept) if (number < final.number) this.kept.delete(id);
		for (const [id, block] of this.kept) if (!standsOn(block, final)) this.kept.delete(id);
		this.anchor = final;
		final.parent = undefined;
	}
}

function standsOn(block: Kept, final: Kept): boolean {
	let at: Kept | undefined = block;
	while (at && at.number > final.number) at = at.parent;
	return at === final;
}

/** The slot of a block, in whole slots since its parent. */
function slotAfter(parent: Kept, { timestampMs }: { readonly timestampMs: bigint }): number {
	return parent.slot + Number((timestampMs - parent.timestampMs) / SLOT_MS);
}

/** A header in proof format. */
function formOf(header: Readonly<BlockHeader>): ProofHeader {
	try {
		return proofHeader(header);
	} catch (error) {
		if (error instanceof DecodeError) throw new HeaderError("a header whose signature is none");
		throw error;
	}
}
