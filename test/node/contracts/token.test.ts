import { beforeEach, describe, expect, it } from "vitest";
import type { StateView } from "../../../src/node/state/view.js";
import { tokenByName, tokensByName } from "../../../src/node/tokens/queries.js";
import { isCoinOrTokenNumber, tokenBytes } from "../../../src/node/tokens/token-store.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import {
	type Account,
	AssetIssueContract,
	AssetIssueContractFrozenSupply,
	ParticipateAssetIssueContract,
	TransferAssetContract,
	UnfreezeAssetContract,
	UpdateAssetContract,
} from "../../../src/protocol/messages.js";
import { address, check, giveAccount, openTokenState, run } from "./contract-chain.js";

const FEE = 1_024_000_000n;
const DAY_MS = 86_400_000n;

let state: StateView;
let issuer: Uint8Array;
let now: bigint;

beforeEach(async () => {
	state = await openTokenState();
	issuer = giveAccount(state, 1, FEE);
	now = state.properties.headTimestampMs;
});

function issue(change: Partial<AssetIssueContract> = {}): AssetIssueContract {
	return AssetIssueContract.create({
		owner_address: issuer,
		name: utf8("Token"),
		total_supply: 1_000n,
		coin_num: 3,
		num: 2,
		start_time: now + 1n,
		end_time: now + DAY_MS,
		url: utf8("u"),
		...change,
	});
}

function setTime(timestampMs: bigint): void {
	state.properties.set("latest_block_header_timestamp", timestampMs);
}

const frozen = (frozen_amount: bigint, frozen_days: bigint): AssetIssueContractFrozenSupply =>
	AssetIssueContractFrozenSupply.create({ frozen_amount, frozen_days });

describe("issuing a token", () => {
	it.each([
		[34, 0n, undefined],
		[34, 1n, "Start time and frozen days would cause expire time overflow"],
		[33, 1n, undefined],
	])("after version %i may freeze up to the end of time and %i ms", (version, beyond, text) => {
		state.properties.setForkStatistics(version, Uint8Array.of(1));
		const start = 2n ** 63n - 1n - 2n * DAY_MS + beyond;
		const late = issue({
			start_time: start,
			end_time: start + 1n,
			frozen_supply: [frozen(1n, 1n), frozen(1n, 2n)],
		});
		const issuing = expect(() => check(state, "AssetIssueContract", late));
		if (text) issuing.toThrow(text);
		else issuing.not.toThrow();
	});

	it("gives the next number, and the issuer what isn't frozen", () => {
		const result = run(
			state,
			"AssetIssueContract",
			issue({ frozen_supply: [frozen(100n, 1n), frozen(50n, 2n)] }),
		);
		expect(result.assetIssueID).toBe("1000001");
		expect(result.fee).toBe(FEE);
		const account = state.account.existing(issuer);
		expect(account.balance).toBe(0n);
		expect(account.assetV2).toEqual(new Map([["1000001", 850n]]));
		expect(account.frozen_supply.map((each) => each.expire_time)).toEqual([
			now + 1n + DAY_MS,
			now + 1n + 2n * DAY_MS,
		]);
		expect(state.assetIssueV2.get(tokenBytes("1000001"))?.total_supply).toBe(1_000n);
	});

	it("keeps two records while tokens go by name", () => {
		state.properties.set("ALLOW_SAME_TOKEN_NAME", 0n);
		run(state, "AssetIssueContract", issue({ precision: 9 }));
		expect(state.assetIssue.get(utf8("Token"))?.precision).toBe(9);
		expect(state.assetIssueV2.get(tokenBytes("1000001"))?.precision).toBe(0);
		const transfer = TransferAssetContract.create({
			owner_address: issuer,
			to_address: address(2),
			asset_name: utf8("Token"),
			amount: 10n,
		});
		run(state, "TransferAssetContract", transfer);
		const recipient = state.account.existing(address(2));
		expect(recipient.asset).toEqual(new Map([["Token", 10n]]));
		expect(recipient.assetV2).toEqual(new Map([["1000001", 10n]]));
		giveAccount(state, 3, FEE);
		expect(() => check(state, "AssetIssueContract", issue({ owner_address: address(3) }))).toThrow(
			"Token exists",
		);
	});

	it.each([
		[{ owner_address: new Uint8Array(0) }, "Invalid ownerAddress"],
		[{ name: utf8("a b") }, "Invalid assetName"],
		[{ name: utf8("TRX") }, "assetName can't be coin"],
		[{ precision: 7 }, "precision cannot exceed 6"],
		[{ abbr: utf8("é") }, "Invalid abbreviation for token"],
		[{ url: new Uint8Array(257) }, "Invalid url"],
		[{ description: new Uint8Array(201) }, "Invalid description"],
		[{ start_time: 0n }, "Start time should be not empty"],
		[{ end_time: 0n }, "End time should be not empty"],
		[{ end_time: 1n }, "End time should be greater than start time"],
		[{ start_time: 1n }, "Start time should be greater than HeadBlockTime"],
		[{ total_supply: 0n }, "TotalSupply must greater than 0!"],
		[{ coin_num: 0 }, "CoinNum must greater than 0!"],
		[{ num: -1 }, "Num must greater than 0!"],
		[{ public_free_asset_net_usage: 1n }, "PublicFreeAssetNetUsage must be 0!"],
		[{ frozen_supply: Array(11).fill(frozen(1n, 1n)) }, "Frozen supply list length is too long"],
		[{ free_asset_net_limit: 57_600_000_000n }, "Invalid FreeAssetNetLimit"],
		[{ public_free_asset_net_limit: -1n }, "Invalid PublicFreeAssetNetLimit"],
		[{ frozen_supply: [frozen(0n, 1n)] }, "Frozen supply must be greater than 0!"],
		[{ frozen_supply: [frozen(999n, 1n), frozen(2n, 1n)] }, "Frozen supply cannot exceed total supply"],
		[
			{ frozen_supply: [frozen(1n, 3_653n)] },
			"frozenDuration must be less than 3652 days and more than 1 days",
		],
		[{ owner_address: address(9) }, "Account not exists"],
	])("is refused with %o", (change, message) => {
		expect(() => check(state, "AssetIssueContract", issue(change))).toThrow(message);
	});

	it("is refused a second time, and without the fee", () => {
		run(state, "AssetIssueContract", issue());
		expect(() => check(state, "AssetIssueContract", issue())).toThrow("An account can only issue one asset");
		giveAccount(state, 2, FEE - 1n);
		expect(() => check(state, "AssetIssueContract", issue({ owner_address: address(2) }))).toThrow(
			"No enough balance for fee!",
		);
	});
});

describe("an issued token", () => {
	const id = tokenBytes("1000001");

	beforeEach(() => {
		run(state, "AssetIssueContract", issue({ frozen_supply: [frozen(100n, 1n), frozen(50n, 2n)] }));
	});

	it("is sold at its price, without change", () => {
		const buyer = giveAccount(state, 2, 100n);
		setTime(now + 1n);
		const buy = { owner_address: buyer, to_address: issuer, asset_name: id };
		run(
			state,
			"ParticipateAssetIssueContract",
			ParticipateAssetIssueContract.create({ ...buy, amount: 100n }),
		);
		expect(state.account.existing(buyer).assetV2.get("1000001")).toBe(66n);
		expect(state.account.existing(buyer).balance).toBe(0n);
		expect(state.account.existing(issuer).balance).toBe(100n);
		expect(state.account.existing(issuer).assetV2.get("1000001")).toBe(850n - 66n);
	});

	it.each([
		[{ amount: 1n }, "Can not process the exchange!"],
		[{ amount: 2n ** 62n }, "long overflow"],
		[{ amount: 3_000n }, "Asset balance is not enough !"],
		[{ asset_name: new Uint8Array(0) }, "No asset named null"],
		[{ asset_name: utf8("x") }, "No asset named x"],
	])("is not sold for %o", (change, message) => {
		const buyer = giveAccount(state, 2, 2n ** 62n);
		setTime(now + 1n);
		const buy = { owner_address: buyer, to_address: issuer, asset_name: id, amount: 3n, ...change };
		expect(() =>
			check(state, "ParticipateAssetIssueContract", ParticipateAssetIssueContract.create(buy)),
		).toThrow(message);
	});

	it("is sold only in its time", () => {
		const buyer = giveAccount(state, 2, 100n);
		const buy = ParticipateAssetIssueContract.create({
			owner_address: buyer,
			to_address: issuer,
			asset_name: id,
			amount: 3n,
		});
		expect(() => check(state, "ParticipateAssetIssueContract", buy)).toThrow("No longer valid period!");
		setTime(now + DAY_MS);
		expect(() => check(state, "ParticipateAssetIssueContract", buy)).toThrow("No longer valid period!");
	});

	it("is unfrozen part by part", () => {
		const contract = UnfreezeAssetContract.create({ owner_address: issuer });
		expect(() => check(state, "UnfreezeAssetContract", contract)).toThrow(
			"It's not time to unfreeze asset supply",
		);
		setTime(now + 1n + DAY_MS);
		run(state, "UnfreezeAssetContract", contract);
		const account: Readonly<Account> = state.account.existing(issuer);
		expect(account.assetV2.get("1000001")).toBe(950n);
		expect(account.frozen_supply.map((each) => each.frozen_balance)).toEqual([50n]);
	});

	it("takes all four values of an update", () => {
		const update = { owner_address: issuer, url: utf8("w"), new_limit: 5n };
		run(state, "UpdateAssetContract", UpdateAssetContract.create(update));
		const token = state.assetIssueV2.get(id);
		expect(token?.free_asset_net_limit).toBe(5n);
		expect(token?.public_free_asset_net_limit).toBe(0n);
		expect(token?.description.length).toBe(0);
	});

	it("leaves an entry of 0 when all of it is sent", () => {
		giveAccount(state, 2, 0n);
		const send = { owner_address: issuer, to_address: address(2), asset_name: id, amount: 850n };
		run(state, "TransferAssetContract", TransferAssetContract.create(send));
		expect(state.account.existing(issuer).assetV2.get("1000001")).toBe(0n);
		expect(() => check(state, "TransferAssetContract", TransferAssetContract.create(send))).toThrow(
			"assetBalance must be greater than 0.",
		);
	});
});

describe("finding a token by name", () => {
	const put = (number: string, name: string): void =>
		state.assetIssueV2.put(tokenBytes(number), AssetIssueContract.create({ id: number, name: utf8(name) }));

	it("counts a number that equals the name", () => {
		put("1000001", "one");
		put("1000002", "1000001");
		expect(tokenByName(state, utf8("one"))?.id).toBe("1000001");
		expect(() => tokenByName(state, utf8("1000001"))).toThrow(
			"To get more than one asset, please use getAssetIssueById syntax",
		);
		expect(tokenByName(state, utf8("1000002"))?.id).toBe("1000002");
		expect(tokenByName(state, utf8("two"))).toBeUndefined();
	});

	it("refuses to choose between equal names", () => {
		put("1000001", "same");
		put("1000002", "same");
		expect(() => tokenByName(state, utf8("same"))).toThrow("To get more than one asset");
		expect(tokensByName(state, utf8("same"))?.assetIssue.length).toBe(2);
	});
});

describe("a token id", () => {
	it.each([
		["_", true],
		["0", true],
		["1000001", true],
		["01", false],
		["", false],
		["-1", false],
		["__", false],
		["1a", false],
	])("may be %j: %s", (text, valid) => {
		expect(isCoinOrTokenNumber(tokenBytes(text))).toBe(valid);
	});
});
