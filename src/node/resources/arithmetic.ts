/** How resources count: in 64 bits that wrap, and with #97 exactly (protocol/resources §1.6). */

import { checked, MAX_INT64, MIN_INT64, wrap } from "../../protocol/int64.js";
import type { Properties } from "../state/properties.js";

/** Whether products and limits are exact: #97. */
export const isExact = (properties: Properties): boolean =>
	properties.on("ALLOW_HARDEN_RESOURCE_CALCULATION");

const fits = (value: bigint): boolean => value >= MIN_INT64 && value <= MAX_INT64;

/** A product, or a sum of products, that is divided next: with #97 of any size, else of 64 bits. */
export function product(properties: Properties, value: bigint): bigint {
	return fits(value) || isExact(properties) ? value : wrap(value);
}

/** A result: of 64 bits. @throws {OverflowError} with #97, where it would wrap */
export function result(properties: Properties, value: bigint): bigint {
	if (fits(value)) return value;
	return isExact(properties) ? checked(value, "BigInteger out of long range") : wrap(value);
}
