/**
 * Sums over all accounts, compared with the chain's totals: the only way to detect lost accounts. Old chains
 * have differences caused by their rules, so these are reported, not refused (protocol/adoption §5).
 */

import { SUN_PER_COIN } from "../../protocol/int64.js";
import { type Account, ResourceCode, type Vote } from "../../protocol/messages.js";
import { POWER_REMOVED } from "../consensus/maintenance.js";
import { delegation, ownStakeV1, resourceOf, weightV2 } from "../resources/stake.js";
import type { StateView } from "../state/view.js";

const CODES = [ResourceCode.BANDWIDTH, ResourceCode.ENERGY, ResourceCode.COIN_POWER];
const TOTALS = ["TOTAL_NET_WEIGHT", "TOTAL_ENERGY_WEIGHT", "TOTAL_COIN_POWER_WEIGHT"] as const;

export class AccountSums {
	/** Staked coins for each of {@link CODES}, and votes. */
	private readonly sums: bigint[];

	/** @param text what {@link text} gave, to go on with; absent: begin */
	constructor(text: readonly string[] = ["0", "0", "0", "0"]) {
		this.sums = text.map(BigInt);
	}

	add(account: Readonly<Account>): void {
		const { sums } = this;
		for (const [at, code] of CODES.entries()) {
			const resource = resourceOf(code);
			const given = resource ? delegation(account, "delegated", "frozen", resource) : 0n;
			const first = ownStakeV1(account, code) / SUN_PER_COIN + given / SUN_PER_COIN;
			sums[at] = (sums[at] as bigint) + first + weightV2(account, code);
		}
		sums[CODES.length] = (sums[CODES.length] as bigint) + votesOf(account.votes);
	}

	get text(): readonly string[] {
		return this.sums.map(String);
	}

	/**
	 * Differences from the totals, one sentence each.
	 * @param genesisVotes that witnesses have from the genesis block
	 */
	differences(state: StateView, genesisVotes: bigint): string[] {
		const { properties } = state;
		const found: string[] = [];
		for (const [at, name] of TOTALS.entries()) {
			const total = properties.get(name);
			if (total !== this.sums[at]) {
				found.push(
					`the stakes of all accounts are ${this.sums[at]} coins, and the property ${name} says ${total}`,
				);
			}
		}
		// Votes changed since the last maintenance don't count for witnesses yet.
		let pending = 0n;
		for (const { old_votes, new_votes } of state.votes.values()) {
			pending += votesOf(new_votes) - votesOf(old_votes);
		}
		const given = properties.get("REMOVE_THE_POWER_OF_THE_GR") === POWER_REMOVED ? 0n : genesisVotes;
		const counted = state.witness.values().reduce((sum, { voteCount }) => sum + voteCount, 0n);
		const expected = (this.sums[CODES.length] as bigint) - pending + given;
		if (counted !== expected) {
			found.push(`witnesses have ${counted} votes, and the accounts gave ${expected}`);
		}
		return found;
	}
}

function votesOf(votes: readonly Readonly<Vote>[]): bigint {
	return votes.reduce((sum, { vote_count }) => sum + vote_count, 0n);
}
