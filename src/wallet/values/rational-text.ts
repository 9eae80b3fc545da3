/** Prices for people: quotients of whole numbers with their point. */

const DIGITS = 9;

/**
 * A quotient with nine significant digits, rounded down.
 * @param divisor above 0
 */
export function quotientText(dividend: bigint, divisor: bigint): string {
	if (dividend === 0n) return "0";
	const whole = dividend / divisor;
	// Small quotients need more places until their first digit appears.
	let places = Math.max(0, DIGITS - (whole === 0n ? 0 : whole.toString().length));
	if (whole === 0n) for (let rest = dividend * 10n; rest < divisor; rest *= 10n) places++;
	const digits = ((dividend * 10n ** BigInt(places)) / divisor).toString().padStart(places + 1, "0");
	const point = digits.length - places;
	const fraction = digits.slice(point).replace(/0+$/, "");
	return fraction === "" ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}
