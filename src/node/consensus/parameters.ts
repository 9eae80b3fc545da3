/**
 * The chain parameters (protocol/parameters §3), one row each, in the order of `getchainparameters`.
 * Proposals, their checks and effects, and that list are all derived from this table.
 */

import { toNeutral } from "../../protocol/dialect.js";
import type { ChainRules, NetworkName } from "../rules/chain-rules.js";
import { isFrom, type Release } from "../rules/release.js";
import type { PropertyOf } from "../state/property-table.js";
import type { StateView } from "../state/view.js";
import * as check from "./parameter-checks.js";
import {
	amount,
	bit,
	type Check,
	gate,
	need,
	notDone,
	one,
	range,
	supply,
	zeroOrOne,
} from "./parameter-checks.js";
import * as effect from "./parameter-effects.js";
import { allowTypesOf, type Effect, ifZero, recordPrice, store, storeAnd } from "./parameter-effects.js";

type Report = (stored: bigint, rules: Pick<ChainRules, "proposalExpireMs">) => bigint;

interface ChainParameter {
	/** Its number in proposals; undefined for one that is only reported. */
	readonly id?: bigint;
	/** Name in messages. */
	readonly name: string;
	/** Name in `getchainparameters`. */
	readonly getter: string;
	readonly property: PropertyOf<"long">;
	/** Computes the reported value from the stored one. */
	readonly report: Report;
	/** The first release whose `getchainparameters` lists it; undefined: all releases. */
	readonly listedFrom: ListedFrom | undefined;
	/** In the network's order: the first failing check determines the message. */
	readonly checks: readonly Check[];
	readonly apply: Effect;
}

/**
 * The first release that lists a parameter. `once set`: no release lists it, but its chain may set it. `open
 * pool`: likewise, but a development chain lists it if its own shielded pool is open.
 */
type ListedFrom = Release | "once set" | "open pool";

interface Special {
	/** Name in messages, if it differs from the property. */
	readonly name?: string;
	readonly apply?: Effect;
	readonly report?: Report;
	readonly listedFrom?: ListedFrom;
}

const asStored: Report = (stored) => stored;

const row = (
	id: number,
	property: PropertyOf<"long">,
	getter: string,
	checks: readonly Check[],
	{ name = property, apply = store, report = asStored, listedFrom }: Special = {},
): ChainParameter => ({ id: BigInt(id), name, getter, property, report, listedFrom, checks, apply });

const reported = (property: PropertyOf<"long">, getter: string, listedFrom?: ListedFrom): ChainParameter => ({
	name: property,
	getter,
	property,
	report: asStored,
	listedFrom,
	checks: [],
	apply: store,
});

const MIN_INTERVAL_MS = 81_000n;
const MAX_INTERVAL_MS = 86_400_000n;

/** Upper limit of a proposal's lifetime, in milliseconds: just under a year and three seconds. */
const LONGEST_LIFE_MS = 31_536_002_999n;

const proposalLife = range(
	1n,
	LONGEST_LIFE_MS,
	"This value[NAME] is only allowed to be greater than 0 and less than 31536003000!",
);

/**
 * Lifetime of a new proposal, in milliseconds: #92, or the node's configured value while nothing is stored.
 * @param stored PROPOSAL_EXPIRE_TIME
 */
export function proposalLifeMs(
	stored: bigint,
	{ proposalExpireMs }: Pick<ChainRules, "proposalExpireMs">,
): bigint {
	return stored > 0n && stored <= LONGEST_LIFE_MS ? stored : proposalExpireMs;
}

export const chainParameters: readonly ChainParameter[] = [
	row(0, "MAINTENANCE_TIME_INTERVAL", "getMaintenanceTimeInterval", [
		range(
			MIN_INTERVAL_MS,
			MAX_INTERVAL_MS,
			"Bad chain parameter value, valid range is [3 * 27 * 1000,24 * 3600 * 1000]",
		),
	]),
	row(1, "ACCOUNT_UPGRADE_COST", "getAccountUpgradeCost", [amount]),
	row(2, "CREATE_ACCOUNT_FEE", "getCreateAccountFee", [amount]),
	row(3, "TRANSACTION_FEE", "getTransactionFee", [amount], {
		apply: storeAnd(recordPrice("BANDWIDTH_PRICE_HISTORY")),
	}),
	row(4, "ASSET_ISSUE_FEE", "getAssetIssueFee", [amount]),
	row(5, "WITNESS_PAY_PER_BLOCK", "getWitnessPayPerBlock", [amount]),
	row(6, "WITNESS_STANDBY_ALLOWANCE", "getWitnessStandbyAllowance", [amount]),
	row(7, "CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT", "getCreateNewAccountFeeInSystemContract", [amount]),
	row(8, "CREATE_NEW_ACCOUNT_BANDWIDTH_RATE", "getCreateNewAccountBandwidthRate", [amount]),
	row(9, "ALLOW_CREATION_OF_CONTRACTS", "getAllowCreationOfContracts", [one]),
	row(10, "REMOVE_THE_POWER_OF_THE_GR", "getRemoveThePowerOfTheGr", [check.neverExecuted, one], {
		apply: ifZero(store),
	}),
	row(11, "ENERGY_FEE", "getEnergyFee", [], { apply: storeAnd(recordPrice("ENERGY_PRICE_HISTORY")) }),
	row(12, "EXCHANGE_CREATE_FEE", "getExchangeCreateFee", []),
	row(13, "MAX_CPU_TIME_OF_ONE_TX", "getMaxCpuTimeOfOneTx", [check.cpuTime]),
	row(14, "ALLOW_UPDATE_ACCOUNT_NAME", "getAllowUpdateAccountName", [one]),
	row(15, "ALLOW_SAME_TOKEN_NAME", "getAllowSameTokenName", [one]),
	row(16, "ALLOW_DELEGATE_RESOURCE", "getAllowDelegateResource", [one]),
	row(17, "TOTAL_ENERGY_LIMIT", "getTotalEnergyLimit", [check.gateBetween(5, 6), amount], {
		apply: effect.totalEnergyLimit,
	}),
	row(18, "ALLOW_TVM_TRANSFER_ORC10", "getAllowTvmTransferOrc10", [one, need("ALLOW_SAME_TOKEN_NAME")]),
	row(19, "TOTAL_ENERGY_CURRENT_LIMIT", "getTotalEnergyCurrentLimit", [gate(6), amount], {
		name: "TOTAL_CURRENT_ENERGY_LIMIT",
		apply: effect.totalCurrentEnergyLimit,
	}),
	row(20, "ALLOW_MULTI_SIGN", "getAllowMultiSign", [gate(7), one], { apply: ifZero(store) }),
	row(21, "ALLOW_ADAPTIVE_ENERGY", "getAllowAdaptiveEnergy", [gate(7), one], {
		apply: ifZero(storeAnd(effect.adaptiveStart)),
	}),
	reported("TOTAL_ENERGY_TARGET_LIMIT", "getTotalEnergyTargetLimit"),
	reported("TOTAL_ENERGY_AVERAGE_USAGE", "getTotalEnergyAverageUsage"),
	row(22, "UPDATE_ACCOUNT_PERMISSION_FEE", "getUpdateAccountPermissionFee", [gate(7), supply]),
	row(23, "MULTI_SIGN_FEE", "getMultiSignFee", [gate(7), supply]),
	row(25, "ALLOW_ACCOUNT_STATE_ROOT", "getAllowAccountStateRoot", [gate(8), bit]),
	row(24, "ALLOW_PROTO_FILTER_NUM", "getAllowProtoFilterNum", [gate(8), bit]),
	row(
		26,
		"ALLOW_TVM_CONSTANTINOPLE",
		"getAllowTvmConstantinople",
		[gate(8), one, need("ALLOW_TVM_TRANSFER_ORC10")],
		{ apply: storeAnd(allowTypesOf(26)) },
	),
	row(32, "ALLOW_TVM_SOLIDITY_059", "getAllowTvmSolidity059", [
		gate(9),
		one,
		need("ALLOW_CREATION_OF_CONTRACTS"),
	]),
	row(41, "ALLOW_TVM_ISTANBUL", "getAllowTvmIstanbul", [gate(19), one]),
	row(39, "ALLOW_SHIELDED_ORC20_TRANSACTION", "getAllowShieldedORC20Transaction", [gate(17), bit]),
	row(35, "FORBID_TRANSFER_TO_CONTRACT", "getForbidTransferToContract", [
		gate(10),
		one,
		need("ALLOW_CREATION_OF_CONTRACTS"),
	]),
	row(
		33,
		"ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO",
		"getAdaptiveResourceLimitTargetRatio",
		[gate(9), range(1n, 1_000n, "Bad chain parameter value, valid range is [1,1_000]")],
		{ apply: effect.targetRatio, report: (stored) => stored / effect.TARGET_RATIO_UNIT },
	),
	row(29, "ADAPTIVE_RESOURCE_LIMIT_MULTIPLIER", "getAdaptiveResourceLimitMultiplier", [
		gate(9),
		range(1n, 10_000n, "Bad chain parameter value, valid range is [1,10_000]"),
	]),
	row(30, "CHANGE_DELEGATION", "getChangeDelegation", [gate(9), bit], {
		name: "ALLOW_CHANGE_DELEGATION",
		apply: storeAnd(allowTypesOf(30)),
	}),
	row(31, "WITNESS_127_PAY_PER_BLOCK", "getWitness127PayPerBlock", [gate(9), amount]),
	row(44, "ALLOW_MARKET_TRANSACTION", "getAllowMarketTransaction", [check.gateBetween(19, "4.8.1"), one], {
		apply: ifZero(storeAnd(allowTypesOf(44))),
	}),
	row(45, "MARKET_SELL_FEE", "getMarketSellFee", [
		gate(19),
		check.marketOn("Market Sell Fee"),
		check.marketFee,
	]),
	row(46, "MARKET_CANCEL_FEE", "getMarketCancelFee", [
		gate(19),
		check.marketOn("Market Cancel Fee"),
		check.marketFee,
	]),
	row(40, "ALLOW_PBFT", "getAllowPBFT", [gate(19), one]),
	row(48, "ALLOW_TRANSACTION_FEE_POOL", "getAllowTransactionFeePool", [gate(20), bit]),
	row(47, "MAX_FEE_LIMIT", "getMaxFeeLimit", [gate(20), check.feeLimit]),
	row(49, "ALLOW_BLACKHOLE_OPTIMIZATION", "getAllowOptimizeBlackHole", [gate(20), bit], {
		name: "ALLOW_REMOVE_BLACKHOLE",
	}),
	row(51, "ALLOW_NEW_RESOURCE_MODEL", "getAllowNewResourceModel", [gate(21), one]),
	row(52, "ALLOW_TVM_FREEZE", "getAllowTvmFreeze", [
		gate(21),
		one,
		need("ALLOW_DELEGATE_RESOURCE"),
		need("ALLOW_MULTI_SIGN"),
		need("ALLOW_TVM_CONSTANTINOPLE"),
		need("ALLOW_TVM_SOLIDITY_059"),
	]),
	row(
		59,
		"ALLOW_TVM_VOTE",
		"getAllowTvmVote",
		[gate(22), one, need("CHANGE_DELEGATION", "ALLOW_CHANGE_DELEGATION")],
		{ apply: storeAnd(effect.newRewardFromNextCycle) },
	),
	row(63, "ALLOW_TVM_LONDON", "getAllowTvmLondon", [gate(23), one]),
	row(60, "ALLOW_TVM_COMPATIBLE_EVM", "getAllowTvmCompatibleEvm", [gate(23), one]),
	row(53, "ALLOW_ACCOUNT_ASSET_OPTIMIZATION", "getAllowAccountAssetOptimization", [gate(22), one]),
	row(61, "FREE_NET_LIMIT", "getFreeNetLimit", [
		gate(22),
		range(0n, 100_000n, "Bad chain parameter value, valid range is [0,100_000]"),
	]),
	row(62, "TOTAL_NET_LIMIT", "getTotalNetLimit", [
		gate(22),
		range(0n, 1_000_000_000_000n, "Bad chain parameter value, valid range is [0, 1_000_000_000_000L]"),
	]),
	row(65, "ALLOW_HIGHER_LIMIT_FOR_MAX_CPU_TIME_OF_ONE_TX", "getAllowHigherLimitForMaxCpuTimeOfOneTx", [
		gate(24),
		one,
	]),
	row(66, "ALLOW_ASSET_OPTIMIZATION", "getAllowAssetOptimization", [gate(24), one]),
	row(67, "ALLOW_NEW_REWARD", "getAllowNewReward", [gate(25), check.newRewardNotDone, one], {
		apply: storeAnd(effect.newRewardFromNextCycle),
	}),
	row(
		68,
		"MEMO_FEE",
		"getMemoFee",
		[
			gate(25),
			range(0n, 1_000_000_000n, "This value[NAME] is only allowed to be in the range 0-1000_000_000"),
		],
		{ apply: storeAnd(recordPrice("MEMO_FEE_HISTORY")) },
	),
	row(69, "ALLOW_DELEGATE_OPTIMIZATION", "getAllowDelegateOptimization", [gate(25), one]),
	row(
		70,
		"UNFREEZE_DELAY_DAYS",
		"getUnfreezeDelayDays",
		[gate(26), range(1n, 365n, "This value[NAME] is only allowed to be in the range 1-365")],
		{ apply: storeAnd(allowTypesOf(70)) },
	),
	row(71, "ALLOW_OPTIMIZED_RETURN_VALUE_OF_CHAIN_ID", "getAllowOptimizedReturnValueOfChainId", [
		gate(26),
		one,
	]),
	row(72, "ALLOW_DYNAMIC_ENERGY", "getAllowDynamicEnergy", [
		gate(26),
		range(0n, 1n, "This value[NAME] is only allowed to be in the range 0-1"),
		check.delegationForOpening,
	]),
	row(73, "DYNAMIC_ENERGY_THRESHOLD", "getDynamicEnergyThreshold", [gate(26), amount]),
	row(74, "DYNAMIC_ENERGY_INCREASE_FACTOR", "getDynamicEnergyIncreaseFactor", [
		gate(26),
		range(0n, 10_000n, "This value[NAME] is only allowed to be in the range 0-10000"),
	]),
	row(75, "DYNAMIC_ENERGY_MAX_FACTOR", "getDynamicEnergyMaxFactor", [
		gate(26),
		range(0n, 100_000n, "This value[NAME] is only allowed to be in the range 0-100000"),
	]),
	row(76, "ALLOW_TVM_SHANGHAI", "getAllowTvmShangHai", [gate(28), one]),
	row(
		77,
		"ALLOW_CANCEL_ALL_UNFREEZE_V2",
		"getAllowCancelAllUnfreezeV2",
		[gate(28), one, need("UNFREEZE_DELAY_DAYS")],
		{ apply: ifZero(storeAnd(allowTypesOf(77))) },
	),
	row(78, "MAX_DELEGATE_LOCK_PERIOD", "getMaxDelegateLockPeriod", [
		gate(28),
		check.longerLock,
		need("UNFREEZE_DELAY_DAYS"),
	]),
	row(79, "ALLOW_OLD_REWARD_OPT", "getAllowOldRewardOpt", [gate(29), notDone, one, check.newRewardAlgorithm]),
	row(81, "ALLOW_ENERGY_ADJUSTMENT", "getAllowEnergyAdjustment", [gate(30), notDone, one]),
	row(82, "MAX_CREATE_ACCOUNT_TX_SIZE", "getMaxCreateAccountTxSize", [
		gate(30),
		range(
			500n,
			10_000n,
			"This value[NAME] is only allowed to be greater than or equal to 500 and less than or equal to 10000!",
		),
	]),
	row(87, "ALLOW_STRICT_MATH", "getAllowStrictMath", [gate(31), notDone, one]),
	row(88, "CONSENSUS_LOGIC_OPTIMIZATION", "getConsensusLogicOptimization", [gate(32), notDone, one]),
	row(83, "ALLOW_TVM_CANCUN", "getAllowTvmCancun", [gate(32), notDone, one]),
	row(89, "ALLOW_TVM_BLOB", "getAllowTvmBlob", [gate(32), notDone, one]),
	row(
		94,
		"ALLOW_TVM_SELFDESTRUCT_RESTRICTION",
		"getAllowTvmSelfdestructRestriction",
		[gate("4.8.1"), notDone, one],
		{ listedFrom: "4.8.1" },
	),
	row(92, "PROPOSAL_EXPIRE_TIME", "getProposalExpireTime", [gate("4.8.1"), proposalLife], {
		report: (stored, rules) => proposalLifeMs(stored, rules),
		listedFrom: "4.8.1",
	}),
	row(96, "ALLOW_TVM_OSAKA", "getAllowTvmOsaka", [gate("4.8.2"), notDone, one], { listedFrom: "4.8.2" }),
	row(
		95,
		"ALLOW_TVM_PRAGUE",
		"getAllowTvmPrague",
		[gate("4.8.2"), check.enacted("ALLOW_TVM_SHANGHAI"), notDone, one],
		{ apply: storeAnd(effect.keepBlockHashes), listedFrom: "4.8.2" },
	),
	row(
		97,
		"ALLOW_HARDEN_RESOURCE_CALCULATION",
		"getAllowHardenResourceCalculation",
		[gate("4.8.2"), notDone, one],
		{ listedFrom: "4.8.2" },
	),
	row(
		98,
		"ALLOW_HARDEN_EXCHANGE_CALCULATION",
		"getAllowHardenExchangeCalculation",
		[gate("4.8.2"), zeroOrOne, check.change],
		{ listedFrom: "4.8.2" },
	),
	row(99, "ALLOW_OPTIMIZE_TVM_STORAGE", "getAllowOptimizeTvmStorage", [gate("4.8.2.3"), notDone, one], {
		listedFrom: "once set",
	}),
	// What wallets need to know about the chain's own shielded pool (protocol/shielded §2.1).
	reported("ALLOW_SHIELDED_TRANSACTION", "getAllowShieldedTransaction", "open pool"),
	reported("SHIELDED_TRANSACTION_FEE", "getShieldedTransactionFee", "open pool"),
	reported("SHIELDED_TRANSACTION_CREATE_ACCOUNT_FEE", "getShieldedTransactionCreateAccountFee", "open pool"),
];

/** Additional parameters of the Nile test network, and replacements under the same number (protocol/parameters §3.1). */
const nileParameters: readonly ChainParameter[] = [
	row(44, "ALLOW_MARKET_TRANSACTION", "getAllowMarketTransaction", [check.closable("4.8.1", gate(19))], {
		apply: effect.closeMarket,
	}),
	row(1000, "ALLOW_FN_DSA_512", "getAllowFnDsa512", [gate("4.8.2_PQ1"), zeroOrOne, check.change], {
		listedFrom: "4.8.2",
	}),
	row(1001, "ALLOW_ML_DSA_44", "getAllowMlDsa44", [gate("4.8.2_PQ1"), zeroOrOne, check.change], {
		listedFrom: "4.8.2",
	}),
];

const withId = (rows: readonly ChainParameter[]): readonly (readonly [bigint, ChainParameter])[] =>
	rows.flatMap((parameter) => (parameter.id === undefined ? [] : [[parameter.id, parameter]]));

const byId: Readonly<Record<NetworkName, ReadonlyMap<bigint, ChainParameter>>> = {
	main: new Map(withId(chainParameters)),
	nile: new Map(withId([...chainParameters.filter(({ id }) => id !== 99n), ...nileParameters])),
};

/** The parameter with this number in a network's proposals; undefined if there is none. */
export function chainParameter(id: bigint, network: NetworkName = "main"): ChainParameter | undefined {
	return byId[network].get(id);
}

/**
 * Finds a parameter by user input: its number, or any of its names in any case and either spelling, with or
 * without `get`; undefined if there is none.
 * @param network whose parameters count; absent: those of every network
 */
export function chainParameterNamed(text: string, network: NetworkName = "nile"): ChainParameter | undefined {
	const wanted = toNeutral(text.trim()).toLowerCase();
	const known = network === "main" ? chainParameters : [...chainParameters, ...nileParameters];
	return known.find(
		({ id, name, getter, property }) =>
			id?.toString() === wanted ||
			[name, getter, property, getter.replace(/^get/, "")].some((known) => known.toLowerCase() === wanted),
	);
}

/**
 * Why no chain would accept a value, whatever its state, in the network's words; undefined if some chain
 * might. Checks that read chain state are left to the nodes.
 */
export function valueRefusal({ name, checks }: ChainParameter, value: bigint): string | undefined {
	for (const test of checks) {
		const refusal = check.isRange(test) ? test.refuse(name, value) : undefined;
		if (refusal !== undefined) return refusal;
	}
	return undefined;
}

/** Whether the node's release knows a parameter. */
export function isKnownTo({ release }: Pick<ChainRules, "release">, { listedFrom }: ChainParameter): boolean {
	if (listedFrom === "once set" || listedFrom === "open pool") return false;
	return isFrom(release, listedFrom);
}

/** The contents of `getchainparameters`, in its order: the parameters known to the node's release. */
export function reportChainParameters(
	state: StateView,
	rules: Pick<ChainRules, "release" | "network" | "proposalExpireMs" | "development">,
): readonly { readonly key: string; readonly value: bigint }[] {
	const isListed = (parameter: ChainParameter): boolean =>
		isKnownTo(rules, parameter) ||
		(parameter.listedFrom === "once set" && state.properties.isWritten(parameter.property)) ||
		(parameter.listedFrom === "open pool" &&
			rules.development !== undefined &&
			state.properties.on("ALLOW_SHIELDED_TRANSACTION"));
	const added =
		rules.network === "nile" ? nileParameters.filter(({ id }) => !byId.main.has(id as bigint)) : [];
	return [...chainParameters, ...added].filter(isListed).map(({ getter, property, report }) => ({
		key: getter,
		value: report(state.properties.get(property), rules),
	}));
}
