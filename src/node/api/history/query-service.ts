/**
 * The paths of the network's self-hosted event query service (protocol/history §9), where the node keeps a history: documents are the
 * triggers of protocol/events §3, made of blocks and receipts when they are asked for, with the block's own number as
 * `latestSolidifiedBlockNumber`.
 */

import { addressPrefix, toBase58Check } from "../../../protocol/address.js";
import { concatBytes, fromHex, fromKey } from "../../../protocol/bytes.js";
import { blockTrigger } from "../../events/block-triggers.js";
import { contractTriggers } from "../../events/contract-triggers.js";
import type { EventBody } from "../../events/event-json.js";
import { type EventMessage, messageOf } from "../../events/event-kinds.js";
import type { LoadedBlock } from "../../events/loaded-block.js";
import { transactionTriggers } from "../../events/transaction-triggers.js";
import { ownerKey } from "../../history/history-index.js";
import { readPlace } from "../../history/rows.js";
import { blockByNumber, transactionInfoById, transactionInfosOfBlock } from "../queries/blocks.js";
import { Turns } from "../turns.js";
import { answerText, WrittenJson } from "./answer-text.js";
import { numberOfBlock } from "./event-rows.js";
import { type HistoryRequest, headNumber, heightsOf, indexOf, solidNumber } from "./page.js";
import { HistoryRequestError, invalid, MAX_LIMIT, readContract } from "./parameters.js";

const DEFAULT_LIMIT = 25;
/** Documents that pages before the asked one may have: a page is found by going through them. */
const MOST_SKIPPED = 10_000;
/** Blocks that a list without a contract looks through, from the newest down. */
const MOST_BLOCKS = 1_000;
/** Logs of a contract that one page looks at: those that have another name or are no events are left out of it. */
const MOST_LOGS = 2_000;
const MOST_HOLDERS = 10_000;
const TURN_MS = 10;

const TRANSFERS: ReadonlySet<unknown> = new Set(["TransferContract", "TransferAssetContract"]);

type Segments = readonly string[];
type Kind = "blocks" | "transactions" | "transfers" | "events" | "contractlogs";

/** Answers a path of the service; undefined: there is none. */
export async function answerQuery(request: HistoryRequest, segments: Segments): Promise<string | undefined> {
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

async function blocksPath(request: HistoryRequest, [name, ...rest]: Segments): Promise<string | undefined> {
	const { context } = request;
	if (rest.length > 0) return undefined;
	if (name === "latestSolidifiedBlockNumber") return String(solidNumber(context));
	if (name === undefined) return listOrOne(request, "blocks", undefined);
	const number = numberOfBlock(context.node.view("full"), name);
	return text(number === undefined ? [] : documents(request, "blocks", number));
}

async function logsPath(
	request: HistoryRequest,
	kind: "events" | "contractlogs",
	[what, name, more, ...rest]: Segments,
): Promise<string | undefined> {
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
		const [, id] = /^([0-9a-f]{64})_\d{1,8}$/i.exec(name) ?? [];
		if (id === undefined) throw new HistoryRequestError("Invalid uniqueId");
		const found = ofTransaction(request, kind, id);
		return text(found.filter(({ body }) => body["uniqueId"] === name.toLowerCase()));
	}
	if (what === "contract" && name !== undefined) {
		if (kind === "contractlogs" && more !== undefined) return undefined;
		return ofContract(request, kind, readContract(name), more);
	}
	if (kind === "events" && name === undefined) return flattened(request, readContract(what));
	return undefined;
}

/** The newest documents of a kind, those of a block, or those of a transaction. */
async function listOrOne(
	request: HistoryRequest,
	kind: Kind,
	id: string | undefined,
	highest = headNumber(request.context),
): Promise<string> {
	if (id !== undefined) return text(ofTransaction(request, kind, id));
	const { skip, limit, isDescending } = pageOf(request);
	if (!isDescending) throw invalid("sort");
	const asked = request.parameters.number("block");
	const from = asked === undefined ? highest : Number(asked);
	const lowest = asked === undefined ? Math.max(0, highest - MOST_BLOCKS + 1) : from;
	const found: EventMessage[] = [];
	const turns = new Turns(TURN_MS);
	for (let number = from; number >= lowest && number <= highest; number--) {
		if (found.length >= skip + limit) break;
		if (turns.over) await turns.yield();
		found.push(...documents(request, kind, number).toReversed());
	}
	return text(found.slice(skip, skip + limit));
}

function ofTransaction(request: HistoryRequest, kind: Kind, id: string): readonly EventMessage[] {
	if (!/^[0-9a-f]{64}$/i.test(id)) throw new HistoryRequestError("Invalid transaction id");
	const info = transactionInfoById(request.context.node.view("full"), fromHex(id));
	if (!info) return [];
	const hash = id.toLowerCase();
	const found = documents(request, kind, Number(info.blockNumber));
	return found.filter(({ body }) => body["transactionId"] === hash);
}

/** Documents of a contract's logs, by the index. */
async function logsOf(
	request: HistoryRequest,
	kind: "events" | "contractlogs",
	contract: Uint8Array,
	name?: string,
): Promise<readonly EventMessage[]> {
	const { context, parameters } = request;
	const { skip, limit, isDescending } = pageOf(request);
	const since = parameters.number("since");
	const block = parameters.number("block");
	const heights = heightsOf(request);
	const index = indexOf(context);
	const { rows } = await index.page({
		lists: [{ kind: "log", owner: ownerKey(contract) }],
		from: block === undefined ? heights.from : Number(block),
		to: block === undefined ? heights.to : Math.min(heights.to, Number(block)),
		descending: isDescending,
		limit: skip + MOST_LOGS,
	});
	const numbers = [...new Set(rows.map(({ suffix }) => readPlace(suffix).height))];
	const found: EventMessage[] = [];
	const turns = new Turns(TURN_MS);
	for (const number of numbers) {
		if (found.length >= skip + limit) break;
		if (turns.over) await turns.yield();
		const own = documents(request, kind, number, contract).filter(
			({ body }) =>
				(name === undefined || body["eventName"] === name) &&
				(since === undefined || (body["timeStamp"] as bigint) >= since),
		);
		found.push(...(isDescending ? own.toReversed() : own));
	}
	return found.slice(skip, skip + limit);
}

async function ofContract(
	request: HistoryRequest,
	kind: "events" | "contractlogs",
	contract: Uint8Array,
	name?: string,
): Promise<string> {
	return text(await logsOf(request, kind, contract, name));
}

/** Events of a contract as plain rows: what they say beside where they are. */
async function flattened(request: HistoryRequest, contract: Uint8Array): Promise<string> {
	const found = await logsOf(request, "events", contract);
	const names = [
		"transactionId",
		"blockNumber",
		"timeStamp",
		"eventSignatureFull",
		"eventName",
		"contractAddress",
	];
	const byPosition = (map: unknown): EventBody =>
		Object.fromEntries(Object.entries((map ?? {}) as EventBody).filter(([key]) => /^\d+$/.test(key)));
	return answerText(
		found.map(({ body }) => ({
			...Object.fromEntries(names.map((name) => [name, body[name] as string | bigint])),
			...(byPosition(body["topicMap"]) as { readonly [position: string]: string }),
			...(byPosition(body["dataMap"]) as { readonly [position: string]: string }),
		})),
	);
}

/** The documents of a block, in its order. @param contract whose logs alone are wanted */
function documents(
	{ context }: HistoryRequest,
	kind: Kind,
	number: number,
	contract?: Uint8Array,
): readonly EventMessage[] {
	const { node } = context;
	const state = node.view("full");
	const block = blockByNumber(state, BigInt(number));
	if (!block) return [];
	const infos = transactionInfosOfBlock(state, block.number);
	const { dialect } = node.config.node;
	const loaded: LoadedBlock = { block, infos, state, solidNumber: block.number, dialect };
	if (kind === "blocks") return [messageOf("block", blockTrigger(loaded))];
	if (kind === "transactions" || kind === "transfers") {
		const all = transactionTriggers(loaded, { version: 1, ethCompatible: false });
		const wanted = kind === "transactions" ? all : all.filter(isTransfer);
		return wanted.map((trigger) => messageOf("transaction", trigger));
	}
	const addresses = new Set(contract ? [toBase58Check(contract).toLowerCase()] : []);
	const filter = { fromBlock: 0n, toBlock: undefined, addresses, topics: new Set<string>() };
	return contractTriggers(loaded, { filter, parsesLogs: true }).flatMap((trigger) => {
		if (kind === "events") {
			return trigger.event ? [messageOf("contractevent", trigger, trigger.event)] : [];
		}
		return trigger.event ? [] : [messageOf("contractlog", trigger, trigger.log)];
	});
}

const isTransfer = ({ members }: { readonly members: EventBody }): boolean =>
	TRANSFERS.has(members["contractType"]);

/** Accounts that the transfers of a contract named. */
async function holders({ context }: HistoryRequest, contract: Uint8Array): Promise<string> {
	const found = await indexOf(context).members("holder", ownerKey(contract), MOST_HOLDERS);
	return answerText(
		found.map((key) => toBase58Check(concatBytes(Uint8Array.of(addressPrefix()), fromKey(key)))),
	);
}

interface AskedPage {
	readonly skip: number;
	readonly limit: number;
	readonly isDescending: boolean;
}

/** `start` is the number of the page, from 1. */
function pageOf({ parameters }: HistoryRequest): AskedPage {
	const limit = Number(parameters.number("limit") ?? DEFAULT_LIMIT);
	const start = Number(parameters.number("start") ?? 1);
	if (limit < 1 || limit > MAX_LIMIT) throw invalid("limit");
	const skip = (Math.max(1, start) - 1) * limit;
	if (skip > MOST_SKIPPED) throw invalid("start");
	const sort = parameters.text("sort") ?? "-timeStamp";
	const match = /^(-?)(?:time[sS]tamp|blockNumber)$/.exec(sort);
	if (!match) throw invalid("sort");
	return { skip, limit, isDescending: match[1] === "-" };
}

const text = (messages: readonly EventMessage[]): string =>
	answerText(messages.map(({ json }) => new WrittenJson(json)));
