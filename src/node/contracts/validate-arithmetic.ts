/** Exact arithmetic inside checks: where the network reports an overflow as a failed check. */

import { OverflowError } from "../../protocol/int64.js";
import { ContractValidateError } from "../rules/errors.js";

/** Runs checks whose overflow is a refusal with the overflow's text. @throws {ContractValidateError} */
export function validateArithmetic<T>(check: () => T): T {
	try {
		return check();
	} catch (error) {
		if (error instanceof OverflowError) throw new ContractValidateError(error.message);
		throw error;
	}
}
