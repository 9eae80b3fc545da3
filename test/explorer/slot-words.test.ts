/** Words of a transaction that may be keys of mappings. */

import { expect, test } from "vitest";
import { addressText } from "../../src/explorer/address-text.js";
import { wordsOf } from "../../src/explorer/request-words.js";

const OWNER = addressText("11".repeat(20)) ?? "";
const word = (digits: string): string => digits.padStart(64, "0");

test("they are whoever sent it, and those of its call and of what was logged, each once", () => {
	const parameter = { value: { owner_address: OWNER, data: `095ea7b3${word("22".repeat(20))}${word("9")}` } };
	const transaction = { raw_data: { contract: [{ parameter }] } };
	const info = { log: [{ topics: [word("ff"), word("5")], data: word("9") }] };
	expect(wordsOf(transaction, info)).toEqual(["11".repeat(20), "22".repeat(20), "9", "5"].map(word));
	expect(wordsOf({}, {})).toEqual([word("")]);
});
