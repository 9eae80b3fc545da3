import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type JudgementFacts, judgeTransaction } from "../../../src/keystore/signer/judgement.js";
import { feeOfType, fromParts, inParts, parsePolicies } from "../../../src/keystore/signer/policies.js";
import { readTransaction, selectorOfSignature } from "../../../src/keystore/signer/transaction-reading.js";
import { parseAddress, toBase58Check } from "../../../src/protocol/address.js";
import { concatBytes, fromHex, utf8 } from "../../../src/protocol/bytes.js";
import type { Message, MessageType } from "../../../src/protocol/codec/descriptor.js";
import { type BuildableName, contractType, contractTypes } from "../../../src/protocol/contract-types.js";
import { MAX_INT64 } from "../../../src/protocol/int64.js";
import * as m from "../../../src/protocol/messages.js";

const address = (fill: number): Uint8Array => concatBytes(Uint8Array.of(0x41), new Uint8Array(20).fill(fill));
const [OWNER, BOB, EVE, TOKEN, ZERO] = [address(1), address(2), address(3), address(4), address(0)];
const text = (bytes: Uint8Array): string => toBase58Check(bytes);
/** A Tuesday. */
const NOW_MS = Date.UTC(2026, 5, 2, 10, 30);
const WORD = 32;
const NO_MEMO = "the memo is not one of its memos";

/** A chain on which nothing costs a fee. */
const FREE = `fees { transactionFee = 0, createAccountFee = 0, createNewAccountFeeInSystemContract = 0, memoFee = 0, assetIssueFee = 0
	multiSignFee = 0, updateAccountPermissionFee = 0, accountUpgradeCost = 0, exchangeCreateFee = 0 }`;

const POLICIES = `${FREE}
clients {
  payroll { socket = /run/payroll }
  ops { certificate = "${"AB:".repeat(31)}AB" }
  node { certificate = "${"cd".repeat(32)}", node = true }
}
rules = [
  {
    name = salaries, keys = [treasury], clients = [payroll]
    types = [Transfer, TransferAssetContract, FreezeBalanceV2, DelegateResource]
    recipients = [${text(BOB)}], memos = ["", salary, "90817263"]
    transaction { coin = 12.5, 1000001 = 500 }, day { coin = 20, 1000001 = unlimited }
    hours = ["mon-fri 08:00-18:00", sat]
  }
  {
    name = token, keys = [${text(OWNER)}], clients = [payroll], types = [TriggerSmartContract]
    contracts = [${text(TOKEN)}], functions = ["transfer(address,uint256)", "approve(address,uint256)", "pay(uint256)"]
    recipients = ["*"], feeLimit = 100
    transaction { coin = 110, ${text(TOKEN)} = 1000 }, day { coin = 1000, ${text(TOKEN)} = 5000 }
  }
  {
    name = large, keys = [treasury], clients = [payroll, ops], types = [Transfer], recipients = ["*"]
    transaction { coin = 1000 }, day { coin = 5000 }, approval = [ops], permissions = [0, 2]
  }
]`;

const KEYS = new Map([["treasury", text(OWNER)]]);
const policies = parsePolicies(POLICIES, "policies.conf", KEYS);

interface Around {
	readonly type?: number;
	readonly raw?: Partial<m.TransactionRaw>;
	readonly contract?: Partial<m.TransactionContract>;
	readonly value?: Uint8Array;
	readonly url?: string;
}

/** Raw data of a transaction with one contract. */
function raw(
	name: BuildableName,
	init: object,
	{ raw: more, contract, value, url }: Around = {},
): Uint8Array {
	const { id, message } = contractType(name);
	const parameter = m.Any.create({
		type_url: url ?? `type.googleapis.com/protocol.${name}`,
		value:
			value ??
			message.encode((message as MessageType<Message>).create({ owner_address: OWNER, ...init } as object)),
	});
	return m.TransactionRaw.encode(
		m.TransactionRaw.create({
			expiration: BigInt(NOW_MS + 60_000),
			timestamp: BigInt(NOW_MS),
			contract: [m.TransactionContract.create({ type: id, parameter, ...contract })],
			...more,
		}),
	);
}

const transfer = (amount: bigint, to = BOB, around?: Around): Uint8Array =>
	raw("TransferContract", { to_address: to, amount }, around);
const word = (value: bigint | Uint8Array): Uint8Array =>
	fromHex(
		(typeof value === "bigint"
			? value.toString(16)
			: Buffer.from(value.subarray(1)).toString("hex")
		).padStart(2 * WORD, "0"),
	);
const call = (data: Uint8Array, more: object = {}, around?: Around): Uint8Array =>
	raw("TriggerSmartContract", { contract_address: TOKEN, data, ...more }, around);
const tokenCall = (selector: string, to: Uint8Array, amount: bigint, more: object = {}, around?: Around) =>
	call(concatBytes(fromHex(selector), word(to), word(amount)), more, around);
const fee = (sun: bigint): Around => ({ raw: { fee_limit: sun } });

const FACTS: JudgementFacts = {
	client: "payroll",
	key: text(OWNER),
	nowMs: NOW_MS,
	spentToday: () => 0n,
	isCounted: () => false,
	hasApproved: () => false,
	signatureBytes: 70,
};

function verdict(bytes: Uint8Array, more: Partial<JudgementFacts> = {}): string {
	try {
		const found = judgeTransaction(policies, readTransaction(bytes), { ...FACTS, ...more });
		if ("refused" in found) return found.refused;
		return `${found.rule.name}${found.awaits.length > 0 ? ` awaits ${found.awaits.join()}` : ""}`;
	} catch (error) {
		return (error as Error).message;
	}
}

describe("the rules", () => {
	const coins = (count: bigint): bigint => count * 1_000_000n;
	const memo = (words: string): Around => ({ raw: { data: utf8(words) } });
	const at = (time: string): Partial<JudgementFacts> => ({ nowMs: Date.parse(time) });
	const until = (time: string): Around => ({ raw: { expiration: BigInt(Date.parse(time) + 60_000) } });
	test.each<[string, Uint8Array, string, Partial<JudgementFacts>?]>([
		["a payment to a recipient", transfer(coins(12n)), "salaries"],
		["exactly the sum", transfer(12_500_000n), "salaries"],
		["one sun above it", transfer(12_500_001n), "large awaits ops"],
		["another client", transfer(1n), "no rule has node sign", { client: "node" }],
		["another key", transfer(1n), "no rule has payroll sign", { key: text(EVE) }],
		[
			"another account",
			raw("TransferContract", { owner_address: EVE, to_address: BOB, amount: 1n }),
			"is not one of its accounts",
		],
		[
			"another type",
			raw("AccountPermissionUpdateContract", {}),
			"AccountPermissionUpdateContract is not one of its types",
		],
		["another recipient", transfer(1n, EVE), "large awaits ops"],
		["nobody's address under *", transfer(1n, ZERO), `${text(ZERO)} is not one of its recipients`],
		[
			"what an approval was given for",
			transfer(coins(50n)),
			"large",
			{ hasApproved: (name) => name === "ops" },
		],
		[
			"an approval by the one that asks",
			transfer(coins(50n)),
			"nobody else than ops could approve it",
			{ client: "ops", hasApproved: () => true },
		],
		[
			"more than any rule",
			transfer(coins(1_001n)),
			"rule salaries: 1001000000sun is above its 12500000sun a transaction",
		],
		["a known memo", transfer(1n, BOB, memo("salary")), "salaries"],
		["another memo", transfer(1n, BOB, memo("42")), "the memo is not one of its memos"],
		["the listed digits as bytes", transfer(1n, BOB, { raw: { data: fromHex("90817263") } }), NO_MEMO],
		["the listed digits as text", transfer(1n, BOB, memo("90817263")), "salaries"],
		["a named permission", transfer(1n, BOB, { contract: { Permission_id: 2 } }), "large awaits ops"],
		[
			"another permission",
			transfer(1n, BOB, { contract: { Permission_id: 3 } }),
			"permission 3 is not one of its permissions",
		],
		[
			"a fee limit without a rule for it",
			transfer(1n, BOB, fee(1n)),
			"the fee limit of 1 sun is above its 0 sun",
		],
		["the sum of the day", transfer(coins(1n)), "salaries", { spentToday: () => coins(19n) }],
		[
			"more than is left of it",
			transfer(coins(2n)),
			"large awaits ops",
			{ spentToday: ({ name }) => (name === "salaries" ? coins(19n) : 0n) },
		],
		[
			"what was counted already",
			transfer(coins(2n)),
			"salaries",
			{ spentToday: () => coins(20n), isCounted: () => true },
		],
		[
			"a token",
			raw("TransferAssetContract", { to_address: BOB, asset_name: utf8("1000001"), amount: 500n }),
			"salaries",
		],
		[
			"more of it",
			raw("TransferAssetContract", { to_address: BOB, asset_name: utf8("1000001"), amount: 501n }),
			"501@1000001 is above its 500@1000001",
		],
		[
			"another token",
			raw("TransferAssetContract", { to_address: BOB, asset_name: utf8("1000002"), amount: 1n }),
			"it has no sum a transaction of 1000002",
		],
		[
			"a token by its name",
			raw("TransferAssetContract", { to_address: BOB, asset_name: utf8("gold"), amount: 1n }),
			"it names a token otherwise than by its id",
		],
		["a stake", raw("FreezeBalanceV2Contract", { frozen_balance: coins(12n) }), "salaries"],
		["a larger one", raw("FreezeBalanceV2Contract", { frozen_balance: coins(13n) }), "13000000sun is above"],
		[
			"a delegation",
			raw("DelegateResourceContract", { balance: coins(12n), receiver_address: BOB }),
			"salaries",
		],
		[
			"one to another",
			raw("DelegateResourceContract", { balance: 1n, receiver_address: EVE }),
			"is not one of its recipients",
		],
		[
			"Friday evening",
			transfer(1n, BOB, until("2026-06-05T17:59:59Z")),
			"salaries",
			at("2026-06-05T17:59:59Z"),
		],
		[
			"after hours",
			transfer(1n, BOB, until("2026-06-05T18:00:00Z")),
			"large awaits ops",
			at("2026-06-05T18:00:00Z"),
		],
		[
			"any hour of a Saturday",
			transfer(1n, BOB, until("2026-06-06T23:59:00Z")),
			"salaries",
			at("2026-06-06T23:59:00Z"),
		],
		[
			"a Sunday",
			transfer(1n, BOB, until("2026-06-07T10:00:00Z")),
			"large awaits ops",
			at("2026-06-07T10:00:00Z"),
		],
		["what has expired", transfer(1n), "it has expired", { nowMs: NOW_MS + 60_000 }],
		["a time far away", transfer(1n), "it expires in more than a day", { nowMs: NOW_MS - 86_400_000 }],
		["a token's transfer", tokenCall("a9059cbb", EVE, 1_000n, {}, fee(coins(100n))), "token"],
		["more tokens", tokenCall("a9059cbb", EVE, 1_001n), `1001@${text(TOKEN)} is above`],
		["an allowance at its amount", tokenCall("095ea7b3", EVE, 1_000n), "token"],
		["an allowance without a limit", tokenCall("095ea7b3", EVE, 2n ** 256n - 1n), "is above its 1000@"],
		["a burn of tokens", tokenCall("a9059cbb", ZERO, 1n), "is not one of its recipients"],
		["a function that isn't named", tokenCall("23b872dd", EVE, 1n), "not in their usual form"],
		[
			"another function with coins",
			call(fromHex("d0e30db0"), { call_value: 1n }),
			"0xd0e30db0 is not one of its functions",
		],
		[
			"a selector of three bytes",
			call(fromHex("a9059c"), { call_value: 1n }),
			"a call without a function is not one",
		],
		[
			"coins without data",
			call(new Uint8Array(0), { call_value: 1n }),
			"a call without a function is not one",
		],
		[
			"another contract",
			raw("TriggerSmartContract", { contract_address: EVE, data: fromHex("c290d691") }),
			"is not one of its contracts",
		],
		[
			"call value and fee limit as one sum",
			call(fromHex("c290d691"), { call_value: coins(11n) }, fee(coins(100n))),
			"111000000sun is above its 110000000sun",
		],
		["a named function", call(fromHex("c290d691"), { call_value: coins(10n) }, fee(coins(100n))), "token"],
		[
			"a token with the call",
			call(fromHex("c290d691"), { call_token_value: 1n, token_id: 1_000_001n }),
			"no sum a transaction of 1000001",
		],
		["a fee limit above its own", call(fromHex("c290d691"), {}, fee(coins(100n) + 1n)), "the fee limit of"],
	])("judge %s", (_, bytes, expected, facts) => {
		expect(verdict(bytes, facts)).toContain(expected);
	});
});

describe("bytes that could mean something else", () => {
	const owner = concatBytes(Uint8Array.of(0x0a, 21), OWNER);
	const to = (bytes: Uint8Array): Uint8Array => concatBytes(Uint8Array.of(0x12, 21), bytes);
	const value = (...fields: Uint8Array[]): Uint8Array =>
		transfer(1n, BOB, { value: concatBytes(owner, ...fields) });
	const one = Uint8Array.of(0x18, 1);
	const two = m.TransactionRaw.decode(transfer(1n)).contract[0] as m.TransactionContract;
	test.each<[string, Uint8Array, string]>([
		["nothing", new Uint8Array(0), "it has 0 contracts"],
		["garbage", fromHex("ffff"), "the bytes are not a transaction"],
		[
			"two contracts",
			transfer(1n, BOB, { raw: { contract: [two, two] } }),
			"it has 2 contracts instead of one",
		],
		[
			"a field without a name",
			concatBytes(transfer(1n), Uint8Array.of(0x98, 0x06, 1)),
			"it holds fields without a name, in raw_data",
		],
		[
			"one in the parameter",
			value(to(BOB), one, Uint8Array.of(0x20, 1)),
			"it holds fields without a name, in TransferContract",
		],
		["a recipient that comes twice", value(to(BOB), to(EVE), one), "not in the form that the network writes"],
		["fields in another order", value(one, to(BOB)), "not in the form that the network writes"],
		[
			"a long form of a number",
			value(to(BOB), Uint8Array.of(0x18, 0x81, 0)),
			"not in the form that the network writes",
		],
		[
			"a contract in two parts",
			concatBytes(transfer(1n), fromHex("5a0208 01".replace(" ", ""))),
			"it has 2 contracts",
		],
		[
			"another type_url",
			transfer(1n, BOB, { url: "type.googleapis.com/protocol.TriggerSmartContract" }),
			"not of the type that it names",
		],
		[
			"a type that isn't",
			transfer(1n, BOB, { contract: { type: 99 as m.TransactionContract["type"] } }),
			"not of the type that it names",
		],
		[
			"the type of another message",
			transfer(1n, BOB, { contract: { type: 2 as m.TransactionContract["type"] } }),
			"not of the type that it names",
		],
		[
			"a name that nobody uses",
			transfer(1n, BOB, { contract: { provider: utf8("x") } }),
			"it holds a provider, which means nothing",
		],
		["scripts", transfer(1n, BOB, { raw: { scripts: utf8("x") } }), "it holds scripts, which means nothing"],
		["less than nothing", transfer(-1n), "it holds a negative amount"],
		[
			"a fee limit below nothing",
			transfer(1n, BOB, { raw: { fee_limit: -1n } }),
			"it holds a negative amount",
		],
		["a short address", transfer(1n, BOB.subarray(0, 20)), "it holds an address that is none"],
		["the largest amount", transfer(MAX_INT64), `${MAX_INT64}sun is above`],
		[
			"an amount and a fee limit that would wrap",
			transfer(MAX_INT64, BOB, { raw: { fee_limit: MAX_INT64 } }),
			"the fee limit of",
		],
		[
			"arguments with more behind them",
			call(concatBytes(fromHex("a9059cbb"), word(BOB), word(1n), word(1n))),
			"not in their usual form",
		],
		[
			"an address with something before it",
			call(concatBytes(fromHex("a9059cbb"), new Uint8Array(32).fill(1), word(1n))),
			"not in their usual form",
		],
		["missing arguments", call(concatBytes(fromHex("a9059cbb"), word(BOB))), "not in their usual form"],
		[
			"a name of the type with any text before it",
			transfer(1n, BOB, { url: `${"x".repeat(100_000)}/protocol.TransferContract` }),
			"not of the type that it names",
		],
		[
			"more parts than are looked at",
			transfer(1n, BOB, { raw: { contract: Array.from({ length: 4_097 }, () => two) } }),
			"more than 512000 bytes or 4096 parts",
		],
		[
			"as many in the parameter",
			raw("CreateSmartContract", {
				new_contract: m.SmartContract.create({
					abi: m.SmartContractABI.create({
						entrys: Array.from({ length: 4_096 }, () => m.SmartContractABIEntry.create()),
					}),
				}),
			}),
			"more than 512000 bytes or 4096 parts",
		],
		[
			"more recipients than the network allows",
			raw("VoteWitnessContract", {
				votes: Array.from({ length: 65 }, () => m.VoteWitnessContractVote.create({ vote_address: BOB })),
			}),
			"it has 65 recipients, more than 64",
		],
		[
			"a shielded transfer",
			raw("ShieldedTransferContract", { transparent_from_address: OWNER, owner_address: undefined }),
			"can't be seen",
		],
	])("hold %s", (_, bytes, expected) => {
		expect(verdict(bytes)).toContain(expected);
	});

	test("whom a permission gives power is a recipient, and a vote has one", () => {
		const key = m.Key.create({ address: EVE, weight: 1n });
		const update = raw("AccountPermissionUpdateContract", {
			owner: m.Permission.create({ keys: [key] }),
			actives: [m.Permission.create({ keys: [m.Key.create({ address: BOB })] })],
		});
		expect(readTransaction(update).recipients).toEqual([text(EVE), text(BOB)]);
		const votes = [m.VoteWitnessContractVote.create({ vote_address: BOB, vote_count: 3n })];
		expect(readTransaction(raw("VoteWitnessContract", { votes })).recipients).toEqual([text(BOB)]);
	});

	test("what nobody can count must be named, though any function is allowed", () => {
		const any = parsePolicies(
			`${FREE}, clients { a { socket = s } }, rules = [{ name = any, keys = [treasury], clients = [a], types = [TriggerSmartContract]
			contracts = ["*"], functions = ["*"], recipients = ["*"], transaction { coin = 1 }, day { coin = 1 } }]`,
			"any.conf",
			KEYS,
		);
		const judged = (bytes: Uint8Array) =>
			judgeTransaction(any, readTransaction(bytes), { ...FACTS, client: "a" });
		expect(judged(tokenCall("a22cb465", EVE, 1n))).toMatchObject({
			refused: "rule any: 0xa22cb465 is not one of its functions",
		});
		expect(judged(tokenCall("12345678", EVE, 1n))).toMatchObject({
			refused: "rule any: 0x12345678 is not one of its functions",
		});
		expect(judged(call(new Uint8Array(0), { call_value: 1n }))).toMatchObject({ awaits: [] });
		expect(judged(tokenCall("095ea7b3", EVE, 1n))).toMatchObject({
			refused: expect.stringContaining("no sum a transaction of"),
		});
	});

	test("the first of single pieces needs a sum of its contract, too", () => {
		expect(readTransaction(tokenCall("095ea7b3", EVE, 0n)).sums).toEqual(new Map([[text(TOKEN), 0n]]));
	});

	test.each(["transferAndCall(address,uint256)", "approveAndCall(address,uint256)"])(
		"%s is counted",
		(name) => {
			const read = readTransaction(tokenCall(selectorOfSignature(name), EVE, 5n));
			expect(read).toMatchObject({ recipients: [text(EVE)], sums: new Map([[text(TOKEN), 5n]]) });
		},
	);

	test.each<[BuildableName, object]>([
		[
			"MarketSellAssetContract",
			{ sell_token_id: utf8("_"), sell_token_quantity: 1n, buy_token_id: utf8("1") },
		],
		["ExchangeTransactionContract", { token_id: utf8("_"), quant: 1n }],
		["CreateSmartContract", { new_contract: m.SmartContract.create({ call_value: 1n }) }],
	])("what %s pays can go to anyone, and so to none of some recipients", (name, init) => {
		const judged = (recipients: string) =>
			judgeTransaction(
				parsePolicies(
					`${FREE}, clients { a { socket = s } }, rules = [{ name = r, keys = [treasury], clients = [a], types = [${name}]
					recipients = [${recipients}], transaction { coin = 1 }, day { coin = 1 } }]`,
					"some.conf",
					KEYS,
				),
				readTransaction(raw(name, init)),
				{ ...FACTS, client: "a" },
			);
		expect(judged(text(BOB))).toMatchObject({
			refused: expect.stringContaining("others than its recipients"),
		});
		expect(judged('"*"')).toMatchObject({ awaits: [] });
	});

	test.each([
		["a contract that is named", text(TOKEN), text(BOB), { awaits: [] }],
		[
			"any to recipients that are named",
			'"*"',
			text(BOB),
			{ refused: expect.stringContaining("others than") },
		],
		["any to anyone", '"*"', '"*"', { awaits: [] }],
	])("coins with a call go to %s", (_, contracts, recipients, expected) => {
		const rules = parsePolicies(
			`${FREE}, clients { a { socket = s } }, rules = [{ name = r, keys = [treasury], clients = [a], types = [TriggerSmartContract]
			contracts = [${contracts}], functions = ["*"], recipients = [${recipients}], transaction { coin = 1 }, day { coin = 1 } }]`,
			"calls.conf",
			KEYS,
		);
		const paid = readTransaction(call(new Uint8Array(0), { call_value: 1n }));
		expect(judgeTransaction(rules, paid, { ...FACTS, client: "a" })).toMatchObject(expected);
	});

	test("a payment without a memo isn't one with a memo that is allowed", () => {
		const judged = (bytes: Uint8Array) =>
			judgeTransaction(
				parsePolicies(POLICIES.replace('memos = ["", salary,', "memos = [salary,"), "p.conf", KEYS),
				readTransaction(bytes),
				FACTS,
			);
		expect(judged(transfer(1n))).toMatchObject({ rule: { name: "large" } });
		expect(judged(transfer(1n, BOB, { raw: { data: utf8("salary") } }))).toMatchObject({
			rule: { name: "salaries" },
		});
		expect(judged(raw("FreezeBalanceV2Contract", { frozen_balance: 1n }))).toMatchObject({
			rule: { name: "salaries" },
		});
	});

	/** What isn't judged of the fields that hold bytes and amounts: a new one makes this list longer, or is judged. */
	test("every field with an address or an amount is judged, or stands here", () => {
		const judged = new Set([
			"owner_address",
			"to_address",
			"receiver_address",
			"account_address",
			"contract_address",
		]);
		const left = contractTypes.flatMap(({ name, message, sunFields = [], tokenFields = [] }) =>
			(message?.fields ?? [])
				.filter(({ kind, label }) => label === "singular" && (kind === "bytes" || kind === "int64"))
				.map((field) => field.name)
				.filter(
					(field) => !judged.has(field) && !sunFields.includes(field) && !tokenFields.flat().includes(field),
				)
				.map((field) => `${name.replace(/Contract$/, "")}.${field}`),
		);
		expect(left.filter((field) => !field.startsWith("ShieldedTransfer."))).toEqual([
			...["TransferAsset.asset_name", "TransferAsset.amount", "WitnessCreate.url"],
			...["AssetIssue.name", "AssetIssue.abbr", "AssetIssue.total_supply", "AssetIssue.start_time"],
			...["AssetIssue.end_time", "AssetIssue.order", "AssetIssue.description", "AssetIssue.url"],
			...["AssetIssue.free_asset_net_limit", "AssetIssue.public_free_asset_net_limit"],
			...["AssetIssue.public_free_asset_net_usage", "AssetIssue.public_latest_free_net_time"],
			...["WitnessUpdate.update_url", "ParticipateAssetIssue.asset_name", "AccountUpdate.account_name"],
			...[
				"FreezeBalance.frozen_duration",
				"UpdateAsset.description",
				"UpdateAsset.url",
				"UpdateAsset.new_limit",
			],
			...["UpdateAsset.new_public_limit", "ProposalApprove.proposal_id", "ProposalDelete.proposal_id"],
			...["SetAccountId.account_id", "CreateSmart.call_token_value", "CreateSmart.token_id"],
			...["TriggerSmart.data", "TriggerSmart.call_token_value", "TriggerSmart.token_id"],
			...["UpdateSetting.consume_user_resource_percent", "ExchangeInject.exchange_id"],
			...["ExchangeWithdraw.exchange_id", "ExchangeTransaction.exchange_id", "ExchangeTransaction.expected"],
			...[
				"UpdateEnergyLimit.origin_energy_limit",
				"MarketCancelOrder.order_id",
				"DelegateResource.lock_period",
			],
		]);
	});
});

describe("fees", () => {
	/** Of the most that a rule allows. */
	function feeSun(bytes: Uint8Array, recipients: string, fees = ""): bigint {
		const file = `clients { a { socket = s } }, fees { ${fees} }, rules = [{ name = r, keys = [treasury], clients = [a]
			types = [${contractTypes.filter(({ name, message }) => message && !/^Shielded|^ExchangeInject/.test(name)).map(({ name }) => name)}]
			recipients = [${recipients}], memos = ["*"], transaction { coin = unlimited }, day { coin = unlimited } }]`;
		const found = judgeTransaction(parsePolicies(file, "p", KEYS), readTransaction(bytes), {
			...FACTS,
			client: "a",
		});
		if ("refused" in found) throw new Error(found.refused);
		return found.feeSun;
	}
	const size = (bytes: Uint8Array): bigint => BigInt(bytes.length) + 5n + 64n + 70n;
	const plain = transfer(1n);
	const memo = transfer(1n, BOB, { raw: { data: utf8("x") } });
	const issue = raw("AssetIssueContract", {});
	const witness = raw("WitnessCreateContract", {});
	const created = raw("AccountCreateContract", { account_address: BOB });
	const update = raw("AccountPermissionUpdateContract", {});
	test.each<[string, Uint8Array, string, bigint, string?]>([
		["bytes without bandwidth", plain, text(BOB), 1_000n * size(plain)],
		["a recipient that is new", plain, '"*"', 1_000n * size(plain) + 1_000_000n],
		["a new one in place of the bytes", plain, '"*"', 50_000_000n + 1_000_000n, "createAccountFee = 50"],
		["an account", created, text(BOB), 1_000n * size(created) + 1_000_000n],
		["a memo", memo, text(BOB), 1_000n * size(memo) + 1_000_000n],
		["other prices", memo, text(BOB), 7n * size(memo) + 3_000_000n, "transactionFee = 7sun, memoFee = 3"],
		["more signatures", plain, text(BOB), 1_000n * (size(plain) + 140n) + 1_000_000n, "signatures = 3"],
		["a token", issue, text(BOB), 1_000n * size(issue) + 1_024_000_000n],
		["a witness", witness, text(BOB), 1_000n * size(witness) + 9_999_000_000n],
		["a permission", update, text(BOB), 1_000n * size(update) + 100_000_000n],
	])("count %s", (_, bytes, recipients, expected, fees) => {
		expect(feeSun(bytes, recipients, fees)).toBe(expected);
	});

	test("have a price for each type that costs one", () => {
		const { fees } = parsePolicies("clients { }, rules = []", "p", KEYS);
		const costly = contractTypes.filter((type) => "fee" in type);
		expect(costly.length).toBeGreaterThan(4);
		for (const type of costly) expect(feeOfType(type, fees)).toBeGreaterThanOrEqual(0n);
	});

	test("are the bytes that a node takes of the signed transaction", () => {
		const signed = m.Transaction.create({
			raw_data: m.TransactionRaw.decode(plain),
			signature: [new Uint8Array(68)],
		});
		expect(m.Transaction.size(signed) + 64).toBeLessThanOrEqual(Number(size(plain)));
	});
});

describe("the file", () => {
	const rule = (more: string): string =>
		`clients { a { socket = s } }, ${FREE.replaceAll("\n", ",")}\nrules = [{ name = r, keys = [treasury], clients = [a], types = [Transfer]\n${more} }]`;
	const paying = (more: string): string => rule(more).replace("transactionFee = 0", "transactionFee = 1sun");
	test.each([
		["an unknown member", rule("recipient = [x]"), "p.conf: 3: rules[0].recipient isn't one of name, keys"],
		[
			"an unknown member of a client",
			"clients { a { socket = s, uid = 5 } }",
			"p.conf: 1: clients.a.uid isn't one of",
		],
		["an unknown part", "clients { }, rule = []", "p.conf: 1: rule isn't one of clients, rules, fees"],
		["no client", "rules = []", "no configuration setting found for key clients"],
		["a client that is known by nothing", "clients { a { } }", "needs a socket of its own, or the SHA-256"],
		[
			"a client that is known by both",
			`clients { a { socket = s, certificate = "${"ab".repeat(32)}" } }`,
			"needs a socket of its own",
		],
		["a short fingerprint", 'clients { a { certificate = "abcd" } }', "isn't a SHA-256"],
		[
			"two clients at one socket",
			"clients { a { socket = s }, b { socket = s } }",
			"nobody could tell them apart",
		],
		["a client that isn't there", rule("approval = [b]"), 'p.conf: 3: rules[0].approval holds "b"'],
		[
			"a key of another",
			`clients { a { socket = s } }, rules = [{ name = r, keys = [${text(EVE)}] }]`,
			"not a key of this signer",
		],
		[
			"no type",
			"clients { a { socket = s } }, rules = [{ name = r, keys = [treasury], clients = [a] }]",
			"must name one at least",
		],
		[
			"a type that can't be judged",
			rule("").replace("Transfer", "ShieldedTransfer"),
			"not a type that can be judged",
		],
		[
			"a type that pays what only the network knows",
			rule("").replace("Transfer", "ExchangeInject"),
			"not a type that can be judged",
		],
		[
			"more rules than a transaction is held against in time",
			`clients { a { socket = s } }, rules = [${"{}".repeat(1_025).replaceAll("}{", "}, {")}]`,
			"has 1025 rules, more than 1024",
		],
		["an address that is none", rule("recipients = [T1]"), 'holds "T1", which is not an address'],
		["* among others", rule(`recipients = ["*", ${text(BOB)}]`), 'holds "*"'],
		["a function without types", rule("functions = [pay]"), "not the signature of a function"],
		["a function of a short type", rule('functions = ["pay(uint)"]'), "not the signature of a function"],
		["hours that end before they begin", rule('hours = ["18:00-08:00"]'), "not hours such as"],
		["an hour that isn't", rule('hours = ["mon 08:61-18:00"]'), "not hours such as"],
		["nonsense as hours", rule("hours = [whenever]"), "not hours such as"],
		[
			"hours that are none",
			rule("hours = []"),
			"p.conf: 3: rules[0].hours of the rule r must name one at least",
		],
		[
			"an approval by nobody",
			rule("approval = []"),
			"rules[0].approval of the rule r must name one at least",
		],
		["a member that is null", rule("approval = null"), "p.conf: rules[0].approval says nothing"],
		["a sum that is null", rule("day { coin = null }"), "rules[0].day.coin says nothing"],
		["a sum twice", rule("day { coin = 5, coin = 50 }"), "p.conf: 3: coin is there already"],
		["sums twice", rule("day { coin = 5 }\nday { coin = 50 }"), "p.conf: 4: day is there already"],
		["sums beside each other", rule("day { coin = 5 } { coin = 50 }"), "joins things of different kinds"],
		["a sum in place of another", rule("day = 5\nday.coin = 50"), "p.conf: 4: day is there already"],
		["the rules twice", `${rule("")}\nrules = []`, "p.conf: 4: rules is there already"],
		["a negative sum", rule("day { coin = -5 }"), "rules[0].day.coin is"],
		["a sum in hundredths of a sun", rule("day { coin = 0.0000001 }"), "write coins, such as 12.5"],
		["a part of a token", rule("day { 1000001 = 1.5 }"), "write smallest units"],
		["an asset that isn't", rule("day { gold = 5 }"), 'holds "gold"'],
		["no sum for fees", paying("day { coin = 5 }"), "p.conf: rules[0].transaction has no sum of coin"],
		["no sum of a day for fees", paying("transaction { coin = 5 }"), "rules[0].day has no sum of coin"],
		[
			"a fee that nobody takes",
			"clients { }, rules = [], fees { energyFee = 1 }",
			"fees.energyFee isn't one of transactionFee",
		],
		[
			"a fee without a bound",
			"clients { }, rules = [], fees { memoFee = unlimited }",
			"fees.memoFee has no upper bound",
		],
		["six signatures", "clients { }, rules = [], fees { signatures = 6 }", "fees.signatures must be 1 to 5"],
		["transactions among the sums of one", rule("transaction { transactions = 5 }"), 'holds "transactions"'],
		[
			"two rules of one name",
			rule("}, { name = r, keys = [treasury], clients = [a], types = [Transfer]"),
			"two rules with the name r",
		],
		[
			"a long name of a rule",
			rule(`}, { name = ${"r".repeat(33)}`),
			"name isn't a name of a rule: 1 to 32 characters, each a letter of A to Z or a to z, a digit, a point, _ or -, and the first a letter or a digit",
		],
		[
			"a name of a client with a point",
			'clients { "a.b" { socket = s } }, rules = []',
			"isn't a name of a client: 1 to 32 characters, each a letter of A to Z or a to z, a digit, _ or -, and the first a letter or a digit",
		],
	])("with %s stops the start", (_, file, message) => {
		expect(() => parsePolicies(file, "p.conf", KEYS)).toThrow(message);
	});

	test("is read as the operator's page has it", () => {
		const whole = readFileSync("docs/operations.md", "utf8");
		const [nodes = ""] = / {4}clients \{ node1.*\n {4}rules = \[\]\n/.exec(whole) ?? [];
		let digit = 0;
		const given = nodes.replaceAll("<SHA-256>", () => String(++digit).repeat(64));
		expect(parsePolicies(given, "operations.md", KEYS)).toMatchObject({
			clients: [
				{ name: "node1", isNode: true },
				{ name: "node2", isNode: true },
			],
			rules: [],
		});
		const [page = ""] = / {4}clients \{ {2,}#[\s\S]*?\n {4}\]\n/.exec(whole) ?? [];
		const { clients, rules } = parsePolicies(page, "operations.md", KEYS);
		expect(clients.map(({ name }) => name)).toEqual(["payroll", "ops"]);
		expect(rules.map(({ name, approvers }) => [name, [...approvers]])).toEqual([
			["salaries", []],
			["others", ["ops"]],
		]);
	});

	test("has the main network's prices where it names none", () => {
		const { fees } = parsePolicies(
			"clients { }, rules = [], fees { memoFee = 2, transactionFee = 7sun }",
			"p",
			KEYS,
		);
		expect(fees).toMatchObject({ signatures: 1, prices: { memoFee: 2_000_000n, transactionFee: 7n } });
		expect(fees.prices.updateAccountPermissionFee).toBe(100_000_000n);
	});

	test("may name a function of tuples and arrays", () => {
		const { rules } = parsePolicies(
			rule('functions = ["swap((address,uint256)[],bytes32)", "f(orcToken)"]'),
			"p.conf",
			KEYS,
		);
		expect(rules[0]?.functions?.size).toBe(2);
	});

	test("reads fingerprints with and without colons", () => {
		expect(policies.clients.map(({ certificate, isNode }) => [certificate, isNode])).toEqual([
			[undefined, false],
			["ab".repeat(32), false],
			["cd".repeat(32), true],
		]);
		expect(parseAddress(text(BOB))).toEqual(BOB);
	});
});

test("policies of any size pass between threads in small parts, and between two of them others have their turn", async () => {
	const recipients = Array.from({ length: 2_500 }, (_, at) => {
		const bytes = new Uint8Array(20);
		new DataView(bytes.buffer).setUint32(0, at);
		return text(concatBytes(Uint8Array.of(0x41), bytes));
	});
	const large = `${POLICIES.trimEnd().slice(0, -1)}
		{ name = vast, keys = [treasury], clients = [payroll], types = [Transfer], recipients = [${recipients.join(", ")}]
		  transaction { coin = 1 }, day { coin = 1 } }]`;
	const policies = parsePolicies(large, "p.conf", new Map([["treasury", text(OWNER)]]));
	const parts = [...inParts(policies)].map((part) => structuredClone(part));
	expect(Math.max(...parts.map((part) => ("texts" in part ? part.texts.length : 0)))).toBe(1_000);
	const cut = parts.slice(0, -1);
	let turns = 0;
	const turn = (): void => {
		turns++;
		if (parts.length > 0) setImmediate(turn);
	};
	setImmediate(turn);
	const count = parts.length;
	expect(await fromParts("p.conf", () => parts.shift())).toEqual(policies);
	expect(turns).toBeGreaterThanOrEqual(count - 1);
	await expect(fromParts("p.conf", () => cut.shift())).rejects.toThrow("their thread ended");
	await expect(fromParts("p.conf", () => undefined)).rejects.toThrow("the policies p.conf can't be read");
});
