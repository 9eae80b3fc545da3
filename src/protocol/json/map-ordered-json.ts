/** The map-ordered form of objects that are put together by hand and of parsed JSON (protocol/http §2.3). */

import { Decimal } from "./decimal.js";
import { hashOrdered } from "./hash-order.js";
import { type JsonLibrary, jsonLibrary } from "./json-library.js";
import { quoteMapOrdered } from "./quoting.js";
import { InsertedObject, isJsonArray, type JsonValue } from "./value.js";

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
