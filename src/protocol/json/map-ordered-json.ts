/** The map-ordered form of objects that are put together by hand and for parsed JSON (protocol/http §2.3). */

import { Decimal } from "./decimal.js";
import { capacityFor, hashOrdered } from "./hash-order.js";
import { quoteMapOrdered } from "./quoting.js";
import { isJsonArray, type JsonValue } from "./value.js";

/** A member name and the JSON text of its value. */
export type Member = readonly [name: string, json: string];

/**
 * One object in the map-ordered form. Members are given in the order in which they would be put into the map; names are
 * spelled as they shall appear.
 */
export function mapOrderedObject(members: readonly Member[]): string {
	const ordered = hashOrdered(members, ([name]) => name, capacityFor(members.length));
	return `{${ordered.map(([name, json]) => `${quoteMapOrdered(name)}:${json}`).join(",")}}`;
}

/** Any parsed JSON value in the map-ordered form: numbers keep their digits, null members are dropped. */
export function mapOrderedJson(value: JsonValue): string {
	if (value === null) return "null";
	if (typeof value === "string") return quoteMapOrdered(value);
	if (typeof value === "boolean" || value instanceof Decimal) return value.toString();
	if (isJsonArray(value)) return `[${value.map(mapOrderedJson).join(",")}]`;
	const capacity = capacityFor(value.size);
	const rows = hashOrdered([...value], ([name]) => name, capacity).filter(([, item]) => item !== null);
	return `{${rows.map(([name, item]) => `${quoteMapOrdered(name)}:${mapOrderedJson(item)}`).join(",")}}`;
}
