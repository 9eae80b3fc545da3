/**
 * Which storage slots a call will read, guessed from the last call of the same function of the same contract: slots whose
 * places follow from the caller and the arguments, as those of mappings do, and slots that are always the same.
 *
 * A guess decides nothing: what it names is fetched ahead, and a wrong one costs a read.
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

/** Functions that are remembered. */
const MAX_FUNCTIONS = 4_096;
/** Calls of a function between two that are learned from. */
const LEARN_EVERY = 64;
/** What is remembered of one call: slots, hashes that it made, mappings in mappings, members of a struct, arguments. */
const MAX_ROWS = 64;
const MAX_HASHES = 1_024;
const MAX_DEPTH = 3;
const MAX_MEMBER = 4;
const MAX_ARGUMENTS = 16;
/** Guesses that are remembered, of all functions. */
const MAX_KEPT = 8_192;
/** A smaller number at the end of a hash's input is the place of a mapping, whatever arguments say. */
const MAX_PLACE = 1 << 16;

/** Of a function, in call data. */
const NAME_BYTES = 4;
const WORD_BYTES = 32;
const ROW_STORE = stores.storageRow as StoreDefinition<unknown>;

/** What was read of a contract. */
export interface ReadSlots {
	readonly keys: RowKeys;
	/** Whether rows have keys of their own (#99), and which slots were looked for under the shared key, too. */
	readonly isSeparate: boolean;
	readonly slots: Iterable<{ readonly slot: Word; readonly isShared: boolean }>;
}

/** The two words that each hash was made of, while a call is learned from. */
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

/** Where a word comes from. */
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
	/** The only input that the slot follows from; undefined: it follows from several. */
	readonly by: Source | undefined;
	/** PERF: what was guessed, by the word of that input: the same accounts come again and again. */
	guessed?: Map<Word, readonly WantedEntry[]> | undefined;
}

interface KnownFunction {
	rows: readonly Row[];
	/** Calls since it was learned from. */
	calls: number;
}

export class SlotGuesses {
	/** By contract and selector, the one that was learned from longest ago first. */
	private readonly functions = new Map<string, KnownFunction>();
	/** Guesses that rows remember. */
	private kept = 0;

	/** Whether a call should be learned from: the first of its function, and one of some later ones. */
	isDue(transaction: SignedTransaction): boolean {
		const name = functionOf(callOf(transaction));
		if (name === undefined) return false;
		const known = this.functions.get(name);
		return known === undefined || ++known.calls >= LEARN_EVERY;
	}

	/** Remembers what a call has read. */
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

	/** The rows that a transaction may read; none for what was never learned. */
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
		// What can't be read is refused when its turn comes.
		return undefined;
	}
}

/** A contract's address and the name of its function. */
const nameBytes = Buffer.alloc(ADDRESS_LENGTH + NAME_BYTES);

/** PERF: made at once, a key is found faster than put together. */
function functionOf(call: TriggerSmartContract | undefined): string | undefined {
	if (call?.contract_address.length !== ADDRESS_LENGTH || call.data.length < NAME_BYTES) return undefined;
	nameBytes.set(call.contract_address);
	for (let at = 0; at < NAME_BYTES; at++) nameBytes[ADDRESS_LENGTH + at] = call.data[at] as number;
	return nameBytes.toString("latin1");
}

/** What the words of a call's hashes are made of. */
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

/** The only input that a source follows from; itself where it follows from none, undefined where from several. */
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

/** A word without a few; the smallest words have no hash below them. */
function minus(word: Word, count: number): Word {
	return typeof word === "bigint" ? word - BigInt(count) : word;
}

const isPlace = (word: Word): boolean => typeof word === "number" && word < MAX_PLACE;

const input = new Uint8Array(2 * WORD_BYTES);

/** Undefined: the call lacks an argument. */
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
