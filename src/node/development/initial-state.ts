/** Initial state of a development chain: every network rule enabled, and prices (protocol/development-chain §2). */

import { contractTypes } from "../../protocol/contract-types.js";
import { OperatorError } from "../../protocol/operator-error.js";
import type { CommitteeKey } from "../config/config.js";
import { chainParameterNamed } from "../consensus/parameters.js";
import type { NetworkName } from "../rules/chain-rules.js";
import { forkTable } from "../rules/fork-gates.js";
import type { PropertyOf } from "../state/property-table.js";
import type { StateView } from "../state/view.js";
import { installBlockHashHistory } from "../vm/block-hash-history.js";

/** Prices of a new chain, or those of the main network. */
export type Economy = "genesis" | "main";

/**
 * Switches that stay off, or aren't switches. With allowNewResourceModel votes need a separate stake, and
 * clients that only know stakes for bandwidth and energy can't vote.
 */
const NOT_SWITCHED_ON: ReadonlySet<string> = new Set([
	"allowNewResourceModel",
	"allowAdaptiveEnergy",
	"allowPBFT",
	"pBFTExpireNum",
	"forbidTransferToContract",
	"allowProtoFilterNum",
	"allowAccountStateRoot",
	"allowShieldedTransaction",
	"allowReceiptsMerkleRoot",
	"allowTvmCompatibleEvm",
]);

/** Values of `committee.*` keys that are amounts. */
const COMMITTEE_VALUES: Readonly<Record<string, bigint>> = {
	unfreezeDelayDays: 14n,
	memoFee: 1_000_000n,
	dynamicEnergyThreshold: 5_000_000_000n,
	dynamicEnergyIncreaseFactor: 2_000n,
	dynamicEnergyMaxFactor: 34_000n,
};

/** Off unless enabled by the owner. */
const OFF: readonly (readonly [property: PropertyOf<"long">, flag: string, what: string])[] = [
	["ALLOW_SHIELDED_TRANSACTION", "allowShieldedTransaction", "shielded transactions without contracts"],
	["ALLOW_NEW_RESOURCE_MODEL", "allowNewResourceModel", "stakes for votes alone"],
	[
		"ALLOW_HARDEN_EXCHANGE_CALCULATION",
		"allowHardenExchangeCalculation",
		"trades on exchange pairs, as on the network",
	],
];

/**
 * Describes what is off on a development chain, for its owner; undefined if nothing is.
 * @param isOn whether one of its switches is on
 */
export function switchedOff(isOn: (property: PropertyOf<"long">) => boolean): string | undefined {
	const off = OFF.filter(([property]) => !isOn(property));
	if (off.length === 0) return undefined;
	return `off: ${off.map(([, flag, what]) => `${what} (--parameter ${flag}=1)`).join("; ")}`;
}

/** A development chain's `committee` section: all switches that the network has enabled, except those above. */
export function developmentCommittee(keys: readonly CommitteeKey[]): Readonly<Record<string, bigint>> {
	return Object.fromEntries(
		keys.filter((key) => !NOT_SWITCHED_ON.has(key)).map((key) => [key, COMMITTEE_VALUES[key] ?? 1n]),
	);
}

/** Contract types that only proposals would enable. */
const LATER_TYPES = contractTypes.filter(({ granted }) => typeof granted === "number");

const VALUES: readonly (readonly [PropertyOf<"long">, bigint])[] = [
	["MAX_DELEGATE_LOCK_PERIOD", 864_000n],
	["ALLOW_CANCEL_ALL_UNFREEZE_V2", 1n],
	["ALLOW_UPDATE_ACCOUNT_NAME", 1n],
	["MAX_FEE_LIMIT", 15_000_000_000n],
	["MAX_CPU_TIME_OF_ONE_TX", 400n],
];

const MAIN_VALUES: readonly (readonly [PropertyOf<"long">, bigint])[] = [
	["TRANSACTION_FEE", 1_000n],
	["FREE_NET_LIMIT", 600n],
	["CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT", 1_000_000n],
];

/** A chain parameter by any of its names, with its initial value. */
export interface ParameterSetting {
	readonly name: string;
	readonly value: bigint;
}

/** A parameter that doesn't exist or can't have that value. */
class ParameterSettingError extends OperatorError {
	override readonly name = "ParameterSettingError";
}

/** Writes what the configuration alone can't enable. @throws {ParameterSettingError} */
export function writeDevelopmentState(
	state: StateView,
	economy: Economy,
	settings: readonly ParameterSetting[],
	network: NetworkName,
): void {
	const { properties } = state;
	for (const { id } of LATER_TYPES) properties.allowContractType(id);
	for (const [name, value] of VALUES) properties.set(name, value);
	if (economy === "main") for (const [name, value] of MAIN_VALUES) properties.set(name, value);
	// The only witness has always produced the newest version.
	for (const { version } of forkTable) properties.setForkStatistics(version, Uint8Array.of(1));
	for (const setting of settings) applySetting(state, setting, network);
}

/** Sets a parameter of a new chain. @throws {ParameterSettingError} */
export function applySetting(
	state: StateView,
	{ name, value }: ParameterSetting,
	network: NetworkName,
): void {
	const row = chainParameterNamed(name, network);
	if (!row) throw new ParameterSettingError(`there is no chain parameter ${name}`);
	if (value < 0n) throw new ParameterSettingError(`the chain parameter ${name} can't be ${value}`);
	state.properties.set(row.property, value);
	// The only parameter that needs what its proposal installs along with it.
	if (row.property === "ALLOW_TVM_PRAGUE" && value !== 0n) installBlockHashHistory(state);
}
