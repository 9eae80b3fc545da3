/**
 * Exact decimals of JSON texts (protocol/http §3.2): `unscaled * 10^-scale`, preserving every digit and the
 * notation in a round trip.
 */

import { MAX_INT64, MIN_INT64 } from "../int64.js";
import { NamedError } from "./exceptions.js";

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Maximum length of a number: arithmetic on it is quadratic. */
const MAX_LENGTH = 1_100;

/** A number of a JSON text. Integers have scale 0. */
export class Decimal {
	constructor(
		readonly unscaled: bigint,
		readonly scale: number,
	) {}

	/**
	 * Reads a decimal: optional sign, digits with an optional point, optional exponent.
	 * @throws {NamedError} NumberFormatException
	 */
	static parse(text: string): Decimal {
		if (text.length > MAX_LENGTH) throw new NamedError("NumberFormatException", null);
		const match = DECIMAL.exec(text);
		const whole = match?.[2] ?? "";
		const fraction = match?.[3] ?? "";
		if (!match || whole.length + fraction.length === 0) throw badDecimal(text);
		const exponent = Number(match[4] ?? 0);
		if (Math.abs(exponent) > 0x7fffffff)
			throw new NamedError("NumberFormatException", "Too many nonzero exponent digits.");
		const magnitude = BigInt(whole + fraction);
		return new Decimal(match[1] === "-" ? -magnitude : magnitude, fraction.length - exponent);
	}

	/** Number of digits of the unscaled value; 1 for zero. */
	get precision(): number {
		return magnitudeText(this.unscaled).length;
	}

	/**
	 * The value as a signed 64-bit integer.
	 * @throws {NamedError} ArithmeticException `Rounding necessary` or `Overflow`
	 */
	toInt64(): bigint {
		if (this.precision - this.scale > 19) throw new NamedError("ArithmeticException", "Overflow");
		if (this.unscaled === 0n) return 0n;
		if (this.precision - this.scale <= 0) throw new NamedError("ArithmeticException", "Rounding necessary");
		let value = this.unscaled;
		if (this.scale > 0) {
			const divisor = 10n ** BigInt(this.scale);
			if (value % divisor !== 0n) throw new NamedError("ArithmeticException", "Rounding necessary");
			value /= divisor;
		} else value *= 10n ** BigInt(-this.scale);
		if (value > MAX_INT64 || value < MIN_INT64) throw new NamedError("ArithmeticException", "Overflow");
		return value;
	}

	/** The low 32 bits of the integer part as a signed integer. */
	toInt32(): number {
		if (this.scale > 100 || this.scale < -100) {
			const value = this.toInt64();
			if (value !== BigInt.asIntN(32, value)) throw new NamedError("ArithmeticException", "Overflow");
			return Number(value);
		}
		const power = 10n ** BigInt(Math.abs(this.scale));
		const whole = this.scale >= 0 ? this.unscaled / power : this.unscaled * power;
		return Number(BigInt.asIntN(32, whole));
	}

	/** Plain digits, or scientific notation where the scale is negative or the value is tiny. */
	toString(): string {
		const digits = magnitudeText(this.unscaled);
		const sign = this.unscaled < 0n ? "-" : "";
		if (this.scale === 0) return sign + digits;
		const exponent = digits.length - 1 - this.scale;
		if (this.scale > 0 && exponent >= -6) {
			const padded = digits.padStart(this.scale + 1, "0");
			const point = padded.length - this.scale;
			return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
		}
		const mantissa = digits.length > 1 ? `${digits.charAt(0)}.${digits.slice(1)}` : digits;
		if (exponent === 0) return sign + mantissa;
		return `${sign}${mantissa}E${exponent > 0 ? "+" : ""}${exponent}`;
	}
}

function magnitudeText(value: bigint): string {
	return (value < 0n ? -value : value).toString();
}

function badDecimal(text: string): NamedError {
	const bad = /[^0-9.eE+-]/.exec(text)?.[0];
	return new NamedError(
		"NumberFormatException",
		bad
			? `Character ${bad} is neither a decimal digit number, decimal point, nor "e" notation exponential mark.`
			: null,
	);
}
