/** Price of a trade on the exchange's curve, in binary64 (protocol/exchange §7). */

import { checked, checkedAdd, fromDouble, OverflowError, toDouble, wrap } from "../../protocol/int64.js";
import { RuntimeRuleError } from "../rules/errors.js";
import { strictPow } from "./strict-pow.js";

/** Supply of the virtual token between a pair's two tokens. */
const SUPPLY = 1_000_000_000_000_000_000n;

type Power = (x: number, y: number) => number;

/**
 * Payout of a trade, in units of the bought token. Can be 0, and for extreme ratios more than the pair holds.
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

// Price of a trade with #98: the curve in decimals, except for its powers (protocol/exchange §7.1).

/** A trade would bring a pair's balance to 0. */
class DivisionByZeroError extends OverflowError {
	constructor() {
		super("Division by zero");
	}
}

/** `a / b` rounded to the nearest integer, halves away from zero. @param b not 0 */
export function divideHalfUp(a: bigint, b: bigint): bigint {
	const quotient = a / b;
	const rest = a % b;
	const size = (value: bigint): bigint => (value < 0n ? -value : value);
	if (2n * size(rest) < size(b)) return quotient;
	return a < 0n === b < 0n ? quotient + 1n : quotient - 1n;
}

/** Decimals: the scale of quotients and, as `ONE`, the supply of the virtual token of a pair. */
const SCALE = 18;
const ONE = 10n ** BigInt(SCALE);

/**
 * Payout of a trade, in units of the bought token. For extreme ratios it is more than the pair holds.
 * @param sold balance of the sold token in the pair before the trade
 * @param bought balance of the bought token in the pair
 * @param quant units sold, above 0
 * @throws {OverflowError} `long overflow` if the sold side leaves 64 bits, `Overflow` if the payout does
 */
export function exactTradeOutput(sold: bigint, bought: bigint, quant: bigint): bigint {
	const balance = checkedAdd(sold, quant);
	if (balance === 0n) throw new DivisionByZeroError();
	const share = divideHalfUp(quant * ONE, balance);
	const issued = decimalOf(strictPow(doubleOf(ONE + share), 0.0005));
	const relay = truncate({ units: ONE * (issued.units - issued.one), one: issued.one });
	const growth = decimalOf(strictPow(doubleOf(ONE + relay), 2000.0));
	return checked(truncate({ units: bought * (growth.units - growth.one), one: growth.one }), "Overflow");
}

/** A decimal number: `units / one`, where `one` is a power of ten. */
interface Decimal {
	readonly units: bigint;
	readonly one: bigint;
}

const truncate = ({ units, one }: Decimal): bigint => units / one;

/** The double nearest to a number with 18 decimals. */
function doubleOf(units: bigint): number {
	const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, "0");
	const text = `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
	return Number(units < 0n ? `-${text}` : text);
}

/**
 * The exact value of a double's shortest decimal text, which differs from the double's own value.
 * @throws {RuntimeRuleError} for NaN and infinities, which a pair with a negative balance produces
 */
function decimalOf(value: number): Decimal {
	const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
	if (!match) throw new RuntimeRuleError("NumberFormatException", "Infinite or NaN");
	const [, sign, whole = "", fraction = "", exponent = "0"] = match;
	const scale = fraction.length - Number(exponent);
	const units = BigInt(`${whole}${fraction}`) * 10n ** BigInt(Math.max(0, -scale));
	return { units: sign ? -units : units, one: 10n ** BigInt(Math.max(0, scale)) };
}
