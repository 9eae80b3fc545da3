/**
 * JSON input and output of the wallet, with exact integers: reading gives a bigint for every integer; writing gives decimal text
 * for a bigint, as this program's own output does for every 64-bit value (protocol/command-line §1.1).
 */

import { type ExactJson, type ExactRecord, MAX_DIGITS, parseExactJson } from "../protocol/json/exact-json.js";
import { repeatedMember } from "../protocol/json/modest-json.js";
import { Failure } from "./failure.js";
import { shorten } from "./values/bytes-text.js";

export type Json = ExactJson;
export type JsonRecord = ExactRecord;

/** Reads JSON; integers become bigint, other numbers number. @throws {SyntaxError} */
export function readJson(text: string): Json {
	return parseExactJson(text, MAX_DIGITS);
}

/** {@link readJson} for user input: refuses a repeated member, since the user may have meant either. @throws {SyntaxError} */
export function readGivenJson(text: string): Json {
	const json = readJson(text);
	const name = repeatedMember(text);
	if (name !== undefined) throw new SyntaxError(`the member ${JSON.stringify(shorten(name))} is there twice`);
	return json;
}

/** {@link readGivenJson} that throws a Failure. @param refusal such as `the list is not JSON` @throws {Failure} `bad_value` and where */
export function givenJson(text: string, refusal: string): Json {
	try {
		return readGivenJson(text);
	} catch (error) {
		throw new Failure("bad_value", `${refusal}: ${(error as Error).message}`);
	}
}

export function isRecord(value: unknown): value is JsonRecord {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of a record; undefined if it is absent, or the record is undefined. */
export function member(record: JsonRecord | undefined, name: string): Json | undefined {
	return record?.[name];
}

/** A value as text; empty if it is absent, a list or a record, since nodes may respond with anything. */
export function plainText(value: Json | undefined): string {
	return typeof value === "object" || value === undefined ? "" : String(value);
}

/** Writes one line of JSON, with bigints as decimal text and without undefined members. */
export function writeJson(value: unknown): string {
	return JSON.stringify(value, (_, member: unknown) =>
		typeof member === "bigint" ? member.toString() : member,
	);
}

/** The member that holds what stands for an object in JSON for a node, if that isn't what `toJSON` gives. */
export const WIRE_FORM = Symbol("wire form");

/** Writes one line of JSON for a node, with bigints as numbers; what JSON can't hold is null in lists and left out of records. */
export function writeWireJson(value: unknown): string {
	return wireText(value) ?? "null";
}

function wireText(value: unknown): string | undefined {
	if (typeof value === "bigint") return value.toString();
	if (Array.isArray(value)) return `[${Array.from(value, writeWireJson).join(",")}]`;
	if (typeof value === "object" && value !== null) {
		if (WIRE_FORM in value) return wireText(value[WIRE_FORM]);
		if ("toJSON" in value && typeof value.toJSON === "function") return wireText(value.toJSON());
		const members = Object.entries(value).flatMap(([name, item]) => {
			const text = wireText(item);
			return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
		});
		return `{${members.join(",")}}`;
	}
	return JSON.stringify(value) as string | undefined;
}
