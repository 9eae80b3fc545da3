/** Lists for spreadsheets (RFC 4180): a comma between cells, and nothing in them that a spreadsheet would take for a formula. */

import { harmlessLine } from "./harmless-text.js";

const NEEDS_QUOTES = /[",\r\n]/;
/** What spreadsheets calculate; a number may begin with its sign. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** One line, without its end. Control characters become visible. */
export function csvLine(cells: readonly (string | bigint | number | undefined)[]): string {
	return cells.map(csvCell).join(",");
}

function csvCell(cell: string | bigint | number | undefined): string {
	if (cell === undefined) return "";
	const text = harmlessLine(String(cell));
	const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
	return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
