/** An address as a QR code (ISO/IEC 18004): modules as a path of squares, a unit a module. */

import encode from "qr";

/** Modules of light that a reader needs around it. */
const BORDER = 4;

export function qrPath(text: string): { readonly size: number; readonly path: string } {
	const rows = encode(text, "raw", { ecc: "medium", border: BORDER });
	const squares = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
	return { size: rows.length, path: squares.join("") };
}
