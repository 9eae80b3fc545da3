/** What the configuration fixes for a chain: its rules, and the initial values of properties not yet written. */

import { OperatorError } from "../../protocol/operator-error.js";
import type { NodeConfig } from "../config/config.js";
import { genesisId } from "../config/genesis-config.js";
import { admissionOf } from "../rules/admission.js";
import type { ChainRules, DevelopmentSchedule } from "../rules/chain-rules.js";
import type { PropertySeed } from "../state/property-table.js";
import type { ChainOptions } from "./chain-options.js";
import { blackHoleAddress } from "./genesis.js";

/** The chain rules that the configuration fixes. */
export function chainRules(
	{ config, shielded, fork }: Pick<ChainOptions, "config" | "shielded" | "fork">,
	development?: DevelopmentSchedule,
): ChainRules {
	const blackHole = fork ? fork.genesis.blackHole : blackHoleAddress(config.genesis);
	if (blackHole.length === 0 && admissionOf(config.node).needsBlackHole) {
		throw new OperatorError("Account[Blackhole] is not configured.");
	}
	return {
		...(development ? { development } : {}),
		...(config.actuatorWhitelist.length > 0 ? { allowedHandlers: new Set(config.actuatorWhitelist) } : {}),
		genesisTimestampMs: config.genesis.timestampMs,
		genesisId: fork ? fork.genesis.id : genesisId(config.genesis),
		blackHole,
		genesisWitnesses: fork
			? fork.genesis.witnesses
			: config.genesis.witnesses.map(({ address, voteCount }) => ({ address, votes: voteCount })),
		proposalExpireMs: BigInt(config.block.proposalExpireTimeMs),
		energyLimitHeight: BigInt(config.block.energyLimitBlockNumber),
		checkFrozenTime: config.block.checkFrozenTime === 1,
		saveCancelDetails: config.vm.saveCancelAllUnfreezeV2Details,
		release: config.node.release,
		network: config.node.network,
		...(config.block.version === undefined ? {} : { blockVersion: config.block.version }),
		keepsNoteTree: config.node.shielded.verifiesProofs,
		...(shielded ? { shieldedPool: { ...shielded, tokenId: config.node.shielded.tokenId } } : {}),
	};
}

/** The inputs of initial property values. */
export function propertySeed(config: NodeConfig): PropertySeed {
	const committee = config.committee as Readonly<Record<string, bigint | undefined>>;
	return {
		genesisTimestampMs: config.genesis.timestampMs,
		maintenanceIntervalMs: BigInt(config.block.maintenanceTimeIntervalMs),
		committee: (key) => committee[key] ?? 0n,
	};
}

/** A start may require wider slots than the logged blocks were made in; those blocks stay valid. */
export function looseWhileRestoring(
	development: DevelopmentSchedule,
	timing: { readonly restoring: boolean },
): DevelopmentSchedule {
	const { now, producers, unstakeDelayMs } = development;
	return {
		now,
		producers,
		unstakeDelayMs,
		actsUnsigned: (owner) => development.actsUnsigned?.(owner) ?? false,
		get slotMs() {
			return timing.restoring ? 1n : development.slotMs;
		},
		get solidLag() {
			return development.solidLag;
		},
	};
}
