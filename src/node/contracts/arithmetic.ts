/** Exact arithmetic in checks and effects: an overflow is a failed check, or a failed execution with its text. */

import { OverflowError } from "../../protocol/int64.js";
import { ContractExecuteError, ContractValidateError } from "../rules/errors.js";

/** Runs checks whose overflow is a refusal with the overflow's text. @throws {ContractValidateError} */
export function validateArithmetic<T>(check: () => T): T {
	try {
		return check();
	} catch (error) {
		if (error instanceof OverflowError) throw new ContractValidateError(error.message);
		throw error;
	}
}

/** Runs an effect whose overflow is a failure with the overflow's text. @throws {ContractExecuteError} */
export function executeArithmetic<T>(effect: () => T): T {
	try {
		return effect();
	} catch (error) {
		if (error instanceof OverflowError) throw new ContractExecuteError(error.message);
		throw error;
	}
}
