/**
 * The index of logs (protocol/json-rpc §9.3): which blocks may hold a log with an address or topic.
 *
 * Each block has a bloom of 2048 bits, in which an item sets three. The index is turned by ninety degrees: an entry
 * holds one bit of 2048 consecutive blocks, a section, so that a query reads a few entries for each item and section
 * and never looks at a block that can't match. Block `n` is at bit `n mod 2048` of an entry, counted from the least
 * significant of the first byte; zero bytes at the end are left out.
 */

import { toKey } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

/** Blocks of a section, and bits of a block's bloom. */
const SECTION_BLOCKS = 2048;
const BLOOM_BITS = 2048;
const BLOOM_BYTES = BLOOM_BITS / 8;
const BITS_PER_ITEM = 3;
/** Items of a query between two moments at which others may get a turn. */
const ITEMS_A_STEP = 64;
/** Keys of sections are this far apart. */
const SECTION_STRIDE = 1_000_000;

function rowKey(section: number, bit: number): Uint8Array {
	return Buffer.from((section * SECTION_STRIDE + bit).toString(16), "latin1");
}

/** The keys of all rows of the sections that end among some blocks. */
export function* rowsOfSections(first: bigint, last: bigint): Generator<Uint8Array> {
	const size = BigInt(SECTION_BLOCKS);
	for (let section = first / size; (section + 1n) * size - 1n <= last; section++) {
		for (let bit = 0; bit < BLOOM_BITS; bit++) yield rowKey(Number(section), bit);
	}
}

/**
 * The rows of the index in which an item is marked.
 * @param item an address of 20 bytes or a topic of 32
 */
export function bloomBits(item: Uint8Array): readonly number[] {
	const hash = keccak256(item);
	return Array.from({ length: BITS_PER_ITEM }, (_, i) => {
		const bit = (((hash[2 * i] as number) & 7) << 8) + (hash[2 * i + 1] as number);
		// Bit 0 of the bloom is the least significant of its last byte; rows count from the first byte.
		return (BLOOM_BYTES - 1 - (bit >> 3)) * 8 + (bit & 7);
	});
}

/** The rows that the logs of a block set. */
export function bloomOfBlock(infos: readonly Readonly<TransactionInfo>[]): ReadonlySet<number> {
	const bits = new Set<number>();
	// Logs of one block name the same contracts and events again and again.
	const seen = new Set<string>();
	const add = (item: Uint8Array): void => {
		const key = toKey(item);
		if (seen.has(key)) return;
		seen.add(key);
		for (const bit of bloomBits(item)) bits.add(bit);
	};
	for (const { log } of infos) {
		for (const { address, topics } of log) {
			add(address);
			topics.forEach(add);
		}
	}
	return bits;
}

/** Marks a block in the rows of all that its logs name. */
export function indexLogs(
	state: StateView,
	number: bigint,
	infos: readonly Readonly<TransactionInfo>[],
): void {
	const section = Number(number / BigInt(SECTION_BLOCKS));
	const position = Number(number % BigInt(SECTION_BLOCKS));
	for (const bit of bloomOfBlock(infos)) {
		const key = rowKey(section, bit);
		const row = state.sectionBloom.get(key);
		const copy = new Uint8Array(Math.max(row?.length ?? 0, (position >> 3) + 1));
		if (row) copy.set(row);
		copy[position >> 3] = (copy[position >> 3] as number) | (1 << (position & 7));
		state.sectionBloom.put(key, copy);
	}
}

/** The rows of items of which one must occur in a block. */
export type BloomGroup = readonly (readonly number[])[];

/** Heights; both bounds count. */
interface Heights {
	readonly from: bigint;
	readonly to: bigint;
}

/** A range of heights, parted by sections. */
export function* sections({ from, to }: Heights): Generator<Heights> {
	const size = BigInt(SECTION_BLOCKS);
	for (let first = from; first <= to; ) {
		const last = first - (first % size) + size - 1n;
		yield { from: first, to: last < to ? last : to };
		first = last + 1n;
	}
}

/**
 * Blocks of one section that may hold logs which name one item of each group, ascending. Every block that does is
 * among them, if the index was kept while it was applied. An undefined stands wherever others may get a turn: a group
 * may have many items.
 *
 * PERF: reads three rows for each item, none of them twice, as long as there are candidates left.
 * @param groups not empty, none of them empty
 * @param range within one section
 */
export function* candidateSteps(
	view: () => StateView,
	groups: readonly BloomGroup[],
	{ from, to }: Heights,
): Generator<bigint | undefined> {
	const size = BigInt(SECTION_BLOCKS);
	const section = from / size;
	const blocks = yield* sectionCandidates(view, groups, Number(section));
	if (!blocks) return;
	const end = Math.min(Number(to % size), blocks.length * 8 - 1);
	for (let i = Number(from % size); i <= end; i++) {
		if ((((blocks[i >> 3] as number) >> (i & 7)) & 1) !== 0) yield section * size + BigInt(i);
	}
}

/** The section's blocks in which every group has an item whose bits are all set; undefined: none. */
function* sectionCandidates(
	view: () => StateView,
	groups: readonly BloomGroup[],
	section: number,
): Generator<undefined, Uint8Array | undefined> {
	const rows = new Map<number, Uint8Array | undefined>();
	const rowOf = (bit: number): Uint8Array | undefined => {
		if (rows.has(bit)) return rows.get(bit);
		const row = view().sectionBloom.get(rowKey(section, bit));
		rows.set(bit, row);
		return row;
	};
	let candidates: Uint8Array | undefined;
	for (const items of groups) {
		let group: Uint8Array | undefined;
		for (const [i, bits] of items.entries()) {
			if (i % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield;
			group = or(group, blocksWithAll(rowOf, bits));
		}
		candidates = candidates ? and(candidates, group) : group;
		if (!candidates) return undefined;
	}
	return candidates;
}

function blocksWithAll(
	rowOf: (bit: number) => Uint8Array | undefined,
	bits: readonly number[],
): Uint8Array | undefined {
	let blocks: Uint8Array | undefined;
	for (const [i, bit] of bits.entries()) {
		const row = rowOf(bit);
		blocks = i === 0 ? row : blocks && and(blocks, row);
		if (!blocks) return undefined;
	}
	return blocks;
}

function and(a: Uint8Array, b: Uint8Array | undefined): Uint8Array | undefined {
	if (!b) return undefined;
	let some = 0;
	const both = new Uint8Array(Math.min(a.length, b.length));
	for (let i = 0; i < both.length; i++) {
		both[i] = (a[i] as number) & (b[i] as number);
		some |= both[i] as number;
	}
	return some === 0 ? undefined : both;
}

function or(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
	if (!a || !b) return a ?? b;
	const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
	const either = Uint8Array.from(longer);
	for (let i = 0; i < shorter.length; i++) either[i] = (either[i] as number) | (shorter[i] as number);
	return either;
}
