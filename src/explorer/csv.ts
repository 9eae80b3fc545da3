/** Tables for spreadsheets (RFC 4180). */

/**
 * Rows as text, lines ended with CR LF. A cell that a spreadsheet would read as a formula is prefixed with an
 * apostrophe, since names and notes are untrusted.
 */
export function csvText(heads: readonly string[], rows: readonly (readonly string[])[]): string {
	return [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
	const isNumber = /^-?\d+(\.\d+)?$/.test(text);
	const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
