/**
 * The token layout of account records under ALLOW_ASSET_OPTIMIZATION (protocol/tokens §8.3).
 *
 * The reference moves token balances out of a record when it flushes the record. Here they stay in it; the observable
 * effects, the `asset_optimized` mark and the loss of zero and by-name entries, happen at the same moment.
 */

import type { Account } from "../../protocol/messages.js";
import { Account as AccountMessage } from "../../protocol/messages.js";
import { type StoreDefinition, stores } from "./definition.js";
import type { StateBackend } from "./entry.js";

export function settleAccountAssets<V>(base: StateBackend, store: StoreDefinition<V>, value: V): V {
	if ((store as unknown) !== stores.account) return value;
	if (base.get(stores.properties, "ALLOW_ASSET_OPTIMIZATION") !== 1n) return value;
	const account = value as Readonly<Account>;
	const zeros = [...account.assetV2].some(([, amount]) => amount === 0n);
	if (account.asset_optimized && !zeros && account.asset.size === 0) return value;
	const copy = AccountMessage.copy(account);
	copy.asset_optimized = true;
	copy.asset = new Map();
	if (zeros) copy.assetV2 = new Map([...account.assetV2].filter(([, amount]) => amount !== 0n));
	return copy as V;
}
