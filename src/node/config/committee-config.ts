/**
 * `committee.*`: the values that chain parameters take where the state has none (protocol/configuration §1.10, protocol/consensus §5.3).
 */

import type { Section } from "./section.js";

interface Rule {
	readonly absent: bigint;
	/** A value outside is brought to the nearer end. */
	readonly min?: bigint;
	readonly max?: bigint;
}

const SWITCH: Rule = { absent: 0n };
const BIT: Rule = { absent: 0n, min: 0n, max: 1n };

const RULES = {
	allowCreationOfContracts: SWITCH,
	allowMultiSign: SWITCH,
	allowAdaptiveEnergy: SWITCH,
	allowDelegateResource: SWITCH,
	allowSameTokenName: SWITCH,
	allowTvmTransferOrc10: SWITCH,
	allowTvmConstantinople: SWITCH,
	allowTvmSolidity059: SWITCH,
	forbidTransferToContract: SWITCH,
	allowShieldedORC20Transaction: SWITCH,
	allowMarketTransaction: SWITCH,
	allowTransactionFeePool: SWITCH,
	allowBlackHoleOptimization: SWITCH,
	allowNewResourceModel: SWITCH,
	allowTvmIstanbul: SWITCH,
	allowProtoFilterNum: SWITCH,
	allowAccountStateRoot: SWITCH,
	changedDelegation: SWITCH,
	allowPBFT: SWITCH,
	pBFTExpireNum: { absent: 20n },
	allowTvmFreeze: SWITCH,
	allowTvmVote: SWITCH,
	allowTvmLondon: SWITCH,
	allowTvmCompatibleEvm: SWITCH,
	allowHigherLimitForMaxCpuTimeOfOneTx: SWITCH,
	allowNewRewardAlgorithm: SWITCH,
	allowOptimizedReturnValueOfChainId: SWITCH,
	allowAccountAssetOptimization: SWITCH,
	allowAssetOptimization: SWITCH,
	allowNewReward: BIT,
	memoFee: { absent: 0n, min: 0n, max: 1_000_000_000n },
	allowDelegateOptimization: BIT,
	unfreezeDelayDays: { absent: 0n, min: 0n, max: 365n },
	allowDynamicEnergy: BIT,
	dynamicEnergyThreshold: { absent: 0n, min: 0n, max: 100_000_000_000_000_000n },
	dynamicEnergyIncreaseFactor: { absent: 0n, min: 0n, max: 10_000n },
	dynamicEnergyMaxFactor: { absent: 0n, min: 0n, max: 100_000n },
	allowTvmShangHai: SWITCH,
	allowOldRewardOpt: SWITCH,
	allowEnergyAdjustment: SWITCH,
	allowStrictMath: SWITCH,
	consensusLogicOptimization: SWITCH,
	allowTvmCancun: SWITCH,
	allowTvmBlob: SWITCH,
} as const satisfies Record<string, Rule>;

export type CommitteeKey = keyof typeof RULES;

/** Every key with its value, defaults filled in. */
export type CommitteeConfig = Readonly<Record<CommitteeKey, bigint>>;

export const COMMITTEE_KEYS = Object.keys(RULES) as readonly CommitteeKey[];

/** Reads `committee`. @throws {ConfigError} */
export function readCommittee(root: Section): CommitteeConfig {
	const section = root.section("committee");
	const values = {} as Record<CommitteeKey, bigint>;
	for (const key of COMMITTEE_KEYS) {
		const rule: Rule = RULES[key];
		let value = section.long(key, rule.absent);
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
		throw section.refuse(
			"allowOldRewardOpt",
			"= 1: At least one of the following proposals is required to be opened first: " +
				"committee.allowNewRewardAlgorithm = 1 or committee.allowNewReward = 1 or committee.allowTvmVote = 1.",
		);
	}
	return values;
}
