/**
 * The paths of the network's self-hosted event query service (protocol/history §9), on nodes with a history:
 * documents are the triggers of protocol/events §3, built from blocks and receipts on demand, with the
 * block's own number as `latestSolidifiedBlockNumber`.
 */

import { fromHex } from "../../../protocol/bytes.js";
import { transactionInfoById } from "../../chain/block-store.js";
import type { EventBody, EventMessage } from "../../events/receivers/event-message.js";
import { ownerKey } from "../../history/history-index.js";
import { type Place, readPlace } from "../../history/rows.js";
import { LongAnswer, listPieces } from "../long-answer.js";
import { type DocumentKind, Documents, type FoundDocument, type LogKind } from "./documents.js";
import { numberOfBlock } from "./event-rows.js";
import {
	answerText,
	firstSince,
	type Heights,
	type HistoryRequest,
	headNumber,
	heightsOf,
	indexOf,
	solidNumber,
} from "./page.js";
import { HistoryRequestError, invalidParameter, MAX_LIMIT, readContract } from "./parameters.js";
import { base58Of } from "./token-facts.js";

const DEFAULT_LIMIT = 25;
/** Maximum documents before the requested page, which must be skipped one by one. */
const MAX_SKIPPED = 10_000;
/** Blocks searched by a list without a contract, starting with its first. */
const MAX_QUERY_BLOCKS = 1_000;
/** Logs one page examines beyond those of earlier pages, since logs with other names or without an event are skipped. */
const MAX_LOGS = 2_000;
/** A page ends once it exceeds this. */
const MAX_PAGE_CHARACTERS = 64 << 20;
const MAX_HOLDERS = 10_000;
/** Memory for building a list: the decoded receipts of a block with many logs, and as much garbage. */
const LIST_COST = 32 << 20;

type Segments = readonly string[];
/** Documents found; undefined stands for one of another kind. */
type Found = Iterable<FoundDocument | undefined>;
type Answer = LongAnswer | string;

/** Answers a path of the service; undefined if it doesn't exist. */
export async function answerQuery(request: HistoryRequest, segments: Segments): Promise<Answer | undefined> {
	const [kind = "", first, second, third, ...rest] = segments;
	if (rest.length > 0) return undefined;
	const path = [first, second, third].filter((segment) => segment !== undefined);
	switch (kind) {
		case "blocks":
			return blocksPath(request, path);
		case "transactions":
		case "transfers":
			return path.length > 1 ? undefined : listOrOne(request, kind, path[0]);
		case "events":
		case "contractlogs":
			return logsPath(request, kind, path);
		case "orc20":
			return first === "getholder" && second !== undefined && third === undefined
				? holders(request, readContract(second))
				: undefined;
		default:
			return undefined;
	}
}

async function blocksPath(request: HistoryRequest, [name, ...rest]: Segments): Promise<Answer | undefined> {
	const { context } = request;
	if (rest.length > 0) return undefined;
	if (name === "latestSolidifiedBlockNumber") return String(solidNumber(context));
	if (name === undefined) return listOrOne(request, "blocks", undefined);
	const number = numberOfBlock(context.node.view("full"), name);
	const documents = new Documents(context.node);
	return all(number === undefined ? [] : documents.ofBlock("blocks", number, false));
}

async function logsPath(
	request: HistoryRequest,
	kind: LogKind,
	[what, name, more, ...rest]: Segments,
): Promise<Answer | undefined> {
	if (rest.length > 0) return undefined;
	if (what === undefined) return listOrOne(request, kind, undefined);
	if (kind === "events" && what === "confirmed" && name === undefined) {
		return listOrOne(request, kind, undefined, solidNumber(request.context));
	}
	if (kind === "events" && what === "timestamp" && name === undefined) {
		return ofContract(request, kind, readContract(request.parameters.text("contract") ?? ""));
	}
	if (what === "transaction" && name !== undefined && more === undefined) {
		return listOrOne(request, kind, name);
	}
	if (what === "uniqueId" && name !== undefined && more === undefined) {
		const [, id, number] = /^([0-9a-f]{64})_([1-9]\d{0,7})$/i.exec(name) ?? [];
		if (id === undefined) throw new HistoryRequestError("Invalid uniqueId");
		return all(ofTransaction(request, kind, id, Number(number) - 1));
	}
	if (what === "contract" && name !== undefined) {
		if (kind === "contractlogs" && more !== undefined) return undefined;
		return ofContract(request, kind, readContract(name), more);
	}
	if (kind === "events" && name === undefined) {
		return page(request, await logsOf(request, "events", readContract(what)), flattened);
	}
	return undefined;
}

/** Documents of a kind, newest or oldest first, or those of a transaction. */
async function listOrOne(
	request: HistoryRequest,
	kind: DocumentKind,
	id: string | undefined,
	highest = headNumber(request.context),
): Promise<Answer> {
	if (id !== undefined) return all(ofTransaction(request, kind, id));
	const { isDescending } = pageOf(request);
	const { lowest } = indexOf(request.context).coverage;
	const { from, to } = await askedHeights(request, { from: lowest, to: highest });
	const count = Math.min(to - from + 1, MAX_QUERY_BLOCKS);
	const documents = new Documents(request.context.node);
	return page(
		request,
		(function* () {
			for (let i = 0; i < count; i++) {
				yield* documents.ofBlock(kind, isDescending ? to - i : from + i, isDescending);
				yield undefined;
			}
		})(),
	);
}

/** The blocks in a range that `since` and `block` allow. */
async function askedHeights(
	{ context, parameters }: HistoryRequest,
	{ from, to }: Heights,
): Promise<Heights> {
	const since = parameters.number("since");
	const first = since === undefined ? from : Math.max(from, await firstSince(context, since));
	const block = parameters.number("block");
	if (block === undefined) return { from: first, to };
	return { from: Math.max(first, Number(block)), to: Math.min(to, Number(block)) };
}

/** @param ordinal of the only log that is asked for */
function ofTransaction(request: HistoryRequest, kind: DocumentKind, id: string, ordinal?: number): Found {
	if (!/^[0-9a-f]{64}$/i.test(id)) throw new HistoryRequestError("Invalid transaction id");
	const { node } = request.context;
	const info = transactionInfoById(node.view("full"), fromHex(id));
	if (!info) return [];
	return new Documents(node).ofTransaction(kind, Number(info.blockNumber), id.toLowerCase(), ordinal);
}

/** Documents of a contract's logs, from the index. */
async function logsOf(
	request: HistoryRequest,
	kind: LogKind,
	contract: Uint8Array,
	name?: string,
): Promise<Found> {
	const { context } = request;
	const { skip, isDescending } = pageOf(request);
	const { rows } = await indexOf(context).page({
		lists: [{ kind: "log", owner: ownerKey(contract) }],
		...(await askedHeights(request, await heightsOf(request))),
		descending: isDescending,
		limit: skip + MAX_LOGS,
	});
	const places: readonly Place[] = rows.map(({ suffix }) => readPlace(suffix));
	const documents = new Documents(context.node);
	return (function* () {
		for (const { height, position, ordinal } of places) {
			const found = documents.log(kind, height, position, ordinal);
			yield name === undefined || found?.name === name ? found : undefined;
		}
	})();
}

async function ofContract(
	request: HistoryRequest,
	kind: LogKind,
	contract: Uint8Array,
	name?: string,
): Promise<Answer> {
	return page(request, await logsOf(request, kind, contract, name));
}

const FLATTENED = [
	"transactionId",
	"blockNumber",
	"timeStamp",
	"eventSignatureFull",
	"eventName",
	"contractAddress",
];

/** An event as a flat row, with its arguments next to its position. */
function flattened({ body }: EventMessage): string {
	const byPosition = (map: unknown): EventBody =>
		Object.fromEntries(Object.entries((map ?? {}) as EventBody).filter(([key]) => /^\d+$/.test(key)));
	return answerText({
		...Object.fromEntries(FLATTENED.map((name) => [name, body[name] as string | bigint])),
		...(byPosition(body["topicMap"]) as { readonly [position: string]: string }),
		...(byPosition(body["dataMap"]) as { readonly [position: string]: string }),
	});
}

/** Accounts that the transfers of a contract named. */
async function holders({ context }: HistoryRequest, contract: Uint8Array): Promise<LongAnswer> {
	const found = await indexOf(context).members("holder", ownerKey(contract), MAX_HOLDERS);
	return new LongAnswer(listPieces("[", found, (key) => answerText(base58Of(key)), "]"));
}

interface AskedPage {
	readonly skip: number;
	readonly limit: number;
	readonly isDescending: boolean;
}

/** `start` is the page number, from 1. */
function pageOf({ parameters }: HistoryRequest): AskedPage {
	const limit = Number(parameters.number("limit") ?? DEFAULT_LIMIT);
	const start = Number(parameters.number("start") ?? 1);
	if (limit < 1 || limit > MAX_LIMIT) throw invalidParameter("limit");
	const skip = (Math.max(1, start) - 1) * limit;
	if (skip > MAX_SKIPPED) throw invalidParameter("start");
	const sort = parameters.text("sort") ?? "-timeStamp";
	const match = /^(-?)(?:time[sS]tamp|blockNumber)$/.exec(sort);
	if (!match) throw invalidParameter("sort");
	return { skip, limit, isDescending: match[1] === "-" };
}

const written = ({ json }: EventMessage): string => json;

/** All documents found, within the answer limits. */
const all = (found: Found): LongAnswer =>
	new LongAnswer(pieces(found, 0, Number.POSITIVE_INFINITY, written), LIST_COST);

/** The requested page of all documents. */
function page(
	request: HistoryRequest,
	found: Found,
	write: (message: EventMessage) => string = written,
): LongAnswer {
	const { skip, limit } = pageOf(request);
	return new LongAnswer(pieces(found, skip, limit, write), LIST_COST);
}

/** The list as text: documents are made lazily, and skipped ones yield an empty piece. */
function* pieces(
	found: Found,
	skip: number,
	limit: number,
	write: (message: EventMessage) => string,
): Generator<string> {
	let [passed, shown, seen, characters] = [0, 0, 0, 0];
	let before = "[";
	for (const one of found) {
		if (++seen > skip + MAX_LOGS + limit) break;
		const isPassed = one !== undefined && passed < skip;
		const message = isPassed ? undefined : one?.message();
		if (!message) {
			if (isPassed) passed++;
			yield "";
			continue;
		}
		const piece = before + write(message);
		before = ",";
		characters += piece.length;
		yield piece;
		if (++shown >= limit || characters > MAX_PAGE_CHARACTERS) break;
	}
	yield shown === 0 ? "[]" : "]";
}
