/** The map-ordered form of hand-assembled objects and parsed JSON (protocol/http §2.3). */

import { bucketOrder, FIRST_CAPACITY, walkOrder } from "../hash-table.js";
import { Decimal } from "./decimal.js";
import { type JsonLibrary, jsonLibrary } from "./json-library.js";
import { quoteMapOrdered } from "./quoting.js";
import { InsertedObject, isJsonArray, type JsonValue } from "./value.js";

/**
 * Member order of the map-ordered form: iteration order of the reference's hash map (protocol/http §2.3). It
 * depends on the spelling of names, the number of members and their insertion order.
 */
const hashes = new Map<string, number>();

/** Java's `String.hashCode`. */
function textHash(text: string): number {
	let hash = 0;
	for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
	return hash;
}

/** Cached hash of a member name. */
function nameHash(name: string): number {
	let hash = hashes.get(name);
	if (hash === undefined) {
		hash = textHash(name);
		// The server's own names are few, those in a client's free-form object are not.
		if (hashes.size < 4096) hashes.set(name, hash);
	}
	return hash;
}

/**
 * Rows with distinct names, given in insertion order, in the map's iteration order.
 * @param capacity initial capacity
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

/** Distinct texts in a set's iteration order. Hashes aren't cached: texts are unbounded. */
export const hashOrderedTexts = (texts: readonly string[]): string[] => walkOrder(texts, textHash);

/**
 * Iteration order of any subset of rows in a map of that capacity: no bucket gets more than eight of a
 * message's fields (a test verifies this).
 */
export function fieldOrder<T>(rows: readonly T[], nameOf: (row: T) => string, capacity: number): T[] {
	const byName = new Map(rows.map((row) => [nameOf(row), row]));
	return bucketOrder([...byName.keys()], nameHash, capacity).map((name) => byName.get(name) as T);
}

/** A member name and the JSON text of its value. */
export type Member = readonly [name: string, json: string];

/** An object in the map-ordered form. Members are given in insertion order, with final spelling. */
export function mapOrderedObject(members: readonly Member[], library: JsonLibrary = jsonLibrary): string {
	return `{${library
		.ordered(members)
		.map(([name, json]) => `${quoteMapOrdered(name)}:${json}`)
		.join(",")}}`;
}

/** Any parsed JSON in the map-ordered form: numbers keep their digits, null members are dropped. */
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
