/** A value of a request as JSON text again, for what reads texts. */

import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from "../json-reader.js";
import { Members } from "./members.js";

export function jsonText(value: JsonValue | Members): string {
	if (value instanceof Members)
		return objectText(value.entries().map(([name, each]) => [name, jsonText(each)]));
	if (value instanceof JsonNumber) return value.text;
	if (isJsonArray(value)) return `[${value.map((each) => jsonText(each)).join(",")}]`;
	if (isJsonObject(value)) return objectText([...value].map(([name, each]) => [name, jsonText(each)]));
	return JSON.stringify(value);
}

/** An object of members whose values are text already. */
export function objectText(members: readonly (readonly [name: string, text: string])[]): string {
	return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
