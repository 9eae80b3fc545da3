/** How releases before 4.8.2 read and write JSON (protocol/releases §4): objects have the order of a hash map. */

import { Base58Error, fromBase58Check, isAddress } from "../../address.js";
import { capacityFor } from "../../hash-table.js";
import { nullPointer } from "../exceptions.js";
import type { JsonLibrary } from "../json-library.js";
import { fieldOrder, hashOrdered } from "../map-ordered-json.js";
import { jsonError } from "./lenient-lexer.js";
import { parseLenient } from "./lenient-parser.js";

/** Characters of a text whose lines are repeated. */
const MAX_REPEATED = 1 << 20;

export const hashedLibrary: JsonLibrary = {
	number: 1,
	parse: parseLenient,
	error: jsonError,
	object: (members) => new Map(members),
	ordered: (members) => hashOrdered(members, ([name]) => name),
	fieldOrders: (fields) => {
		const orders = new Map<number, typeof fields>();
		for (let capacity = 16; capacity <= capacityFor(fields.length); capacity *= 2) {
			orders.set(
				capacity,
				fieldOrder(fields, ({ name }) => name, capacity),
			);
		}
		return orders;
	},
	mapEntry: (key, value) => `{"value":${value},"key":${key}}`,
	mapOrderedText: withRepetitions,
	takesLongsAsText: false,
	endsAtComma: false,
	// The generic step ends earlier, but its grammar is another.
	maxDepth: 600,
	tooDeep: "The text is nested too deeply.",
	fieldAddress: (text, _name, error) => {
		let bytes: Uint8Array | undefined;
		try {
			bytes = fromBase58Check(text);
		} catch (thrown) {
			if (thrown instanceof Base58Error) throw error(`INVALID base58 String, ${thrown.message}`);
			throw thrown;
		}
		if (!bytes || !isAddress(bytes)) throw nullPointer();
		return bytes;
	},
	address: (text) => {
		const bytes = fromBase58Check(text);
		return bytes && isAddress(bytes) ? bytes : undefined;
	},
};

/**
 * The rest of a text comes once more after each of its line feeds (recorded in apis-visible). Texts that would become too long
 * stay as they are: the repetitions grow with the square of the lines.
 */
function withRepetitions(text: string): string {
	let length = text.length;
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) length += text.length - at - 1;
	if (length > Math.max(MAX_REPEATED, text.length)) return text;
	let result = text;
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) result += text.slice(at + 1);
	return result;
}
