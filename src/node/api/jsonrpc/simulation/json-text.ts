/** A value of a request as JSON text again, for what reads texts. */

import { isRawArray, isRawObject, JsonNumber, type RawValue } from "../json-reader.js";
import { Members } from "./members.js";

export function membersText(value: RawValue | Members): string {
	if (value instanceof Members)
		return objectText(value.entries().map(([name, each]) => [name, membersText(each)]));
	if (value instanceof JsonNumber) return value.text;
	if (isRawArray(value)) return `[${value.map((each) => membersText(each)).join(",")}]`;
	if (isRawObject(value)) return objectText([...value].map(([name, each]) => [name, membersText(each)]));
	return JSON.stringify(value);
}

/** An object of members whose values are text already. */
export function objectText(members: readonly (readonly [name: string, text: string])[]): string {
	return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
