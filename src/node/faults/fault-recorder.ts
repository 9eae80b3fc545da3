/** Making a fault bundle of a block of this node's chain, or of one that it refused. */

import { addressPrefix } from "../../protocol/address.js";
import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import { propertySeed } from "../chain/configured-rules.js";
import type { OpenChain } from "../chain/open-chain.js";
import type { NodeConfig } from "../config/config.js";
import type { MachineRunner } from "../rules/execution.js";
import type { StateBackend } from "../state/backend.js";
import { stores } from "../state/definition.js";
import { propertyKey, propertyNames } from "../state/property-table.js";
import { agrees } from "../tracing/trace-runner.js";
import { vmSettings } from "../vm/settings.js";
import { type BlockRun, outcomeOf, type Refusal, runBlock } from "./block-run.js";
import { ReadRecorder } from "./block-state.js";
import type { Difference, FaultBundle, FaultKind, RulesInForce } from "./bundle.js";
import { BundleTooLargeError } from "./limits.js";

/** Block versions whose votes are kept in properties. */
const MAX_VERSION = 64;

export interface RecorderSource {
	readonly open: OpenChain;
	readonly config: NodeConfig;
	readonly limitTime: boolean;
	/** Of this program, with its release. */
	readonly program: string;
	/** What executes contracts; absent: the chain's own. */
	readonly machine?: MachineRunner;
}

/** What is known of a fault. */
export interface FoundFault {
	readonly kind: FaultKind;
	readonly block: SignedBlock;
	/** Why it was refused, as it was thrown; undefined: it wasn't. */
	readonly refusal: Refusal | undefined;
	/** The receipts that the other node has. */
	readonly recorded: readonly Readonly<TransactionInfo>[];
	/** What the chain has of it; empty: nothing, for it was refused. */
	readonly stored: readonly Readonly<TransactionInfo>[];
	readonly differences: readonly Difference[];
}

/** Executes the block once more on the state before it, where that is still kept. Nothing of it reaches the chain. */
export function recordFault(source: RecorderSource, found: FoundFault): FaultBundle {
	const { open, program, machine = open.chain.environment.machine } = source;
	const { kind, block, recorded, differences, refusal, stored } = found;
	const inForce = rulesInForce(source);
	const base = { kind, program, block, inForce, recorded, differences };
	const bare = (without: string): FaultBundle => ({
		...base,
		reads: undefined,
		without,
		computed: { infos: stored, refusal, written: [] },
	});
	const before = stateBefore(open, block);
	if (!before) return bare("the state before the block is not kept any more (node.history.state keeps it)");
	const recorder = new ReadRecorder(before);
	try {
		readProperties(recorder);
		const environment = { rules: open.rules, seed: open.seed, machine, before: recorder };
		const computed: BlockRun = runBlock(environment, block);
		const unlike = unlikeStored(block, stored, computed);
		return {
			...base,
			differences: [...differences, ...unlike],
			reads: recorder.reads,
			without: undefined,
			computed,
		};
	} catch (error) {
		if (!(error instanceof BundleTooLargeError)) throw error;
		return bare(error.message);
	}
}

/** What the chain stored and doesn't come out a second time: the fault is none of the rules, or the state before was another. */
function unlikeStored(
	block: SignedBlock,
	stored: readonly Readonly<TransactionInfo>[],
	{ infos }: BlockRun,
): Difference[] {
	const at = stored.findIndex((info, position) => {
		const again = infos[position];
		return !again || !agrees(again, info);
	});
	const [info, again] = [stored[at], infos[at]];
	if (!info) return [];
	return [
		{
			subject: block.transactions[at]?.idHex ?? "",
			what: "stored by this node, and executed again by it",
			ours: outcomeOf(info),
			theirs: again ? outcomeOf(again) : "refused",
		},
	];
}

/** The state after the block's parent, without anything pending. */
function stateBefore({ chain, database }: OpenChain, block: SignedBlock): StateBackend | undefined {
	const { headNumber } = chain.state.properties;
	if (block.number === headNumber + 1n && database.mark() === 0) return database.headBackend;
	return database.stateAfter(block.number - 1n);
}

/** All of them, also those that this program doesn't ask for: another one may. */
function readProperties(state: StateBackend): void {
	for (const name of propertyNames) state.get(stores.properties, propertyKey(name));
	for (let version = 0; version <= MAX_VERSION; version++)
		state.get(stores.properties, `FORK_VERSION_${version}`);
}

function rulesInForce({ open, config, limitTime }: RecorderSource): RulesInForce {
	const { shieldedPool, development, ...rules } = open.rules;
	const { genesisTimestampMs, maintenanceIntervalMs } = propertySeed(config);
	const committee = Object.entries(config.committee as Readonly<Record<string, bigint | undefined>>);
	const { minTimeRatio, maxTimeRatio, saveInternal, saveFeaturedInternal, dialect } = vmSettings(
		config,
		limitTime,
	);
	return {
		rules,
		shieldedToken: shieldedPool?.tokenId,
		addressPrefix: addressPrefix(),
		seed: {
			genesisTimestampMs,
			maintenanceIntervalMs,
			committee: new Map(committee.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
		},
		machine: { limitTime, minTimeRatio, maxTimeRatio, saveInternal, saveFeaturedInternal, dialect },
	};
}
