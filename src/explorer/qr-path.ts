/** An address as a QR code (ISO/IEC 18004): an SVG path of squares, one unit per module. */

import encode from "qr";

/** Quiet zone around the code, in modules. */
const BORDER = 4;

export function qrPath(text: string): { readonly size: number; readonly path: string } {
	const rows = encode(text, "raw", { ecc: "medium", border: BORDER });
	const squares = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
	return { size: rows.length, path: squares.join("") };
}
