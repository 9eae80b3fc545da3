/** The envelope around calls: what counts as a request, and how answers are combined (protocol/json-rpc §2). */

import { numberText } from "./declared-types.js";
import { type JsonBudget, JsonNumber, type JsonTextError, type RawValue } from "./json-reader.js";
import { type AnswerText, JsonParts } from "./method.js";
import { INVALID_REQUEST, PARSE_ERROR, type RpcError } from "./rpc-error.js";

/** A batch yields to other work after this long, in milliseconds. */
export const BATCH_TURN_MS = 10;

/** A request, or part of it, that makes no call, or whose id or parameters can't be read. */
export class UnreadableCall extends Error {
	override readonly name = "UnreadableCall";
}

/** Shared by the calls of one request. */
export interface RequestWork {
	/**
	 * The answer to one call; undefined for a notification that succeeded.
	 * @param call an object
	 * @throws {UnreadableCall | ResponseTooLong}
	 */
	readonly single: (call: RawValue) => AnswerText | undefined | Promise<AnswerText | undefined>;
	/** Whether the client has stopped waiting for the answer. */
	readonly isAbandoned: () => boolean;
}

/** A request's answer; an empty text is an empty answer. */
export interface Enveloped {
	readonly text: AnswerText;
	/** Whether a newline follows the text. */
	readonly isLine: boolean;
}

/** Limits on the number of calls per request and the length of its answer. */
export interface EnvelopeLimits {
	/** 0 or less: no limit. */
	readonly maxBatchSize: number;
	/** In bytes; 0 or less: no limit. */
	readonly maxResponseSize: number;
}

/** The envelope of a release. */
export interface Envelope {
	readonly budget: JsonBudget;
	/** The answer to a text that is not JSON. */
	unreadable(error: JsonTextError): Enveloped;
	/** The data of an undeclared error, as JSON text. */
	undeclared(className: string, message: string | null): string;
	answer(request: RawValue, work: RequestWork): Enveloped | Promise<Enveloped>;
}

/** Whether a text exceeds the answer limit. */
export function exceeds(text: AnswerText, maxBytes: number): boolean {
	if (text instanceof JsonParts) return maxBytes > 0 && text.length > maxBytes;
	// A UTF-16 unit takes at most three bytes.
	return maxBytes > 0 && text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

export const VERSION = "2.0";

/** The `error` member. @param data JSON text */
export function errorPart(code: number, message: string | null, data?: string): string {
	const member = data === undefined ? "" : `,"data":${data}`;
	return `"error":{"code":${code},"message":${JSON.stringify(message)}${member}}`;
}

const LIBRARY_TEXTS: ReadonlyMap<number, string> = new Map([
	[PARSE_ERROR, "JSON parse error"],
	[INVALID_REQUEST, "invalid request"],
]);

/** An error before any call: its id is the text `null`. */
export function libraryError(code: number): string {
	return `{"jsonrpc":"${VERSION}","id":"null",${errorPart(code, LIBRARY_TEXTS.get(code) ?? "")}}`;
}

/** An error reported by a method. @param id JSON text */
export function methodError(version: string, id: string, { code, message, data = "{}" }: RpcError): string {
	const part = errorPart(code, message === "" ? null : message, JSON.stringify(data));
	return `{"jsonrpc":${JSON.stringify(version)},"id":${id},${part}}`;
}

/** An error raised before any method is reached, from release 4.8.2 on. @param id JSON text */
export function serverError(code: number, message: string, id = "null"): string {
	return `{"jsonrpc":"${VERSION}",${errorPart(code, message)},"id":${id}}`;
}

/** The id as JSON text; undefined for a notification. @throws {UnreadableCall} */
export function readId(value: RawValue | undefined): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === "string") return JSON.stringify(value);
	if (value instanceof JsonNumber) return idNumber(value);
	throw new UnreadableCall("the id is neither text nor number");
}

/** An integer beyond 64 bits is reduced to its low 32 bits. */
function idNumber(value: JsonNumber): string {
	if (!value.isInteger) return Number.isFinite(Number(value.text)) ? numberText(value) : "null";
	const number = BigInt(value.text);
	return String(number === BigInt.asIntN(64, number) ? number : BigInt.asIntN(32, number));
}
