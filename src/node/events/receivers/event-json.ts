/** The JSON of triggers: members in their order, integers of any length as numbers, no white space (protocol/events §3). */

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
	if (typeof value === "string") return textJson(value);
	if (value === null || typeof value !== "object") return String(value);
	if (Array.isArray(value)) return `[${value.map(eventJson).join(",")}]`;
	const members = Object.entries(value as EventBody);
	return `{${members.map(([name, member]) => `${nameJson(name)}:${eventJson(member)}`).join(",")}}`;
}

/** PERF: most of an event's texts are names of members, which need no escape. */
const nameJson = (name: string): string => (/^\w*$/.test(name) ? `"${name}"` : textJson(name));

/** Control characters have upper-case digits, as the network's node writes them. */
function textJson(text: string): string {
	const json = JSON.stringify(text);
	if (!json.includes("\\u")) return json;
	return json.replace(/\\(?:u([0-9a-f]{4})|.)/g, (whole, digits?: string) =>
		digits === undefined ? whole : `\\u${digits.toUpperCase()}`,
	);
}
