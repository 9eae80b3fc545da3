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

/** Escapes whose digits have letters, of characters that have no shorter one. */
const LETTERED = ["0b", "0e", "0f", "1a", "1b", "1c", "1d", "1e", "1f"].map(
	(digits) => [`\\u00${digits}`, `\\u00${digits.toUpperCase()}`] as const,
);

/** Control characters have upper-case digits, as the network's node writes them. */
function textJson(text: string): string {
	const json = JSON.stringify(text);
	if (!json.includes("\\u")) return json;
	// Behind an escaped backslash digits are digits. PERF: a contract may write a million escapes, so none has a call of its own.
	return json.split("\\\\").map(upperEscapes).join("\\\\");
}

function upperEscapes(part: string): string {
	if (!part.includes("\\u")) return part;
	let upper = part;
	for (const [lower, written] of LETTERED) upper = upper.replaceAll(lower, written);
	// Halves of pairs, which no text of a chain has.
	return upper.replace(/\\ud[89a-f][0-9a-f]{2}/g, (half) => `\\u${half.slice(2).toUpperCase()}`);
}
