/** Rows of the history: queries, CSV cells, and decoded events. */

import { type AbiItem, hashedSignature } from "../abi/parameter.js";
import { decodeEvent, type Reading } from "./abi.js";
import { addressText } from "./address-text.js";
import { type Json, objectOf, objectsOf, textOf, wholeOf } from "./answer.js";
import { amountOf, receiverOf, transactionFacts } from "./block-facts.js";
import { decimal, typeName } from "./format.js";
import { tokenUnits } from "./token-moves.js";

/** Filters of an account's history. */
export interface HistoryFilter {
	readonly kind: "transactions" | "tokens" | "internal";
	readonly direction: "all" | "from" | "to";
	/** Calendar days, `YYYY-MM-DD`; empty: unbounded. */
	readonly since: string;
	readonly until: string;
	readonly isFinal: boolean;
}

const DAY_MS = 86_400_000;
const PATHS: Readonly<Record<HistoryFilter["kind"], string>> = {
	transactions: "transactions",
	tokens: "transactions/orc20",
	internal: "internal-transactions",
};

/** The path of the history interface (protocol/history §§3 to 5). @param address Base58Check */
export function historyPath(address: string, filter: HistoryFilter, limit: number): string {
	const { kind, direction, since, until, isFinal } = filter;
	const query = new URLSearchParams({ limit: String(limit) });
	if (kind === "transactions") query.set("search_internal", "false");
	if (direction !== "all") query.set(direction === "from" ? "only_from" : "only_to", "true");
	if (isFinal) query.set("only_confirmed", "true");
	const sinceMs = Date.parse(since);
	const untilMs = Date.parse(until);
	if (!Number.isNaN(sinceMs)) query.set("min_timestamp", String(sinceMs));
	if (!Number.isNaN(untilMs)) query.set("max_timestamp", String(untilMs + DAY_MS - 1));
	return `accounts/${address}/${PATHS[kind]}?${query}`;
}

export const CSV_HEADS = [
	"time",
	"block",
	"transaction",
	"type",
	"from",
	"to",
	"amount",
	"unit",
	"fee",
	"result",
] as const;

/**
 * A row of any kind as cells. Amounts are decimal fractions with a point, for ORC-10 tokens in smallest
 * units; failed transactions moved nothing.
 */
export function csvRow(kind: HistoryFilter["kind"], row: Json): readonly string[] {
	const timeMs = Number(wholeOf(row, "block_timestamp"));
	const time = new Date(timeMs).toISOString();
	if (kind === "tokens") {
		const token = objectOf(row, "token_info");
		const decimals = Number(wholeOf(token, "decimals"));
		return [
			time,
			"",
			textOf(row, "transaction_id"),
			textOf(row, "type"),
			textOf(row, "from"),
			textOf(row, "to"),
			ungrouped(decimal(wholeOf(row, "value"), decimals)),
			textOf(token, "symbol") || textOf(token, "address"),
			"",
			"",
		];
	}
	if (kind === "internal") {
		const moved = objectOf(objectOf(row, "data"), "call_value");
		const [unit = ""] = Object.keys(moved);
		const isCoin = unit === "_" || unit === "";
		return [
			time,
			"",
			textOf(row, "tx_id"),
			"internal",
			addressText(textOf(row, "from_address")) ?? "",
			addressText(textOf(row, "to_address")) ?? "",
			unit === "" ? "" : ungrouped(decimal(wholeOf(moved, unit), isCoin ? 6 : 0)),
			isCoin ? "coin" : unit,
			"",
			objectOf(row, "data")["rejected"] === true ? "rejected" : "SUCCESS",
		];
	}
	const facts = transactionFacts(row);
	const units = tokenUnits(facts);
	const isUndone = facts.result !== "" && facts.result !== "SUCCESS";
	const sun = amountOf(facts);
	const [ret = {}] = objectsOf(row, "ret");
	const owner = textOf(facts.value, "owner_address");
	const receiver = receiverOf(facts);
	return [
		time,
		textOf(row, "blockNumber"),
		facts.id,
		typeName(facts.type),
		addressText(owner) ?? owner,
		addressText(receiver) ?? receiver,
		units ? String(units[1]) : sun === undefined ? "" : isUndone ? "0" : ungrouped(decimal(sun, 6)),
		units ? units[0] : sun === undefined ? "" : "coin",
		ungrouped(decimal(wholeOf(ret, "fee"), 6)),
		facts.result,
	];
}

const ungrouped = (text: string): string => text.replaceAll(",", "");

const MOVES = /^(Transfer|Approval)\(address,address,uint256\)$/;

/**
 * Decodes a history event by its contract's ABI.
 * @returns undefined if no item matches, or the node has already decoded all of it
 */
export function knownEvent(items: readonly AbiItem[], event: Json): Reading | undefined {
	const result = objectOf(event, "result");
	const name = textOf(event, "event_name");
	if (name === "") {
		const parts = Object.values(result).map(String);
		return decodeEvent(items, parts.slice(0, -1), parts.at(-1) ?? "") ?? decodeEvent(items, parts, "");
	}
	// The node lists decoded values under their positions.
	const item = items.find((each) => each.name === name && MOVES.test(hashedSignature(each)));
	if (!item) return undefined;
	const values = item.inputs.map((input, place) => {
		const told = textOf(result, String(place));
		const text = input.type === "address" ? (addressText(told) ?? told) : told;
		return { name: input.name, type: input.type, value: { kind: "text" as const, text } };
	});
	return { item, values };
}

/** A transfer event in the form of the history's transfers. */
export function transferRow(items: readonly AbiItem[], event: Json): Json {
	const [from, to, value] = (knownEvent(items, event)?.values ?? []).map((each) =>
		each.value.kind === "text" ? each.value.text : "",
	);
	return { ...event, type: "Transfer", from, to, value };
}
