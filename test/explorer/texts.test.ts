import { describe, expect, test } from "vitest";
import { addressText, hexAddress } from "../../src/explorer/address-text.js";
import { readJson, whole } from "../../src/explorer/answer.js";
import {
	amountOf,
	blockFacts,
	blockFill,
	receiverOf,
	transactionFacts,
	usageOf,
} from "../../src/explorer/block-facts.js";
import {
	age,
	chainTime,
	coins,
	decimal,
	failureText,
	headAge,
	moment,
	plain,
	plainBlock,
	plainLines,
	shortened,
	span,
	textOfHex,
	typeName,
	wholeCoins,
	wordText,
} from "../../src/explorer/format.js";
import { valueText } from "../../src/explorer/network-facts.js";
import { isMissing, NodeClient, NodeError } from "../../src/explorer/node-client.js";
import { resourcesOf, usedAfter } from "../../src/explorer/resources.js";
import { idIn, isMistyped, searchTerms } from "../../src/explorer/search-terms.js";

const ADDRESS = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const HEX = "417e5f4552091a69125d5dfcb7b8c2659029395bdf";
const ID = "a".repeat(64);

describe("numbers and texts", () => {
	test("amounts are exact", () => {
		expect(coins(1_234_567_890n)).toBe("1,234.56789 coin");
		expect(coins(9_223_372_036_854_775_807n)).toBe("9,223,372,036,854.775807 coin");
		expect(decimal(-5n, 6)).toBe("-0.000005");
		expect(decimal(5n, 0)).toBe("5");
	});

	test("times are told in two units", () => {
		expect(span(93_784_000)).toBe("1 d 2 h");
		expect(span(0)).toBe("0 s");
		expect(age(5_000, 65_000)).toBe("1 min ago");
		expect(age(65_000, 5_000)).toBe("in 1 min");
		expect(moment(0)).toBe("–");
		expect(moment(1_700_000_000_000)).toBe("2023-11-14 22:13:20 UTC");
		expect(moment(9e18)).toBe("–");
	});

	test("ages are told by the clock of the chain, which may have been moved on", () => {
		const [second, day] = [1_000, 86_400_000];
		const wall = 1_000 * day;
		expect(headAge(wall - 5 * second, wall, 0)).toBe("5 s ago");
		expect(headAge(wall + 23 * day - 5 * second, wall, 23 * day)).toBe(
			"5 s ago by a clock that is 23 d ahead",
		);
		expect(headAge(wall - 5 * second, wall, 23 * day)).toBe("23 d 5 s ago by a clock that is 23 d ahead");
		// Blocks may be sealed further ahead than the clock; those of a browser that is a little slow are not.
		expect(headAge(wall + day, wall, 0)).toBe("0 s ago by a clock that is 1 d ahead");
		expect(chainTime(wall, wall + 30 * second, 0)).toBe(wall);
	});

	test("words are numbers where they are small", () => {
		const zeros = "0".repeat(62);
		expect([`0x${zeros}0a`, `0x${"f".repeat(64)}`, "0x", "none"].map(wordText)).toEqual([
			"10",
			`0x${"f".repeat(64)}`,
			"0x",
			"none",
		]);
		expect(typeName("TriggerSmartContract")).toBe("Contract call");
	});

	test("coins are read as they are typed", () => {
		const typed = ["1.5", "0", " 12 ", "1.1234567", "-1", "1e3", "", ".5"];
		expect(typed.map(wholeCoins)).toEqual([1_500_000n, 0n, 12_000_000n, ...Array(5).fill(undefined)]);
	});

	test("sources keep their lines and nothing that turns them around", () => {
		expect(plainLines("a\r\n\tb\u202e\u0007\rc")).toBe("a\n\tb\\u{202e}\\u{7}\nc");
		expect(plainLines("x".repeat(5_000))).toHaveLength(5_000);
	});

	test("texts of many lines are cut where they are very long", () => {
		expect(plainBlock("{\n\t\u202e}")).toBe("{\n\t\\u{202e}}");
		expect(plainBlock("x".repeat(30_000))).toHaveLength(20_000 + "\n… (30,000 characters)".length);
	});

	test("what would mislead a reader is shown as its number", () => {
		expect(plain("a\u202eb\u200bc\u0007")).toBe("a\\u{202e}b\\u{200b}c\\u{7}");
		expect(plain("x".repeat(5_000))).toHaveLength(2_000 + "… (5,000 characters)".length);
	});

	test("bytes are text where they can be", () => {
		expect(textOfHex("68c3a9")).toBe("hé");
		expect(textOfHex("ff")).toBe("0xff");
		expect(typeName("TransferAssetContract")).toBe("Transfer Asset");
		expect(shortened(ID, 4)).toBe("aaaa…aaaa");
	});
});

describe("addresses", () => {
	test.each([ADDRESS, HEX, `0x${HEX}`, HEX.slice(2), `0x${HEX.slice(2)}`])("%s is one", (text) => {
		expect(addressText(text)).toBe(ADDRESS);
	});

	test.each(["", "T", `${ADDRESS.slice(0, -1)}D`, `a0${HEX.slice(2)}`, ID, "0x41"])(
		"%s is not one",
		(text) => {
			expect(addressText(text)).toBeUndefined();
		},
	);

	test("are told in hexadecimal", () => expect(hexAddress(ADDRESS)).toBe(HEX));
});

test.each([
	["12", [["block", "12"]]],
	["#1,234", [["block", "1234"]]],
	[
		"1000001",
		[
			["block", "1000001"],
			["token", "1000001"],
		],
	],
	["proposal 12", [["proposal", "12"]]],
	["Token #1000001", [["token", "1000001"]]],
	[` 0x${ID.toUpperCase()} `, [["hash", ID]]],
	[`${ID.slice(0, 30)}\n  ${ID.slice(30)}\u200b`, [["hash", ID]]],
	[`https://explorer.example/#/transaction/${ID}?from=mail`, [["hash", ID]]],
	[`${ADDRESS.slice(0, 9)} ${ADDRESS.slice(9)}\u200b`, [["address", ADDRESS]]],
	[HEX, [["address", ADDRESS]]],
	["<img onerror>", [["name", "<img onerror>"]]],
	["0xA9059CBB", [["selector", "a9059cbb"]]],
	[`0xa9059cbb${"0".repeat(128)}`, [["selector", "a9059cbb"]]],
	["transfer(address to, uint value)", [["selector", "a9059cbb"]]],
	[
		"facade12",
		[
			["selector", "facade12"],
			["name", "facade12"],
		],
	],
	["12345678", [["block", "12345678"]]],
	["  ", []],
])("searching for %j", (typed, terms) => {
	expect(searchTerms(typed).map(({ kind, value }) => [kind, value])).toEqual(terms);
});

test("a mistyped address is told from a name", () => {
	expect(isMistyped(ADDRESS)).toBe(false);
	for (const wrong of [
		ADDRESS.slice(0, -1),
		`${ADDRESS}a`,
		ADDRESS.replace("M", "N"),
		ADDRESS.replace("1", "l"),
		"0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	])
		expect(isMistyped(wrong)).toBe(true);
	for (const other of ["Token", "", HEX, "T", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"])
		expect(isMistyped(other)).toBe(false);
});

test.each(["", "ab", ID.slice(1), `${ID}a`, `0x${ID}a`])("there is no id in %j", (typed) => {
	expect(idIn(typed)).toBeUndefined();
});

describe("answers", () => {
	test("keep whole numbers that no number holds", () => {
		const answer = readJson(
			'{"a":9223372036854775807,"b":"1234567890123456789","c":[-1234567890123456],"d":0.26923370361328125,"e":7,"f":-1.2345678901234567e+20}',
		);
		expect(answer).toEqual({
			a: "9223372036854775807",
			b: "1234567890123456789",
			c: ["-1234567890123456"],
			d: 0.26923370361328125,
			e: 7,
			f: -1.2345678901234567e20,
		});
	});

	test("are whole numbers or nothing", () => {
		expect([whole("9223372036854775807"), whole(3), whole("x"), whole(1.5), whole({})]).toEqual([
			9223372036854775807n,
			3n,
			0n,
			0n,
			0n,
		]);
	});

	const transfer = {
		txID: ID,
		ret: [{ contractRet: "SUCCESS" }],
		raw_data: {
			contract: [{ type: "TransferContract", parameter: { value: { amount: 5, to_address: ADDRESS } } }],
		},
		signature: ["00", "11"],
	};

	test("of blocks and transactions lose nothing when members are missing", () => {
		const facts = transactionFacts(transfer);
		expect(facts).toMatchObject({ id: ID, type: "TransferContract", result: "SUCCESS", signatures: 2 });
		expect([amountOf(facts), receiverOf(facts)]).toEqual([5n, ADDRESS]);
		expect(transactionFacts({})).toMatchObject({ id: "", type: "", signatures: 0 });
		expect(blockFacts({})).toMatchObject({ number: 0n, id: "", transactions: [] });
	});

	test("of receipts are summed", () => {
		const infos = [
			{ fee: 7, result: "FAILED", receipt: { energy_usage_total: 10, net_usage: 200 } },
			{ receipt: { net_usage: 100 } },
		];
		expect(usageOf(infos)).toEqual({ transactions: 2, energy: 10, bandwidth: 300, feeSun: 7n, failed: 1 });
	});

	test("of a block say how full it is, in thousandths", () => {
		expect(blockFill({ transactions: [] })).toBe(0.09);
		const transaction = { raw_data_hex: "00".repeat(200_000), signature: ["a", "b"] };
		expect(blockFill({ transactions: [transaction, transaction] })).toBeCloseTo(200.22, 1);
	});

	test("of resources say when what was used is back", () => {
		const account = { latest_consume_free_time: 1_000 };
		const [free, staked] = resourcesOf(account, { freeNetUsed: 100, freeNetLimit: 600 }, 1_000 + 43_200_000);
		expect(free).toEqual({ name: "free bandwidth", used: 100, limit: 600, fullAtMs: 86_401_000 });
		expect(usedAfter(free as NonNullable<typeof free>, 43_201_000, 21_600_000)).toBe(50);
		expect(staked?.fullAtMs).toBeUndefined();
	});

	test.each([
		["a day without one", {}, 86_400_000],
		["slots", { net_window_size: 14_400 }, 43_200_000],
		["thousandths of slots", { net_window_size: 14_400_500, net_window_optimized: true }, 43_201_500],
		["a day where it is too fine to be", { net_window_size: 999, net_window_optimized: true }, 86_400_000],
	])("of staked resources keep a window of their own: %s", (_, window, ms) => {
		const account = { latest_consume_time: 1_000, ...window };
		const [, staked] = resourcesOf(account, { NetUsed: 5, NetLimit: 9 }, 1_000);
		expect(staked?.fullAtMs).toBe(1_000 + ms);
	});
});

describe("asking the node", () => {
	const answering = (status: number, text: string) =>
		new NodeClient(async () => ({ status, text: async () => text }));

	test("asks for addresses as people read them", async () => {
		const asked: unknown[] = [];
		const client = new NodeClient(async (path, { method, body }) => {
			asked.push([path, method, body]);
			return { status: 200, text: async () => '{"balance":1}' };
		});
		expect(await client.call("getaccount", { address: ADDRESS })).toEqual({ balance: 1 });
		expect(asked).toEqual([["/wallet/getaccount", "POST", `{"visible":true,"address":"${ADDRESS}"}`]]);
	});

	test.each([
		[200, '{"Error":"no"}', "no"],
		[404, '{"error":"no index"}', "no index"],
		[404, "", "status 404"],
		[502, "<html>", "the node answered with status 502, which is not JSON"],
	])("an answer of status %i with %s is an error", async (status, text, message) => {
		await expect(answering(status, text).call("getnowblock")).rejects.toThrow(message);
	});

	test("a node that is gone is an error", async () => {
		const client = new NodeClient(async () => Promise.reject(new TypeError("fetch failed")));
		await expect(client.call("getnowblock")).rejects.toThrow(NodeError);
	});

	test("a refused call of JSON-RPC is an error", async () => {
		const refused = (code: number) =>
			answering(200, `{"error":{"code":${code},"message":"not found"}}`)
				.rpc("x")
				.catch((error: unknown) => error);
		expect(await refused(-32000)).toMatchObject({ status: 200, message: "not found" });
		expect([isMissing(await refused(-32601)), isMissing(await refused(-32000))]).toEqual([true, false]);
		expect(await answering(200, '{"result":"0x1"}').rpc("x")).toBe("0x1");
	});

	test("JSON-RPC goes over the open connection where the port takes no requests", async () => {
		let requests = 0;
		const client = new NodeClient(async () => {
			requests++;
			return { status: 405, text: async () => "" };
		});
		await expect(client.rpc("x")).rejects.toMatchObject({ status: 405 });
		client.carryBy(async (method, params) => [method, params]);
		expect(await client.rpc("x", [1])).toEqual(["x", [1]]);
		expect(await client.rpc("y")).toEqual(["y", []]);
		expect(requests).toBe(2);
		client.carryBy(() => Promise.reject(new NodeError("there is no open connection", 0)));
		await expect(client.rpc("x")).rejects.toMatchObject({ status: 404 });
		client.carryBy(() => Promise.reject(new NodeError("method not found", 200)));
		await expect(client.rpc("x")).rejects.toMatchObject({ status: 200 });
	});
});

test("failures are told without the class that a node calls them by", () => {
	const texts = [
		"class org.tron.core.vm.program.Program$OutOfEnergyException : Not enough energy",
		"Validate : no balance",
		"REVERT opcode executed",
	];
	expect(texts.map(failureText)).toEqual([
		"Not enough energy",
		"Validate : no balance",
		"REVERT opcode executed",
	]);
});

test("parameters that are amounts have their coins beside", () => {
	const texts = [
		["ENERGY_FEE", 110n],
		["ALLOW_TRANSACTION_FEE_POOL", 1n],
		["", 5n],
	] as const;
	expect(texts.map(([name, value]) => valueText(name, value))).toEqual(["110 (0.00011 coin)", "1", "5"]);
});
