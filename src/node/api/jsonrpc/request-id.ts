/** The id under which a call is answered (protocol/json-rpc §2.1). */

import { numberText } from "./declared-types.js";
import { UnreadableCall } from "./envelope.js";
import { JsonNumber, type RawValue } from "./json-reader.js";

/** The id as JSON text; undefined: a notification. @throws {UnreadableCall} */
export function readId(value: RawValue | undefined): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === "string") return JSON.stringify(value);
	if (value instanceof JsonNumber) return idNumber(value);
	throw new UnreadableCall("the id is neither text nor number");
}

/** An integer beyond 64 bits keeps its low 32. */
function idNumber(value: JsonNumber): string {
	if (!value.isInteger) return Number.isFinite(Number(value.text)) ? numberText(value) : "null";
	const number = BigInt(value.text);
	return String(number === BigInt.asIntN(64, number) ? number : BigInt.asIntN(32, number));
}
