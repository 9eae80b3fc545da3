/** The JSON of triggers: members in their order, integers of any length as numbers, no white space (protocol/events §3). */

import { quoteEvent } from "../../../protocol/json/quoting.js";

export type EventValue =
	| string
	| boolean
	| number
	| bigint
	| null
	| readonly EventValue[]
	| { readonly [member: string]: EventValue };

export type EventBody = { readonly [member: string]: EventValue };

/** One trigger as text. */
export function eventJson(value: EventValue): string {
	if (typeof value === "bigint") return value.toString();
	if (typeof value === "string") return quoteEvent(value);
	if (value === null || typeof value !== "object") return String(value);
	if (Array.isArray(value)) return `[${value.map(eventJson).join(",")}]`;
	const members = Object.entries(value as EventBody);
	return `{${members.map(([name, member]) => `${quoteEvent(name)}:${eventJson(member)}`).join(",")}}`;
}
