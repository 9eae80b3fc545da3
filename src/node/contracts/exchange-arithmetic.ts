/** How the four exchange types count: sums, and what becomes of those that don't fit (protocol/exchange §2.1). */

import type { Message } from "../../protocol/codec/descriptor.js";
import { checked, wrap } from "../../protocol/int64.js";
import { admissionOf } from "../rules/admission.js";
import type { StateView } from "../state/view.js";
import { type ContractModule, defineContract } from "./contract.js";
import { executeArithmetic } from "./execute-arithmetic.js";
import { validateArithmetic } from "./validate-arithmetic.js";

/** Whether sums and prices are exact: #98. */
export const isExchangeExact = (state: StateView): boolean =>
	state.properties.on("ALLOW_HARDEN_EXCHANGE_CALCULATION");

/** Brings a sum to 64 bits: silently, or with #98 not at all. @throws {OverflowError} `long overflow`, with #98 */
export function sumsOf(state: StateView): (sum: bigint) => bigint {
	return isExchangeExact(state) ? (sum) => checked(sum) : wrap;
}

/** A type whose errors of arithmetic are refusals. */
export function defineExchangeContract<T extends Message>(module: ContractModule<T>): ContractModule {
	return defineContract<T>({
		...module,
		validate(context) {
			admissionOf(context.rules).exchangeWork(validateArithmetic, () => module.validate(context));
		},
		execute(context, result) {
			admissionOf(context.rules).exchangeWork(executeArithmetic, () => module.execute(context, result));
		},
	});
}
