import { expect, test } from "vitest";
import { addressWord } from "../../../src/node/vm/addresses.js";
import { HashNotes, type ReadSlots, SlotGuesses } from "../../../src/node/vm/slot-guesses.js";
import { RowKeys } from "../../../src/node/vm/storage-keys.js";
import { type Word, wordFromBytes, wordToBytes } from "../../../src/node/vm/word.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import { TriggerSmartContract } from "../../../src/protocol/messages.js";
import { buildTransaction, type SignedTransaction } from "../../../src/protocol/transaction.js";

const account = (n: number): Uint8Array => Buffer.alloc(21, n).fill(0x41, 0, 1);
const [CONTRACT, ANN, BOB, CARL, DORA] = [9, 1, 2, 3, 4].map(account) as [
	Uint8Array,
	Uint8Array,
	Uint8Array,
	Uint8Array,
	Uint8Array,
];
const keys = new RowKeys(CONTRACT, undefined, undefined);

function call(owner: Uint8Array, ...words: readonly Word[]): SignedTransaction {
	const data = Buffer.concat([Buffer.from("a9059cbb", "hex"), ...words.map(wordToBytes)]);
	return buildTransaction(
		contractTypeByName("TriggerSmartContract") as NonNullable<ReturnType<typeof contractTypeByName>>,
		TriggerSmartContract.create({ owner_address: owner, contract_address: CONTRACT, data }),
		{ refBlockBytes: Buffer.alloc(2), refBlockHash: Buffer.alloc(8), expirationMs: 1n, timestampMs: 0n },
	);
}

/** Hashes as the machine does, and notes it. */
class Hashing {
	readonly notes = new HashNotes();

	of(left: Word, right: Word): Word {
		const input = Buffer.concat([wordToBytes(left), wordToBytes(right)]);
		const hash = wordFromBytes(keccak256(input));
		this.notes.note(hash, input);
		return hash;
	}
}

function read(slots: readonly Word[], isSeparate = false): Iterable<ReadSlots> {
	return [{ keys, isSeparate, slots: slots.map((slot) => ({ slot, isShared: false })) }];
}

const keysOf = (guesses: SlotGuesses, transaction: SignedTransaction): string[] =>
	guesses.of(transaction).map(({ key }) => key);
const shared = (...slots: readonly Word[]): string[] => slots.map((slot) => keys.shared(slot));

test("balances of caller and receiver are guessed for others from one call", () => {
	const guesses = new SlotGuesses();
	const hashing = new Hashing();
	const slots = [hashing.of(addressWord(ANN), 2), hashing.of(addressWord(BOB), 2), 7];
	guesses.learn(call(ANN, addressWord(BOB), 5), read(slots), hashing.notes);
	const of = (holder: Uint8Array): Word => new Hashing().of(addressWord(holder), 2);
	expect(keysOf(guesses, call(CARL, addressWord(DORA), 9))).toEqual(shared(of(CARL), of(DORA), 7));
});

test("a mapping in a mapping, and the members of a struct in it, are guessed", () => {
	const guesses = new SlotGuesses();
	const hashing = new Hashing();
	const place = (by: Hashing, owner: Uint8Array, spender: Uint8Array): bigint =>
		by.of(addressWord(spender), by.of(addressWord(owner), 3)) as bigint;
	const at = place(hashing, BOB, ANN);
	guesses.learn(call(ANN, addressWord(BOB)), read([at, at + 1n]), hashing.notes);
	const other = place(new Hashing(), DORA, CARL);
	expect(keysOf(guesses, call(CARL, addressWord(DORA)))).toEqual(shared(other, other + 1n));
});

test("guesses that are remembered stay each account's own, when the function is learned again and after very many", () => {
	const guesses = new SlotGuesses();
	const learn = (place: number): void => {
		const hashing = new Hashing();
		guesses.learn(call(ANN), read([hashing.of(addressWord(ANN), place), 7]), hashing.notes);
	};
	const expected = (holder: Uint8Array, place: number): string[] =>
		shared(new Hashing().of(addressWord(holder), place), 7);
	learn(2);
	for (const again of [false, true]) {
		if (again) learn(2);
		for (const holder of [BOB, CARL, BOB]) {
			expect(keysOf(guesses, call(holder))).toEqual(expected(holder, 2));
		}
	}
	for (let i = 0; i < 9_000; i++)
		guesses.of(call(Buffer.from(`41${i.toString(16).padStart(40, "0")}`, "hex")));
	expect(keysOf(guesses, call(BOB))).toEqual(expected(BOB, 2));
	// What was learned last counts.
	learn(3);
	expect(keysOf(guesses, call(BOB))).toEqual(expected(BOB, 3));
});

test("two inputs of one slot are both looked at", () => {
	const guesses = new SlotGuesses();
	const hashing = new Hashing();
	const of = (by: Hashing, owner: Uint8Array, spender: Uint8Array): Word =>
		by.of(addressWord(spender), by.of(addressWord(owner), 3));
	guesses.learn(call(ANN, addressWord(BOB)), read([of(hashing, BOB, ANN)]), hashing.notes);
	for (const [caller, owner] of [
		[CARL, DORA],
		[CARL, BOB],
		[ANN, DORA],
	] as const) {
		expect(keysOf(guesses, call(caller, addressWord(owner)))).toEqual(
			shared(of(new Hashing(), owner, caller)),
		);
	}
});

test("rows under keys of their own are asked for there", () => {
	const guesses = new SlotGuesses();
	guesses.learn(call(ANN), read([7], true), new HashNotes());
	expect(keysOf(guesses, call(BOB))).toEqual([keys.own(7)]);
});

test("nothing is guessed of a function that was never called, or without its argument", () => {
	const guesses = new SlotGuesses();
	const hashing = new Hashing();
	expect(keysOf(guesses, call(ANN, 1))).toEqual([]);
	guesses.learn(call(ANN, 70_000), read([hashing.of(70_000, 2)]), hashing.notes);
	expect(keysOf(guesses, call(ANN))).toEqual([]);
	expect(keysOf(guesses, call(BOB, 80_000))).toEqual(shared(new Hashing().of(80_000, 2)));
});

test("the first call of a function is learned from, and one of sixty-four after it", () => {
	const guesses = new SlotGuesses();
	expect(guesses.isDue(call(ANN))).toBe(true);
	guesses.learn(call(ANN), read([1]), new HashNotes());
	const due = Array.from({ length: 64 }, () => guesses.isDue(call(BOB)));
	expect(due).toEqual([...new Array(63).fill(false), true]);
	guesses.learn(call(ANN), read([2]), new HashNotes());
	expect(keysOf(guesses, call(ANN))).toEqual(shared(2));
	expect(guesses.isDue(call(ANN))).toBe(false);
});

test("a call that reads without end fills neither memory nor time", () => {
	const guesses = new SlotGuesses();
	guesses.learn(call(ANN), read(Array.from({ length: 10_000 }, (_, i) => i)), new HashNotes());
	expect(keysOf(guesses, call(ANN))).toHaveLength(64);
});
