/**
 * The dynamic properties: chain parameters and counters (protocol/consensus §8), one row each. Names are
 * neutral; the key on disk is the deployed spelling.
 */

import { be32, be64, readBe32, readBe64 } from "../../protocol/bytes.js";
import { type ContractType, operationsMask } from "../../protocol/contract-types.js";
import { toDeployed } from "../../protocol/dialect.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import type { ValueCodec } from "./definition.js";

/** How a value is stored: 8-byte integer, 4-byte integer, text, raw bytes. */
type PropertyEncoding = "long" | "int" | "text" | "bytes";

export type PropertyValue = bigint | number | string | Uint8Array;

/** What initial values may depend on: the chain's configuration. */
export interface PropertySeed {
	readonly genesisTimestampMs: bigint;
	readonly maintenanceIntervalMs: bigint;
	/** A `committee.*` key of the configuration, 0 when absent. */
	committee(key: string): bigint;
}

interface Row<E extends PropertyEncoding> {
	readonly encoding: E;
	/** The value written at first start. */
	readonly initial: (seed: PropertySeed) => PropertyValue;
	/** Not written at first start: `initial` applies until it is written. */
	readonly absent?: true;
	/** Key on disk, if not the deployed spelling of the name. */
	readonly key?: string;
}

const long = (value: bigint): Row<"long"> => ({ encoding: "long", initial: () => value });
const int = (value: number): Row<"int"> => ({ encoding: "int", initial: () => value });
const text = (value: string): Row<"text"> => ({ encoding: "text", initial: () => value });
const cfg = (key: string): Row<"long"> => ({ encoding: "long", initial: (seed) => seed.committee(key) });
const absent = <E extends PropertyEncoding>(row: Row<E>): Row<E> => ({ ...row, absent: true });
/** Operations allowed from genesis on; parameters add to both masks later. */
const mask = (...granted: readonly ContractType["granted"][]): Row<"bytes"> => ({
	encoding: "bytes",
	initial: () => operationsMask((type) => type.granted !== undefined && granted.includes(type.granted)),
});

const newRewardConfigured = (seed: PropertySeed): boolean =>
	["allowNewRewardAlgorithm", "allowNewReward", "allowTvmVote"].some((key) => seed.committee(key) === 1n);

const propertyTable = {
	latest_block_header_timestamp: long(0n),
	latest_block_header_number: long(0n),
	latest_block_header_hash: { encoding: "bytes", initial: () => new Uint8Array(1) } as Row<"bytes">,
	state_flag: int(0),
	LATEST_SOLIDIFIED_BLOCK_NUM: long(0n),
	LATEST_PROPOSAL_NUM: long(0n),
	LATEST_EXCHANGE_NUM: long(0n),
	BLOCK_FILLED_SLOTS: text("1".repeat(128)),
	BLOCK_FILLED_SLOTS_INDEX: int(0),
	NEXT_MAINTENANCE_TIME: { encoding: "long", initial: (seed) => seed.genesisTimestampMs } as Row<"long">,
	MAINTENANCE_TIME_INTERVAL: {
		encoding: "long",
		initial: (seed) => seed.maintenanceIntervalMs,
	} as Row<"long">,
	MAX_FROZEN_TIME: int(3),
	MIN_FROZEN_TIME: int(3),
	MAX_FROZEN_SUPPLY_NUMBER: int(10),
	MAX_FROZEN_SUPPLY_TIME: int(3652),
	MIN_FROZEN_SUPPLY_TIME: int(1),
	WITNESS_ALLOWANCE_FROZEN_TIME: int(1),
	ACCOUNT_UPGRADE_COST: long(9_999_000_000n),
	WITNESS_PAY_PER_BLOCK: long(32_000_000n),
	WITNESS_127_PAY_PER_BLOCK: absent(long(16_000_000n)),
	WITNESS_STANDBY_ALLOWANCE: long(115_200_000_000n),
	ENERGY_FEE: long(100n),
	MAX_CPU_TIME_OF_ONE_TX: long(50n),
	CREATE_ACCOUNT_FEE: long(100_000n),
	CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT: long(0n),
	CREATE_NEW_ACCOUNT_BANDWIDTH_RATE: long(1n),
	TRANSACTION_FEE: long(10n),
	ASSET_ISSUE_FEE: long(1_024_000_000n),
	UPDATE_ACCOUNT_PERMISSION_FEE: long(100_000_000n),
	MULTI_SIGN_FEE: long(1_000_000n),
	SHIELDED_TRANSACTION_FEE: long(100_000n),
	SHIELDED_TRANSACTION_CREATE_ACCOUNT_FEE: long(1_000_000n),
	TOTAL_SHIELDED_POOL_VALUE: long(0n),
	EXCHANGE_CREATE_FEE: long(1_024_000_000n),
	EXCHANGE_BALANCE_LIMIT: long(1_000_000_000_000_000n),
	TOTAL_TRANSACTION_COST: long(0n),
	TOTAL_CREATE_ACCOUNT_COST: long(0n),
	TOTAL_CREATE_WITNESS_FEE: long(0n),
	TOTAL_STORAGE_POOL: long(100_000_000_000_000n),
	TOTAL_STORAGE_TAX: long(0n),
	TOTAL_STORAGE_RESERVED: long(137_438_953_472n),
	STORAGE_EXCHANGE_TAX_RATE: long(10n),
	VERSION_NUMBER: int(0),
	REMOVE_THE_POWER_OF_THE_GR: long(0n),
	ALLOW_DELEGATE_RESOURCE: cfg("allowDelegateResource"),
	ALLOW_ADAPTIVE_ENERGY: cfg("allowAdaptiveEnergy"),
	ALLOW_UPDATE_ACCOUNT_NAME: long(0n),
	ALLOW_SAME_TOKEN_NAME: { ...cfg("allowSameTokenName"), key: " ALLOW_SAME_TOKEN_NAME" },
	ALLOW_CREATION_OF_CONTRACTS: cfg("allowCreationOfContracts"),
	TOTAL_SIGN_NUM: int(5),
	ALLOW_MULTI_SIGN: cfg("allowMultiSign"),
	TOKEN_ID_NUM: long(1_000_000n),
	TOKEN_UPDATE_DONE: long(0n),
	ABI_MOVE_DONE: long(0n),
	TURKISH_KEY_MIGRATION_DONE: absent(long(0n)),
	ALLOW_TVM_TRANSFER_ORC10: cfg("allowTvmTransferOrc10"),
	ALLOW_SHIELDED_TRANSACTION: cfg("allowShieldedTransaction"),
	ALLOW_SHIELDED_ORC20_TRANSACTION: cfg("allowShieldedORC20Transaction"),
	ALLOW_TVM_ISTANBUL: cfg("allowTvmIstanbul"),
	ALLOW_TVM_CONSTANTINOPLE: cfg("allowTvmConstantinople"),
	ALLOW_TVM_SOLIDITY_059: cfg("allowTvmSolidity059"),
	FORBID_TRANSFER_TO_CONTRACT: cfg("forbidTransferToContract"),
	ALLOW_PROTO_FILTER_NUM: cfg("allowProtoFilterNum"),
	AVAILABLE_CONTRACT_TYPE: mask("genesis", "permissions"),
	ACTIVE_DEFAULT_OPERATIONS: mask("genesis"),
	ALLOW_ACCOUNT_STATE_ROOT: cfg("allowAccountStateRoot"),
	CURRENT_CYCLE_NUMBER: absent(long(0n)),
	CHANGE_DELEGATION: cfg("changedDelegation"),
	ALLOW_PBFT: cfg("allowPBFT"),
	ALLOW_MARKET_TRANSACTION: cfg("allowMarketTransaction"),
	MARKET_SELL_FEE: long(0n),
	MARKET_CANCEL_FEE: long(0n),
	MARKET_QUANTITY_LIMIT: long(1_000_000_000_000_000n),
	ALLOW_TRANSACTION_FEE_POOL: cfg("allowTransactionFeePool"),
	TRANSACTION_FEE_POOL: long(0n),
	MAX_FEE_LIMIT: long(1_000_000_000n),
	BURN_COIN_AMOUNT: long(0n),
	ALLOW_BLACKHOLE_OPTIMIZATION: cfg("allowBlackHoleOptimization"),
	ALLOW_NEW_RESOURCE_MODEL: cfg("allowNewResourceModel"),
	ALLOW_TVM_FREEZE: cfg("allowTvmFreeze"),
	ALLOW_TVM_VOTE: cfg("allowTvmVote"),
	ALLOW_TVM_LONDON: cfg("allowTvmLondon"),
	ALLOW_TVM_COMPATIBLE_EVM: cfg("allowTvmCompatibleEvm"),
	NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE: {
		encoding: "long",
		initial: (seed) => (newRewardConfigured(seed) ? 0n : MAX_INT64),
	} as Row<"long">,
	ALLOW_ACCOUNT_ASSET_OPTIMIZATION: cfg("allowAccountAssetOptimization"),
	ALLOW_ASSET_OPTIMIZATION: cfg("allowAssetOptimization"),
	ENERGY_PRICE_HISTORY: text("0:100"),
	ENERGY_PRICE_HISTORY_DONE: long(0n),
	BANDWIDTH_PRICE_HISTORY: text("0:10"),
	BANDWIDTH_PRICE_HISTORY_DONE: long(0n),
	SET_BLACKHOLE_ACCOUNT_PERMISSION: long(0n),
	ALLOW_HIGHER_LIMIT_FOR_MAX_CPU_TIME_OF_ONE_TX: cfg("allowHigherLimitForMaxCpuTimeOfOneTx"),
	ALLOW_NEW_REWARD: cfg("allowNewReward"),
	MEMO_FEE: cfg("memoFee"),
	MEMO_FEE_HISTORY: { encoding: "text", initial: (seed) => `0:${seed.committee("memoFee")}` } as Row<"text">,
	ALLOW_DELEGATE_OPTIMIZATION: cfg("allowDelegateOptimization"),
	UNFREEZE_DELAY_DAYS: cfg("unfreezeDelayDays"),
	ALLOW_OPTIMIZED_RETURN_VALUE_OF_CHAIN_ID: cfg("allowOptimizedReturnValueOfChainId"),
	ALLOW_DYNAMIC_ENERGY: cfg("allowDynamicEnergy"),
	DYNAMIC_ENERGY_THRESHOLD: cfg("dynamicEnergyThreshold"),
	DYNAMIC_ENERGY_INCREASE_FACTOR: cfg("dynamicEnergyIncreaseFactor"),
	DYNAMIC_ENERGY_MAX_FACTOR: cfg("dynamicEnergyMaxFactor"),
	ALLOW_TVM_SHANGHAI: absent(cfg("allowTvmShangHai")),
	ALLOW_OLD_REWARD_OPT: absent(cfg("allowOldRewardOpt")),
	ALLOW_ENERGY_ADJUSTMENT: absent(cfg("allowEnergyAdjustment")),
	ALLOW_STRICT_MATH: absent(cfg("allowStrictMath")),
	CONSENSUS_LOGIC_OPTIMIZATION: absent(cfg("consensusLogicOptimization")),
	ALLOW_TVM_CANCUN: absent(cfg("allowTvmCancun")),
	ALLOW_TVM_BLOB: absent(cfg("allowTvmBlob")),
	ALLOW_CANCEL_ALL_UNFREEZE_V2: absent(long(0n)),
	MAX_DELEGATE_LOCK_PERIOD: absent(long(86_400n)),
	MAX_CREATE_ACCOUNT_TX_SIZE: absent(long(1_000n)),
	PROPOSAL_EXPIRE_TIME: absent(long(0n)),
	ALLOW_TVM_SELFDESTRUCT_RESTRICTION: absent(long(0n)),
	ALLOW_TVM_PRAGUE: absent(long(0n)),
	BLOCK_HASH_HISTORY_INSTALLED: absent(long(0n)),
	ALLOW_TVM_OSAKA: absent(long(0n)),
	ALLOW_HARDEN_RESOURCE_CALCULATION: absent(long(0n)),
	ALLOW_HARDEN_EXCHANGE_CALCULATION: absent(long(0n)),
	ALLOW_OPTIMIZE_TVM_STORAGE: absent(long(0n)),
	ALLOW_FN_DSA_512: absent(cfg("allowFnDsa512")),
	ALLOW_ML_DSA_44: absent(cfg("allowMlDsa44")),
	ONE_DAY_NET_LIMIT: long(57_600_000_000n),
	PUBLIC_NET_USAGE: long(0n),
	PUBLIC_NET_LIMIT: long(14_400_000_000n),
	PUBLIC_NET_TIME: long(0n),
	FREE_NET_LIMIT: long(5_000n),
	TOTAL_NET_WEIGHT: long(0n),
	TOTAL_NET_LIMIT: long(43_200_000_000n),
	TOTAL_ENERGY_WEIGHT: long(0n),
	TOTAL_COIN_POWER_WEIGHT: long(0n),
	TOTAL_ENERGY_LIMIT: long(50_000_000_000n),
	TOTAL_ENERGY_CURRENT_LIMIT: long(50_000_000_000n),
	TOTAL_ENERGY_TARGET_LIMIT: long(50_000_000_000n / 14_400n),
	TOTAL_ENERGY_AVERAGE_USAGE: long(0n),
	TOTAL_ENERGY_AVERAGE_TIME: long(0n),
	BLOCK_ENERGY_USAGE: long(0n),
	ADAPTIVE_RESOURCE_LIMIT_MULTIPLIER: long(1_000n),
	ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO: long(14_400n),
} as const satisfies Record<string, Row<PropertyEncoding>>;

export type PropertyName = keyof typeof propertyTable;

interface ValueOf {
	long: bigint;
	int: number;
	text: string;
	bytes: Uint8Array;
}

/** Type of a property's value. */
export type PropertyType<N extends PropertyName> = ValueOf[(typeof propertyTable)[N]["encoding"]];

/** Names of the properties of one encoding. */
export type PropertyOf<E extends PropertyEncoding> = {
	[N in PropertyName]: (typeof propertyTable)[N]["encoding"] extends E ? N : never;
}[PropertyName];

/** A row without its literal types. */
export function propertyRow(name: PropertyName): Row<PropertyEncoding> {
	return propertyTable[name];
}

/** The key on disk. */
export function propertyKey(name: PropertyName): string {
	return propertyRow(name).key ?? toDeployed(name);
}

export const propertyNames = Object.keys(propertyTable) as readonly PropertyName[];

const encodingByKey = new Map<string, PropertyEncoding>(
	propertyNames.map((name) => [propertyKey(name), propertyRow(name).encoding]),
);

/** The encoding of a key on disk; undefined for a key outside the table. */
export function propertyEncoding(key: string): PropertyEncoding | undefined {
	return encodingByKey.get(key);
}

/** Values by the encoding of their row; keys outside the table (`FORK_VERSION_<v>`) hold raw bytes. */
export const propertyCodec: ValueCodec<PropertyValue> = {
	encode(value) {
		switch (typeof value) {
			case "bigint":
				return be64(value);
			case "number":
				return be32(value);
			case "string":
				return Buffer.from(value, "utf8");
			default:
				return value;
		}
	},
	decode(bytes, key) {
		switch (encodingByKey.get(key)) {
			case "long":
				return readBe64(bytes);
			case "int":
				return readBe32(bytes);
			case "text":
				return Buffer.from(bytes).toString("utf8");
			default:
				return bytes;
		}
	},
};
