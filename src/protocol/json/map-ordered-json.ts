/** The map-ordered form of objects that are put together by hand and of parsed JSON (protocol/http §2.3). */

import { bucketOrder, FIRST_CAPACITY, walkOrder } from "../hash-table.js";
import { Decimal } from "./decimal.js";
import { type JsonLibrary, jsonLibrary } from "./json-library.js";
import { quoteMapOrdered } from "./quoting.js";
import { InsertedObject, isJsonArray, type JsonValue } from "./value.js";

/**
 * The member order of the map-ordered form: the iteration order of the reference's hash map (protocol/http §2.3). It depends on the
 * exact spelling of the names, on how many members the object holds and on the order in which they were put in.
 */
const hashes = new Map<string, number>();

/** Hash of a text. */
function textHash(text: string): number {
	let hash = 0;
	for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
	return hash;
}

/** Hash of a name. */
function nameHash(name: string): number {
	let hash = hashes.get(name);
	if (hash === undefined) {
		hash = textHash(name);
		// Member names of a server are few, those in a client's free-form object are not.
		if (hashes.size < 4096) hashes.set(name, hash);
	}
	return hash;
}

/**
 * Rows, given in order of insertion, each name once, as a map iterates them.
 * @param capacity of the empty map
 */
export function hashOrdered<T>(
	rows: readonly T[],
	nameOf: (row: T) => string,
	capacity = FIRST_CAPACITY,
): T[] {
	if (rows.length < 2) return [...rows];
	const byName = new Map(rows.map((row) => [nameOf(row), row]));
	return walkOrder([...byName.keys()], nameHash, capacity).map((name) => byName.get(name) as T);
}

/** Texts, each once, as a set iterates them. Their hashes aren't kept: they are few only for names. */
export const hashOrderedTexts = (texts: readonly string[]): string[] => walkOrder(texts, textHash);

/**
 * Rows as a map of that capacity iterates those of them that it holds, whichever they are: no bucket gets more than eight of
 * the fields of a message (held by a test).
 */
export function fieldOrder<T>(rows: readonly T[], nameOf: (row: T) => string, capacity: number): T[] {
	const byName = new Map(rows.map((row) => [nameOf(row), row]));
	return bucketOrder([...byName.keys()], nameHash, capacity).map((name) => byName.get(name) as T);
}

/** A member name and the JSON text of its value. */
export type Member = readonly [name: string, json: string];

/**
 * One object in the map-ordered form. Members are given in the order in which they would be put into the map; names are
 * spelled as they shall appear.
 */
export function mapOrderedObject(members: readonly Member[], library: JsonLibrary = jsonLibrary): string {
	return `{${library
		.ordered(members)
		.map(([name, json]) => `${quoteMapOrdered(name)}:${json}`)
		.join(",")}}`;
}

/** Any parsed JSON value in the map-ordered form: numbers keep their digits, null members are dropped. */
export function mapOrderedJson(value: JsonValue): string {
	if (value === null) return "null";
	if (typeof value === "string") return quoteMapOrdered(value);
	if (typeof value === "boolean" || value instanceof Decimal) return value.toString();
	if (isJsonArray(value)) return `[${value.map(mapOrderedJson).join(",")}]`;
	const members = [...value];
	const ordered = value instanceof InsertedObject ? members : hashOrdered(members, ([name]) => name);
	const rows = ordered.filter(([, item]) => item !== null);
	return `{${rows.map(([name, item]) => `${quoteMapOrdered(name)}:${mapOrderedJson(item)}`).join(",")}}`;
}
