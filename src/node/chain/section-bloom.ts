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
import { stores } from "../state/definition.js";
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

/** As the text of a byte string. */
const rowKeyText = (section: number, bit: number): string => (section * SECTION_STRIDE + bit).toString(16);

const rowKey = (section: number, bit: number): Uint8Array => Buffer.from(rowKeyText(section, bit), "latin1");

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

/** PERF: logs name the same contracts, events and holders again and again, and a hash is most of what naming one costs. */
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

/** The rows that the logs of a block set. */
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

/** Marks a block in the rows of all that its logs name. */
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
	const [first, end] = [Number(from % size), Number(to % size)];
	for (let i = first; i <= end; i++) {
		const byte = blocks.bytes[i >> 3] as number;
		// Few blocks are candidates.
		if (byte === 0) i |= 7;
		else if (((byte >> (i & 7)) & 1) !== 0) yield section * size + BigInt(i);
	}
	giveBack(blocks);
}

/** Blocks of a section, a bit each: as the bytes of a row, and as what is combined with those of others in one step. */
interface SectionBlocks {
	readonly bytes: Uint8Array;
	readonly words: Int32Array;
}

function emptyBlocks(): SectionBlocks {
	const bytes = new Uint8Array(SECTION_BLOCKS / 8);
	return { bytes, words: new Int32Array(bytes.buffer) };
}

/** PERF: a query looks at a hundred sections and more, and making one takes longer than combining three rows. */
const idle: SectionBlocks[] = [];
const MAX_IDLE = 16;

function giveBack(blocks: SectionBlocks): void {
	if (idle.length < MAX_IDLE) idle.push(blocks);
}

/** A row that is combined with others: rows are shorter, and lie anywhere. */
const loaded = emptyBlocks();

function load(row: Uint8Array, into: SectionBlocks): SectionBlocks {
	into.bytes.set(row.subarray(0, into.bytes.length));
	into.bytes.fill(0, row.length);
	return into;
}

/** The section's blocks in which every group has an item whose bits are all set; undefined: none. */
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

/** The blocks in which all of an item's bits are set; undefined: none. */
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

/** Takes away the blocks that others don't have. @returns whether some are left */
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
