/** What of a transaction stands in words, and what as the chain keeps it. */

import { expect, test } from "vitest";
import { amountOf, transactionFacts } from "../../src/explorer/block-facts.js";
import { requestOf } from "../../src/explorer/request-words.js";

const facts = (type: string, value: object) =>
	transactionFacts({ raw_data: { contract: [{ type, parameter: { value } }] } });

test("the data of a call is no word, and nothing is lost", () => {
	const value = { owner_address: "T1", contract_address: "T2", data: "00", call_value: 5 };
	const { words, members } = requestOf(facts("TriggerSmartContract", value));
	expect(words).toEqual([["Contract", "contract_address", "T2"]]);
	expect(Object.fromEntries(members)).toEqual(value);
});

test("amounts are units where a token is named, and coins elsewhere", () => {
	const words = (type: string) => requestOf(facts(type, { amount: 5 })).words;
	expect(words("TransferAssetContract")).toEqual([["Units of the token", "amount", 5]]);
	expect(words("TransferContract")).toEqual([]);
	// Who buys a token in its sale says how many coins it pays.
	const bought = facts("ParticipateAssetIssueContract", { asset_name: "1000001", amount: 5 });
	expect([amountOf(bought), requestOf(bought).words]).toEqual([5n, [["Token", "asset_name", "1000001"]]]);
});
