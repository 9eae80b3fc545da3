/**
 * Token bandwidth usage of an account as queries return it, in the network's order (protocol/tokens §8.4):
 * the record's entries first, then tokens without one.
 */

import { hashOrdered } from "../../protocol/json/map-ordered-json.js";
import type { Account } from "../../protocol/messages.js";
import { increase } from "../resources/window.js";
import type { Properties } from "../state/properties.js";
import type { StateView } from "../state/view.js";

type Amounts = ReadonlyMap<string, bigint>;

const byName = (name: string): string => name;

/** Capacity of a Java hash map created as a copy of `count` entries. */
function copyCapacity(count: number): number {
	let capacity = 1;
	while (capacity < count / 0.75 + 1) capacity *= 2;
	return capacity;
}

function recovered(
	properties: Properties,
	tokens: readonly string[],
	usage: Amounts,
	lastSlots: Amounts,
): Map<string, bigint> {
	const now = properties.headSlot;
	const result = new Map<string, bigint>();
	for (const token of [...usage.keys(), ...tokens]) {
		result.set(token, increase(properties, usage.get(token) ?? 0n, 0n, lastSlots.get(token) ?? 0n, now));
	}
	return result;
}

/** Usage by name, recovered to the head, of all tokens an account holds or has used. */
export function usageByName(properties: Properties, account: Readonly<Account>): Map<string, bigint> {
	const { asset, free_asset_net_usage, latest_asset_operation_time } = account;
	return recovered(properties, [...asset.keys()], free_asset_net_usage, latest_asset_operation_time);
}

/**
 * An account's balances in the network's order while they are moved out of the record (#66): a hash map
 * filled with the flushed ones by number, then with those of the record.
 */
export function gatheredBalances(state: StateView, account: Readonly<Account>): Amounts {
	const { assetV2, asset_optimized } = account;
	if (assetV2.size === 0 || !state.properties.on("ALLOW_ASSET_OPTIMIZATION")) return assetV2;
	const settled = asset_optimized ? state.account.settled(account.address)?.assetV2 : undefined;
	const flushed = [...(settled ?? [])].filter(([token, amount]) => amount !== 0n && assetV2.has(token));
	const tokens = new Set([...flushed.map(([token]) => token).sort(), ...assetV2.keys()]);
	return tokenValues(tokens, (token) => assetV2.get(token) as bigint);
}

/** An account's token numbers in the order of a hash map created as a copy of them. */
export function copiedTokens(state: StateView, account: Readonly<Account>): string[] {
	if (account.assetV2.size === 0) return [];
	const held = [...gatheredBalances(state, account).keys()];
	return hashOrdered(held, byName, copyCapacity(held.length));
}

/** Usage by number, in the order of the hash map through which the network copies the tokens. */
export function usageByNumber(state: StateView, account: Readonly<Account>): Map<string, bigint> {
	const { free_asset_net_usageV2, latest_asset_operation_timeV2 } = account;
	const tokens = copiedTokens(state, account);
	return recovered(state.properties, tokens, free_asset_net_usageV2, latest_asset_operation_timeV2);
}

/** A value for each token, in the order of a hash map into which they are inserted one by one. */
export function tokenValues(tokens: Iterable<string>, value: (token: string) => bigint): Map<string, bigint> {
	const names = [...tokens];
	const ordered = hashOrdered(names, byName);
	return new Map(ordered.map((token) => [token, value(token)]));
}
