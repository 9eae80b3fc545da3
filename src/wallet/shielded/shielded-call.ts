/** Calls of contracts that hold notes, and the public part of their data (protocol/shielded §11.2). */

import { SELECTOR_BYTES } from "../../abi/selector.js";
import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";

/** Selectors of mint, transfer and burn. */
export const SHIELDED_CALLS = {
	mint: { selector: "855d175e" },
	transfer: { selector: "9110a55b" },
	burn: { selector: "cc105875" },
} as const;

const WORD = 32;
/** Word index of the amount of a burn, and of the account. */
const BURN_AMOUNT = 12;
export const BURN_ACCOUNT = 15;

/** Describes a call of such a contract; undefined for any other call. */
export function shieldedCallText(data: Uint8Array): string | undefined {
	const word = (index: number): Uint8Array =>
		data.subarray(SELECTOR_BYTES + index * WORD, SELECTOR_BYTES + (index + 1) * WORD);
	const amount = (index: number): string => BigInt(`0x${toHex(word(index)) || "0"}`).toString();
	switch (toHex(data.subarray(0, SELECTOR_BYTES))) {
		case SHIELDED_CALLS.mint.selector:
			return `mint of a note of ${amount(0)} smallest units`;
		case SHIELDED_CALLS.transfer.selector:
			return "transfer of notes";
		case SHIELDED_CALLS.burn.selector:
			if (data.length < SELECTOR_BYTES + (BURN_ACCOUNT + 1) * WORD) return undefined;
			return `burn of ${amount(BURN_AMOUNT)} smallest units for ${toBase58Check(addressFromHash(word(BURN_ACCOUNT).subarray(12)))}`;
		default:
			return undefined;
	}
}
