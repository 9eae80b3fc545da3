/**
 * The network's node replaced its JSON library in a release (protocol/releases §4): the old and the new one
 * differ in accepted grammar, error texts and member order.
 */

import { visibleAddress } from "../address.js";
import { type NamedError, nullPointer } from "./exceptions.js";
import { jsonException, parseRelaxed } from "./relaxed-reader.js";
import { InsertedObject, isJsonObject, type JsonObject, type JsonValue } from "./value.js";

/** The current library. */
export const jsonLibrary = {
	/** Index for caches kept per library; below 2. */
	number: 0,
	/** Parses a text. @throws {NamedError} JSONException, or NumberFormatException for a malformed number */
	parse: (text: string): JsonValue => parseRelaxed(text),
	/** Error for an unexpected value. */
	error: jsonException,
	/** Creates an object. */
	object: (members: readonly (readonly [name: string, value: JsonValue])[]): JsonObject =>
		new InsertedObject(members),
	/** Hand-assembled members in output order. */
	ordered: <T extends readonly [name: string, value: unknown]>(members: readonly T[]): readonly T[] =>
		members,
	/** Output order of a message's fields by hash map capacity; empty if they keep their own order. */
	fieldOrders: <T extends { readonly name: string }>(_: readonly T[]): ReadonlyMap<number, readonly T[]> =>
		new Map(),
	/** A map entry. */
	mapEntry: (key: string, value: string) => `{"key":${key},"value":${value}}`,
	/** Whether 64-bit integers are written as strings on request. */
	takesLongsAsText: true,
	/** Limits of the field decoder: trailing comma allowed, maximum depth, and the error beyond it. */
	endsAtComma: true,
	maxDepth: 20,
	tooDeep: "Hit recursion limit.",
	/** Address of a field in visible form. @throws {NamedError} */
	fieldAddress: (text: string, name: string, error: (text: string) => NamedError): Uint8Array => {
		const address = visibleAddress(text);
		if (!address) throw error(`invalid address for field: ${name}`);
		return address;
	},
	/** An address in visible form; undefined if malformed. @throws {Base58Error} */
	address: visibleAddress,
};

export type JsonLibrary = typeof jsonLibrary;

/**
 * Parses a text that must be an object.
 * @throws {NamedError} as `parse`; NullPointerException for null; `can not cast to JSONObject.` for others
 */
export function parseJsonObject(text: string, library: JsonLibrary): JsonObject {
	const value = library.parse(text);
	if (value === null) throw nullPointer();
	if (!isJsonObject(value)) throw library.error("can not cast to JSONObject.");
	return value;
}
