/** The paths of the history API: the gateway's `/v1`, and those of the older event server (protocol/history §§3 to 6). */

import { fromUtf8, toHex, utf8 } from "../../../protocol/bytes.js";
import { HistoryFailure, ownerKey } from "../../history/history-index.js";
import { type HistoryRow, readAssetValue } from "../../history/rows.js";
import { tokenById, tokenByOldName } from "../../tokens/queries.js";
import type { ApiContext } from "../context.js";
import { JSON_TYPE } from "../http-answer.js";
import { LongAnswer } from "../long-answer.js";
import { blockEvents, contractEvents, olderEvents, placedReceipt, transactionEvents } from "./event-rows.js";
import {
	type AnswerPage,
	type AnswerRow,
	answerText,
	envelope,
	envelopePieces,
	type HistoryRequest,
	heightsOf,
	indexedPage,
	pageOfList,
	solidNumber,
} from "./page.js";
import {
	HistoryParameters,
	HistoryRequestError,
	invalidParameter,
	readContract,
	readHistoryAddress,
} from "./parameters.js";
import { answerQuery } from "./query-service.js";
import {
	accountPage,
	assetPage,
	assetsByName,
	assetsNamed,
	blockStatistics,
	namedContracts,
	resourceRows,
	sourceAnswer,
} from "./state-rows.js";
import { base58Of } from "./token-facts.js";
import { balancePage, type CheckedPage, holderPage, tokenInfoPage, tokenPage } from "./token-rows.js";
import { directionFilter, internalPage, internalRow, transactionPage } from "./transaction-rows.js";

/** An answer of the API. */
interface HistoryAnswer {
	readonly status: number;
	readonly type: string;
	/** A long one doesn't end with a newline. */
	readonly text: string | LongAnswer;
}

interface AskedPath {
	/** Without doubled slashes. */
	readonly path: string;
	readonly query: URLSearchParams;
	/** The server's address as seen by the client: `http://host:port`. */
	readonly origin: string;
}

type Segments = readonly string[];
/** A path's answer; undefined if the path doesn't exist. */
type Answering = Promise<string | LongAnswer> | undefined;

/** Answers a path of the API; 404 if unknown. */
export async function answerHistory(context: ApiContext, asked: AskedPath): Promise<HistoryAnswer> {
	const [, root, ...segments] = asked.path.split("/").map(readSegment);
	const parameters = new HistoryParameters([root, ...segments].join("/"), asked.query);
	const request = { context, parameters, base: asked.origin + asked.path };
	try {
		const answer = await answerOf(request, root, segments);
		if (answer === undefined) return json(404, { success: false, error: "Not found", statusCode: 404 });
		const text = await answer;
		return { status: 200, type: JSON_TYPE, text: typeof text === "string" ? `${text}\n` : text };
	} catch (error) {
		if (error instanceof HistoryFailure)
			return json(503, { success: false, error: error.message, statusCode: 503 });
		if (!(error instanceof HistoryRequestError)) throw error;
		const { status, message } = error;
		if (message === "") return { status, type: JSON_TYPE, text: "" };
		return json(status, { success: false, error: message, statusCode: status });
	}
}

async function answerOf(
	request: HistoryRequest,
	root: string | undefined,
	segments: Segments,
): Promise<Answering> {
	if (root === "v1") return answerV1(request, segments);
	if (root === "event") return answerOlder(request, segments);
	return answerQuery(request, [root ?? "", ...segments]) as Answering;
}

/** The network's own words may have either spelling; all other segments are names. */
function readSegment(segment: string): string {
	try {
		const text = decodeURIComponent(segment);
		return text.replace(/^trc(?=[12]0$)/, "orc");
	} catch {
		return segment;
	}
}

function json(
	status: number,
	value: { readonly [member: string]: string | number | boolean },
): HistoryAnswer {
	return { status, type: JSON_TYPE, text: `${answerText(value)}\n` };
}

function answerV1(request: HistoryRequest, segments: Segments): Answering {
	const [kind, ...rest] = segments;
	switch (kind) {
		case "accounts":
			return accountPath(request, rest);
		case "contracts":
			return contractPath(request, rest);
		case "transactions":
			return transactionPath(request, rest);
		case "blocks":
			return blockPath(request, rest);
		case "assets":
			return assetPath(request, rest);
		case "orc20":
			return rest.join("/") === "info" ? checked(request, tokenInfoPage(request)) : undefined;
		default:
			return undefined;
	}
}

async function rows(
	request: HistoryRequest,
	found: readonly AnswerRow[] | Promise<readonly AnswerRow[]>,
): Promise<string> {
	return envelope(request, { rows: await found });
}

async function page(request: HistoryRequest, found: AnswerPage | Promise<AnswerPage>): Promise<string> {
	return envelope(request, await found);
}

async function checked(request: HistoryRequest, found: Promise<CheckedPage>): Promise<string> {
	const { page: answer, isComplete } = await found;
	return envelope(request, answer, isComplete ? {} : { complete: false });
}

type AddressAnswer = (address: Uint8Array) => Promise<string | LongAnswer>;

/** Answers by the rest of a path. The client chooses it, so inherited object members must not match. */
const namedAnswers = (answers: Readonly<Record<string, AddressAnswer>>): ReadonlyMap<string, AddressAnswer> =>
	new Map(Object.entries(answers));

function accountPath(request: HistoryRequest, [name = "", ...rest]: Segments): Answering {
	const answers = namedAnswers({
		"": (address) => checked(request, accountPage(request, address)),
		transactions: (address) => transactionPage(request, address),
		"transactions/orc20": (address) => page(request, tokenPage(request, address)),
		"transactions/orc10": (address) => page(request, assetMovementPage(request, address)),
		"orc20/balance": (address) => checked(request, balancePage(request, address)),
		"internal-transactions": (address) => internalPage(request, address),
		resources: (address) => rows(request, resourceRows(request, address)),
	});
	const answer = answers.get(rest.join("/"));
	if (!answer) return undefined;
	const address = readHistoryAddress(name);
	if (!address) throw new HistoryRequestError("A valid account address is required.");
	return answer(address);
}

function contractPath(request: HistoryRequest, [name = "", ...rest]: Segments): Answering {
	if (name === "" && rest.length === 0) return Promise.resolve(namedContracts(request));
	const answers = namedAnswers({
		events: (contract) => contractEvents(request, contract),
		source: async (contract) => sourceAnswer(request, contract),
		transactions: (contract) => transactionPage(request, contract),
		"internal-transactions": (contract) => internalPage(request, contract),
		tokens: (contract) => checked(request, holderPage(request, contract)),
	});
	const answer = answers.get(rest.join("/"));
	return answer?.(readContract(name));
}

function transactionPath(request: HistoryRequest, [id = "", what, ...rest]: Segments): Answering {
	if (rest.length > 0) return undefined;
	if (what === "events") return Promise.resolve(transactionEvents(request, id));
	if (what === "internal-transactions") return Promise.resolve(internalOf(request, id));
	return undefined;
}

/** Internal transactions of one transaction. */
function internalOf(request: HistoryRequest, id: string): LongAnswer {
	const { cost, read } = placedReceipt(request, id);
	// What is wrong is refused while the answer has no status yet.
	const { limit, afterNumber } = request.parameters;
	const idHex = id.toLowerCase().replace(/^0x/, "");
	function* pieces(): Generator<string> {
		const info = read();
		const timeMs = Number(info?.blockTimeStamp ?? 0n);
		const found = pageOfList(request, info?.internal_transactions ?? [], limit, afterNumber);
		function* shown(): Generator<AnswerRow> {
			for (const call of found.rows) yield internalRow(call, idHex, timeMs);
		}
		yield* envelopePieces(request, shown(), () => ({ ...found, size: found.rows.length }));
	}
	return new LongAnswer(pieces(), cost, cost);
}

function blockPath(request: HistoryRequest, [name = "", what, ...rest]: Segments): Answering {
	if (rest.length > 0) return undefined;
	if (what === "events") return Promise.resolve(blockEvents(request, name));
	if (what === "stats") return Promise.resolve(blockStatistics(request, name));
	return undefined;
}

function assetPath(request: HistoryRequest, [name, list, ...rest]: Segments): Answering {
	if (rest.length > 0) return undefined;
	if (name === undefined || name === "") return page(request, assetPage(request));
	if (list === undefined) return rows(request, assetsNamed(request, name));
	return list === "list" ? page(request, assetsByName(request, name)) : undefined;
}

/** The older event server: bare lists, and different parameter names. */
async function answerOlder(
	request: HistoryRequest,
	[kind, name = "", ...rest]: Segments,
): Promise<Answering> {
	const older = olderRequest(request);
	if (kind === "transaction" && rest.length === 0) {
		return Promise.resolve(transactionEvents(older, name, olderEvents));
	}
	if (kind !== "contract" || rest.length > 2) return undefined;
	if (name === "latestSolidifiedBlockNum") return Promise.resolve(String(solidNumber(request.context)));
	const [event, block] = rest;
	const contract = readContract(name);
	if (block === undefined) return contractEvents(older, contract, { name: event }, olderEvents);
	if (block !== "latest" && !/^\d{1,15}$/.test(block)) throw new HistoryRequestError("Invalid block number");
	const { from, to } = await heightsOf(older);
	// The newest block the parameters allow.
	const number = block === "latest" ? to : Number(block);
	const heights = { from: Math.max(number, from), to: Math.min(number, to) };
	return contractEvents(older, contract, { name: event, heights }, olderEvents);
}

/** The same request with the newer API's parameter names. @throws {HistoryRequestError} */
function olderRequest({ context, parameters, base }: HistoryRequest): HistoryRequest {
	if (parameters.flag("only_confirmed") && parameters.flag("only_unconfirmed")) {
		throw new HistoryRequestError("Conflicting parameters passed.");
	}
	const renamed = new URLSearchParams();
	const take = (name: string, value: string | undefined): void => {
		if (value !== undefined) renamed.set(name, value);
	};
	for (const name of ["only_confirmed", "only_unconfirmed", "fingerprint"]) take(name, parameters.text(name));
	take("limit", parameters.text("size") ?? parameters.text("limit"));
	take("min_timestamp", parameters.text("since") ?? parameters.text("from_timestamp"));
	const sort = parameters.text("sort") ?? "-block_timestamp";
	const match = /^(-?)block_timestamp$/.exec(sort);
	if (!match) throw invalidParameter("sort");
	take("order_by", `block_timestamp,${match[1] === "-" ? "desc" : "asc"}`);
	return { context, base, parameters: new HistoryParameters(base, renamed) };
}

/**
 * Transfers of ORC-10 tokens (protocol/history §5). `token_id` selects one token: by number, or before proposal 14 by name.
 */
async function assetMovementPage(request: HistoryRequest, address: Uint8Array): Promise<AnswerPage> {
	const { context, parameters } = request;
	const wanted = parameters.text("token_id");
	const isWay = directionFilter(request);
	const accepts = (row: HistoryRow): boolean =>
		(!isWay || isWay(row)) && (wanted === undefined || readAssetValue(row.value).token === wanted);
	return indexedPage(request, {
		lists: [{ kind: "asset", owner: ownerKey(address) }],
		heights: await heightsOf(request),
		accepts,
		write: (row) => {
			const movement = readAssetValue(row.value);
			return {
				transaction_id: toHex(movement.transactionId),
				token_info: { token_id: movement.token, ...factsOf(context, movement.token) },
				block_timestamp: movement.timeMs,
				from: base58Of(movement.from),
				to: base58Of(movement.to),
				type: "Transfer",
				value: String(movement.amount),
			};
		},
	});
}

/** The token's metadata as set by its issuer; empty if there is no token with this name or number. */
function factsOf({ node }: ApiContext, name: string) {
	const state = node.view("full");
	const key = utf8(name);
	const token = /^\d{1,18}$/.test(name) ? tokenById(state, key) : tokenByOldName(state, key);
	if (!token) return {};
	return { symbol: fromUtf8(token.abbr), decimals: token.precision, name: fromUtf8(token.name) };
}
