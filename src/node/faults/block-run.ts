/** Executes a block outside the chain, on a given state, and finds the transaction that makes it invalid. */

import type { SignedBlock } from "../../protocol/block.js";
import { ResourceReceipt, type TransactionInfo } from "../../protocol/messages.js";
import { authorize } from "../chain/authorization.js";
import { applyBlock, beginBlock, blockScope } from "../chain/block-processor.js";
import { processTransaction } from "../chain/transaction-processor.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ChainError, ValidateScheduleError } from "../rules/errors.js";
import type { MachineRunner } from "../rules/execution.js";
import { ForkGates } from "../rules/fork-gates.js";
import type { StateBackend } from "../state/entry.js";
import type { PropertySeed } from "../state/property-table.js";
import { BlockState, type WrittenEntry } from "./block-state.js";

/** Environment of a block's execution. */
export interface RunEnvironment {
	readonly rules: ChainRules;
	readonly seed: PropertySeed;
	readonly machine: MachineRunner;
	/** The state before the block. */
	readonly before: StateBackend;
}

/** Why a block was refused. */
export interface Refusal {
	readonly className: string;
	readonly message: string;
	/** Index of the transaction; undefined if the block itself was refused. */
	readonly position: number | undefined;
}

/** Result of executing a block. */
export interface BlockRun {
	/**
	 * Receipts in transaction order. If a transaction was refused: those before it, then its own as executed
	 * without comparing its recorded result, if that succeeds.
	 */
	readonly infos: readonly Readonly<TransactionInfo>[];
	readonly refusal: Refusal | undefined;
	/** State changes; empty if the block was refused. */
	readonly written: readonly WrittenEntry[];
}

export function runBlock(environment: RunEnvironment, block: SignedBlock): BlockRun {
	const { rules, seed, machine, before } = environment;
	const state = new BlockState(before, seed);
	let executed = 0;
	const times = { isWatched: true, executed: () => void executed++, authorized: () => {} };
	try {
		const infos = applyBlock(
			{ state: state.view, rules, forks: new ForkGates(state.view, rules), machine, times },
			block,
			{
				own: false,
				contentsTrusted: false,
				balanceHistory: false,
				transactionHistory: false,
				logIndex: false,
			},
		);
		return { infos, refusal: undefined, written: state.written() };
	} catch (error) {
		if (!(error instanceof ChainError)) throw error;
		const position = positionOf(environment, block, error, executed);
		const { className, message } = error;
		const infos = position === undefined ? [] : runTransactions(environment, block, position);
		return { infos, refusal: { className, message, position }, written: [] };
	}
}

/** Signatures of all transactions are checked before the first one is executed. */
function positionOf(
	{ rules, seed, before }: RunEnvironment,
	block: SignedBlock,
	error: ChainError,
	executed: number,
): number | undefined {
	if (error instanceof ValidateScheduleError) return undefined;
	if (executed > 0) return executed < block.transactions.length ? executed : undefined;
	const { view } = new BlockState(before, seed);
	const unsigned = block.transactions.findIndex((transaction) => {
		try {
			authorize({ state: view, rules, forks: new ForkGates(view, rules) }, transaction);
			return false;
		} catch (refusal) {
			if (!(refusal instanceof ChainError)) throw refusal;
			return true;
		}
	});
	if (unsigned >= 0) return unsigned;
	return block.transactions.length > 0 ? 0 : undefined;
}

/**
 * Executes a block's transactions up to `last`, without the block's own effects. The last one is executed as
 * if it had no recorded result.
 * @param last index of the last transaction
 * @param machine for the last transaction, if different from the others'
 * @returns their receipts; without the last if it is refused
 */
export function runTransactions(
	{ rules, seed, machine, before }: RunEnvironment,
	block: SignedBlock,
	last: number,
	lastMachine: MachineRunner = machine,
): readonly TransactionInfo[] {
	const { view } = new BlockState(before, seed);
	const forks = new ForkGates(view, rules);
	beginBlock(view, block);
	const scope = blockScope(block, rules, false);
	const infos: TransactionInfo[] = [];
	for (const [position, transaction] of block.transactions.slice(0, last + 1).entries()) {
		const isLast = position === last;
		const environment = { state: view, rules, forks, machine: isLast ? lastMachine : machine };
		try {
			const run = { ...scope, signed: scope.signed && !isLast };
			infos.push(processTransaction(environment, transaction, run, { verified: true }).info);
		} catch (error) {
			if (!(error instanceof ChainError)) throw error;
			break;
		}
	}
	return infos;
}

/** A transaction's result and resource usage as one line. */
export function outcomeOf(info: Readonly<TransactionInfo>): string {
	const { energy_usage_total, net_usage, result } = info.receipt ?? new ResourceReceipt();
	return `result ${result}, energy ${energy_usage_total}, bandwidth ${net_usage}, fee ${info.fee} sun, ${info.log.length} logs`;
}
