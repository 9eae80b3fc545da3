/** Options from wherever they come: flags, the environment, a configuration. */

import { Failure } from "../wallet/failure.js";

/** The value of an option by its flag name; undefined where it is not set. */
export type OptionSource = (flag: string) => string | undefined;

/** Whether a switch is on. */
export function flag(get: OptionSource, name: string): boolean {
	return ["true", "1", "yes", "on"].includes((get(name) ?? "").toLowerCase());
}

/** A whole number. @throws {Failure} `bad_value` */
export function integer(name: string, text: string, min: number, max: number): number {
	const value = /^-?\d{1,16}$/.test(text.trim()) ? Number(text) : Number.NaN;
	if (!Number.isSafeInteger(value) || value < min || value > max) {
		throw new Failure("bad_value", `--${name} "${text}": a whole number from ${min} to ${max} is needed`);
	}
	return value;
}

/** One of some words. @throws {Failure} `bad_value` */
export function oneOf<const T extends string>(name: string, text: string, allowed: readonly T[]): T {
	const found = allowed.find((value) => value === text);
	if (found === undefined) throw new Failure("bad_value", `--${name} "${text}": use ${allowed.join(" or ")}`);
	return found;
}
