import { describe, expect, test } from "vitest";
import { csvText } from "../../src/explorer/csv.js";
import { csvRow, type HistoryFilter, historyPath } from "../../src/explorer/history-rows.js";
import { allowedTypes, networkFacts, parameterHistory, pricesOf } from "../../src/explorer/network-facts.js";
import { permissionKeys } from "../../src/explorer/permission-keys.js";
import { stakesOf } from "../../src/explorer/resources.js";

const keys = (threshold: number, ...weights: readonly number[]) =>
	permissionKeys({ threshold, keys: weights.map((weight, index) => ({ address: `k${index}`, weight })) });
const names = (sets: readonly (readonly { readonly address: string }[])[]) =>
	sets.map((set) => set.map(({ address }) => address).join("+"));

describe("keys of a permission", () => {
	test.each([
		["one that is enough", keys(1, 1), ["k0"], ["k0"]],
		["two of three", keys(2, 1, 1, 1), ["k0+k1", "k0+k2", "k1+k2"], []],
		["a heavy one with any other", keys(3, 2, 1, 1), ["k0+k1", "k0+k2"], ["k0"]],
		["one alone or two together", keys(2, 2, 1, 1), ["k0", "k1+k2"], []],
		["too light even together", keys(9, 1, 1), [], ["k0", "k1"]],
	])("%s", (_, found, together, needed) => {
		expect(names(found.together)).toEqual(together);
		expect(found.keys.filter(({ isNeeded }) => isNeeded).map(({ address }) => address)).toEqual(needed);
	});

	test("are listed by weight, and sets up to a number", () => {
		const found = keys(5, 1, 3, 2, 1, 1, 1, 1, 1, 1, 1);
		expect(found.keys.map(({ weight }) => weight).slice(0, 3)).toEqual([3n, 2n, 1n]);
		expect([found.together.length, found.hasMore, names(found.together)[0]]).toEqual([12, true, "k1+k2"]);
		expect(keys(1, ...Array.from({ length: 1_000 }, () => 1)).together.length).toBeLessThan(20);
	});
});

test("operations of a mask go by the names that the server knows", () => {
	const facts = networkFacts({
		types: [
			{ id: 0, name: "AccountCreate" },
			{ id: 9, name: "X" },
			{ id: 250, name: "Y" },
		],
		parameters: [{ id: "1" }, 7],
	});
	expect(allowedTypes(facts, `0102${"00".repeat(30)}`)).toEqual(["AccountCreate", "X"]);
	expect(allowedTypes(facts, "zz")).toEqual([]);
	expect(facts.parameters).toEqual([{ id: "1", name: "", getter: "", about: "" }]);
	expect(networkFacts(undefined)).toEqual({ parameters: [], types: [] });
});

test("stakes of both generations are told with their ends", () => {
	const stakes = stakesOf({
		frozenV2: [{ amount: 5 }, { type: "ENERGY", amount: 7 }, { type: "COIN_POWER" }],
		frozen: [{ frozen_balance: 9, expire_time: 1_700_000_000_000 }],
		unfrozenV2: [{ type: "ENERGY", unfreeze_amount: 3, unfreeze_expire_time: 1_800_000_000_000 }],
		delegated_frozenV2_balance_for_bandwidth: 2,
		account_resource: {
			frozen_balance_for_energy: { frozen_balance: 4, expire_time: 1 },
			acquired_delegated_frozenV2_balance_for_energy: 8,
		},
	});
	expect(stakes.map(({ what, sun, isStaked, endMs }) => [what, sun, isStaked, endMs])).toEqual([
		["staked for bandwidth", 5n, true, undefined],
		["staked for energy", 7n, true, undefined],
		["staked for bandwidth (older kind)", 9n, true, 1_700_000_000_000],
		["staked for energy (older kind)", 4n, true, 1],
		["unstaked from energy", 3n, false, 1_800_000_000_000],
		["bandwidth lent to others", 2n, true, undefined],
		["energy lent by others", 8n, false, undefined],
	]);
});

test("a parameter's history is what approved proposals set, the newest first", () => {
	const proposal = (id: number, state: string, value: number, atMs: number) => ({
		proposal_id: id,
		state,
		expiration_time: atMs,
		parameters: [{ key: 11, value }, { value: 1 }],
	});
	const history = parameterHistory([
		proposal(1, "APPROVED", 420, 10),
		proposal(2, "DISAPPROVED", 1, 20),
		proposal(3, "APPROVED", 210, 30),
	]);
	expect(history.get("11")?.map(({ value, proposal }) => [value, proposal])).toEqual([
		[210n, "3"],
		[420n, "1"],
	]);
	expect(history.get("0")).toHaveLength(2);
});

test("prices are read with the time from which each holds", () => {
	expect(pricesOf("0:100,1575871200000:10, x:y,")).toEqual([
		{ sinceMs: 0, sun: 100 },
		{ sinceMs: 1_575_871_200_000, sun: 10 },
	]);
	expect(pricesOf("")).toEqual([]);
});

describe("a history", () => {
	const filter: HistoryFilter = {
		kind: "transactions",
		direction: "all",
		since: "",
		until: "",
		isFinal: false,
	};

	test("is asked for with its filters", () => {
		expect(historyPath("T1", filter, 25)).toBe("accounts/T1/transactions?limit=25&search_internal=false");
		const narrow = {
			...filter,
			kind: "tokens",
			direction: "to",
			since: "2026-01-01",
			until: "2026-01-01",
			isFinal: true,
		} as const;
		expect(historyPath("T1", narrow, 200)).toBe(
			"accounts/T1/transactions/orc20?limit=200&only_to=true&only_confirmed=true&min_timestamp=1767225600000&max_timestamp=1767311999999",
		);
	});

	test("stands in a table for spreadsheets row by row", () => {
		const transaction = {
			txID: "ab",
			blockNumber: 7,
			block_timestamp: 1_700_000_000_000,
			ret: [{ contractRet: "SUCCESS", fee: 1_100_000 }],
			raw_data: {
				contract: [
					{
						type: "TransferContract",
						parameter: {
							value: {
								owner_address: "417e5f4552091a69125d5dfcb7b8c2659029395bdf",
								to_address: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
								amount: 1_234_500_000,
							},
						},
					},
				],
			},
		};
		expect(csvRow("transactions", transaction)).toEqual([
			"2023-11-14T22:13:20.000Z",
			"7",
			"ab",
			"Transfer",
			"TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
			"TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
			"1234.5",
			"coin",
			"1.1",
			"SUCCESS",
		]);
		const token = {
			block_timestamp: 0,
			value: "1500",
			type: "Transfer",
			token_info: { symbol: "=X", decimals: 3 },
		};
		expect(csvRow("tokens", token).slice(6, 8)).toEqual(["1.5", "=X"]);
		const internal = { block_timestamp: 0, data: { call_value: { "1000001": 12 }, rejected: true } };
		expect(csvRow("internal", internal).slice(6)).toEqual(["12", "1000001", "", "rejected"]);
	});

	test("is safe for programs that take cells for formulas", () => {
		expect(
			csvText(
				["a", "b"],
				[
					["=1+1", '"x",\n'],
					["-5.5", "@y"],
					["a;=b", 'c\t"+d;e'],
					["", ";;-1"],
				],
			),
		).toBe(`"a","b"\r\n"'=1+1","""x"",\n"\r\n-5.5,"'@y"\r\n"a;'=b","c\t'""+d;e"\r\n,";;'-1"\r\n`);
	});
});
