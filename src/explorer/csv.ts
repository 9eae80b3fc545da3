/** CSV for spreadsheets (RFC 4180). */

/**
 * Where spreadsheets recognise a formula: at the start of a cell, also after semicolons and tabs, as some
 * split cells at these regardless of the file's separator.
 */
const FORMULA = /(^|[;\t\r\n])(?="*[=+\-@\t\r])/g;

/**
 * Rows as text with CR LF, all cells but numbers quoted. What a spreadsheet would read as a formula is
 * prefixed with an apostrophe, since names and notes are untrusted.
 */
export function csvText(heads: readonly string[], rows: readonly (readonly string[])[]): string {
	return [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
	if (text === "" || /^-?\d+(\.\d+)?$/.test(text)) return text;
	return `"${text.replace(FORMULA, "$1'").replaceAll('"', '""')}"`;
}
