/** Formats an account's history for commands: columns, shape and cells. */

import { formatCoinNumber } from "../../wallet/values/amount.js";
import { utcTime } from "../../wallet/values/moment.js";
import type { HistoryEntry } from "../../wallet/view/history-entries.js";
import { harmlessLine } from "./harmless-text.js";

/** CSV for spreadsheets (RFC 4180): cells separated by commas, without anything that a spreadsheet would evaluate as a formula. */
const NEEDS_QUOTES = /[",;\r\n]/;
/** Before text that spreadsheets evaluate, also those that separate by semicolons; numbers with a sign are excepted. */
const FORMULA = /(^|;)(?="*[=+\-@\t\r])/g;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** One CSV line, without its line ending. Control characters are escaped. */
export function csvLine(cells: readonly (string | bigint | number | undefined)[]): string {
	return cells.map(csvCell).join(",");
}

function csvCell(cell: string | bigint | number | undefined): string {
	if (cell === undefined) return "";
	const text = harmlessLine(String(cell));
	const safe = NUMBER.test(text) ? text : text.replace(FORMULA, "$1'");
	return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Columns of the CSV, in order. */
export const HISTORY_COLUMNS = [
	"time",
	"block",
	"txID",
	"type",
	"direction",
	"counterparty",
	"amount",
	"fee",
	"energy",
	"bandwidth",
	"result",
] as const;

/** The members of an entry in JSON. */
export const HISTORY_SHAPE = {
	time: "int64",
	"block?": "int64",
	txID: "hex",
	"internalID?": "hex",
	type: "text",
	direction: "text",
	"counterparty?": "address",
	"amount?": "int64",
	fee: "int64",
	energy: "int64",
	bandwidth: "int64",
	result: "text",
} as const;

export type Cell = string | bigint | undefined;

/** The cells of an entry in CSV: amounts in coins, the time in UTC. */
export function historyCells(entry: HistoryEntry): Readonly<Record<(typeof HISTORY_COLUMNS)[number], Cell>> {
	return {
		...entry,
		counterparty: entry.counterparty,
		time: utcTime(entry.time),
		amount: inCoins(entry.amount),
		fee: inCoins(entry.fee),
	};
}

/** Formats sun as coins, without a unit; undefined if the amount is not known. */
export const inCoins = (sun: bigint | undefined): string | undefined =>
	sun === undefined ? undefined : formatCoinNumber(sun);
