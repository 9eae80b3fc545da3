/**
 * The input of internal calls and the code of internal creations: events tell it, receipts don't have it. It is kept as long as the
 * receipt of the moment of execution is, and only in a process that tells events.
 */

import { EMPTY } from "../../protocol/bytes.js";
import type { InternalTransaction } from "../../protocol/messages.js";

let isKept = false;
const dataOf = new WeakMap<Readonly<InternalTransaction>, Uint8Array>();

/** From now on the data is kept. */
export function keepInternalCallData(): void {
	isKept = true;
}

/** What is to be kept of data that may change after the call; undefined: nothing. */
export const copyOfCallData = (data: Uint8Array): Uint8Array | undefined =>
	isKept && data.length > 0 ? Uint8Array.from(data) : undefined;

export function setInternalCallData(internal: Readonly<InternalTransaction>, data: Uint8Array): void {
	dataOf.set(internal, data);
}

/** Empty where it wasn't kept. */
export const internalCallData = (internal: Readonly<InternalTransaction>): Uint8Array =>
	dataOf.get(internal) ?? EMPTY;
