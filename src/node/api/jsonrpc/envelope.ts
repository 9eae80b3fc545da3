/** What stands around calls: which texts are requests, and how answers become one (protocol/json-rpc §2). */

import type { JsonBudget, JsonTextError, RawValue } from "./json-reader.js";
import { type AnswerText, JsonParts } from "./method.js";

/** A batch lets other work in after this long, in milliseconds. */
export const BATCH_TURN_MS = 10;

/** A request or a part of it that makes no call, or one whose id or parameters can't be read. */
export class UnreadableCall extends Error {
	override readonly name = "UnreadableCall";
}

/** What the calls of one request share. */
export interface RequestWork {
	/**
	 * The answer to one call; undefined: a notification that succeeded.
	 * @param call an object
	 * @throws {UnreadableCall | ResponseTooLong}
	 */
	readonly single: (call: RawValue) => AnswerText | undefined | Promise<AnswerText | undefined>;
	/** Tells whether the client has stopped waiting for the answer. */
	readonly isAbandoned: () => boolean;
}

/** A request's answer; an empty text is an empty answer. */
export interface Enveloped {
	readonly text: AnswerText;
	/** Whether a line end follows the text. */
	readonly isLine: boolean;
}

/** How many calls one request may make, and how long its answer may be. */
export interface EnvelopeLimits {
	/** 0 or less: any number. */
	readonly maxBatchSize: number;
	/** In bytes; 0 or less: any length. */
	readonly maxResponseSize: number;
}

/** The envelope of a release. */
export interface Envelope {
	readonly budget: JsonBudget;
	/** The answer to a text that is not JSON. */
	unreadable(error: JsonTextError): Enveloped;
	/** The data of an error that a method doesn't declare, as JSON text. */
	undeclared(className: string, message: string | null): string;
	answer(request: RawValue, work: RequestWork): Enveloped | Promise<Enveloped>;
}

/** Whether a text is longer than answers may be. */
export function exceeds(text: AnswerText, maxBytes: number): boolean {
	if (text instanceof JsonParts) return maxBytes > 0 && text.length > maxBytes;
	// A character has at most three bytes.
	return maxBytes > 0 && text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
