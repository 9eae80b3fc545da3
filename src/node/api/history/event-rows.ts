/** Contract events as rows of the history API, and in the older event server's form (protocol/history §§5, 6). */

import { type AbiView, parameterKeys } from "../../../abi/coder.js";
import { type AbiItem, type AbiParameter, describeItem, hashedType } from "../../../abi/parameter.js";
import { addressPrefix, fromBase58Check, toBase58Check } from "../../../protocol/address.js";
import { concatBytes, fromHex, toHex } from "../../../protocol/bytes.js";
import { type Dialect, spell } from "../../../protocol/dialect.js";
import type { TransactionInfo, TransactionInfoLog } from "../../../protocol/messages.js";
import {
	locateTransaction,
	receiptsCost,
	receiptsInTurn,
	transactionInfoById,
} from "../../chain/block-store.js";
import { ownerKey } from "../../history/history-index.js";
import { eventOwner, type HistoryRow, readPlace, readPointer } from "../../history/rows.js";
import { executions } from "../../scheduling/call-queue.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext } from "../context.js";
import { LongAnswer } from "../long-answer.js";
import { BlockIdError, blockByIdOrNumber } from "../queries/blocks.js";
import { eventTopics, Implementations, knownInterfaces, readStoredEvent } from "../queries/stored-events.js";
import {
	type AnswerRow,
	type AnswerValue,
	answerText,
	envelopePieces,
	type Heights,
	type HistoryRequest,
	headNumber,
	heightsOf,
	type PageEnd,
	pageOfList,
	type ShowPage,
	solidNumber,
	streamedPage,
} from "./page.js";
import { HistoryRequestError } from "./parameters.js";
import type { StoredBodies } from "./stored-bodies.js";

/** Maximum logs of one transaction or block that can be queried. */
const MAX_LOGS = 10_000;

/** Memory charged for logs with short receipts. */
const FEW_LOGS_BYTES = 1 << 20;

/** A log and its position. */
interface PlacedLog {
	readonly log: Readonly<TransactionInfoLog>;
	readonly info: Readonly<TransactionInfo>;
	/** Index among its transaction's logs. */
	readonly index: number;
}

/** An event as shown. */
type EventRow = { readonly [member: string]: AnswerValue | undefined } & { readonly event_name: string };

interface EventFilter {
	readonly name?: string | undefined;
	/** Undefined: those the parameters allow. */
	readonly heights?: Heights | undefined;
}

/** Events of a contract, from the index. */
export async function contractEvents(
	request: HistoryRequest,
	contract: Uint8Array,
	filter: EventFilter = {},
	show: ShowPage = envelopePieces,
): Promise<LongAnswer> {
	const { context, parameters } = request;
	const { node } = context;
	const name = filter.name ?? parameters.text("event_name");
	const number = parameters.number("block_number");
	const heights =
		filter.heights ?? (number === undefined ? await heightsOf(request) : blockHeights(request, number));
	const owner = ownerKey(contract);
	const behind = new Implementations();
	// What is behind a beacon is found by executing its code.
	const topics =
		name === undefined
			? undefined
			: await executions.run(
					() => eventTopics(knownInterfaces(node, node.view("full"), contract, behind), name),
					context.isAbandoned,
					context.client,
				);
	const lists = topics?.map((topic) => ({ kind: "event" as const, owner: eventOwner(owner, topic) })) ?? [
		{ kind: "log" as const, owner },
	];
	const write = (row: HistoryRow, bodies: StoredBodies) => writeRow(request, row, bodies, name, behind);
	return streamedPage(request, { lists, heights, write }, show);
}

function blockHeights(request: HistoryRequest, number: bigint): Heights {
	const { from, to } = confirmedHeights(request);
	return { from: Math.max(Number(number), from), to: Math.min(Number(number), to) };
}

/** The heights that `only_confirmed` and `only_unconfirmed` allow. */
function confirmedHeights({ context, parameters }: HistoryRequest): Heights {
	const solid = solidNumber(context);
	return {
		from: parameters.flag("only_unconfirmed") ? solid + 1 : 0,
		to: parameters.flag("only_confirmed") ? solid : headNumber(context),
	};
}

function writeRow(
	{ context }: HistoryRequest,
	row: HistoryRow,
	bodies: StoredBodies,
	name: string | undefined,
	behind: Implementations,
): AnswerRow | undefined {
	const place = readPlace(row.suffix);
	const info = bodies.at(place, readPointer(row.value).mark)?.info;
	const log = info?.log[place.ordinal];
	if (!info || !log) return undefined;
	const event = eventRow(context, { log, info, index: place.ordinal }, behind);
	return name === undefined || event.event_name === name || name.includes("(") ? event : undefined;
}

/** All events of a transaction. @param show how the page becomes an answer */
export function transactionEvents(
	request: HistoryRequest,
	id: string,
	show: ShowPage = envelopePieces,
): LongAnswer {
	const { cost, read } = placedReceipt(request, id);
	// The libraries don't ask for a second page of these.
	const limit = request.parameters.text("limit") === undefined ? MAX_LOGS : undefined;
	const infos = (): readonly Readonly<TransactionInfo>[] => {
		const info = read();
		return info ? [info] : [];
	};
	return eventAnswer(request, infos, { limit, cost, show });
}

interface PlacedReceipt {
	/** Bytes of memory that reading takes, where that is much. */
	readonly cost: number | undefined;
	/** Undefined: it isn't there, or the filters leave its block out. */
	read(): Readonly<TransactionInfo> | undefined;
}

/** The receipt of a transaction, of the state when it is read. @throws {HistoryRequestError} if the request is wrong */
export function placedReceipt(request: HistoryRequest, id: string): PlacedReceipt {
	const { node } = request.context;
	const bytes = transactionId(id);
	const place = locateTransaction(node.view("full"), bytes);
	const { from, to } = confirmedHeights(request);
	return {
		cost: place && "block" in place ? receiptsCost(node.view("full"), place.block) : undefined,
		read: () => {
			const info = transactionInfoById(node.view("full"), bytes);
			return info && Number(info.blockNumber) >= from && Number(info.blockNumber) <= to ? info : undefined;
		},
	};
}

/** @throws {HistoryRequestError} */
function transactionId(id: string): Uint8Array {
	if (!/^(0x)?[0-9a-f]{64}$/i.test(id)) throw new HistoryRequestError("Invalid transaction id");
	return fromHex(id.replace(/^0x/i, ""));
}

/** Events of a block, in order. @param name number, id, or `latest` */
export function blockEvents(request: HistoryRequest, name: string): LongAnswer {
	const { context } = request;
	const { from, to } = confirmedHeights(request);
	// With `only_confirmed`, this is the newest confirmed block.
	const number = name === "latest" ? to : numberOfBlock(context.node.view("full"), name);
	if (number === undefined || number < from || number > to) return eventAnswer(request, () => []);
	const view = () => context.node.view("full");
	const cost = receiptsCost(view(), BigInt(number));
	// Reads the state current when the answer is actually sent.
	return eventAnswer(request, () => receiptsInTurn(view(), BigInt(number)), { cost });
}

/** The height of a block given by number or id. @throws {HistoryRequestError} */
export function numberOfBlock(state: StateView, name: string): number | undefined {
	if (!/^(\d{1,15}|[0-9a-f]{64})$/i.test(name)) throw new HistoryRequestError("Invalid block number");
	try {
		const block = blockByIdOrNumber(state, name);
		return block && Number(block.number);
	} catch (error) {
		if (error instanceof BlockIdError) return undefined;
		throw error;
	}
}

interface EventAnswerOptions {
	readonly limit?: number | undefined;
	/** Memory in bytes for reading the receipts, if significant. */
	readonly cost?: number | undefined;
	readonly show?: ShowPage;
}

/**
 * Only the logs of the page are decoded, each sent before the next is decoded.
 * @param infos read when there is room for them
 */
function eventAnswer(
	request: HistoryRequest,
	infos: () => Iterable<Readonly<TransactionInfo>>,
	{ limit, cost, show = envelopePieces }: EventAnswerOptions = {},
): LongAnswer {
	// Invalid parameters must be rejected before the status is sent.
	const { limit: asked, afterNumber: from } = request.parameters;
	function* rowsOf(placed: readonly PlacedLog[]): Generator<EventRow> {
		const behind = new Implementations();
		for (const one of placed) yield eventRow(request.context, one, behind);
	}
	function* pieces(): Generator<string> {
		const logs: PlacedLog[] = [];
		// The receipts of a block are decoded one by one.
		for (const info of infos()) {
			for (const [index, log] of info.log.slice(0, MAX_LOGS - logs.length).entries())
				logs.push({ log, info, index });
			if (logs.length >= MAX_LOGS) break;
			yield "";
		}
		const page = pageOfList(request, logs, limit ?? asked, from);
		const { rows, fingerprint } = page;
		yield* show(request, rowsOf(rows), () => ({ size: rows.length, fingerprint }));
	}
	// The page's logs stay in memory until the last one is written.
	return new LongAnswer(pieces(), cost, cost ?? FEW_LOGS_BYTES);
}

function eventRow({ node }: ApiContext, { log, info, index }: PlacedLog, behind: Implementations): EventRow {
	const state = node.view("full");
	const { dialect } = node.config.node;
	const contract = concatBytes(Uint8Array.of(addressPrefix()), log.address);
	const { item, decoded } = readStoredEvent(knownInterfaces(node, state, contract, behind), log) ?? {};
	let shown: EventResult | undefined;
	try {
		shown = item && decoded && namedResult(item, decoded.args, dialect);
	} catch (error) {
		// The interface is the deployer's: what is wrong with it must not hide the other rows.
		node.report(error, "history");
	}
	return {
		block_number: info.blockNumber,
		block_timestamp: info.blockTimeStamp,
		caller_contract_address: toBase58Check(info.contract_address),
		contract_address: toBase58Check(contract),
		event_index: index,
		event_name: decoded?.event ?? "",
		...(shown ?? rawResult(log)),
		event: item && shown ? spellTypes(describeItem(item).replace(/^event /, ""), dialect) : "",
		transaction_id: toHex(info.id),
		...(info.blockNumber <= state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM")
			? {}
			: { _unconfirmed: true }),
	};
}

interface EventResult {
	readonly result: { readonly [name: string]: AnswerValue };
	readonly result_type: { readonly [name: string]: string };
}

/** @param args by {@link parameterKeys} */
export function namedResult(
	item: AbiItem,
	args: Readonly<Record<string, AbiView>>,
	dialect: Dialect,
): EventResult {
	// Contracts choose the names: without a prototype, any name is safe as a member.
	const result = Object.create(null) as Record<string, AnswerValue>;
	const types = Object.create(null) as Record<string, string>;
	const keys = parameterKeys(item.inputs);
	for (const [position, input] of item.inputs.entries()) {
		const key = keys[position] as string;
		const value = eventValue(input, args[key] as AbiView);
		result[String(position)] = value;
		result[key] = value;
		types[key] = spellTypes(hashedType(input), dialect);
	}
	return { result, result_type: types };
}

/** Respells the network's own type; other names stay unchanged. */
const spellTypes = (text: string, dialect: Dialect): string =>
	text.replace(/\borcToken\b/g, (type) => spell(type, dialect));

function rawResult({ topics, data }: Readonly<TransactionInfoLog>): EventResult {
	const parts = [...topics.map(toHex), toHex(data)];
	return { result: Object.fromEntries(parts.map((part, position) => [position, part])), result_type: {} };
}

/** Values as text: addresses as 20 bytes, other bytes without a prefix, structs by member names. */
function eventValue(parameter: AbiParameter, value: AbiView): AnswerValue {
	const { type, components = [] } = parameter;
	const element = /^(.*)\[\d*\]$/.exec(type)?.[1];
	if (Array.isArray(value)) {
		return value.map((item: AbiView, index) =>
			eventValue(
				element === undefined ? (components[index] as AbiParameter) : { ...parameter, type: element },
				item,
			),
		);
	}
	if (typeof value === "object") {
		const members = value as Readonly<Record<string, AbiView>>;
		return Object.fromEntries(
			components.map((member) => [member.name, eventValue(member, members[member.name] as AbiView)]),
		);
	}
	const text = String(value);
	if (type.startsWith("bytes")) return text.replace(/^0x/, "");
	const address = type.startsWith("address") ? fromBase58Check(text) : undefined;
	return address ? `0x${toHex(address.subarray(1))}` : text;
}

/** An event in the older server's form. */
function olderEvent(event: EventRow): string {
	return answerText({
		transaction_id: event["transaction_id"],
		block_timestamp: event["block_timestamp"],
		block_number: event["block_number"],
		result_type: event["result_type"],
		result: event["result"],
		event_index: event["event_index"],
		event_name: event.event_name,
		contract_address: event["contract_address"],
		caller_contract_address: event["caller_contract_address"],
		_unconfirmed: event["_unconfirmed"],
	});
}

/** Events in the older server's form: a bare list whose last row points to the next page. */
export function* olderEvents(
	_request: HistoryRequest,
	rows: Iterable<AnswerRow | undefined>,
	end: () => PageEnd,
): Generator<string> {
	let before = "[";
	let last: string | undefined;
	for (const row of rows) {
		if (!row) continue;
		if (last !== undefined) {
			yield before + last;
			before = ",";
		}
		last = olderEvent(row as EventRow);
	}
	const { fingerprint } = end();
	if (last === undefined) yield "[]";
	else if (fingerprint === undefined) yield `${before}${last}]`;
	else yield `${before}${last.slice(0, -1)},"_fingerprint":${answerText(fingerprint)}}]`;
}
