/**
 * `committee.*`: the values that chain parameters take where the state has none (protocol/configuration §1.10, protocol/consensus §5.3).
 */

import { COMMITTEE_RULES, type CommitteeKey, type CommitteeRule } from "./committee-rules.js";
import type { Settings } from "./settings.js";

export type { CommitteeKey } from "./committee-rules.js";

/** Every key with its value, defaults filled in. */
export type CommitteeConfig = Readonly<Record<CommitteeKey, bigint>>;

export const COMMITTEE_KEYS = Object.keys(COMMITTEE_RULES) as readonly CommitteeKey[];

/** Reads `committee`. @throws {ConfigError} */
export function readCommittee(settings: Settings): CommitteeConfig {
	const values = {} as Record<CommitteeKey, bigint>;
	for (const key of COMMITTEE_KEYS) {
		const rule: CommitteeRule = COMMITTEE_RULES[key];
		let value = settings.get(`committee.${key}`);
		if (rule.min !== undefined && value < rule.min) value = rule.min;
		if (rule.max !== undefined && value > rule.max) value = rule.max;
		values[key] = value;
	}
	if (
		values.allowOldRewardOpt === 1n &&
		values.allowNewRewardAlgorithm !== 1n &&
		values.allowNewReward !== 1n &&
		values.allowTvmVote !== 1n
	) {
		throw settings.refuse(
			"committee.allowOldRewardOpt",
			"= 1: At least one of the following proposals is required to be opened first: " +
				"committee.allowNewRewardAlgorithm = 1 or committee.allowNewReward = 1 or committee.allowTvmVote = 1.",
		);
	}
	return values;
}
