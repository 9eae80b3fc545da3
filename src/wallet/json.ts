/**
 * JSON at the edge of the wallet: integers are exact in both directions. Reading gives bigint for every integer;
 * writing gives decimal text for a bigint, as our own output does for every 64-bit value (protocol/command-line §1.1).
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

/** The same of what a person gave, who may have meant either of two members of one name. @throws {SyntaxError} */
export function readGivenJson(text: string): Json {
	const json = readJson(text);
	const name = repeatedMember(text);
	if (name !== undefined) throw new SyntaxError(`the member ${JSON.stringify(shorten(name))} is there twice`);
	return json;
}

/** {@link readGivenJson} with its refusal. @param refusal such as `the list is not JSON` @throws {Failure} `bad_value`, with where it isn't */
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

/** One member of a record; undefined if it is absent or there is no record. */
export function member(record: JsonRecord | undefined, name: string): Json | undefined {
	return record?.[name];
}

/** A value as text; empty for what is absent, a list or a record: nodes may answer anything. */
export function plainText(value: Json | undefined): string {
	return typeof value === "object" || value === undefined ? "" : String(value);
}

/** Writes one line of JSON: bigint as decimal text, undefined members left out. */
export function writeJson(value: unknown): string {
	return JSON.stringify(value, (_, member: unknown) =>
		typeof member === "bigint" ? member.toString() : member,
	);
}

/** Writes one line of JSON for a node: bigint as digits. */
export function writeWireJson(value: unknown): string {
	if (typeof value === "bigint") return value.toString();
	if (Array.isArray(value)) return `[${value.map(writeWireJson).join(",")}]`;
	if (typeof value === "object" && value !== null) {
		const members = Object.entries(value).filter(([, item]) => item !== undefined);
		return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${writeWireJson(item)}`).join(",")}}`;
	}
	return JSON.stringify(value);
}
