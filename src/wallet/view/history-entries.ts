/**
 * The effect of an account's transactions on its coins: entries with signed amounts, and the balance after each, computed
 * backwards from the current one. Before a transaction whose effect the history doesn't contain, balances are unknown.
 */

import { toBase58Check } from "../../protocol/address.js";
import { toNeutral } from "../../protocol/dialect.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";

/** A transaction or internal transaction of an account. */
export interface HistoryEntry {
	readonly time: bigint;
	readonly block: bigint | undefined;
	readonly txID: string;
	/** Only for an internal transaction. */
	readonly internalID?: string | undefined;
	/** Name of the contract type without its suffix, or an internal transaction's note. */
	readonly type: string;
	readonly direction: "in" | "out" | "self" | "none";
	/** The other party, Base58. */
	readonly counterparty?: string | undefined;
	/** Sun, negative if it left the account; without the fee. Undefined if unknown. */
	readonly amount: bigint | undefined;
	/** Sun that the account paid for the transaction. */
	readonly fee: bigint;
	/** Energy and bandwidth that the transaction used, whether burned or covered by stake. */
	readonly energy: bigint;
	readonly bandwidth: bigint;
	readonly result: string;
}

/** Fields of a contract that name its target. */
const TARGETS = [
	"to_address",
	"contract_address",
	"receiver_address",
	"account_address",
	"transparent_to_address",
];

/** Converts a row of an account's transaction list. @param own the account, 42 hexadecimal digits */
export function entryOf(row: JsonRecord, own: string): HistoryEntry {
	return member(row, "internal_tx_id") === undefined ? transactionEntry(row, own) : internalEntry(row, own);
}

function internalEntry(row: JsonRecord, own: string): HistoryEntry {
	const [from, to] = [text(row["from_address"]), text(row["to_address"])];
	const data = record(row["data"]);
	const isRejected = data["rejected"] === true;
	const value = integer(record(data["call_value"])["_"]);
	const way = directionOf(from === own, to === own);
	return {
		time: integer(row["block_timestamp"]),
		block: undefined,
		txID: text(row["tx_id"]),
		internalID: text(row["internal_tx_id"]),
		type: Buffer.from(text(data["note"]), "hex").toString("utf8"),
		direction: way,
		counterparty: shown(from === own ? to : from),
		amount: isRejected ? 0n : signed(value, way),
		fee: 0n,
		energy: 0n,
		bandwidth: 0n,
		result: isRejected ? "rejected" : "SUCCESS",
	};
}

function transactionEntry(row: JsonRecord, own: string): HistoryEntry {
	const contract = record(list(record(row["raw_data"])["contract"])[0]);
	const value = record(record(contract["parameter"])["value"]);
	const type = toNeutral(text(contract["type"])).replace(/Contract$/, "");
	const ret = record(list(row["ret"])[0]);
	const result = text(ret["contractRet"]);
	const owner = text(value["owner_address"] ?? value["transparent_from_address"]);
	const target = text(TARGETS.map((name) => value[name]).find((address) => address !== undefined));
	const isOwner = owner === own;
	const way = directionOf(isOwner, target === own);
	return {
		time: integer(row["block_timestamp"]),
		block: integer(row["blockNumber"]),
		txID: text(row["txID"]),
		type,
		direction: way,
		counterparty: shown(isOwner ? target : owner),
		amount: result === "SUCCESS" ? amountOf(type, value, row, isOwner, way) : 0n,
		fee: isOwner ? integer(ret["fee"]) : 0n,
		energy: integer(row["energy_usage_total"]),
		bandwidth: integer(row["net_usage"]),
		result,
	};
}

/** Types that move no coins apart from their fee. */
const WITHOUT_COINS = new Set([
	"AccountCreate",
	"TransferAsset",
	"VoteAsset",
	"VoteWitness",
	"WitnessCreate",
	"AssetIssue",
	"WitnessUpdate",
	"AccountUpdate",
	"UnfreezeAsset",
	"UpdateAsset",
	"ProposalCreate",
	"ProposalApprove",
	"ProposalDelete",
	"SetAccountId",
	"UpdateSetting",
	"UpdateEnergyLimit",
	"AccountPermissionUpdate",
	"ClearABI",
	"UpdateBrokerage",
	"DelegateResource",
	"UnDelegateResource",
]);

type Effect = (value: JsonRecord, row: JsonRecord) => bigint;

/** Coins that move from the owner to the target, or that only the owner gains or loses. */
const MOVED: Readonly<Record<string, Effect>> = {
	Transfer: ({ amount }) => integer(amount),
	ParticipateAssetIssue: ({ amount }) => integer(amount),
	TriggerSmart: ({ call_value }) => integer(call_value),
	CreateSmart: ({ new_contract }) => integer(record(new_contract)["call_value"]),
};
const GAINED: Readonly<Record<string, Effect>> = {
	FreezeBalance: ({ frozen_balance }) => -integer(frozen_balance),
	FreezeBalanceV2: ({ frozen_balance }) => -integer(frozen_balance),
	UnfreezeBalance: (_, row) => integer(row["unfreeze_amount"]),
	UnfreezeBalanceV2: (_, row) => integer(row["withdraw_expire_amount"]),
	WithdrawExpireUnfreeze: (_, row) => integer(row["withdraw_expire_amount"]),
	CancelAllUnfreezeV2: (_, row) => integer(row["withdraw_expire_amount"]),
	WithdrawBalance: (_, row) => integer(row["withdraw_amount"]),
};

/** The change of the account's coins apart from the fee; undefined if the history doesn't contain it. */
function amountOf(
	type: string,
	value: JsonRecord,
	row: JsonRecord,
	isOwner: boolean,
	way: HistoryEntry["direction"],
): bigint | undefined {
	const moved = MOVED[type];
	if (moved) return signed(moved(value, row), way);
	if (WITHOUT_COINS.has(type)) return 0n;
	const gained = GAINED[type];
	if (gained) return isOwner ? gained(value, row) : 0n;
	return isOwner ? undefined : 0n;
}

/** An entry with the balance after it, in sun; undefined if unknown. */
export interface BalancedEntry extends HistoryEntry {
	readonly balance: bigint | undefined;
}

/** Computes balances backwards through entries, newest first. */
export class BalanceCount {
	/** The balance before all entries added so far. */
	before: bigint | undefined;

	/** @param now the balance after the newest entry */
	constructor(now: bigint) {
		this.before = now;
	}

	add(entry: HistoryEntry): BalancedEntry {
		const balance = this.before;
		const { amount, fee } = entry;
		this.before = balance === undefined || amount === undefined ? undefined : balance - amount + fee;
		return { ...entry, balance };
	}
}

function directionOf(isFrom: boolean, isTo: boolean): HistoryEntry["direction"] {
	if (isFrom) return isTo ? "self" : "out";
	return isTo ? "in" : "none";
}

function signed(amount: bigint, way: HistoryEntry["direction"]): bigint {
	if (way === "in") return amount;
	return way === "out" ? -amount : 0n;
}

const integer = (value: Json | undefined): bigint => (typeof value === "bigint" ? value : 0n);
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const record = (value: Json | undefined): JsonRecord => (isRecord(value) ? value : {});
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Base58 of an address of 42 digits; undefined for anything else. */
function shown(hex: string): string | undefined {
	return /^[0-9a-f]{42}$/.test(hex) ? toBase58Check(Buffer.from(hex, "hex")) : undefined;
}
