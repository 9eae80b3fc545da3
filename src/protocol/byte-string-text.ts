/**
 * How the network's messages print raw byte strings: an identity, a size, and the bytes as an escaped C
 * string, shortened beyond 50. The original identity is an object's memory address, which no client can rely
 * on; here it is a checksum of the bytes.
 */

import { crc32 } from "node:zlib";

const MAX_SHOWN = 50;
const SHOWN_OF_LONGER = 47;

const ESCAPES = new Map<number, string>([
	[0x07, "\\a"],
	[0x08, "\\b"],
	[0x0c, "\\f"],
	[0x0a, "\\n"],
	[0x0d, "\\r"],
	[0x09, "\\t"],
	[0x0b, "\\v"],
	[0x5c, "\\\\"],
	[0x27, "\\'"],
	[0x22, '\\"'],
]);

function escapeByte(byte: number): string {
	const known = ESCAPES.get(byte);
	if (known) return known;
	if (byte >= 0x20 && byte <= 0x7e) return String.fromCharCode(byte);
	return `\\${byte.toString(8).padStart(3, "0")}`;
}

/** `<ByteString@5e8c92f4 size=7 contents="1000001">` */
export function byteStringText(bytes: Uint8Array): string {
	const shown = bytes.length <= MAX_SHOWN ? bytes : bytes.subarray(0, SHOWN_OF_LONGER);
	const text = Array.from(shown, escapeByte).join("");
	const contents = shown === bytes ? text : `${text}...`;
	return `<ByteString@${crc32(bytes).toString(16)} size=${bytes.length} contents="${contents}">`;
}
