/** Pages of the history API: the block range a request covers, its rows, and the envelope (protocol/history §3). */

import type { HistoryReader } from "../../history/history-index.js";
import type { HistoryPage, PageQuery } from "../../history/pages.js";
import type { HistoryRow } from "../../history/rows.js";
import { TimeSlice } from "../../scheduling/time-slice.js";
import type { ApiContext } from "../context.js";
import { LongAnswer } from "../long-answer.js";
import { type HistoryParameters, HistoryRequestError } from "./parameters.js";
import { StoredBodies, timeOfBlock } from "./stored-bodies.js";

/** Maximum time slice before a page yields to other work. */
const PAGE_SLICE_MS = 10;

/** A request to the API. */
export interface HistoryRequest {
	readonly context: ApiContext;
	readonly parameters: HistoryParameters;
	/** URL of the path itself, for the link to the next page. */
	readonly base: string;
}

/** Heights, both inclusive. */
export interface Heights {
	readonly from: number;
	readonly to: number;
}

export interface AnswerPage<T = AnswerRow> {
	readonly rows: readonly T[];
	/** Undefined on the last page. */
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

/** The highest finalized block. */
export const solidNumber = ({ node }: ApiContext): number =>
	Number(node.view("full").properties.get("LATEST_SOLIDIFIED_BLOCK_NUM"));

export const headNumber = ({ node }: ApiContext): number => Number(node.view("full").properties.headNumber);

export const bodiesOf = ({ node }: ApiContext): StoredBodies => new StoredBodies(() => node.view("full"));

/** The block range that a request's filters allow. */
export async function heightsOf({ context, parameters }: HistoryRequest): Promise<Heights> {
	const head = headNumber(context);
	const solid = solidNumber(context);
	const { min, max } = parameters.times;
	let [from, to] = [0, head];
	if (min !== undefined) from = await firstSince(context, min);
	if (max !== undefined) to = (await firstSince(context, max + 1n)) - 1;
	if (parameters.flag("only_confirmed")) to = Math.min(to, solid);
	if (parameters.flag("only_unconfirmed")) from = Math.max(from, solid + 1);
	return { from, to };
}

/** The first block at or after a time; one above the head if there is none. */
export async function firstSince(context: ApiContext, timeMs: bigint): Promise<number> {
	const turns = new TimeSlice(PAGE_SLICE_MS);
	let [low, high] = [indexOf(context).coverage.lowest, headNumber(context) + 1];
	while (low < high) {
		if (turns.over) await turns.yield();
		const middle = roundestOf(low, high - 1);
		// Blocks no longer stored are old.
		if (BigInt(timeOfBlock(context.node.view("full"), middle) ?? -1) >= timeMs) high = middle;
		else low = middle + 1;
	}
	return low;
}

/**
 * Of a range's heights, both inclusive, the one with the most zero bits at its end. Halving there takes a step a bit, and the same heights
 * whatever the head is, so that their times are found again.
 */
function roundestOf(low: number, high: number): number {
	const bit = 31 - Math.clz32((low - 1) ^ high);
	return (high >>> bit) << bit;
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

/** A page of index rows that are short. */
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

/** A page of a list already in memory. */
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

/** What follows a page's rows. */
export interface PageEnd {
	readonly size: number;
	readonly fingerprint?: string | undefined;
}

/** Writes a page row by row; undefined rows are no longer there. @param end asked for behind the last row */
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

export const ENVELOPE_BEGIN = '{"data":[';

/** The answer with one piece a row, which is written when its turn comes. */
export function* envelopePieces(
	request: HistoryRequest,
	rows: Iterable<AnswerRow | undefined>,
	end: () => PageEnd,
	more: Meta = {},
): Generator<string> {
	let before = ENVELOPE_BEGIN;
	for (const row of rows) {
		yield row ? before + answerText(row) : "";
		if (row) before = ",";
	}
	yield `${before === "," ? "" : before}${envelopeEnd(request, end(), more)}`;
}

/** What follows the rows. */
export function envelopeEnd(
	{ context, parameters, base }: HistoryRequest,
	{ size, fingerprint }: PageEnd,
	more: Meta = {},
): string {
	const coverage = context.node.history?.coverage;
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
	return `],"success":true,"meta":${answerText(meta)}}`;
}

/**
 * Memory of a page while its rows are written, and while waiting for the client to read: a decoded block with its receipts.
 */
const PAGE_COST = 4 << 20;
const PAGE_HELD = 2 << 20;

/** A page of index rows that may be long: each is read from its block and sent before the next is read. */
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

/** JSON already serialized. */
export class WrittenJson {
	constructor(readonly text: string) {}
}

/** Contents of an answer; 64-bit numbers are kept exact, undefined members are omitted. */
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
