/** Decodes calls of the ORC-20 interface from their bytes, that is from what is signed, whoever built it. */

import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { MAX_UINT256 } from "./token-amount.js";

const WORD = 32;

/** Descriptions by selector, given the call's addresses and amount. */
const CALLS: ReadonlyMap<string, (addresses: readonly string[], amount: string) => string> = new Map([
	["a9059cbb", ([to], amount) => `transfer of ${amount} to ${to}`],
	["095ea7b3", ([spender], amount) => `approve: ${spender} may move ${amount}`],
	["23b872dd", ([from, to], amount) => `transferFrom of ${amount} from ${from} to ${to}`],
	["39509351", ([spender], amount) => `increaseAllowance: ${spender} may move ${amount} more`],
]);
const ADDRESSES: Readonly<Record<string, number>> = {
	a9059cbb: 1,
	"095ea7b3": 1,
	"23b872dd": 2,
	"39509351": 1,
};

/** Describes a call of a token; undefined if the bytes are not such a call. */
export function tokenCallText(data: Uint8Array): string | undefined {
	const selector = toHex(data.subarray(0, 4));
	const describe = CALLS.get(selector);
	const count = ADDRESSES[selector] ?? 0;
	if (!describe || data.length !== 4 + (count + 1) * WORD) return undefined;
	const words = Array.from({ length: count + 1 }, (_, i) => data.subarray(4 + i * WORD, 4 + (i + 1) * WORD));
	const addresses = words.slice(0, count).map((word) => toBase58Check(addressFromHash(word.subarray(12))));
	const amount = BigInt(`0x${toHex(words[count] as Uint8Array)}`);
	return describe(addresses, amount === MAX_UINT256 ? "everything" : `${amount} smallest units`);
}
