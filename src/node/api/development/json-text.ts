/** JSON as development methods answer it: whole numbers exact, as digits. */

import { JsonNumber, type RawValue } from "../jsonrpc/json-reader.js";
import { JsonParts, JsonText } from "../jsonrpc/method.js";

/** Writes a value: bigint as digits, members without a value left out. */
export function writeValue(value: unknown): string {
	if (typeof value === "bigint") return value.toString();
	if (value instanceof JsonText) return value.text;
	if (value instanceof JsonParts) return value.toString();
	if (Array.isArray(value)) return `[${value.map(writeValue).join(",")}]`;
	if (typeof value === "object" && value !== null) {
		const members = Object.entries(value).filter(([, member]) => member !== undefined);
		return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeValue(member)}`).join(",")}}`;
	}
	return JSON.stringify(value ?? null);
}

/** A value that was read, as text again: its numbers as they were. */
export function jsonText(value: RawValue): string {
	if (value instanceof JsonNumber) return value.text;
	if (value instanceof Map) {
		return `{${[...value].map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member as RawValue)}`).join(",")}}`;
	}
	if (Array.isArray(value)) return `[${value.map((item) => jsonText(item as RawValue)).join(",")}]`;
	return JSON.stringify(value);
}
