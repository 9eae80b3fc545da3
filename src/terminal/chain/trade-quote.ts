/** What a trade on an exchange would bring now, by the node's own curve (protocol/exchange §7). */

import { fetchChainParameters } from "../../wallet/node/chain-parameters.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import type { ExchangeSide } from "../../wallet/view/exchanges.js";

/**
 * @param side the pair from the token that is sold
 * @param units smallest units sold
 * @returns smallest units of the other token; 0 for too small a trade
 */
export async function tradeQuote(client: NodeClient, side: ExchangeSide, units: bigint): Promise<bigint> {
	const strict = (await fetchChainParameters(client)).get("getAllowStrictMath") === 1n;
	const [{ tradeOutput }, pow] = await Promise.all([
		import("../../node/exchange/curve.js"),
		strict
			? import("../../node/exchange/strict-pow.js").then(({ strictPow }) => strictPow)
			: import("../../node/exchange/historical-pow.js").then(({ historicalPow }) => historicalPow),
	]);
	return tradeOutput(side.balance, side.otherBalance, units, pow);
}
