/** Answers of a node as JSON. Integers beyond the safe range stay text; members are read by type. */

export type Json = { readonly [name: string]: unknown };

/** Text between quotation marks, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_NUMBER = /^-?\d{16,}$/;

/** Reads JSON; whole numbers of 16 digits or more become text. @throws {SyntaxError} */
export function readJson(text: string): unknown {
	return JSON.parse(text.replace(TOKEN, (token) => (LONG_NUMBER.test(token) ? `"${token}"` : token)));
}

export function isJson(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member as text; empty if absent. */
export function textOf(value: Json, name: string): string {
	const member = value[name];
	return member === undefined || member === null || typeof member === "object" ? "" : String(member);
}

/** A member as a whole number; 0 if absent. */
export function wholeOf(value: Json, name: string): bigint {
	return whole(value[name]);
}

/** A whole number as the node writes it; 0 for anything else. */
export function whole(value: unknown): bigint {
	if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
	return typeof value === "string" && /^-?\d{1,80}$/.test(value) ? BigInt(value) : 0n;
}

/** A member that is an object; empty if absent. */
export function objectOf(value: Json, name: string): Json {
	const member = value[name];
	return isJson(member) ? member : {};
}

/** The objects of a member that is a list. */
export function objectsOf(value: Json, name: string): readonly Json[] {
	return listOf(value, name).filter(isJson);
}

/** The strings of a member that is a list. */
export function textsOf(value: Json, name: string): readonly string[] {
	return listOf(value, name).filter((item) => typeof item === "string");
}

function listOf(value: Json, name: string): readonly unknown[] {
	const member = value[name];
	return Array.isArray(member) ? member : [];
}
