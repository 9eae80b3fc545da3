import { describe, expect, test } from "vitest";
import { itemsOfList } from "../../src/explorer/abi.js";
import { amountOf, transactionFacts } from "../../src/explorer/block-facts.js";
import { csvRow, transferRow } from "../../src/explorer/history-rows.js";
import { tokenMoves } from "../../src/explorer/token-moves.js";

const OWNER = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const HEX = "7e5f4552091a69125d5dfcb7b8c2659029395bdf";
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TOKEN = itemsOfList([
	{
		type: "event",
		name: "Transfer",
		inputs: ["from", "to", "value"].map((name, at) => ({ name, type: at < 2 ? "address" : "uint256" })),
	},
]);
const topic = HEX.padStart(64, "0");

const transaction = (type: string, value: object, contractRet = "SUCCESS") => ({
	txID: "ab",
	block_timestamp: 0,
	ret: [{ contractRet }],
	raw_data: { contract: [{ type, parameter: { value } }] },
});
const asset = (asset_name: string) =>
	transaction("TransferAssetContract", {
		asset_name,
		amount: 1234,
		owner_address: OWNER,
		to_address: `41${HEX}`,
	});
const call = transactionFacts(transaction("TriggerSmartContract", { owner_address: OWNER }));
const log = (topics: readonly string[], data: string) => ({ log: [{ address: HEX, topics, data }] });

describe("tokens that moved", () => {
	test.each(["1000001", "31303030303031"])("of the chain's own, named %s", (name) => {
		expect(tokenMoves(transactionFacts(asset(name)), {})).toEqual([
			{ token: "1000001", isContract: false, from: OWNER, to: OWNER, value: 1234n },
		]);
		expect(csvRow("transactions", asset(name)).slice(6, 8)).toEqual(["1234", "1000001"]);
	});

	test("of the chain's own, with a call that moves one of a contract", () => {
		const sent = {
			owner_address: OWNER,
			contract_address: `41${HEX}`,
			token_id: 1000001,
			call_token_value: 7,
		};
		const paying = transactionFacts(transaction("TriggerSmartContract", sent));
		const moves = tokenMoves(paying, log([TRANSFER, topic, topic], "f".padStart(64, "0")));
		expect(moves.map(({ token, to, value }) => [token, to, value])).toEqual([
			["1000001", OWNER, 7n],
			[OWNER, OWNER, 15n],
		]);
	});

	test("of contracts, by their events", () => {
		expect(tokenMoves(call, log([TRANSFER, topic, topic], "f".padStart(64, "0")))).toEqual([
			{ token: OWNER, isContract: true, from: OWNER, to: OWNER, value: 15n },
		]);
	});

	test.each([
		["another event", log(["00", topic, topic], topic)],
		["a single thing", log([TRANSFER, topic, topic, topic], topic)],
		["too much data", log([TRANSFER, topic, topic], topic + topic)],
		["no number", log([TRANSFER, topic, topic], "z".repeat(64))],
		["what failed", { ...log([TRANSFER, topic, topic], topic), result: "FAILED" }],
	])("not by %s", (_, info) => {
		expect(tokenMoves(call, info)).toEqual([]);
	});
});

test("what failed moved no coins, in a table for spreadsheets", () => {
	const value = { owner_address: OWNER, call_value: 5_000_000 };
	const cells = (result: string) =>
		csvRow("transactions", transaction("TriggerSmartContract", value, result)).slice(6, 8);
	expect([cells("SUCCESS"), cells("REVERT")]).toEqual([
		["5", "coin"],
		["0", "coin"],
	]);
});

test("a transfer that a contract has logged stands there in the token's decimals", () => {
	const event = {
		transaction_id: "ab",
		block_timestamp: 0,
		event_name: "Transfer",
		result: { "0": `0x${HEX}`, "1": OWNER, "2": "1234500" },
	};
	const row = { ...transferRow(TOKEN, event), token_info: { decimals: 2, symbol: "APL" } };
	const cells = ["1970-01-01T00:00:00.000Z", "", "ab", "Transfer", OWNER, OWNER, "12345", "APL", "", ""];
	expect(csvRow("tokens", row)).toEqual(cells);
});

test("coins that a contract gets when it is made are an amount", () => {
	const made = transaction("CreateSmartContract", { new_contract: { call_value: 7 } });
	expect(amountOf(transactionFacts(made))).toBe(7n);
});
