/** An event of a contract as a node's history tells it. */

import { type AbiView, viewAddress } from "../../abi/coder.js";
import { fromHex } from "../../protocol/bytes.js";
import { isRecord, type Json, type JsonRecord } from "../json.js";

interface PastEvent {
	readonly block: bigint;
	readonly txID: string;
	/** Position among the logs of the transaction. */
	readonly logIndex: number;
	/** Base58. */
	readonly contract: string;
	/** Empty where no interface is known; then the arguments are topics and data by position. */
	readonly event: string;
	/** By name; addresses in Base58, bytes as `0x…`, numbers as decimal text. */
	readonly args: { readonly [name: string]: AbiView };
	/** Its block can still be undone. */
	readonly unconfirmed?: true;
}

export function pastEvent(row: JsonRecord): PastEvent {
	const result = isRecord(row["result"]) ? row["result"] : {};
	const types = isRecord(row["result_type"]) ? row["result_type"] : {};
	// Each argument stands under its position, too.
	const names = Object.keys(types).length > 0 ? Object.keys(types) : Object.keys(result);
	return {
		block: integer(row["block_number"]),
		txID: text(row["transaction_id"]),
		logIndex: Number(integer(row["event_index"])),
		contract: text(row["contract_address"]),
		event: text(row["event_name"]),
		args: Object.fromEntries(names.map((name) => [name, viewOf(result[name], text(types[name]))])),
		...(row["_unconfirmed"] === true ? { unconfirmed: true } : {}),
	};
}

const integer = (value: Json | undefined): bigint => (typeof value === "bigint" ? value : 0n);
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** @param type of the parameter; empty where it isn't known */
function viewOf(value: Json | undefined, type = ""): AbiView {
	if (Array.isArray(value)) return value.map((item: Json) => viewOf(item, type.replace(/\[\d*\]$/, "")));
	if (isRecord(value)) {
		return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, viewOf(item)]));
	}
	if (typeof value === "bigint" || typeof value === "boolean") return value;
	const word = text(value);
	if (type === "address" && /^0x[0-9a-f]{40}$/i.test(word)) return viewAddress(fromHex(word.slice(2)));
	return /^bytes\d*$/.test(type) && /^([0-9a-f]{2})*$/i.test(word) ? `0x${word}` : word;
}
