/** Resource arithmetic: wrapping 64-bit integers, or exact with #97 (protocol/resources §1.6). */

import { checked, MAX_INT64, MIN_INT64, wrap } from "../../protocol/int64.js";
import type { Properties } from "../state/properties.js";

/** Whether #97 is on: products and limits are exact. */
export const isExact = (properties: Properties): boolean =>
	properties.on("ALLOW_HARDEN_RESOURCE_CALCULATION");

const fits = (value: bigint): boolean => value >= MIN_INT64 && value <= MAX_INT64;

/** An intermediate product or sum to be divided: unbounded with #97, else wrapped to 64 bits. */
export function product(properties: Properties, value: bigint): bigint {
	return fits(value) || isExact(properties) ? value : wrap(value);
}

/** A 64-bit result. @throws {OverflowError} with #97, instead of wrapping */
export function result(properties: Properties, value: bigint): bigint {
	if (fits(value)) return value;
	return isExact(properties) ? checked(value, "BigInteger out of long range") : wrap(value);
}
