/**
 * The dynamic properties of a reference node's data, converted to our form and checked against our rules
 * (protocol/adoption §4).
 */

import { be32, be64, toKey } from "../../protocol/bytes.js";
import type { NetworkName } from "../rules/chain-rules.js";
import { newestVersion } from "../rules/fork-gates.js";
import { propertyEncoding } from "../state/property-table.js";
import { AdoptionError } from "./adoption-error.js";
import type { ForeignEntry } from "./engine/foreign-store.js";

/** Values by key, as stored. */
export type SourceProperties = ReadonlyMap<string, Uint8Array>;

/** One row per block version and a few per parameter: no chain has thousands. */
const MAX_PROPERTIES = 100_000;
const COUNTS = /^FORK_(?:VERSION_|CONTROLLER)(\d+)$/;
/** The lowest vote share with which a version of any network passed. */
const LOWEST_RATE_PERCENT = 70;

/** Written at the first start of a release from 4.8.0 on; if missing, the data were never opened by one. */
const ONE_TIME_FLAGS = [
	"TOKEN_UPDATE_DONE",
	"ABI_MOVE_DONE",
	"ENERGY_PRICE_HISTORY_DONE",
	"BANDWIDTH_PRICE_HISTORY_DONE",
	"SET_BLACKHOLE_ACCOUNT_PERMISSION",
];

/** @throws {AdoptionError} for more than a chain can have */
export function readProperties(entries: Iterable<ForeignEntry>): SourceProperties {
	const properties = new Map<string, Uint8Array>();
	for (const [key, value] of entries) {
		properties.set(toKey(key), Uint8Array.from(value));
		if (properties.size > MAX_PROPERTIES) {
			throw new AdoptionError(`the store properties holds more than ${MAX_PROPERTIES} entries`);
		}
	}
	return properties;
}

/**
 * A value in its row's length: the reference reads numbers of any length, as unsigned.
 * @throws {AdoptionError} for a number that is longer than its row
 */
export function keptProperty(key: string, value: Uint8Array): Uint8Array {
	const encoding = propertyEncoding(key);
	if (encoding !== "long" && encoding !== "int") return value;
	const length = encoding === "long" ? 8 : 4;
	if (value.length === length) return value;
	const number = numberOf(value);
	if (number >> BigInt(length * 8) !== 0n) {
		throw new AdoptionError(`the property ${key} holds a number of ${value.length} bytes`);
	}
	return length === 8 ? be64(number) : be32(Number(number));
}

/** A number as the reference reads it. */
export function numberOf(value: Uint8Array): bigint {
	return value.length === 0 ? 0n : BigInt(`0x${Buffer.from(value).toString("hex")}`);
}

/** @throws {AdoptionError} if the property is missing */
export function numberProperty(properties: SourceProperties, key: string): bigint {
	const value = properties.get(key);
	if (!value) throw new AdoptionError(`the store properties has no ${key}`);
	return numberOf(keptProperty(key, value));
}

/**
 * Refuses data that follow rules unknown to this program: headers contain no state root, so nothing else
 * would reveal it before the states diverge.
 * @throws {AdoptionError} that names the properties
 */
export function judgeProperties(properties: SourceProperties, network: NetworkName): void {
	const unknown = [...properties]
		.filter(([key, value]) => !propertyEncoding(key) && !COUNTS.test(key) && value.some((byte) => byte !== 0))
		.map(([key]) => key.trim());
	if (unknown.length > 0) {
		throw new AdoptionError(
			`the store properties holds ${unknown.join(", ")}, which this program doesn't know: the data follow rules that it lacks`,
		);
	}
	const newest = newestVersion({ network });
	for (const [key, votes] of properties) {
		const version = Number(/^FORK_VERSION_(\d+)$/.exec(key)?.[1] ?? 0);
		if (version <= newest || !hasPassed(votes)) continue;
		throw new AdoptionError(
			`the store properties says by ${key} that block version ${version} has passed; this program knows versions up to ${newest}`,
		);
	}
	const unset = ONE_TIME_FLAGS.filter((key) => numberOf(properties.get(key) ?? new Uint8Array(0)) !== 1n);
	if (unset.length > 0) {
		throw new AdoptionError(
			`the store properties lacks ${unset.join(", ")}: a reference node of release 4.8.0 or later must have been started on the data`,
		);
	}
}

function hasPassed(votes: Uint8Array): boolean {
	const count = votes.filter((vote) => vote === 1).length;
	return votes.length > 0 && count >= Math.ceil((LOWEST_RATE_PERCENT * votes.length) / 100);
}

/** The newest block version with a completed vote; 0: none. */
export function versionPassed(properties: SourceProperties): number {
	let newest = 0;
	for (const [key, votes] of properties) {
		const version = Number(/^FORK_VERSION_(\d+)$/.exec(key)?.[1] ?? 0);
		if (version > newest && hasPassed(votes)) newest = version;
	}
	return newest;
}
