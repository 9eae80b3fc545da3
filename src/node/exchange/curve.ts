/** The price of a trade: the exchange's curve in binary64 (protocol/exchange §7). */

import { fromDouble, toDouble, wrap } from "../../protocol/int64.js";

/** Supply of the imaginary token between the two of a pair. */
const SUPPLY = 1_000_000_000_000_000_000n;

type Power = (x: number, y: number) => number;

/**
 * What a trade pays out, in units of the bought token. It can be 0, and for extreme ratios more than the pair holds.
 * @param sold balance of the sold token in the pair before the trade
 * @param bought balance of the bought token in the pair
 * @param quant units sold, above 0
 * @param pow the power function of the head's rules
 */
export function tradeOutput(sold: bigint, bought: bigint, quant: bigint, pow: Power): bigint {
	const share = toDouble(quant) / toDouble(wrap(sold + quant));
	const issued = toDouble(-SUPPLY) * (1.0 - pow(1.0 + share, 0.0005));
	const relay = fromDouble(issued);
	const growth = pow(1.0 + toDouble(relay) / toDouble(SUPPLY), 2000.0);
	return fromDouble(toDouble(bought) * (growth - 1.0));
}
