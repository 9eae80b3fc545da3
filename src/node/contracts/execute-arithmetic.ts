/** Exact arithmetic inside effects: where the network reports an overflow as a failed execution. */

import { OverflowError } from "../../protocol/int64.js";
import { ContractExecuteError } from "../rules/errors.js";

/** Runs an effect whose overflow is a failure with the overflow's text. @throws {ContractExecuteError} */
export function executeArithmetic<T>(effect: () => T): T {
	try {
		return effect();
	} catch (error) {
		if (error instanceof OverflowError) throw new ContractExecuteError(error.message);
		throw error;
	}
}
