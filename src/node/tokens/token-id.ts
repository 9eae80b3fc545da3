/** How contracts name a token: by its number, by its name before the switch, or the coin itself (protocol/tokens §§1 and 2.1). */

import { fromUtf8 } from "../../protocol/bytes.js";

/** The id of the coin in exchange pairs and market orders: `_`. */
export const COIN_ID: Uint8Array = Buffer.from("_", "latin1");

export function isCoin(id: Uint8Array): boolean {
	return id.length === 1 && id[0] === 0x5f;
}

/** Whether an id has the form of a token number: decimal digits without a leading zero. */
function isTokenNumber(id: Uint8Array): boolean {
	if (id.length === 0 || (id.length > 1 && id[0] === 0x30)) return false;
	return id.every((byte) => byte >= 0x30 && byte <= 0x39);
}

export function isCoinOrTokenNumber(id: Uint8Array): boolean {
	return isCoin(id) || isTokenNumber(id);
}

/** An id or name as the text that keys an account's token maps. */
export function tokenText(id: Uint8Array): string {
	return fromUtf8(id);
}

/** The bytes of a token number's text. */
export function tokenBytes(id: string): Uint8Array {
	return Buffer.from(id, "utf8");
}
