/** `committee.*`: initial chain parameters (protocol/configuration §1.10, protocol/consensus §5.3). */

import type { Settings } from "./settings.js";

interface CommitteeRule {
	readonly absent: bigint;
	/** Values outside the range are clamped. */
	readonly min?: bigint;
	readonly max?: bigint;
}

const SWITCH: CommitteeRule = { absent: 0n };
const BIT: CommitteeRule = { absent: 0n, min: 0n, max: 1n };

export const COMMITTEE_RULES = {
	allowCreationOfContracts: SWITCH,
	allowMultiSign: SWITCH,
	allowAdaptiveEnergy: SWITCH,
	allowDelegateResource: SWITCH,
	allowSameTokenName: SWITCH,
	allowTvmTransferOrc10: SWITCH,
	allowTvmConstantinople: SWITCH,
	allowTvmSolidity059: SWITCH,
	forbidTransferToContract: SWITCH,
	/** Ours: no proposal can enable the pool, only the initial parameters (protocol/shielded §2.1). */
	allowShieldedTransaction: BIT,
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
	allowFnDsa512: BIT,
	allowMlDsa44: BIT,
	allowTvmBlob: SWITCH,
} as const satisfies Record<string, CommitteeRule>;

export type CommitteeKey = keyof typeof COMMITTEE_RULES;

/** All keys with values, defaults filled in. */
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
