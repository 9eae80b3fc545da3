/** How many coins a block may bring into being, from the parameters alone (protocol/consensus §7). Amounts in sun. */

import type { StateView } from "../../../src/node/state/view.js";
import { votersPot } from "./supply.js";

/** Witnesses that share standby pay. */
const STANDBY_COUNT = 127n;

/** What the rewards of the next block follow from, as the head without the pool has it. */
export interface RewardFacts {
	readonly cycle: bigint;
	readonly pot: bigint;
	readonly delegating: boolean;
	readonly pay: bigint;
	readonly standbyPay: bigint;
	readonly standbyAllowance: bigint;
	readonly hasVotes: boolean;
}

export function rewardFacts(state: StateView): RewardFacts {
	const { properties } = state;
	const cycle = properties.get("CURRENT_CYCLE_NUMBER");
	return {
		cycle,
		pot: votersPot(state, cycle),
		delegating: properties.on("CHANGE_DELEGATION"),
		pay: properties.get("WITNESS_PAY_PER_BLOCK"),
		standbyPay: properties.get("WITNESS_127_PAY_PER_BLOCK"),
		standbyAllowance: properties.get("WITNESS_STANDBY_ALLOWANCE"),
		hasVotes: state.witness.values().some((witness) => witness.voteCount > 0n),
	};
}

/**
 * Why a block has paid a wrong amount; undefined if it hasn't. Shares are rounded down, so a little of what is shared
 * may be missing.
 * @param created by how much coins grew, without what transactions drew
 */
export function wrongMint(before: RewardFacts, after: StateView, created: bigint): string | undefined {
	const earned = votersPot(after, before.cycle) - before.pot;
	const shared = created + earned - before.pay;
	const isShareOf = (amount: bigint) => shared <= amount && shared >= amount - STANDBY_COUNT;
	if (before.delegating) {
		if (isShareOf(before.hasVotes ? before.standbyPay : 0n)) return undefined;
	} else {
		const maintenance = after.properties.get("state_flag") === 1 && !after.properties.on("CHANGE_DELEGATION");
		if (shared === 0n || (maintenance && isShareOf(before.standbyAllowance))) return undefined;
	}
	return `a block made ${created} sun and ${earned} for voters, beside ${JSON.stringify(
		before,
		(_key, value) => (typeof value === "bigint" ? `${value}` : value),
	)}`;
}
