/** Applying one block to the head state, in the network's order (protocol/blocks §4.4). */

import type { SignedBlock } from "../../protocol/block.js";
import { be64 } from "../../protocol/bytes.js";
import { OverflowError } from "../../protocol/int64.js";
import { type TransactionInfo, TransactionRet } from "../../protocol/messages.js";
import { isSigned } from "../consensus/block-judgement.js";
import { maintenanceDue, runMaintenance } from "../consensus/maintenance.js";
import { processProposals } from "../consensus/proposals.js";
import { payBlockRewards } from "../consensus/rewards.js";
import { checkSchedule } from "../consensus/schedule.js";
import { activePosition, activeWitnesses } from "../consensus/slots.js";
import { applyStatistics, updateSolidified } from "../consensus/statistics.js";
import { updateAdaptiveEnergy } from "../resources/adaptive-energy.js";
import type { ChainRules } from "../rules/chain-rules.js";
import {
	BadBlockError,
	MissingProofsError,
	RuntimeRuleError,
	UnverifiableBlockError,
	ValidateScheduleError,
} from "../rules/errors.js";
import type { BlockScope } from "../rules/execution.js";
import { recordNoteTree, startNoteTree } from "../state/note-trees.js";
import type { StateView } from "../state/view.js";
import { recordParentId } from "../vm/block-hash-history.js";
import { authorize } from "./authorization.js";
import { BalanceRecorder } from "./balance-history.js";
import { checkTradeInBlock } from "./closed-types.js";
import { indexLogs } from "./section-bloom.js";
import { putRecentBlock } from "./transaction-checks.js";
import { type ProcessorEnvironment, processTransaction } from "./transaction-processor.js";

interface ApplyOptions {
	/** Whether this node produced the block. */
	readonly own: boolean;
	/** The contents were validated before: the signatures of its transactions are good. */
	readonly contentsTrusted: boolean;
	/** Record the balance changes of each transaction. */
	readonly balanceHistory: boolean;
	/** Store transaction infos. */
	readonly transactionHistory: boolean;
	/** Maintain the log index. */
	readonly logIndex: boolean;
}

/**
 * Executes a block on top of the head. If it throws, the caller must undo the state.
 * @throws {ChainError} the first rule that the block breaks
 * @throws {UnverifiableBlockError} if it asks for proofs that this node can't check
 */
export function applyBlock(
	environment: ProcessorEnvironment,
	block: SignedBlock,
	options: ApplyOptions,
): readonly TransactionInfo[] {
	const { state } = environment;
	if (!checkSchedule(state, block, environment.rules.development))
		throw new ValidateScheduleError("validateWitnessSchedule error");
	const recorder = options.balanceHistory ? new BalanceRecorder(state, block.number) : undefined;
	try {
		return run(environment, block, options, recorder);
	} catch (error) {
		// Can also happen outside transactions: the adaptive limit of #97 can overflow 64 bits (protocol/resources §1.6).
		if (error instanceof MissingProofsError) {
			const unverifiable = new UnverifiableBlockError(block.number);
			environment.onUnverifiable?.(unverifiable);
			throw unverifiable;
		}
		if (!(error instanceof OverflowError)) throw error;
		throw new RuntimeRuleError(error.name, error.message);
	} finally {
		recorder?.stop();
	}
}

function run(
	environment: ProcessorEnvironment,
	block: SignedBlock,
	options: ApplyOptions,
	recorder: BalanceRecorder | undefined,
): readonly TransactionInfo[] {
	const { state, rules, forks } = environment;
	const { properties } = state;
	authorizeAll(environment, block, options.contentsTrusted);
	beginBlock(state, block);
	const infos = processTransactions(environment, block, options, recorder);
	recordNoteTree(state, block.number, rules.keepsNoteTree, rules.shieldedPool?.trees);
	updateAdaptiveEnergy(properties);
	payBlockRewards(state, block.witness);

	const maintenance = maintenanceDue(state, block.timestampMs);
	if (maintenance) processProposals(state, forks);
	applyStatistics(state, block, rules.development);
	runMaintenance(state, rules, block);
	updateSolidified(state, block, rules.development);
	const active = activeWitnesses(state);
	if (maintenance) forks.reset(active.length);

	putHead(state, block);
	recorder?.finishBlock(block.id, block.timestampMs);
	if (infos.length > 0 && options.transactionHistory) {
		state.transactionResult.put(
			be64(block.number),
			TransactionRet.create({
				blockNumber: block.number,
				blockTimeStamp: block.timestampMs,
				transactioninfo: infos,
			}),
		);
	}
	if (options.logIndex) indexLogs(state, block.number, infos);
	forks.update(block.raw.version, activePosition(active, block.witness), active.length);
	return infos;
}

/** What a block does to the state before its first transaction. */
export function beginBlock(state: StateView, block: Pick<BlockScope, "number" | "parentId">): void {
	state.properties.set("BLOCK_ENERGY_USAGE", 0n);
	recordParentId(state, block.number, block.parentId);
	startNoteTree(state);
}

/** @param trusted there is nothing to check: that counts as checked at once */
function authorizeAll(environment: ProcessorEnvironment, block: SignedBlock, trusted: boolean): void {
	const times = environment.times?.isWatched && block.transactions.length > 0 ? environment.times : undefined;
	const started = times ? performance.now() : 0;
	if (!trusted) for (const transaction of block.transactions) authorize(environment, transaction);
	times?.authorized(performance.now() - started);
}

/** Makes a block the head of a state. */
export function putHead(state: StateView, block: SignedBlock): void {
	const { properties } = state;
	putRecentBlock(state, block.id);
	properties.set("latest_block_header_hash", block.id);
	properties.set("latest_block_header_number", block.number);
	properties.set("latest_block_header_timestamp", block.timestampMs);
	state.block.put(block.id, block.bytes);
	state.blockIndex.put(be64(block.number), block.id);
}

function processTransactions(
	environment: ProcessorEnvironment,
	block: SignedBlock,
	options: ApplyOptions,
	recorder: BalanceRecorder | undefined,
): readonly TransactionInfo[] {
	const strict = environment.state.properties.on("CONSENSUS_LOGIC_OPTIMIZATION");
	const scope = blockScope(block, environment.rules, options.own);
	return block.transactions.map((transaction) => {
		checkTradeInBlock(environment, transaction);
		const contracts = transaction.raw?.contract.length ?? 0;
		const results = transaction.message.ret.length;
		if (strict && contracts > 0 && results > contracts) {
			throw new BadBlockError(
				`The result count ${results} of this transaction ${transaction.idHex} is greater than its contract count ${contracts}`,
			);
		}
		return processTransaction(environment, transaction, scope, { verified: true, recorder }).info;
	});
}

/** The block fields that its transactions can see. */
export function blockScope(block: SignedBlock, rules: ChainRules, own: boolean): BlockScope {
	return {
		number: block.number,
		timestampMs: block.timestampMs,
		witness: block.witness,
		parentId: block.parentId,
		signed: isSigned(block, rules),
		own,
	};
}
