import { describe, expect, it } from "vitest";
import { EMPTY } from "../../../src/protocol/bytes.js";
import type { JudgedNote } from "../../../src/wallet/shielded/note-state.js";
import { chooseNotes } from "../../../src/wallet/shielded/pay.js";

const noteOf = (value: bigint, state: JudgedNote["state"] = "unspent"): JudgedNote => ({
	state,
	held: {
		txID: "",
		block: 1n,
		note: { diversifier: EMPTY, transmissionKey: EMPTY, value, randomness: EMPTY },
		memo: EMPTY,
		index: 0,
		position: 0n,
		nullifier: EMPTY,
		voucher: undefined,
		spent: undefined,
	},
});

const values = (notes: readonly JudgedNote[]): bigint[] => notes.map(({ held }) => held.note.value);
const choose = (notes: readonly JudgedNote[], wanted: bigint | "max", most: 1 | 2 = 2): bigint[] =>
	values(chooseNotes(notes, wanted, most, String));
const some = [40n, 5n, 10n, 3n, 20n].map((value) => noteOf(value));

describe("choosing notes", () => {
	it.each([
		[5n, [5n]],
		[6n, [10n]],
		[21n, [40n]],
		[41n, [3n, 40n]],
		[44n, [5n, 40n]],
		[60n, [20n, 40n]],
	] as const)("pays %s with the smallest that will do", (wanted, expected) => {
		expect(choose(some, wanted)).toEqual(expected);
	});

	it("takes the largest for everything", () => {
		expect(choose(some, "max")).toEqual([20n, 40n]);
		expect(choose(some, "max", 1)).toEqual([40n]);
	});

	it("leaves notes whose block can be replaced alone while others will do", () => {
		const notes = [noteOf(5n, "unconfirmed"), noteOf(30n)];
		expect(choose(notes, 5n)).toEqual([30n]);
		expect(choose(notes, 32n)).toEqual([5n, 30n]);
	});

	it("doesn't take what is spent, pending, unknown or empty", () => {
		const notes = [noteOf(9n, "spent"), noteOf(9n, "pending"), noteOf(9n, "unknown"), noteOf(0n)];
		expect(() => choose(notes, 1n)).toThrow("the notes hold 0, and 9 wait for a transaction");
		expect(() => choose([], "max")).toThrow("the notes hold 0");
	});

	it("says what one transaction reaches where the sum would do", () => {
		expect(() => choose(some, 61n)).toThrow(
			"the notes hold 78, but one transaction spends two notes, which reach 60",
		);
		expect(() => choose(some, 41n, 1)).toThrow("spends one note, which reach 40");
	});
});
