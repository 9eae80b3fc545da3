/**
 * The network's node reads and writes JSON with a library that older releases had another of (protocol/http §2.3,
 * protocol/releases §4): another grammar of what it reads, other texts of errors, and another order of what it writes.
 */

import { visibleAddress } from "../address.js";
import { type NamedError, nullPointer } from "./exceptions.js";
import { jsonException, parseRelaxed } from "./relaxed-reader.js";
import { InsertedObject, isJsonObject, type JsonObject, type JsonValue } from "./value.js";

/** The library of today. */
export const jsonLibrary = {
	/** Tells apart what writers keep for each library; below 2. */
	number: 0,
	/** Reads a text. @throws {NamedError} JSONException, or NumberFormatException for a malformed number */
	parse: (text: string): JsonValue => parseRelaxed(text),
	/** The error of a text that is not what is wanted. */
	error: jsonException,
	/** An object of these members. */
	object: (members: readonly (readonly [name: string, value: JsonValue])[]): JsonObject =>
		new InsertedObject(members),
	/** Members that were put together by hand, in the order in which they are written. */
	ordered: <T extends readonly [name: string, value: unknown]>(members: readonly T[]): readonly T[] =>
		members,
	/** Fields of a message as they are written, by the capacity of a hash map; empty: in their own order. */
	fieldOrders: <T extends { readonly name: string }>(_: readonly T[]): ReadonlyMap<number, readonly T[]> =>
		new Map(),
	/** An entry of a map. */
	mapEntry: (key: string, value: string) => `{"key":${key},"value":${value}}`,
	/** Whether integers of 64 bits are written as texts where a parameter asks for it. */
	takesLongsAsText: true,
	/** Of the field decoder: whether a comma may stand at the end, its depth, and what it says of more. */
	endsAtComma: true,
	maxDepth: 20,
	tooDeep: "Hit recursion limit.",
	/** The address of a field in its visible form. @throws {NamedError} */
	fieldAddress: (text: string, name: string, error: (text: string) => NamedError): Uint8Array => {
		const address = visibleAddress(text);
		if (!address) throw error(`invalid address for field: ${name}`);
		return address;
	},
	/** An address in its visible form; undefined if it is none. @throws {Base58Error} */
	address: visibleAddress,
};

export type JsonLibrary = typeof jsonLibrary;

/**
 * Reads a text that must be an object.
 * @throws {NamedError} as the library's `parse`; `can not cast to JSONObject.` for other values; NullPointerException for null
 */
export function parseJsonObject(text: string, library: JsonLibrary): JsonObject {
	const value = library.parse(text);
	if (value === null) throw nullPointer();
	if (!isJsonObject(value)) throw library.error("can not cast to JSONObject.");
	return value;
}
