/** Pages of the history interface: the range of blocks that a request means, the rows, the envelope (protocol/history §3). */

import type { HistoryReader } from "../../history/history-index.js";
import type { HistoryPage, PageQuery } from "../../history/pages.js";
import type { HistoryRow } from "../../history/rows.js";
import { TimeSlice } from "../../scheduling/time-slice.js";
import type { ApiContext } from "../context.js";
import { LongAnswer } from "../long-answer.js";
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
	if (min !== undefined) from = firstSince(context, min);
	if (max !== undefined) to = firstSince(context, max + 1n) - 1;
	if (parameters.flag("only_confirmed")) to = Math.min(to, solid);
	if (parameters.flag("only_unconfirmed")) from = Math.max(from, solid + 1);
	return { from, to };
}

/** The first block that is as late as a time; one above the head if none is. */
export function firstSince(context: ApiContext, timeMs: bigint): number {
	const bodies = bodiesOf(context);
	let [low, high] = [indexOf(context).coverage.lowest, headNumber(context) + 1];
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
	readonly write: (row: HistoryRow) => AnswerRow | Promise<AnswerRow>;
}

function foundRows(
	{ context, parameters }: HistoryRequest,
	{ heights, lists, accepts }: Omit<IndexedQuery, "write">,
): Promise<HistoryPage> {
	return indexOf(context).page({
		lists,
		accepts,
		...heights,
		descending: parameters.isDescending,
		limit: parameters.limit,
		after: parameters.after,
	});
}

/** A page of the index whose rows are short. */
export async function indexedPage(request: HistoryRequest, query: IndexedQuery): Promise<AnswerPage> {
	const found = await foundRows(request, query);
	const rows: AnswerRow[] = [];
	const turns = new TimeSlice(PAGE_SLICE_MS);
	for (const row of found.rows) {
		if (turns.over) await turns.yield();
		rows.push(await query.write(row));
	}
	return { rows, fingerprint: found.next && request.parameters.fingerprintOf(found.next) };
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

/** What is said of a page behind its rows. */
export interface PageEnd {
	readonly size: number;
	readonly fingerprint: string | undefined;
}

/** Writes a page, row by row; a row that is undefined isn't there any more. @param end asked for behind the last row */
export type ShowPage = (
	request: HistoryRequest,
	rows: Iterable<AnswerRow | undefined>,
	end: () => PageEnd,
) => Iterable<string>;

/** The whole answer. */
export function envelope(
	request: HistoryRequest,
	{ rows, fingerprint }: AnswerPage,
	more: Meta = {},
): string {
	return [...envelopePieces(request, rows, () => ({ size: rows.length, fingerprint }), more)].join("");
}

/** The answer with one piece a row, which is written when its turn comes. */
export function* envelopePieces(
	{ context, parameters, base }: HistoryRequest,
	rows: Iterable<AnswerRow | undefined>,
	end: () => PageEnd,
	more: Meta = {},
): Generator<string> {
	let before = '{"data":[';
	for (const row of rows) {
		yield row ? before + answerText(row) : "";
		if (row) before = ",";
	}
	const coverage = context.node.history?.coverage;
	const { size, fingerprint } = end();
	const meta = {
		at: context.node.nowMs(),
		fingerprint,
		links: fingerprint === undefined ? undefined : { next: parameters.linkOf(base, fingerprint) },
		page_size: size,
		backfill:
			coverage && !coverage.isComplete
				? { complete: false, indexed_from: coverage.from, missing: coverage.missing }
				: undefined,
		...more,
	};
	yield `${before === "," ? "" : before}],"success":true,"meta":${answerText(meta)}}`;
}

/** Memory of a page while its rows are written, and while its client doesn't read: a block with its receipts, decoded. */
const PAGE_COST = 4 << 20;
const PAGE_HELD = 2 << 20;

/** A page of the index whose rows may be long: each is read from its block and sent before the next one is. */
export async function streamedPage(
	request: HistoryRequest,
	{
		heights,
		lists,
		accepts,
		write,
	}: Omit<IndexedQuery, "write"> & {
		readonly write: (row: HistoryRow, bodies: StoredBodies) => AnswerRow | undefined;
	},
	show: ShowPage = envelopePieces,
): Promise<LongAnswer> {
	const { context, parameters } = request;
	const found = await foundRows(request, { heights, lists, accepts });
	const bodies = bodiesOf(context);
	let size = 0;
	let { next } = found;
	function* rows(): Generator<AnswerRow | undefined> {
		for (const [at, row] of found.rows.entries()) {
			const written = write(row, bodies);
			if (written) size++;
			yield written;
			if (!bodies.isExhausted || at === found.rows.length - 1) continue;
			next = { kind: row.kind, suffix: row.suffix };
			return;
		}
	}
	const end = (): PageEnd => ({ size, fingerprint: next && parameters.fingerprintOf(next) });
	return new LongAnswer(show(request, rows(), end), PAGE_COST, PAGE_HELD);
}

/** JSON that was written elsewhere. */
export class WrittenJson {
	constructor(readonly text: string) {}
}

/** What an answer is made of, numbers of 64 bits as they are; members that are undefined are left out. */
export type AnswerValue =
	| string
	| number
	| bigint
	| boolean
	| null
	| WrittenJson
	| readonly AnswerValue[]
	| { readonly [member: string]: AnswerValue | undefined };

export type AnswerRow = { readonly [member: string]: AnswerValue | undefined } | WrittenJson;

export function answerText(value: AnswerValue): string {
	if (typeof value === "bigint") return String(value);
	if (value instanceof WrittenJson) return value.text;
	if (value === null || typeof value !== "object") return JSON.stringify(value);
	if (Array.isArray(value)) return `[${value.map(answerText).join(",")}]`;
	const members = Object.entries(value as { readonly [member: string]: AnswerValue | undefined })
		.filter((entry): entry is [string, AnswerValue] => entry[1] !== undefined)
		.map(([name, member]) => `${JSON.stringify(name)}:${answerText(member)}`);
	return `{${members.join(",")}}`;
}
