/** The text of a request's body: UTF-8, UTF-16 or UTF-32, told apart by their first bytes (protocol/json-rpc §1). */

import { asBuffer } from "../../../protocol/bytes.js";
import { JsonTextError } from "./json-reader.js";

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** Each decodes whole texts, one after the other. */
const decoders = {
	"utf-8": new TextDecoder("utf-8", { fatal: true }),
	"utf-16le": new TextDecoder("utf-16le", { fatal: true }),
	"utf-16be": new TextDecoder("utf-16be", { fatal: true }),
};

/** @throws {JsonTextError} if the bytes are not text */
export function decodeBodyText(body: Uint8Array): string {
	const encoding = encodingOf(body);
	if (encoding === "utf-32le" || encoding === "utf-32be") return decodeUtf32(body, encoding);
	try {
		return decoders[encoding].decode(body);
	} catch (error) {
		throw new JsonTextError(`the body is not ${encoding} text`, { cause: error });
	}
}

/** By the mark at the start, or by where the first character has its zero bytes: JSON begins with ASCII. */
function encodingOf(body: Uint8Array): Encoding {
	const [a = 1, b = 1, c = 1, d = 1] = body;
	if (a === 0 && b === 0 && (c === 0 || (c === 0xfe && d === 0xff))) return "utf-32be";
	if (c === 0 && d === 0 && (b === 0 || (a === 0xff && b === 0xfe))) return "utf-32le";
	if ((a === 0xfe && b === 0xff) || a === 0) return "utf-16be";
	if ((a === 0xff && b === 0xfe) || b === 0) return "utf-16le";
	return "utf-8";
}

function decodeUtf32(body: Uint8Array, encoding: "utf-32le" | "utf-32be"): string {
	const bytes = asBuffer(body);
	let text = "";
	for (let at = 0; at + 4 <= bytes.length; at += 4) {
		const code = encoding === "utf-32le" ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
		if (code > 0x10ffff) throw new JsonTextError(`the body is not ${encoding} text`);
		if (at > 0 || code !== 0xfeff) text += String.fromCodePoint(code);
	}
	return text;
}
