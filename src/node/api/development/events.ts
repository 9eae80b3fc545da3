/** Events of contracts over HTTP, as tools read them from an event server (protocol/development-chain §4.5). */

import type { AbiView } from "../../../abi/coder.js";
import { type AbiItem, describeItem } from "../../../abi/parameter.js";
import { addressPrefix, fromBase58Check, isAddress, toBase58Check } from "../../../protocol/address.js";
import { concatBytes, fromHex, toHex } from "../../../protocol/bytes.js";
import type { TransactionInfo, TransactionInfoLog } from "../../../protocol/messages.js";
import { bloomBits, candidateBlocks, sections } from "../../chain/section-bloom.js";
import type { StateView } from "../../state/view.js";
import { JSON_TYPE } from "../http-answer.js";
import { transactionInfoById, transactionInfosOfBlock } from "../queries/blocks.js";
import { readStoredEvent } from "../queries/stored-events.js";
import type { AdminAnswer } from "./admin.js";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;

/** One log with its place. */
interface PlacedLog {
	readonly log: Readonly<TransactionInfoLog>;
	readonly info: Readonly<TransactionInfo>;
	/** Position among the logs of its transaction. */
	readonly index: number;
}

interface EventQuery {
	readonly name: string | undefined;
	readonly blockNumber: bigint | undefined;
	readonly confirmed: boolean;
	readonly unconfirmed: boolean;
	readonly minMs: bigint | undefined;
	readonly maxMs: bigint | undefined;
	readonly ascending: boolean;
	readonly limit: number;
	/** Where the page before ended. */
	readonly after: { readonly block: bigint; readonly position: number } | undefined;
}

/** A request that can't be answered. */
class EventQueryError extends Error {
	override readonly name = "EventQueryError";
}

/**
 * Answers a path of the event API.
 * @param path below `/v1/`
 * @param base address of the path itself, for the link to the next page
 * @returns undefined if there is no such path
 */
export async function answerEvents(
	state: StateView,
	path: string,
	parameters: URLSearchParams,
	base: string,
	nowMs: number,
): Promise<AdminAnswer | undefined> {
	const [kind, name = "", last, ...more] = path.split("/");
	if (last !== "events" || more.length > 0) return undefined;
	try {
		const query = readQuery(parameters);
		switch (kind) {
			case "transactions":
				return await page(state, transactionLogs(state, name), query, nowMs, base, parameters);
			case "contracts":
				return await page(state, contractLogs(state, name, query), query, nowMs, base, parameters);
			case "blocks":
				return await page(state, blockLogs(state, name), query, nowMs, base, parameters);
			default:
				return undefined;
		}
	} catch (error) {
		if (!(error instanceof EventQueryError)) throw error;
		return json(400, { success: false, error: error.message, statusCode: 400 });
	}
}

function* transactionLogs(state: StateView, id: string): Generator<PlacedLog> {
	if (!/^[0-9a-f]{64}$/i.test(id)) throw new EventQueryError("Invalid transaction id");
	const info = transactionInfoById(state, fromHex(id));
	if (info) yield* logsOf(info);
}

function* blockLogs(state: StateView, name: string): Generator<PlacedLog> {
	if (name !== "latest" && !/^\d{1,18}$/.test(name)) throw new EventQueryError("Invalid block number");
	yield* logsOfBlock(state, name === "latest" ? state.properties.headNumber : BigInt(name));
}

function* contractLogs(state: StateView, name: string, query: EventQuery): Generator<PlacedLog> {
	const address = readContract(name).subarray(1);
	const isOurs = ({ log }: PlacedLog): boolean => Buffer.compare(log.address, address) === 0;
	for (const number of contractBlocks(state, address, query)) {
		const logs = [...logsOfBlock(state, number)].filter(isOurs);
		yield* query.ascending ? logs : logs.reverse();
	}
}

/** Heights that may hold logs of a contract, by the index of logs. */
function* contractBlocks(state: StateView, address: Uint8Array, query: EventQuery): Generator<bigint> {
	const { blockNumber, ascending } = query;
	if (blockNumber !== undefined) return yield blockNumber;
	const parts = [...sections({ from: 0n, to: state.properties.headNumber })];
	for (const part of ascending ? parts : parts.reverse()) {
		const numbers = [...candidateBlocks(state, [[bloomBits(address)]], part)];
		yield* ascending ? numbers : numbers.reverse();
	}
}

function readContract(name: string): Uint8Array {
	const hex = /^(0x)?41[0-9a-f]{40}$/i.test(name);
	const bytes = hex ? fromHex(name.replace(/^0x/i, "")) : decodeBase58(name);
	if (!bytes || !isAddress(bytes)) throw new EventQueryError("Invalid contract address");
	return bytes;
}

function decodeBase58(text: string): Uint8Array | undefined {
	return /^[1-9A-HJ-NP-Za-km-z]+$/.test(text) ? fromBase58Check(text) : undefined;
}

function* logsOfBlock(state: StateView, number: bigint): Generator<PlacedLog> {
	for (const info of transactionInfosOfBlock(state, number)) yield* logsOf(info);
}

function* logsOf(info: Readonly<TransactionInfo>): Generator<PlacedLog> {
	for (const [index, log] of info.log.entries()) yield { log, info, index };
}

function readQuery(parameters: URLSearchParams): EventQuery {
	const number = (name: string): bigint | undefined => {
		const value = parameters.get(name);
		if (value === null || value === "") return undefined;
		if (!/^\d{1,18}$/.test(value)) throw new EventQueryError(`Invalid ${name} provided`);
		return BigInt(value);
	};
	const order = parameters.get("order_by") ?? "block_timestamp,desc";
	if (!/^block_timestamp,(asc|desc)$/.test(order)) throw new EventQueryError("Invalid order_by provided");
	const limit = Number(number("limit") ?? DEFAULT_LIMIT);
	if (limit < 1) throw new EventQueryError("Invalid limit provided");
	return {
		name: parameters.get("event_name") ?? undefined,
		blockNumber: number("block_number"),
		confirmed: parameters.get("only_confirmed") === "true",
		unconfirmed: parameters.get("only_unconfirmed") === "true",
		minMs: number("min_block_timestamp"),
		maxMs: number("max_block_timestamp"),
		ascending: order.endsWith("asc"),
		limit: Math.min(limit, MAX_LIMIT),
		after: readFingerprint(parameters.get("fingerprint")),
	};
}

function readFingerprint(text: string | null): EventQuery["after"] {
	if (text === null || text === "") return undefined;
	const match = /^(\d{1,18}):(\d{1,9})$/.exec(Buffer.from(text, "base64url").toString("latin1"));
	if (!match) throw new EventQueryError("Invalid fingerprint provided");
	return { block: BigInt(match[1] as string), position: Number(match[2]) };
}

async function page(
	state: StateView,
	logs: Generator<PlacedLog>,
	query: EventQuery,
	nowMs: number,
	base: string,
	parameters: URLSearchParams,
): Promise<AdminAnswer> {
	const solid = state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	const data: object[] = [];
	let fingerprint: string | undefined;
	let place = { block: -1n, position: -1 };
	for (const placed of logs) {
		const { blockNumber, blockTimeStamp } = placed.info;
		place =
			place.block === blockNumber
				? { block: blockNumber, position: place.position + 1 }
				: { block: blockNumber, position: 0 };
		if (isBefore(place, query)) continue;
		const isSolid = blockNumber <= solid;
		if ((query.confirmed && !isSolid) || (query.unconfirmed && isSolid)) continue;
		if (query.blockNumber !== undefined && blockNumber !== query.blockNumber) continue;
		if (query.minMs !== undefined && blockTimeStamp < query.minMs) continue;
		if (query.maxMs !== undefined && blockTimeStamp > query.maxMs) continue;
		const event = await eventView(state, placed, isSolid);
		if (query.name !== undefined && event.event_name !== query.name) continue;
		if (data.length === query.limit) break;
		data.push(event);
		if (data.length === query.limit) {
			fingerprint = Buffer.from(`${place.block}:${place.position}`).toString("base64url");
		}
	}
	const meta = {
		at: nowMs,
		page_size: data.length,
		...(fingerprint ? links(base, parameters, fingerprint) : {}),
	};
	return json(200, { success: true, data, meta });
}

/** Whether a log was on an earlier page: pages go on in the order of the query. */
function isBefore(place: { block: bigint; position: number }, { after, ascending }: EventQuery): boolean {
	if (!after) return false;
	if (place.block === after.block) return place.position <= after.position;
	return ascending ? place.block < after.block : place.block > after.block;
}

function links(base: string, parameters: URLSearchParams, fingerprint: string): object {
	const next = new URLSearchParams(parameters);
	next.set("fingerprint", fingerprint);
	return { fingerprint, links: { next: `${base}?${next.toString()}` } };
}

async function eventView(
	state: StateView,
	{ log, info, index }: PlacedLog,
	isSolid: boolean,
): Promise<{ readonly event_name: string }> {
	const contract = concatBytes(Uint8Array.of(addressPrefix()), log.address);
	const { item, decoded } = (await readStoredEvent(state.abi.get(contract), log)) ?? {};
	const values = item && decoded ? namedResult(item, decoded.args) : rawResult(log);
	return {
		block_number: info.blockNumber,
		block_timestamp: info.blockTimeStamp,
		caller_contract_address: toBase58Check(info.contract_address),
		contract_address: toBase58Check(contract),
		event_index: index,
		event_name: decoded?.event ?? "",
		...values,
		event: item && decoded ? describeItem(item).replace(/^event /, "") : "",
		transaction_id: toHex(info.id),
		...(isSolid ? {} : { _unconfirmed: true }),
	} as { readonly event_name: string };
}

function namedResult(item: AbiItem, args: Readonly<Record<string, AbiView>>): object {
	const result: Record<string, unknown> = {};
	const types: Record<string, string> = {};
	for (const [position, { name, type }] of item.inputs.entries()) {
		const key = name === "" ? String(position) : name;
		const value = eventValue(type, args[key] as AbiView);
		result[String(position)] = value;
		result[key] = value;
		types[key] = type;
	}
	return { result, result_type: types };
}

function rawResult({ topics, data }: Readonly<TransactionInfoLog>): object {
	const parts = [...topics.map(toHex), toHex(data)];
	return { result: Object.fromEntries(parts.map((part, position) => [position, part])), result_type: {} };
}

/** Values as texts; addresses as 20 bytes. */
function eventValue(type: string, value: AbiView): unknown {
	if (Array.isArray(value)) return value.map((item: AbiView) => eventValue(type, item));
	if (typeof value === "object") return value;
	const address = type.startsWith("address") ? fromBase58Check(String(value)) : undefined;
	return address ? `0x${toHex(address.subarray(1))}` : String(value);
}

function json(status: number, value: unknown): AdminAnswer {
	const text = JSON.stringify(value, (_, member: unknown) =>
		typeof member === "bigint" ? Number(member) : member,
	);
	return { status, type: JSON_TYPE, text: `${text}\n` };
}
