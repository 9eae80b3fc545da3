/**
 * Predicts the storage slots a call will read, from the last call of the same function of the same contract:
 * slots derived from the caller and arguments, as in mappings, and fixed slots.
 *
 * Predictions are only prefetched, so a wrong one costs a read and nothing else.
 */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { keccak256 } from "../../protocol/hash.js";
import { TriggerSmartContract } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { WantedEntry } from "../state/base-state.js";
import { type StoreDefinition, stores } from "../state/definition.js";
import { addressWord } from "./addresses.js";
import type { RowKeys } from "./storage-keys.js";
import { type Word, wordFromBytes, wordToBytes } from "./word.js";

/** Number of functions remembered. */
const MAX_FUNCTIONS = 4_096;
/** Calls of a function between two that are learned from. */
const LEARN_EVERY = 64;
/** Limits per call: slots, hashes, nesting of mappings, members of a struct, arguments. */
const MAX_ROWS = 64;
const MAX_HASHES = 1_024;
const MAX_DEPTH = 3;
const MAX_MEMBER = 4;
const MAX_ARGUMENTS = 16;
/** Number of cached predictions, over all functions. */
const MAX_KEPT = 8_192;
/** A smaller number at the end of a hash's input is taken as a mapping's slot, even if an argument has the same value. */
const MAX_PLACE = 1 << 16;

/** Size of the selector in call data. */
const NAME_BYTES = 4;
const WORD_BYTES = 32;
const ROW_STORE = stores.storageRow as StoreDefinition<unknown>;

/** What a call read of a contract. */
export interface ReadSlots {
	readonly keys: RowKeys;
	/** Whether rows have their own keys (#99); `isShared` tells which slots were looked up under the shared key, too. */
	readonly isSeparate: boolean;
	readonly slots: Iterable<{ readonly slot: Word; readonly isShared: boolean }>;
}

/** The two words hashed into each hash, recorded while learning from a call. */
export class HashNotes {
	private readonly halves = new Map<Word, readonly [Word, Word]>();

	/** @param input of the hash */
	note(hash: Word, input: Uint8Array): void {
		if (input.length !== 2 * WORD_BYTES || this.halves.size >= MAX_HASHES) return;
		const left = wordFromBytes(input.subarray(0, WORD_BYTES));
		this.halves.set(hash, [left, wordFromBytes(input.subarray(WORD_BYTES))]);
	}

	of(hash: Word): readonly [Word, Word] | undefined {
		return this.halves.get(hash);
	}
}

/** How a word is derived. */
type Source =
	| { readonly kind: "same"; readonly word: Word }
	| { readonly kind: "caller" }
	| { readonly kind: "argument"; readonly index: number }
	| { readonly kind: "hash"; readonly left: Source; readonly right: Source; readonly member: number };

interface Row {
	readonly keys: RowKeys;
	readonly isSeparate: boolean;
	readonly isShared: boolean;
	readonly slot: Source;
	/** The only input that the slot depends on; undefined: it depends on several. */
	readonly by: Source | undefined;
	/** PERF: cached predictions by the value of that input; the same accounts recur. */
	guessed?: Map<Word, readonly WantedEntry[]> | undefined;
}

interface KnownFunction {
	rows: readonly Row[];
	/** Calls since the last one learned from. */
	calls: number;
}

export class SlotGuesses {
	/** By contract and selector, least recently learned first. */
	private readonly functions = new Map<string, KnownFunction>();
	/** Number of cached predictions of all rows. */
	private kept = 0;

	/** Whether to learn from a call: the first of its function, and then periodically. */
	isDue(transaction: SignedTransaction): boolean {
		const name = functionOf(callOf(transaction));
		if (name === undefined) return false;
		const known = this.functions.get(name);
		return known === undefined || ++known.calls >= LEARN_EVERY;
	}

	/** Learns what a call has read. */
	learn(transaction: SignedTransaction, read: Iterable<ReadSlots>, hashes: HashNotes): void {
		const call = callOf(transaction);
		const name = functionOf(call);
		if (!call || name === undefined) return;
		const inputs = inputsOf(call);
		const rows: Row[] = [];
		for (const { keys, isSeparate, slots } of read) {
			for (const { slot, isShared } of slots) {
				if (rows.length >= MAX_ROWS) break;
				const source = sourceOf(slot, hashes, inputs, 0);
				rows.push({ keys, isSeparate, isShared, slot: source, by: onlyInput(source) });
			}
		}
		const known = this.functions.get(name)?.rows;
		const isSame = known?.length === rows.length && rows.every((row, at) => isSameRow(row, known[at] as Row));
		this.functions.delete(name);
		this.functions.set(name, { rows: isSame ? known : rows, calls: 0 });
		if (this.functions.size <= MAX_FUNCTIONS) return;
		for (const oldest of this.functions.keys()) {
			this.functions.delete(oldest);
			break;
		}
	}

	/** Predicts the rows that a transaction reads; none if its function is unknown. */
	of(transaction: SignedTransaction): readonly WantedEntry[] {
		const call = callOf(transaction);
		const name = functionOf(call);
		const known = call && name !== undefined ? this.functions.get(name) : undefined;
		if (!call || !known) return [];
		const inputs = inputsOf(call);
		const wanted: WantedEntry[] = [];
		for (const row of known.rows) for (const entry of this.guess(row, inputs)) wanted.push(entry);
		return wanted;
	}

	private guess(row: Row, inputs: Inputs): readonly WantedEntry[] {
		if (!row.by) return entriesOf(row, inputs);
		const word = wordOf(row.by, inputs);
		if (word === undefined) return [];
		const known = row.guessed?.get(word);
		if (known) return known;
		const entries = entriesOf(row, inputs);
		if (this.kept >= MAX_KEPT) this.forget();
		row.guessed ??= new Map();
		row.guessed.set(word, entries);
		this.kept++;
		return entries;
	}

	private forget(): void {
		for (const { rows } of this.functions.values()) for (const row of rows) row.guessed = undefined;
		this.kept = 0;
	}
}

function entriesOf({ keys, isSeparate, isShared, slot }: Row, inputs: Inputs): readonly WantedEntry[] {
	const word = wordOf(slot, inputs);
	if (word === undefined) return [];
	const entries: WantedEntry[] = [];
	if (isSeparate) entries.push({ store: ROW_STORE, key: keys.own(word) });
	if (isShared || !isSeparate) entries.push({ store: ROW_STORE, key: keys.shared(word) });
	return entries;
}

function callOf(transaction: SignedTransaction): TriggerSmartContract | undefined {
	try {
		const { parameter } = transaction;
		return parameter instanceof TriggerSmartContract ? parameter : undefined;
	} catch {
		// An undecodable transaction is rejected later, when it is executed.
		return undefined;
	}
}

/** Buffer for a contract's address and the selector. */
const nameBytes = Buffer.alloc(ADDRESS_LENGTH + NAME_BYTES);

/** PERF: a string created in one go is faster as a map key than a concatenated one. */
function functionOf(call: TriggerSmartContract | undefined): string | undefined {
	if (call?.contract_address.length !== ADDRESS_LENGTH || call.data.length < NAME_BYTES) return undefined;
	nameBytes.set(call.contract_address);
	for (let at = 0; at < NAME_BYTES; at++) nameBytes[ADDRESS_LENGTH + at] = call.data[at] as number;
	return nameBytes.toString("latin1");
}

/** Inputs that slot hashes can depend on. */
interface Inputs {
	readonly caller: Word;
	readonly words: readonly Word[];
}

function inputsOf({ owner_address, data }: TriggerSmartContract): Inputs {
	const words: Word[] = [];
	for (let at = NAME_BYTES; at + WORD_BYTES <= data.length && words.length < MAX_ARGUMENTS; ) {
		words.push(wordFromBytes(data.subarray(at, at + WORD_BYTES)));
		at += WORD_BYTES;
	}
	return { caller: addressWord(owner_address), words };
}

function sourceOf(word: Word, hashes: HashNotes, inputs: Inputs, depth: number): Source {
	for (let member = 0; member <= MAX_MEMBER && depth < MAX_DEPTH; member++) {
		const halves = hashes.of(minus(word, member));
		if (!halves) continue;
		const [left, right] = halves;
		return {
			kind: "hash",
			left: sourceOf(left, hashes, inputs, depth + 1),
			right: isPlace(right) ? { kind: "same", word: right } : sourceOf(right, hashes, inputs, depth + 1),
			member,
		};
	}
	if (depth === 0) return { kind: "same", word };
	if (word === inputs.caller) return { kind: "caller" };
	const index = inputs.words.indexOf(word);
	return index < 0 ? { kind: "same", word } : { kind: "argument", index };
}

/** The only input that a source depends on; the source itself if it depends on none, undefined if on several. */
function onlyInput(source: Source): Source | undefined {
	if (source.kind !== "hash") return source;
	const [left, right] = [onlyInput(source.left), onlyInput(source.right)];
	if (left?.kind === "same") return right;
	return right && left && (right.kind === "same" || isSameSource(left, right)) ? left : undefined;
}

function isSameSource(one: Source, other: Source): boolean {
	switch (one.kind) {
		case "same":
			return other.kind === "same" && one.word === other.word;
		case "argument":
			return other.kind === "argument" && one.index === other.index;
		case "hash":
			return (
				other.kind === "hash" &&
				one.member === other.member &&
				isSameSource(one.left, other.left) &&
				isSameSource(one.right, other.right)
			);
		default:
			return other.kind === one.kind;
	}
}

const isSameRow = (one: Row, other: Row): boolean =>
	one.keys === other.keys &&
	one.isSeparate === other.isSeparate &&
	one.isShared === other.isShared &&
	isSameSource(one.slot, other.slot);

/** Subtracts a small count; words small enough to be numbers are never hashes. */
function minus(word: Word, count: number): Word {
	return typeof word === "bigint" ? word - BigInt(count) : word;
}

const isPlace = (word: Word): boolean => typeof word === "number" && word < MAX_PLACE;

const input = new Uint8Array(2 * WORD_BYTES);

/** Evaluates a source; undefined: the call lacks an argument. */
function wordOf(source: Source, inputs: Inputs): Word | undefined {
	switch (source.kind) {
		case "same":
			return source.word;
		case "caller":
			return inputs.caller;
		case "argument":
			return inputs.words[source.index];
		default: {
			const left = wordOf(source.left, inputs);
			const right = wordOf(source.right, inputs);
			if (left === undefined || right === undefined) return undefined;
			input.set(wordToBytes(left));
			input.set(wordToBytes(right), WORD_BYTES);
			const hash = wordFromBytes(keccak256(input));
			return typeof hash === "bigint" ? BigInt.asUintN(256, hash + BigInt(source.member)) : hash;
		}
	}
}
