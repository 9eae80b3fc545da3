/** Accounts in query form: usage recovered up to the head, last-use times as timestamps (protocol/staking §8.1). */

import { SUN_PER_COIN } from "../../../protocol/int64.js";
import {
	Account,
	AccountFreezeV2,
	AccountNetMessage,
	AccountResourceMessage,
	ResourceCode,
} from "../../../protocol/messages.js";
import { SLOT_MS } from "../../../protocol/timing.js";
import { accountIdKey } from "../../contracts/accounts.js";
import { resourceLimit } from "../../resources/stake.js";
import { fullPower } from "../../resources/votes.js";
import { accountIncrease, editEnergy, increase } from "../../resources/window.js";
import type { StateView } from "../../state/view.js";
import { gatheredBalances, tokenValues, usageByName, usageByNumber } from "../../tokens/token-usage.js";

/** A copy of an account with all usage recovered to the head slot. Last-use times remain slots. */
function refreshAccount(state: StateView, stored: Readonly<Account>): Account {
	const { properties } = state;
	const now = properties.headSlot;
	const account = Account.copy(stored);
	account.net_usage = accountIncrease(
		properties,
		account,
		"bandwidth",
		stored.net_usage,
		0n,
		stored.latest_consume_time,
		now,
	);
	account.free_net_usage = increase(
		properties,
		stored.free_net_usage,
		0n,
		stored.latest_consume_free_time,
		now,
	);
	if (!properties.on("ALLOW_SAME_TOKEN_NAME")) {
		account.free_asset_net_usage = usageByName(properties, stored);
	}
	account.assetV2 = new Map(gatheredBalances(state, stored));
	account.free_asset_net_usageV2 = usageByNumber(state, stored);
	const { energy_usage, latest_consume_time_for_energy } = editEnergy(account);
	const energy = accountIncrease(
		properties,
		account,
		"energy",
		energy_usage,
		0n,
		latest_consume_time_for_energy,
		now,
	);
	editEnergy(account).energy_usage = energy;
	return account;
}

/** An account with its usage at the head, and its last-use times in milliseconds. */
function accountView(state: StateView, stored: Readonly<Account>): Account {
	const account = refreshAccount(state, stored);
	const toMs = (slot: bigint): bigint => state.properties.genesisTimestampMs + SLOT_MS * slot;
	account.latest_consume_time = toMs(account.latest_consume_time);
	account.latest_consume_free_time = toMs(account.latest_consume_free_time);
	const energy = editEnergy(account);
	energy.latest_consume_time_for_energy = toMs(energy.latest_consume_time_for_energy);
	return account;
}

/** The account at an address. Stakes of all three kinds are listed, missing ones as 0. */
export function accountByAddress(state: StateView, address: Uint8Array): Account | undefined {
	const stored = state.account.get(address);
	if (!stored) return undefined;
	const account = accountView(state, stored);
	account.frozenV2 = [ResourceCode.BANDWIDTH, ResourceCode.ENERGY, ResourceCode.COIN_POWER].map(
		(type) => stored.frozenV2.find((stake) => stake.type === type) ?? AccountFreezeV2.create({ type }),
	);
	return account;
}

/** The account with an account id; ids are case-insensitive. */
export function accountById(state: StateView, id: Uint8Array): Account | undefined {
	const address = state.accountIdIndex.get(accountIdKey(id));
	const stored = address && state.account.get(address);
	return stored && accountView(state, stored);
}

/** Bandwidth of an account; undefined if it doesn't exist. */
export function accountNet(state: StateView, address: Uint8Array): AccountNetMessage | undefined {
	const stored = state.account.get(address);
	return stored && AccountNetMessage.create(netOf(state, refreshAccount(state, stored)));
}

function netOf(state: StateView, account: Account) {
	const { properties } = state;
	const usage = properties.on("ALLOW_SAME_TOKEN_NAME")
		? account.free_asset_net_usageV2
		: account.free_asset_net_usage;
	return {
		freeNetUsed: account.free_net_usage,
		freeNetLimit: properties.get("FREE_NET_LIMIT"),
		NetUsed: account.net_usage,
		NetLimit: resourceLimit(properties, account, "bandwidth"),
		assetNetUsed: usage,
		assetNetLimit: tokenValues(usage.keys(), (id) => tokenNetLimit(state, id)),
		TotalNetLimit: properties.get("TOTAL_NET_LIMIT"),
		TotalNetWeight: properties.get("TOTAL_NET_WEIGHT"),
	};
}

function tokenNetLimit(state: StateView, id: string): bigint {
	const store = state.properties.on("ALLOW_SAME_TOKEN_NAME") ? state.assetIssueV2 : state.assetIssue;
	return store.get(Buffer.from(id, "utf8"))?.free_asset_net_limit ?? 0n;
}

/** Bandwidth, energy and voting power of an account; undefined if it doesn't exist. */
export function accountResources(state: StateView, address: Uint8Array): AccountResourceMessage | undefined {
	const stored = state.account.get(address);
	if (!stored) return undefined;
	const { properties } = state;
	const account = refreshAccount(state, stored);
	return AccountResourceMessage.create({
		...netOf(state, account),
		TotalCoinPowerWeight: properties.get("TOTAL_COIN_POWER_WEIGHT"),
		coinPowerUsed: account.votes.reduce((sum, vote) => sum + vote.vote_count, 0n),
		coinPowerLimit: fullPower(account) / SUN_PER_COIN,
		EnergyUsed: account.account_resource?.energy_usage ?? 0n,
		EnergyLimit: resourceLimit(properties, account, "energy"),
		TotalEnergyLimit: properties.get("TOTAL_ENERGY_CURRENT_LIMIT"),
		TotalEnergyWeight: properties.get("TOTAL_ENERGY_WEIGHT"),
		storageUsed: account.account_resource?.storage_usage ?? 0n,
		storageLimit: account.account_resource?.storage_limit ?? 0n,
	});
}
