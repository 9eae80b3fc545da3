import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/protocol/bytes.js";
import { Account, AccountResourceMessage, TransactionInfo } from "../../../src/protocol/messages.js";
import { isRecord, type JsonRecord, readJson, writeJson, writeWireJson } from "../../../src/wallet/json.js";
import { answeredInteger, messageFrom } from "../../../src/wallet/node/answer.js";
import { viewOf } from "../../../src/wallet/view/message-view.js";

const record = (text: string): JsonRecord => {
	const json = readJson(text);
	if (!isRecord(json)) throw new Error("no record");
	return json;
};

describe("a node's answer", () => {
	it("is read in both spellings, with every digit", () => {
		const neutral = messageFrom(AccountResourceMessage, record('{"TotalCoinPowerWeight":9007199254740993}'));
		const deployed = messageFrom(AccountResourceMessage, record('{"TotalTronPowerWeight":9007199254740993}'));
		expect(neutral.TotalCoinPowerWeight).toBe(9_007_199_254_740_993n);
		expect(deployed).toEqual(neutral);
	});

	it("may hold members that nobody knows yet, enumerations by name or number, and maps", () => {
		const account = messageFrom(
			Account,
			record(
				'{"type":"Contract","new_thing":{},"frozenV2":[{"type":"TRON_POWER","amount":5},{"type":1}],"assetV2":[{"key":"1000001","value":7}]}',
			),
		);
		expect(account.type).toBe(2);
		expect(account.frozenV2.map(({ type }) => type)).toEqual([2, 1]);
		expect(account.assetV2.get("1000001")).toBe(7n);
	});

	it("may show the id of an issued token as plain text", () => {
		const account = messageFrom(Account, record('{"asset_issued_ID":"1000001"}'));
		expect(Buffer.from(account.asset_issued_ID).toString()).toBe("1000001");
	});

	it.each([
		'{"balance":"x"}',
		'{"balance":1.5}',
		'{"address":"zz"}',
		'{"type":"Nobody"}',
		'{"owner_permission":7}',
	])("is refused with the name of a member that can't be read: %s", (text) => {
		expect(() => messageFrom(Account, record(text))).toThrow(/has a member \w+ that can't be read/);
	});

	it("is shown with Base58 addresses, 20 bytes of a log too", () => {
		const info = messageFrom(
			TransactionInfo,
			record(
				'{"fee":3,"log":[{"address":"7e5f4552091a69125d5dfcb7b8c2659029395bdf","data":"00"}],"resMessage":"6869"}',
			),
		);
		expect(writeJson(viewOf(info))).toBe(
			'{"fee":"3","log":[{"address":"TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC","data":"00"}],"resMessage":"hi"}',
		);
		expect(toHex(info.log[0]?.address ?? new Uint8Array(0))).toHaveLength(40);
	});
});

describe("JSON at the edge", () => {
	it("writes bigint as text for programs and as digits for nodes", () => {
		const value = { a: 2n ** 63n - 1n, b: [1, "x", null, undefined], c: undefined };
		expect(writeJson(value)).toBe('{"a":"9223372036854775807","b":[1,"x",null,null]}');
		expect(writeWireJson([{ toJSON: () => "5@gold" }])).toBe('["5@gold"]');
		const nothing = { toJSON: () => undefined };
		expect(writeWireJson([undefined, 1n, nothing, () => 1, { a: nothing, b: 2 }])).toBe(
			'[null,1,null,null,{"b":2}]',
		);
		expect(writeWireJson(nothing)).toBe("null");
		expect(writeWireJson({ a: 2n ** 63n - 1n, c: undefined, d: [true] })).toBe(
			'{"a":9223372036854775807,"d":[true]}',
		);
	});
});

it.each<[string | bigint]>([["9".repeat(200_000)], ["9223372036854775808"], [2n ** 63n]])(
	"a number that no chain has is the node's fault",
	(balance) => {
		expect(() => messageFrom(Account, { balance })).toThrow("a member balance that can't be read");
		expect(() => answeredInteger({ name: "gas" }, balance)).toThrow("a member gas that can't be read");
	},
);
