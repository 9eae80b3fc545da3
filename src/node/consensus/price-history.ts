/**
 * Prices that proposals have set, with the times since which they hold (protocol/consensus §5.5). A history is a text
 * `time:price,time:price,...`, times in milliseconds. They ascend but where one maintenance decided on several proposals:
 * it decides on the newest first.
 */

import type { StateView } from "../state/view.js";

export type PriceHistory = "ENERGY_PRICE_HISTORY" | "BANDWIDTH_PRICE_HISTORY" | "MEMO_FEE_HISTORY";

/** Records that a price holds since the expiration of the proposal that set it. */
export function appendPrice(state: StateView, history: PriceHistory, sinceMs: bigint, price: bigint): void {
	state.properties.set(history, `${state.properties.get(history)},${sinceMs}:${price}`);
}

/** The price that held for a block of this time: the last entry before it; undefined if there is none. */
export function priceAt(history: string, blockTimeMs: bigint): bigint | undefined {
	let price: bigint | undefined;
	for (const entry of history.split(",")) {
		const [since, value] = entry.split(":") as [string, string];
		if (BigInt(since) < blockTimeMs) price = BigInt(value);
	}
	return price;
}
