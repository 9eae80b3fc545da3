/** What filters and subscriptions have in common. */

import { randomBytes } from "node:crypto";
import { toHex } from "../../../protocol/bytes.js";

/** Addresses and topics of all filters, and of all subscriptions: each block is compared with every one of them. */
export const MAX_ITEMS = 200_000;

const ID_BYTES = 16;

/** An id that nobody can guess: 32 hexadecimal digits. */
export function makeId(): string {
	return toHex(randomBytes(ID_BYTES));
}
