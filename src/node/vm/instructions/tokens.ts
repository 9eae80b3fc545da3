/** TOKENBALANCE (protocol/network-operations §2). */

import { toAddress } from "../addresses.js";
import { LAST_RESERVED_TOKEN_ID } from "../calls.js";
import type { Frame } from "../frame.js";
import { executionFailed, longOutOfRange, transferFailed } from "../vm-error.js";
import { fitsInt64, low64, toWord } from "../word.js";

const INVALID_ID = "validateForSmartContract failure:not valid token id";

export function tokenBalance(frame: Frame): void {
	const { gates, state } = frame.machine;
	const word = frame.pop();
	const address = toAddress(frame.pop());
	if (gates.multiSign) {
		if (!fitsInt64(word)) {
			if (gates.constantinople) throw transferFailed(INVALID_ID);
			throw longOutOfRange();
		}
		if (low64(word) <= LAST_RESERVED_TOKEN_ID) throw executionFailed(INVALID_ID);
	}
	frame.push(toWord(state.account.get(address)?.assetV2.get(String(low64(word))) ?? 0n));
}
