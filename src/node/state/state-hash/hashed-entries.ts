/**
 * What a store entry contributes to the state hash: the same on any two correct nodes, wherever they store it
 * (protocol/state-hash §3).
 */

import { ADDRESS_LENGTH } from "../../../protocol/address.js";
import { be64, utf8 } from "../../../protocol/bytes.js";
import { propertyEncoding } from "../property-table.js";
import { storesOf } from "../store-kinds.js";
import { canonicalMessage, type MessageForm, mapAmounts, messageFields } from "./canonical-message.js";

/** A store of ours, for token balances by name as if the network had moved those as well. */
export const BY_NAME = "account-asset-by-name";
/** Where the reference stores balances outside accounts. */
export const BALANCES = "account-asset";

/** The hashed stores, ascending, each with its own sum. */
export const hashedStores: readonly string[] = [...storesOf("state"), BY_NAME].sort();

/** Receives an entry in the form in which it is hashed. */
type TakeEntry = (store: string, key: Uint8Array, value: Uint8Array) => void;

/** Fields of an account record: balances by name and by number, and whether they are stored separately. */
const [ASSET, ASSET_V2, OPTIMIZED] = [6, 56, 60];
const NOTHING: ReadonlySet<number> = new Set();

const FORMS: Readonly<Record<string, MessageForm>> = {
	account: { dropped: new Set([ASSET, ASSET_V2, OPTIMIZED]), maps: new Set([18, 20, 58, 59]) },
	proposal: { dropped: NOTHING, maps: new Set([3]) },
};
const ACCOUNT = FORMS["account"] as MessageForm;

/** Properties internal to a release: votes for the block versions it knows, and a completed migration step. */
const RELEASE_PROPERTIES = /^(FORK_VERSION_\d+|FORK_CONTROLLER.*|VERSION_NUMBER|TURKISH_KEY_MIGRATION_DONE)$/;
const SHUFFLED = "current_shuffled_witnesses";

/** Whether an entry's value is an account record. */
export function holdsAccount(store: string, key: Uint8Array): boolean {
	return store === "account" || (store === "delegation" && endsWith(key, VOTE_COPY));
}

const VOTE_COPY = utf8("-account-vote");

function endsWith(key: Uint8Array, end: Uint8Array): boolean {
	const from = key.length - end.length;
	return from >= 0 && end.every((byte, at) => key[from + at] === byte);
}

/**
 * Emits the hashed form of an entry, which may be none or several.
 * @param store one that belongs to the state
 * @param value as it lies in the store
 * @throws {DecodeError} for a record that can't be read
 */
export function hashedEntries(store: string, key: Uint8Array, value: Uint8Array, take: TakeEntry): void {
	if (store === "account") accountEntries(key, value, take);
	else if (store === BALANCES) balanceEntry(key, value, take);
	else if (holdsAccount(store, key)) take(store, key, canonicalMessage(value, ACCOUNT));
	else if (store === "properties") propertyEntry(key, value, take);
	else if (store !== "witness_schedule" || Buffer.from(key).toString("latin1") !== SHUFFLED) {
		const form = FORMS[store];
		take(store, key, form ? canonicalMessage(value, form) : value);
	}
}

function propertyEntry(key: Uint8Array, value: Uint8Array, take: TakeEntry): void {
	const name = Buffer.from(key).toString("latin1");
	if (!RELEASE_PROPERTIES.test(name)) take("properties", key, propertyValue(name, value));
}

function accountEntries(address: Uint8Array, value: Uint8Array, take: TakeEntry): void {
	const record = canonicalMessage(value, ACCOUNT);
	take("account", address, record);
	// Balances are not part of the canonical record.
	if (record === value) return;
	const fields = messageFields(value);
	for (const [store, field] of MAPS) {
		if (!fields.some(({ number }) => number === field)) continue;
		for (const [token, amount] of mapAmounts(fields, field)) {
			take(store, Buffer.concat([address, Buffer.from(token, "latin1")]), be64(amount));
		}
	}
}

const MAPS = [
	[BALANCES, ASSET_V2],
	[BY_NAME, ASSET],
] as const;

/** A balance of 0 equals none. */
function balanceEntry(key: Uint8Array, value: Uint8Array, take: TakeEntry): void {
	if (key.length > ADDRESS_LENGTH && value.some((byte) => byte !== 0)) take(BALANCES, key, value);
}

/** Numbers are read as unsigned of any length, and written with the length of their row. */
function propertyValue(name: string, value: Uint8Array): Uint8Array {
	const encoding = propertyEncoding(name);
	if (encoding !== "long" && encoding !== "int") return value;
	const length = encoding === "long" ? 8 : 4;
	if (value.length === length) return value;
	const zeros = value.findIndex((byte) => byte !== 0);
	const digits = zeros < 0 ? new Uint8Array(0) : value.subarray(zeros);
	if (digits.length > length) return digits;
	const padded = new Uint8Array(length);
	padded.set(digits, length - digits.length);
	return padded;
}
