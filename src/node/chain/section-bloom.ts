/**
 * The log index (protocol/json-rpc §9.3): which blocks may hold a log with an address or topic.
 *
 * Each block has a 2048-bit bloom, in which an item sets three bits. The index is transposed: an entry holds
 * one bit of 2048 consecutive blocks (a section), so a query reads a few entries per item and section and
 * never touches a block that can't match. Block `n` is at bit `n mod 2048` of an entry, counted from the
 * least significant bit of the first byte; trailing zero bytes are omitted.
 */

import { toKey } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import { stores } from "../state/definition.js";
import type { StateView } from "../state/view.js";

/** Blocks per section, and bits of a block's bloom. */
const SECTION_BLOCKS = 2048;
const BLOOM_BITS = 2048;
const BLOOM_BYTES = BLOOM_BITS / 8;
const BITS_PER_ITEM = 3;
/** Query items processed before others may get a turn. */
const ITEMS_A_STEP = 64;
/** Distance between the keys of sections. */
const SECTION_STRIDE = 1_000_000;

/** The row key as hexadecimal text. */
const rowKeyText = (section: number, bit: number): string => (section * SECTION_STRIDE + bit).toString(16);

const rowKey = (section: number, bit: number): Uint8Array => Buffer.from(rowKeyText(section, bit), "latin1");

/** The keys of all rows of the sections that end within a range of blocks. */
export function* rowsOfSections(first: bigint, last: bigint): Generator<Uint8Array> {
	const size = BigInt(SECTION_BLOCKS);
	for (let section = first / size; (section + 1n) * size - 1n <= last; section++) {
		for (let bit = 0; bit < BLOOM_BITS; bit++) yield rowKey(Number(section), bit);
	}
}

/**
 * The index rows in which an item is marked.
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

/** PERF: logs name the same contracts, events and holders over and over, and the hash is most of the cost of marking one. */
const MAX_RECENT_ITEMS = 8_192;
const recentItems = new Map<string, readonly number[]>();

function recentBits(item: Uint8Array): readonly number[] {
	const key = toKey(item);
	const known = recentItems.get(key);
	if (known) return known;
	if (recentItems.size >= MAX_RECENT_ITEMS) recentItems.clear();
	const bits = bloomBits(item);
	recentItems.set(key, bits);
	return bits;
}

/** The rows set by a block's logs. */
export function bloomOfBlock(infos: readonly Readonly<TransactionInfo>[]): ReadonlySet<number> {
	const bits = new Set<number>();
	const add = (item: Uint8Array): void => {
		for (const bit of recentBits(item)) bits.add(bit);
	};
	for (const { log } of infos) {
		for (const { address, topics } of log) {
			add(address);
			topics.forEach(add);
		}
	}
	return bits;
}

/** Marks a block in the rows of everything its logs name. */
export function indexLogs(
	state: StateView,
	number: bigint,
	infos: readonly Readonly<TransactionInfo>[],
): void {
	const section = Number(number / BigInt(SECTION_BLOCKS));
	const position = Number(number % BigInt(SECTION_BLOCKS));
	const { backend } = state;
	for (const bit of bloomOfBlock(infos)) {
		const key = rowKeyText(section, bit);
		const row = backend.get(stores.sectionBloom, key);
		const copy = new Uint8Array(Math.max(row?.length ?? 0, (position >> 3) + 1));
		if (row) copy.set(row);
		copy[position >> 3] = (copy[position >> 3] as number) | (1 << (position & 7));
		backend.put(stores.sectionBloom, key, copy);
	}
}

/** The rows of a group of items, one of which must occur in a block. */
export type BloomGroup = readonly (readonly number[])[];

/** A range of heights, both bounds inclusive. */
interface Heights {
	readonly from: bigint;
	readonly to: bigint;
}

/** Splits a range of heights by section. */
export function* sections({ from, to }: Heights): Generator<Heights> {
	const size = BigInt(SECTION_BLOCKS);
	for (let first = from; first <= to; ) {
		const last = first - (first % size) + size - 1n;
		yield { from: first, to: last < to ? last : to };
		first = last + 1n;
	}
}

/**
 * Yields the blocks of one section that may hold logs naming one item of each group, ascending. No match is
 * missed if the index was maintained while the block was applied. Yields undefined wherever others may get a
 * turn, since a group may have many items.
 *
 * PERF: reads three rows per item, each only once, as long as candidates are left.
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
	const [first, end] = [Number(from % size), Number(to % size)];
	for (let i = first; i <= end; i++) {
		const byte = blocks.bytes[i >> 3] as number;
		// Candidates are sparse.
		if (byte === 0) i |= 7;
		else if (((byte >> (i & 7)) & 1) !== 0) yield section * size + BigInt(i);
	}
	giveBack(blocks);
}

/** The blocks of a section as a bitmap: as bytes of a row, and as words for fast combining. */
interface SectionBlocks {
	readonly bytes: Uint8Array;
	readonly words: Int32Array;
}

function emptyBlocks(): SectionBlocks {
	const bytes = new Uint8Array(SECTION_BLOCKS / 8);
	return { bytes, words: new Int32Array(bytes.buffer) };
}

/** PERF: a query visits a hundred sections or more, and allocating a bitmap takes longer than combining three rows. */
const idle: SectionBlocks[] = [];
const MAX_IDLE = 16;

function giveBack(blocks: SectionBlocks): void {
	if (idle.length < MAX_IDLE) idle.push(blocks);
}

/** Scratch for a stored row: rows are shorter, and not aligned. */
const loaded = emptyBlocks();

function load(row: Uint8Array, into: SectionBlocks): SectionBlocks {
	into.bytes.set(row.subarray(0, into.bytes.length));
	into.bytes.fill(0, row.length);
	return into;
}

/** The section's blocks in which each group has an item with all bits set; undefined: none. */
function* sectionCandidates(
	view: () => StateView,
	groups: readonly BloomGroup[],
	section: number,
): Generator<undefined, SectionBlocks | undefined> {
	const rows = new Map<number, Uint8Array | undefined>();
	const rowOf = (bit: number): Uint8Array | undefined => {
		if (rows.has(bit)) return rows.get(bit);
		const row = view().backend.get(stores.sectionBloom, rowKeyText(section, bit));
		rows.set(bit, row);
		return row;
	};
	let candidates: SectionBlocks | undefined;
	for (const items of groups) {
		let group: SectionBlocks | undefined;
		for (const [i, bits] of items.entries()) {
			if (i % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield;
			const blocks = blocksWithAll(rowOf, bits);
			if (group && blocks) {
				addAll(group, blocks);
				giveBack(blocks);
			} else group ??= blocks;
		}
		if (!group) return undefined;
		if (candidates) {
			const hasSome = keepCommon(candidates, group);
			giveBack(group);
			if (!hasSome) {
				giveBack(candidates);
				return undefined;
			}
		} else candidates = group;
	}
	return candidates;
}

/** The blocks in which all bits of an item are set; undefined: none. */
function blocksWithAll(
	rowOf: (bit: number) => Uint8Array | undefined,
	bits: readonly number[],
): SectionBlocks | undefined {
	let blocks: SectionBlocks | undefined;
	for (const bit of bits) {
		const row = rowOf(bit);
		if (!row) return undefined;
		if (!blocks) blocks = load(row, idle.pop() ?? emptyBlocks());
		else if (!keepCommon(blocks, load(row, loaded))) {
			giveBack(blocks);
			return undefined;
		}
	}
	return blocks;
}

/** Intersects with other blocks. @returns whether some are left */
function keepCommon({ words }: SectionBlocks, others: SectionBlocks): boolean {
	let some = 0;
	for (let i = 0; i < words.length; i++) {
		const common = (words[i] as number) & (others.words[i] as number);
		words[i] = common;
		some |= common;
	}
	return some !== 0;
}

function addAll({ words }: SectionBlocks, others: SectionBlocks): void {
	for (let i = 0; i < words.length; i++) words[i] = (words[i] as number) | (others.words[i] as number);
}
