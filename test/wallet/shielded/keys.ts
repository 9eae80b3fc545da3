import { keysOfSpendingKey, type ShieldedKeys } from "../../../src/protocol/sapling/key-set.js";

/** Keys that are the same in every run. */
export function keysNumbered(number: number): ShieldedKeys {
	for (let tries = 0; ; tries++) {
		const sk = new Uint8Array(32).fill(number, 1);
		sk[31] = tries;
		const keys = keysOfSpendingKey(sk);
		if (keys) return keys;
	}
}
