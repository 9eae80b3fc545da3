/** Writer F for objects that are put together by hand and for parsed JSON (protocol/http §2.3). */

import { Decimal } from "./decimal.js";
import { capacityFor, hashOrdered } from "./hash-order.js";
import { quoteHashed } from "./quoting.js";
import { isJsonArray, type JsonValue } from "./value.js";

/** A member name and the JSON text of its value. */
export type Member = readonly [name: string, json: string];

/**
 * One object in the hashed form. Members are given in the order in which they would be put into the map; names are
 * spelled as they shall appear.
 */
export function hashedObject(members: readonly Member[]): string {
	const ordered = hashOrdered(members, ([name]) => name, capacityFor(members.length));
	return `{${ordered.map(([name, json]) => `${quoteHashed(name)}:${json}`).join(",")}}`;
}

/** Any parsed JSON value in the hashed form: numbers keep their digits, null members are dropped. */
export function hashedValue(value: JsonValue): string {
	if (value === null) return "null";
	if (typeof value === "string") return quoteHashed(value);
	if (typeof value === "boolean" || value instanceof Decimal) return value.toString();
	if (isJsonArray(value)) return `[${value.map(hashedValue).join(",")}]`;
	const capacity = capacityFor(value.size);
	const rows = hashOrdered([...value], ([name]) => name, capacity).filter(([, item]) => item !== null);
	return `{${rows.map(([name, item]) => `${quoteHashed(name)}:${hashedValue(item)}`).join(",")}}`;
}
