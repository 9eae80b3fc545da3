/** Pages of the history interface: the range of blocks that a request means, the rows, the envelope (protocol/history §3). */

import type { HistoryReader } from "../../history/history-index.js";
import type { HistoryPage, PageQuery } from "../../history/pages.js";
import type { HistoryRow } from "../../history/rows.js";
import { TimeSlice } from "../../scheduling/time-slice.js";
import type { ApiContext } from "../context.js";
import { listPieces } from "../long-answer.js";
import { type AnswerRow, type AnswerValue, answerText } from "./answer-text.js";
import { type HistoryParameters, HistoryRequestError } from "./parameters.js";
import { StoredBodies } from "./stored-bodies.js";

/** How long others may have to wait for a page. */
const PAGE_SLICE_MS = 10;

/** A request to the interface. */
export interface HistoryRequest {
	readonly context: ApiContext;
	readonly parameters: HistoryParameters;
	/** Address of the path itself, for the link to the next page. */
	readonly base: string;
}

/** Heights; both bounds count. */
export interface Heights {
	readonly from: number;
	readonly to: number;
}

export interface AnswerPage<T = AnswerRow> {
	readonly rows: readonly T[];
	/** Undefined: this is the last page. */
	readonly fingerprint?: string | undefined;
}

/** The index. @throws {HistoryRequestError} if the node has none */
export function indexOf({ node }: ApiContext): HistoryReader {
	if (node.history) return node.history;
	throw new HistoryRequestError(
		"this node keeps no history by account and contract: set node.history.index = on",
		404,
	);
}

/** The highest block that can't be undone by the rules of the chain. */
export const solidNumber = ({ node }: ApiContext): number =>
	Number(node.view("full").properties.get("LATEST_SOLIDIFIED_BLOCK_NUM"));

export const headNumber = ({ node }: ApiContext): number => Number(node.view("full").properties.headNumber);

export const bodiesOf = ({ node }: ApiContext): StoredBodies => new StoredBodies(() => node.view("full"));

/** The blocks that the filters of a request leave. */
export function heightsOf({ context, parameters }: HistoryRequest): Heights {
	const head = headNumber(context);
	const solid = solidNumber(context);
	const { min, max } = parameters.times;
	let [from, to] = [0, head];
	const bodies = bodiesOf(context);
	const { lowest } = indexOf(context).coverage;
	if (min !== undefined) from = firstSince(bodies, lowest, head, min);
	if (max !== undefined) to = firstSince(bodies, lowest, head, max + 1n) - 1;
	if (parameters.flag("only_confirmed")) to = Math.min(to, solid);
	if (parameters.flag("only_unconfirmed")) from = Math.max(from, solid + 1);
	return { from, to };
}

/** The first block that is as late as a time; one above the head if none is. */
function firstSince(bodies: StoredBodies, lowest: number, head: number, timeMs: bigint): number {
	let [low, high] = [lowest, head + 1];
	while (low < high) {
		const middle = (low + high) >>> 1;
		// What isn't stored is old.
		if (BigInt(bodies.timeOf(middle) ?? -1) >= timeMs) high = middle;
		else low = middle + 1;
	}
	return low;
}

interface IndexedQuery extends Pick<PageQuery, "lists" | "accepts"> {
	readonly heights: Heights;
	/** Writes a row; undefined: what it points to isn't there any more. */
	readonly write: (
		row: HistoryRow,
		bodies: StoredBodies,
	) => AnswerRow | undefined | Promise<AnswerRow | undefined>;
}

/** A page of the index. It ends early where too much would have to be read for it. */
export async function indexedPage(request: HistoryRequest, query: IndexedQuery): Promise<AnswerPage> {
	const { context, parameters } = request;
	const { heights, lists, accepts, write } = query;
	const index = indexOf(context);
	const bodies = bodiesOf(context);
	const found: HistoryPage = await index.page({
		lists,
		accepts,
		...heights,
		descending: parameters.isDescending,
		limit: parameters.limit,
		after: parameters.after,
	});
	const rows: AnswerRow[] = [];
	const turns = new TimeSlice(PAGE_SLICE_MS);
	for (const [at, row] of found.rows.entries()) {
		if (turns.over) await turns.yield();
		const written = await write(row, bodies);
		if (written) rows.push(written);
		if (bodies.isExhausted && at < found.rows.length - 1) {
			return { rows, fingerprint: parameters.fingerprintOf({ kind: row.kind, suffix: row.suffix }) };
		}
	}
	return { rows, fingerprint: found.next && parameters.fingerprintOf(found.next) };
}

/** A page of a list that is at hand. */
export function pageOfList<T>(
	{ parameters }: HistoryRequest,
	all: readonly T[],
	limit = parameters.limit,
	from = parameters.afterNumber,
): AnswerPage<T> {
	const rows = all.slice(from, from + limit);
	const end = from + rows.length;
	return { rows, fingerprint: end < all.length ? parameters.fingerprintOf(end) : undefined };
}

/** Further members of `meta`. */
type Meta = { readonly [member: string]: AnswerValue | undefined };

/** The whole answer. */
export function envelope(request: HistoryRequest, page: AnswerPage, more: Meta = {}): string {
	return [...envelopePieces(request, page, page.rows, answerText, more)].join("");
}

/** The answer with one piece a row, which is written when its turn comes. @param items as many as the page has rows */
export function* envelopePieces<T>(
	{ context, parameters, base }: HistoryRequest,
	{ rows, fingerprint }: AnswerPage<unknown>,
	items: Iterable<T>,
	write: (item: T) => string,
	more: Meta = {},
): Generator<string> {
	const coverage = context.node.history?.coverage;
	const meta = {
		at: context.node.nowMs(),
		fingerprint,
		links: fingerprint === undefined ? undefined : { next: parameters.linkOf(base, fingerprint) },
		page_size: rows.length,
		backfill:
			coverage && !coverage.isComplete
				? { complete: false, indexed_from: coverage.from, missing: coverage.missing }
				: undefined,
		...more,
	};
	yield* listPieces('{"data":[', items, write, `],"success":true,"meta":${answerText(meta)}}`);
}
