/** What the chain keeps summed up of stakes, delegations and votes, counted again from the accounts. */

import {
	delegatedAmount,
	delegationKeyV1,
	delegationKeyV2,
} from "../../../src/node/resources/delegated-resource.js";
import { delegation, ownStakeV1, weightV2 } from "../../../src/node/resources/stake.js";
import type { StateView } from "../../../src/node/state/view.js";
import { toKey } from "../../../src/protocol/bytes.js";
import { SUN_PER_COIN } from "../../../src/protocol/int64.js";
import { ResourceCode } from "../../../src/protocol/messages.js";
import { accounts } from "./facts.js";
import { addresses, nameOf } from "./small-chain.js";

const WEIGHTS = [
	["TOTAL_NET_WEIGHT", ResourceCode.BANDWIDTH, "bandwidth"],
	["TOTAL_ENERGY_WEIGHT", ResourceCode.ENERGY, "energy"],
	["TOTAL_COIN_POWER_WEIGHT", ResourceCode.COIN_POWER, undefined],
] as const;

/**
 * Totals that aren't the sums over accounts of whole coins: own stakes, those lent in generation 1 where they are
 * received, those lent in generation 2 where they come from. True of chains that start under ALLOW_NEW_REWARD.
 */
export function wrongWeights(state: StateView): readonly string[] {
	const found: string[] = [];
	for (const [property, code, resource] of WEIGHTS) {
		let sum = 0n;
		for (const account of accounts(state)) {
			sum += ownStakeV1(account, code) / SUN_PER_COIN + weightV2(account, code);
			if (resource) sum += delegation(account, "acquired_delegated", "frozen", resource) / SUN_PER_COIN;
		}
		const total = state.properties.get(property);
		if (total !== sum) found.push(`${property} is ${total}, the accounts' stakes weigh ${sum}`);
	}
	return found;
}

/** Accounts whose lent or received stakes aren't the sums of the records of their pairs. */
export function wrongDelegations(state: StateView): readonly string[] {
	const sums = new Map<string, bigint>();
	const add = (key: string, amount: bigint) => sums.set(key, (sums.get(key) ?? 0n) + amount);
	for (const from of addresses) {
		for (const to of addresses) {
			const records = [
				["frozen", delegationKeyV1(from, to)],
				["frozenV2", delegationKeyV2(from, to, true)],
				["frozenV2", delegationKeyV2(from, to, false)],
			] as const;
			for (const [generation, key] of records) {
				const record = state.delegatedResource.get(key);
				if (!record) continue;
				for (const resource of ["bandwidth", "energy"] as const) {
					const amount = delegatedAmount(record, resource);
					add(`${nameOf(from)} delegated ${generation} ${resource}`, amount);
					add(`${nameOf(to)} acquired_delegated ${generation} ${resource}`, amount);
				}
			}
		}
	}
	const found: string[] = [];
	for (const account of accounts(state)) {
		for (const side of ["delegated", "acquired_delegated"] as const) {
			for (const generation of ["frozen", "frozenV2"] as const) {
				for (const resource of ["bandwidth", "energy"] as const) {
					const key = `${nameOf(account.address)} ${side} ${generation} ${resource}`;
					const amount = delegation(account, side, generation, resource);
					const sum = sums.get(key) ?? 0n;
					if (amount !== sum) found.push(`${key}: ${amount}, the records of its pairs say ${sum}`);
				}
			}
		}
	}
	return found;
}

/**
 * Witnesses whose votes aren't those of genesis and of the accounts.
 * @param genesisVotes what genesis gave, as long as nothing has taken it away
 */
export function wrongVotes(
	state: StateView,
	genesisVotes: (witness: Uint8Array) => bigint,
): readonly string[] {
	const cast = new Map<string, bigint>();
	const add = (witness: Uint8Array, count: bigint) => {
		const key = toKey(witness);
		cast.set(key, (cast.get(key) ?? 0n) + count);
	};
	for (const account of accounts(state)) {
		for (const vote of account.votes) add(vote.vote_address, vote.vote_count);
		const waiting = state.votes.get(account.address);
		for (const vote of waiting?.new_votes ?? []) add(vote.vote_address, -vote.vote_count);
		for (const vote of waiting?.old_votes ?? []) add(vote.vote_address, vote.vote_count);
	}
	return state.witness.values().flatMap(({ address, voteCount }) => {
		const expected = genesisVotes(address) + (cast.get(toKey(address)) ?? 0n);
		return voteCount === expected ? [] : [`${nameOf(address)} has ${voteCount} votes, was given ${expected}`];
	});
}
