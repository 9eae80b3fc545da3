/** The memo of a transaction. */

import { utf8 } from "../../protocol/bytes.js";
import { parseHexBytes } from "./bytes-text.js";

/** A memo as typed: text, or bytes as `0x…`. @throws {Failure} `bad_value` */
export function memoBytes(memo: string | undefined): Uint8Array | undefined {
	if (memo === undefined) return undefined;
	return /^0x/i.test(memo) ? parseHexBytes(memo) : utf8(memo);
}
