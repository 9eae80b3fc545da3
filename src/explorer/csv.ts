/** Tables for spreadsheets (RFC 4180). */

/**
 * Where a spreadsheet would begin a formula: at the start of a cell and, as it may separate by semicolons or tabs whatever
 * the file separates by, behind those.
 */
const FORMULA = /(^|[;\t\r\n])(?="*[=+\-@\t\r])/g;

/**
 * Rows as text, lines ended with CR LF, all cells but numbers quoted. What a spreadsheet would read as a formula is
 * prefixed with an apostrophe, since names and notes are untrusted.
 */
export function csvText(heads: readonly string[], rows: readonly (readonly string[])[]): string {
	return [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
	if (text === "" || /^-?\d+(\.\d+)?$/.test(text)) return text;
	return `"${text.replace(FORMULA, "$1'").replaceAll('"', '""')}"`;
}
