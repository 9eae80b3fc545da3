/** The facts of a chain that its configuration fixes: its rules, and what stands in for properties that nothing has written. */

import { OperatorError } from "../../protocol/operator-error.js";
import type { NodeConfig } from "../config/config.js";
import { genesisId } from "../config/genesis-config.js";
import { admissionOf } from "../rules/admission.js";
import type { ChainRules, DevelopmentSchedule } from "../rules/chain-rules.js";
import type { PropertySeed } from "../state/property-table.js";
import type { ChainOptions } from "./chain-options.js";
import { blackHoleAddress } from "./genesis.js";

/** The facts of the chain that the configuration fixes. */
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

/** What initial values of properties depend on. */
export function propertySeed(config: NodeConfig): PropertySeed {
	const committee = config.committee as Readonly<Record<string, bigint | undefined>>;
	return {
		genesisTimestampMs: config.genesis.timestampMs,
		maintenanceIntervalMs: BigInt(config.block.maintenanceTimeIntervalMs),
		committee: (key) => committee[key] ?? 0n,
	};
}

/** A start may ask for wider slots than those in which the blocks of the log were made: they stay good. */
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
