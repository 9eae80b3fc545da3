/** Handles blocks on which this node and others disagree: bundle file, log line, status and metrics. */

import { addressPrefix } from "../../protocol/address.js";
import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import { propertySeed } from "../chain/configured-rules.js";
import type { OpenChain } from "../chain/open-chain.js";
import type { NodeConfig } from "../config/config.js";
import type { ChainError } from "../rules/errors.js";
import type { MachineRunner } from "../rules/execution.js";
import { stores } from "../state/definition.js";
import type { StateBackend } from "../state/entry.js";
import { propertyKey, propertyNames } from "../state/property-table.js";
import { agrees } from "../tracing/trace-runner.js";
import { vmSettings } from "../vm/settings.js";
import { type BlockRun, outcomeOf, type Refusal, runBlock } from "./block-run.js";
import { ReadRecorder } from "./block-state.js";
import {
	BundleTooLargeError,
	type Difference,
	type FaultBundle,
	type FaultKind,
	type RulesInForce,
} from "./bundle.js";
import { writeFault } from "./fault-files.js";
import { faultSummary } from "./summary.js";

/** Remembered blocks, so that one sent by every peer is recorded once. */
const MAX_REMEMBERED = 1_000;
/** Bundles waiting to be written: each may be large. */
const MAX_WAITING = 4;

/** Log message for a difference found by the node audit. */
export const DIFFERS =
	"AUDIT: this node differs from the one that it is compared with (node.audit.against); the comparison ends here";

/** Block versions whose votes are stored in properties. */
const MAX_VERSION = 64;

interface RecorderSource {
	readonly open: OpenChain;
	readonly config: NodeConfig;
	readonly limitTime: boolean;
	/** Name and release of this program. */
	readonly program: string;
	/** Contract executor; absent: the chain's own. */
	readonly machine?: MachineRunner;
}

interface FoundFault {
	readonly kind: FaultKind;
	readonly block: SignedBlock;
	/** Why it was refused; undefined if it wasn't. */
	readonly refusal: Refusal | undefined;
	/** The other node's receipts. */
	readonly recorded: readonly Readonly<TransactionInfo>[];
	/** The chain's own receipts; empty if the block was refused. */
	readonly stored: readonly Readonly<TransactionInfo>[];
	readonly differences: readonly Difference[];
}

/** Executes the block again on its pre-state, if that is still kept. The chain is not changed. */
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

/** Whether stored receipts can't be reproduced: no fault of the rules, or the state before was different. */
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

/** The state after the block's parent, without pending changes. */
function stateBefore({ chain, database }: OpenChain, block: SignedBlock): StateBackend | undefined {
	const { headNumber } = chain.state.properties;
	if (block.number === headNumber + 1n && database.mark() === 0) return database.headBackend;
	return database.stateAfter(block.number - 1n);
}

/** All properties, even those this program doesn't read: another program may. */
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

/** A fault as shown by status and metrics. */
interface KnownFault {
	readonly block: number;
	/** 64 hex digits. */
	readonly id: string;
	/** Transaction id, 64 hex digits; undefined: the block itself. */
	readonly transaction: string | undefined;
	readonly computed: string;
	readonly recorded: string;
	/** Undefined if not written yet, or if writing failed. */
	readonly file: string | undefined;
	readonly kind: FoundFault["kind"];
	/** Why the bundle can't be re-executed; undefined if it can. */
	readonly incomplete: string | undefined;
}

interface WatchOptions {
	readonly source: RecorderSource;
	/** Undefined for an in-memory chain: no files are written. */
	readonly folder: string | undefined;
	readonly log: { error(fields: object, message: string): void };
	readonly report: (error: unknown, where: string) => void;
}

export class FaultWatch {
	private readonly seen = new Set<string>();
	private readonly counts = { refused: 0, audit: 0 };
	private known: KnownFault | undefined;
	private waiting = 0;
	private written: Promise<unknown> = Promise.resolve();

	constructor(private readonly options: WatchOptions) {}

	/** Faults since the start, by how they were found. */
	get found(): Readonly<Record<FoundFault["kind"], number>> {
		return this.counts;
	}

	/** The first one since the start: later ones may be consequences. */
	get first(): KnownFault | undefined {
		return this.known;
	}

	/** A warning for the operator, if there is a fault. */
	warning(): string | undefined {
		const { known } = this;
		if (!known) return undefined;
		const { block, transaction, computed, recorded, file, kind, incomplete } = known;
		const subject = transaction === undefined ? "" : `, transaction ${transaction}`;
		const use =
			incomplete === undefined ? "reproduces it (coin node reproduce)" : `has what is known: ${incomplete}`;
		const where = file === undefined ? "" : `; ${file} ${use}`;
		const others = kind === "audit" ? "the one that it is compared with (node.audit.against)" : "its peers";
		return `this node and ${others} don't agree on block ${block}${subject}: computed: ${computed}; recorded: ${recorded}${where}`;
	}

	/** A block of a witness was refused; the head is its parent. */
	refused(block: SignedBlock, { className, message }: ChainError): void {
		const refusal = { className, message, position: undefined };
		this.note({ kind: "refused", block, refusal, recorded: [], stored: [], differences: [] });
	}

	/** Records a fault once per block. @returns undefined if it is known or too many are waiting */
	note(found: FoundFault): KnownFault | undefined {
		const { block, kind } = found;
		if (this.seen.has(block.idHex)) return undefined;
		this.counts[kind]++;
		if (this.waiting >= MAX_WAITING) return undefined;
		for (const oldest of this.seen) {
			if (this.seen.size < MAX_REMEMBERED) break;
			this.seen.delete(oldest);
		}
		this.seen.add(block.idHex);
		const bundle = recordFault(this.options.source, found);
		const fault = {
			...{ block: Number(block.number), id: block.idHex, ...faultSummary(bundle) },
			...{ file: undefined, kind, incomplete: bundle.without },
		};
		this.known ??= fault;
		this.waiting++;
		this.written = this.written
			.then(() => this.write(bundle, fault))
			.finally(() => {
				this.waiting--;
			});
		return fault;
	}

	private async write(bundle: FaultBundle, fault: KnownFault): Promise<void> {
		const { folder, log, report } = this.options;
		let file: string | undefined;
		try {
			if (folder !== undefined) file = await writeFault(folder, bundle);
		} catch (error) {
			report(error, "fault bundle");
		}
		const whole = { ...fault, file };
		if (this.known === fault) this.known = whole;
		log.error(
			whole,
			bundle.kind === "refused"
				? "BLOCK REFUSED: a witness signed a block that this node's rules refuse; where other nodes take it, this node stands still"
				: DIFFERS,
		);
	}

	/** Resolves once everything is written. */
	async close(): Promise<void> {
		await this.written;
	}
}
