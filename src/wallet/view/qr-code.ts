/** QR codes of addresses and transactions (ISO/IEC 18004, byte mode). */

import { Failure } from "../failure.js";

/** Capacity of the largest code at the lowest error correction, with a little margin. */
const MAX_BYTES = 2900;

type Bitmap = readonly (readonly boolean[])[];

/** @throws {Failure} `bad_value` beyond 2,900 bytes */
async function modulesOf(text: string): Promise<Bitmap> {
	const bytes = Buffer.byteLength(text, "utf8");
	if (bytes > MAX_BYTES) {
		throw new Failure("bad_value", `the text has ${bytes} bytes, a QR code holds ${MAX_BYTES}`);
	}
	const { default: encodeQR } = await import("qr");
	return encodeQR(text, "raw", { ecc: bytes > 300 ? "low" : "medium", border: 2 });
}

/** For terminals: two rows of modules per line, dark modules as blanks, so it scans on a dark screen. */
export async function qrText(text: string): Promise<string> {
	const rows = await modulesOf(text);
	const lines: string[] = [];
	for (let y = 0; y < rows.length; y += 2) {
		const upper = rows[y] as readonly boolean[];
		lines.push(
			upper.map((dark, x) => HALVES[Number(!dark) * 2 + Number(!(rows[y + 1]?.[x] ?? true))]).join(""),
		);
	}
	return lines.join("\n");
}

/** Characters for light modules: none, lower, upper, both. */
const HALVES = [" ", "▄", "▀", "█"];

/** As an SVG picture, one unit per module. */
export async function qrSvg(text: string): Promise<string> {
	const rows = await modulesOf(text);
	const size = rows.length;
	const squares = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
	return (
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
		`<rect width="${size}" height="${size}" fill="#fff"/><path d="${squares.join("")}" fill="#000"/></svg>\n`
	);
}
