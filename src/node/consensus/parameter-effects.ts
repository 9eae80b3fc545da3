/** Side effects of an approved proposal that sets a chain parameter (protocol/parameters §1.4). */

import { typesGrantedBy } from "../../protocol/contract-types.js";
import { MAX_INT64, wrap } from "../../protocol/int64.js";
import type { ForkGates } from "../rules/fork-gates.js";
import type { PropertyOf } from "../state/property-table.js";
import type { StateView } from "../state/view.js";
import { installBlockHashHistory } from "../vm/block-hash-history.js";

interface ApprovedValue {
	readonly state: StateView;
	readonly forks: ForkGates;
	/** Property that holds the parameter. */
	readonly property: PropertyOf<"long">;
	readonly value: bigint;
	/** Expiration time of the proposal, in milliseconds: when the value takes effect. */
	readonly sinceMs: bigint;
}

/** Sets a parameter. Values were checked when proposed and aren't checked again. */
export type Effect = (approved: ApprovedValue) => void;

export const store: Effect = ({ state, property, value }) => state.properties.set(property, value);

/** Stores the value, then runs further effects. */
export function storeAnd(...more: readonly Effect[]): Effect {
	return (approved) => {
		store(approved);
		for (const effect of more) effect(approved);
	};
}

/** Runs an effect only while the parameter is 0. */
export function ifZero(effect: Effect): Effect {
	return (approved) => {
		if (approved.state.properties.get(approved.property) === 0n) effect(approved);
	};
}

export function recordPrice(history: PriceHistory): Effect {
	return ({ state, value, sinceMs }) => appendPrice(state, history, sinceMs, value);
}

/** Enables the transaction types a parameter grants: sets their bits in both operation masks. */
export function allowTypesOf(parameter: number): Effect {
	return ({ state }) => {
		for (const id of typesGrantedBy(parameter)) state.properties.allowContractType(id);
	};
}

/** Installs the contract that stores block hashes. */
export const keepBlockHashes: Effect = ({ state }) => installBlockHashHistory(state);

/** Nile's order book, now closed for good: stores 0 whatever was proposed, but may still permit the types. */
export const closeMarket: Effect = (approved) => {
	approved.state.properties.set("ALLOW_MARKET_TRANSACTION", 0n);
	allowTypesOf(44)(approved);
};

/** The unit of the adaptive target ratio in proposals and reports: minutes per day. */
export const TARGET_RATIO_UNIT = 1440n;

/** The energy usage blocks should aim for: the limit divided by the ratio. */
const retarget: Effect = ({ state: { properties } }) =>
	properties.set(
		"TOTAL_ENERGY_TARGET_LIMIT",
		properties.get("TOTAL_ENERGY_LIMIT") / properties.get("ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO"),
	);

const setTotalEnergy: Effect = (approved) => {
	approved.state.properties.set("TOTAL_ENERGY_LIMIT", approved.value);
	retarget(approved);
};

/** The retired way to set the energy limit: leaves the current limit unchanged. */
export const totalEnergyLimit: Effect = setTotalEnergy;

export const totalCurrentEnergyLimit: Effect = (approved) => {
	const { properties } = approved.state;
	setTotalEnergy(approved);
	if (properties.get("ALLOW_ADAPTIVE_ENERGY") === 0n) {
		properties.set("TOTAL_ENERGY_CURRENT_LIMIT", approved.value);
	}
};

/** Since block version 9 the adaptive limit starts with its own ratio and multiplier. */
export const adaptiveStart: Effect = (approved) => {
	const { properties } = approved.state;
	if (!approved.forks.passed(9)) return;
	properties.set("ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO", 2n * TARGET_RATIO_UNIT);
	retarget(approved);
	properties.set("ADAPTIVE_RESOURCE_LIMIT_MULTIPLIER", 50n);
};

export const targetRatio: Effect = (approved) => {
	approved.state.properties.set(
		"ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO",
		wrap(TARGET_RATIO_UNIT * approved.value),
	);
	retarget(approved);
};

/** Rewards accumulate per vote from the next cycle on; the first parameter to require it decides when. */
export const newRewardFromNextCycle: Effect = ({ state: { properties } }) => {
	if (properties.get("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE") !== MAX_INT64) return;
	properties.set("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE", properties.get("CURRENT_CYCLE_NUMBER") + 1n);
};

/**
 * Prices set by proposals, with their start times (protocol/consensus §5.5), as text
 * `time:price,time:price,...`, times in milliseconds. Ascending, except where one maintenance decided several
 * proposals: it decides the newest first. it decides on the newest first.
 */
type PriceHistory = "ENERGY_PRICE_HISTORY" | "BANDWIDTH_PRICE_HISTORY" | "MEMO_FEE_HISTORY";

/** Records a price as effective from the expiration of the proposal that set it. */
export function appendPrice(state: StateView, history: PriceHistory, sinceMs: bigint, price: bigint): void {
	state.properties.set(history, `${state.properties.get(history)},${sinceMs}:${price}`);
}

/** The price for a block at this time: the last entry before it; undefined if there is none. */
export function priceAt(history: string, blockTimeMs: bigint): bigint | undefined {
	let price: bigint | undefined;
	for (const entry of history.split(",")) {
		const [since, value] = entry.split(":") as [string, string];
		if (BigInt(since) < blockTimeMs) price = BigInt(value);
	}
	return price;
}
