/** Events of a contract, from a node's history index. */

import { type AbiView, viewAddress } from "../../abi/coder.js";
import { decodeLog } from "../../abi/log.js";
import {
	type AbiItem,
	type AbiParameter,
	type ContractInterface,
	hashedSignature,
	integerType,
} from "../../abi/parameter.js";
import { fromHex } from "../../protocol/bytes.js";
import { parseSignature } from "../abi/signature.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord } from "../json.js";
import { historyPath, historyRows } from "../node/history-client.js";
import type { NodeClient } from "../node/node-client.js";

/** A log in the same form as those from JSON-RPC: decoded, or topics and data if no interface is known. */
export interface PastEvent {
	readonly block: bigint;
	readonly txID: string;
	/** Position among the logs of the transaction. */
	readonly logIndex: number;
	/** Base58. */
	readonly contract: string;
	readonly event?: string;
	/** Name and types, whose hash is the first topic; absent if the index doesn't have it. */
	readonly signature?: string;
	/** By name; addresses in Base58, bytes as `0x…`, numbers as decimal text. */
	readonly args?: { readonly [name: string]: AbiView };
	/** As `0x…`. */
	readonly topics?: readonly string[];
	readonly data?: string;
	/** Its block can still be reverted. */
	readonly unconfirmed?: true;
}

interface PastEventQuery {
	/** Only events of this name. */
	readonly name?: string | undefined;
	readonly isOldestFirst: boolean;
	readonly most?: number | undefined;
}

/**
 * Yields events of a contract from a node's index. The index filters by the event names that it knows; if it
 * finds none, all events are decoded and filtered here by the interface.
 */
export async function* pastEvents(
	client: NodeClient,
	contract: Uint8Array,
	items: ContractInterface,
	{ name, isOldestFirst, most = Number.POSITIVE_INFINITY }: PastEventQuery,
): AsyncGenerator<PastEvent> {
	const path = historyPath("contracts", contract, "events");
	const order = { order_by: `block_timestamp,${isOldestFirst ? "asc" : "desc"}` };
	let given = 0;
	for await (const row of historyRows(client, path, { ...order, event_name: name }, most)) {
		given++;
		yield pastEvent(row, items);
	}
	if (given > 0 || !items.some((item) => item.kind === "event" && item.name === name)) return;
	for await (const row of historyRows(client, path, order)) {
		const found = pastEvent(row, items);
		if (found.event !== name) continue;
		if (given++ >= most) return;
		yield found;
	}
}

/** @param items decode a row for which the index has no interface */
export function pastEvent(row: JsonRecord, items: ContractInterface = []): PastEvent {
	const content = contentOf(row);
	return {
		block: integer(row["block_number"]),
		txID: text(row["transaction_id"]),
		logIndex: Number(integer(row["event_index"])),
		contract: text(row["contract_address"]),
		...(decoded(content, items) ?? content),
		...(row["_unconfirmed"] === true ? { unconfirmed: true } : {}),
	};
}

type Content = Pick<PastEvent, "event" | "signature" | "args" | "topics" | "data">;

function decoded({ topics, data = "0x" }: Content, items: ContractInterface): Content | undefined {
	const hex = [...(topics ?? []), data];
	if (!topics || !hex.every((text) => /^0x([0-9a-f]{2})*$/i.test(text))) return undefined;
	const bytes = topics.map((topic) => fromHex(topic.slice(2)));
	return decodeLog(items, { topics: bytes, data: fromHex(data.slice(2)) });
}

function contentOf(row: JsonRecord): Content {
	const result = isRecord(row["result"]) ? row["result"] : {};
	const types = isRecord(row["result_type"]) ? row["result_type"] : {};
	const event = text(row["event_name"]);
	if (event === "") {
		const parts = Object.values(result).map((part) => `0x${text(part)}`);
		return { topics: parts.slice(0, -1), data: parts.at(-1) ?? "0x" };
	}
	const item = eventOf(text(row["event"]));
	// `result` holds each argument under its position, too.
	const names = Object.keys(types).length > 0 ? Object.keys(types) : Object.keys(result);
	const parameters = item?.inputs.map((input, at) => ({ ...input, name: input.name || String(at) }));
	const known = new Map(parameters?.map((parameter) => [parameter.name, parameter]));
	const args = names.map((name) => [
		name,
		viewOf(result[name], known.get(name) ?? { name, type: text(types[name]) }),
	]);
	return {
		event,
		...(item ? { signature: hashedSignature(item) } : {}),
		args: Object.fromEntries(args),
	};
}

/** @param description such as `Sent(address indexed to, uint256 amount)` */
function eventOf(description: string): AbiItem | undefined {
	if (description === "") return undefined;
	try {
		return parseSignature(description, "event");
	} catch (error) {
		if (error instanceof Failure) return undefined;
		throw error;
	}
}

const integer = (value: Json | undefined): bigint => (typeof value === "bigint" ? value : 0n);
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** A row's value in the form of a decoded log's. @param parameter its type is empty if unknown */
function viewOf(value: Json | undefined, parameter: AbiParameter): AbiView {
	const { type, components = [] } = parameter;
	const element = type.replace(/\[\d*\]$/, "");
	const member = (at: number): AbiParameter => components[at] ?? { name: "", type: "" };
	if (Array.isArray(value)) {
		const isTuple = element === type && components.length > 0;
		return value.map((item: Json, at) =>
			viewOf(item, isTuple ? member(at) : { ...parameter, type: element }),
		);
	}
	if (isRecord(value))
		return Object.fromEntries(
			Object.entries(value).map(([name, item]) => [
				name,
				viewOf(item, member(components.findIndex((component) => component.name === name))),
			]),
		);
	if (typeof value === "bigint" || typeof value === "boolean") return value;
	return viewOfText(text(value), type);
}

function viewOfText(word: string, type: string): AbiView {
	if (type === "address" && /^0x[0-9a-f]{40}$/i.test(word)) return viewAddress(fromHex(word.slice(2)));
	if (/^bytes\d*$/.test(type) && /^([0-9a-f]{2})*$/i.test(word)) return `0x${word}`;
	if (type === "bool" && /^(true|false)$/.test(word)) return word === "true";
	return integerType(type) && /^-?\d+$/.test(word) ? BigInt(word) : word;
}
