import { describe, expect, it } from "vitest";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { jsonLibrary } from "../../../src/protocol/json/json-library.js";
import { mapOrderedObject } from "../../../src/protocol/json/map-ordered-json.js";
import {
	type JsonStyle,
	mapOrderedMessage,
	printMessage,
} from "../../../src/protocol/json/message-writer.js";
import { hashedLibrary } from "../../../src/protocol/json/older/hashed-library.js";
import {
	Account,
	AccountBalanceResponse,
	AccountPermissionUpdateContract,
	AssetIssueContract,
	Permission,
	ProposalCreateContract,
	ResourceReceipt,
	TransactionInfo,
	TransactionResult,
	UnfreezeBalanceV2Contract,
	WitnessCreateContract,
} from "../../../src/protocol/messages.js";

const hex: JsonStyle = { visible: false, dialect: "deployed", library: hashedLibrary };
const visible: JsonStyle = { visible: true, dialect: "deployed", library: hashedLibrary };
const neutral: JsonStyle = { visible: false, dialect: "neutral", library: hashedLibrary };
const A = fromHex("414adf5ad22d5d67206b61dab0f139af453c1f8630");

describe("the printed form", () => {
	it("prints present fields in order of their numbers", () => {
		const account = Account.create({ address: A, balance: 9223372036854775807n, account_name: utf8("main") });
		expect(printMessage(Account, account, hex)).toBe(
			'{"account_name": "6d61696e","address": "414adf5ad22d5d67206b61dab0f139af453c1f8630","balance": 9223372036854775807}',
		);
		expect(printMessage(Account, account, visible)).toBe(
			'{"account_name": "main","address": "TGo6aDUZCuh7mp5Gh6fXXYisNEbKv2BHZ3","balance": 9223372036854775807}',
		);
		expect(printMessage(Account, new Account(), hex)).toBe("{}");
	});

	it("prints both members of a map entry, zeros too", () => {
		const account = Account.create({ assetV2: new Map([["1000001", 0n]]) });
		expect(printMessage(Account, account, hex)).toBe('{"assetV2": [{"key": "1000001","value": 0}]}');
	});

	it("prints every field of the balance messages, an empty address in its visible form", () => {
		expect(printMessage(AccountBalanceResponse, new AccountBalanceResponse(), hex)).toBe('{"balance": 0}');
	});

	it("spells names for the dialect, and the resource keys of the cancel map from either spelling", () => {
		const result = TransactionResult.create({ cancel_unfreezeV2_amount: new Map([["TRON_POWER", 1n]]) });
		expect(printMessage(TransactionResult, result, hex)).toContain('"key": "TRON_POWER"');
		expect(printMessage(TransactionResult, result, neutral)).toContain('"key": "COIN_POWER"');
		const unfreeze = UnfreezeBalanceV2Contract.create({ resource: 2 });
		expect(printMessage(UnfreezeBalanceV2Contract, unfreeze, hex)).toBe('{"resource": "TRON_POWER"}');
		expect(printMessage(UnfreezeBalanceV2Contract, unfreeze, neutral)).toBe('{"resource": "COIN_POWER"}');
	});

	it("names an enum number without a name", () => {
		expect(printMessage(Permission, Permission.create({ type: 7 }), hex)).toBe(
			'{"type": "UNKNOWN_ENUM_VALUE_PermissionType_7"}',
		);
	});

	it.each([
		["plain", '"plain"', '"plain"'],
		['quo"te', '"quo\\"te"', '"quo\\"te"'],
		["back\\nslash", '"back\\nslash"', '"back\\nslash"'],
		["line\nend", '"line\\nend"', '"line\\nendend"'],
		["a\nb\nc", '"a\\nb\\nc"', '"a\\nb\\ncb\\ncc"'],
		["emoji 😀", '"emoji 😀"', '"emoji 😀"'],
		['a\\"b', '"615c2262"', '"615c2262"'],
	])("prints the visible text %s, for each library alike", (text, printed, mapOrdered) => {
		const message = WitnessCreateContract.create({ url: utf8(text) });
		for (const library of [hashedLibrary, jsonLibrary]) {
			const style = { ...visible, library };
			expect(printMessage(WitnessCreateContract, message, style)).toBe(`{"url": ${printed}}`);
			expect(mapOrderedMessage(WitnessCreateContract, message, style)).toBe(`{"url":${mapOrdered}}`);
		}
	});

	it.each([
		["15 of its 16", `${"\n".repeat(15)}x`, 136],
		["all of its 256", "\n".repeat(256), 256],
	])(
		"repeats the lines of a text as long as that makes it 16 times as long at most: %s characters are line feeds",
		(_which, text, length) => {
			const shown = mapOrderedMessage(
				WitnessCreateContract,
				WitnessCreateContract.create({ url: utf8(text) }),
				visible,
			);
			expect(JSON.parse(shown).url).toHaveLength(length);
		},
	);

	it("escapes strings of the schema in each writer's way", () => {
		const permission = Permission.create({ permission_name: 'é"\\\u0001\u007f😀' });
		expect(printMessage(Permission, permission, hex)).toBe(
			'{"permission_name": "é\\"\\\\\\u0001\u007f\\ud83d\\ude00"}',
		);
		expect(mapOrderedMessage(Permission, permission, hex)).toBe(
			'{"permission_name":"é\\"\\\\\\u0001\\u007F😀"}',
		);
	});
});

/** Orders that were observed on the reference (protocol/http §2.3). */
const ORDERS: readonly (readonly [string, string])[] = [
	["transaction", "ret visible signature txID contract_address raw_data raw_data_hex"],
	[
		"raw data",
		"data auths contract ref_block_bytes ref_block_hash expiration ref_block_num scripts fee_limit timestamp",
	],
	["block", "blockID block_header transactions"],
	["broadcast answer", "result code txid message transaction"],
	["map entry", "value key"],
	["contract entry", "parameter type Permission_id"],
];

describe("the map-ordered form", () => {
	it.each(ORDERS)("orders the members of a %s as a hash map does", (_name, order) => {
		const names = order.split(" ");
		const members = [...names].sort().map((name) => [name, "1"] as const);
		expect(Object.keys(JSON.parse(mapOrderedObject(members, hashedLibrary)))).toEqual(names);
	});

	const keysOf = (json: string) => Object.keys(JSON.parse(json));

	it("keeps the order of twelve members and changes it with the thirteenth", () => {
		const few = TransactionInfo.create({ id: A, fee: 1n, receipt: new ResourceReceipt(), log: [] });
		expect(keysOf(mapOrderedMessage(TransactionInfo, few, hex))).toEqual(["fee", "receipt", "id"]);
		const many = AssetIssueContract.create({
			owner_address: A,
			name: A,
			abbr: A,
			total_supply: 1n,
			frozen_supply: [{ frozen_amount: 1n, frozen_days: 1n }],
			coin_num: 1,
			precision: 1,
			num: 1,
			start_time: 1n,
			end_time: 1n,
			order: 1n,
			vote_score: 1,
			description: A,
			url: A,
			free_asset_net_limit: 1n,
			public_free_asset_net_limit: 1n,
			public_free_asset_net_usage: 1n,
			public_latest_free_net_time: 1n,
			id: "1",
		});
		expect(keysOf(mapOrderedMessage(AssetIssueContract, many, hex)).join(" ")).toBe(
			"trx_num frozen_supply total_supply precision num end_time description owner_address public_free_asset_net_usage url free_asset_net_limit start_time public_free_asset_net_limit name public_latest_free_net_time id abbr vote_score order",
		);
	});

	it("nests in the same way", () => {
		const message = AccountPermissionUpdateContract.create({
			owner_address: A,
			owner: Permission.create({ threshold: 2n, permission_name: "o", keys: [{ address: A, weight: 1n }] }),
		});
		expect(mapOrderedMessage(AccountPermissionUpdateContract, message, visible)).toBe(
			'{"owner":{"keys":[{"address":"TGo6aDUZCuh7mp5Gh6fXXYisNEbKv2BHZ3","weight":1}],"threshold":2,"permission_name":"o"},"owner_address":"TGo6aDUZCuh7mp5Gh6fXXYisNEbKv2BHZ3"}',
		);
		const proposal = ProposalCreateContract.create({ parameters: new Map([[1n, 0n]]) });
		expect(mapOrderedMessage(ProposalCreateContract, proposal, hex)).toBe(
			'{"parameters":[{"value":0,"key":1}]}',
		);
	});
});
