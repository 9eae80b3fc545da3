/** The code of an address is one that cameras read. */

import { decodeQR } from "qr/decode.js";
import { expect, test } from "vitest";
import { qrPath } from "../../src/explorer/qr-path.js";

const ADDRESS = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const SCALE = 4;

test("the path of an address reads as the address", () => {
	const { size, path } = qrPath(ADDRESS);
	const width = size * SCALE;
	const data = new Uint8Array(width * width * 4).fill(255);
	for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
		for (let row = 0; row < SCALE; row++) {
			const from = ((Number(y) * SCALE + row) * width + Number(x) * SCALE) * 4;
			for (let at = from; at < from + SCALE * 4; at += 4) data.fill(0, at, at + 3);
		}
	expect(decodeQR({ width, height: width, data })).toBe(ADDRESS);
});
