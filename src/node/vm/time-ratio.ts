/** Which part of the chain's CPU time an execution may take (protocol/machine §7). */

import { TransactionResultContractResult } from "../../protocol/messages.js";

const { OUT_OF_TIME } = TransactionResultContractResult;

export interface TimeSettings {
	/** Whether executions are limited in time; off under `--debug`. */
	readonly limitTime: boolean;
	/** For a block's transaction whose result is OUT_OF_TIME (`vm.minTimeRatio`). */
	readonly minTimeRatio: number;
	/** For every other transaction of a block (`vm.maxTimeRatio`). */
	readonly maxTimeRatio: number;
}

/**
 * From this ratio on, which is the default, transactions of a block have no limit: the network's only keeps its nodes
 * from blocks that are never packed, and a slower machine must not refuse what others accepted.
 */
const UNLIMITED_RATIO = 5;

/**
 * The part of the parameter MAX_CPU_TIME_OF_ONE_TX that an execution may take; infinite: there is no limit; 0: it ends at
 * its first operation.
 * @param inSignedBlock the transaction is verified, not packed or asked for
 * @param recorded its result in the block
 */
export function timeRatio(
	settings: TimeSettings,
	inSignedBlock: boolean,
	recorded: number | undefined,
): number {
	const { limitTime, minTimeRatio, maxTimeRatio } = settings;
	if (!limitTime) return Number.POSITIVE_INFINITY;
	if (!inSignedBlock) return 1;
	if (recorded === OUT_OF_TIME) return minTimeRatio;
	return maxTimeRatio >= UNLIMITED_RATIO ? Number.POSITIVE_INFINITY : maxTimeRatio;
}
