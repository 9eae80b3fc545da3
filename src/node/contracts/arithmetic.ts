/** Checked arithmetic: an overflow fails validation or execution, with the overflow's message. */

import { OverflowError } from "../../protocol/int64.js";
import { ContractExecuteError, ContractValidateError } from "../rules/errors.js";

/**
 * Turns an overflow during validation into a validation failure with its message.
 * @throws {ContractValidateError}
 */
export function validateArithmetic<T>(check: () => T): T {
	try {
		return check();
	} catch (error) {
		if (error instanceof OverflowError) throw new ContractValidateError(error.message);
		throw error;
	}
}

/**
 * Turns an overflow during execution into an execution failure with its message.
 * @throws {ContractExecuteError}
 */
export function executeArithmetic<T>(effect: () => T): T {
	try {
		return effect();
	} catch (error) {
		if (error instanceof OverflowError) throw new ContractExecuteError(error.message);
		throw error;
	}
}
