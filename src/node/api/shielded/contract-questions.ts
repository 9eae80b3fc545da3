/** What shielded token contracts are asked. */

import { isWireError } from "../../../protocol/json/exceptions.js";
import { TriggerSmartContract } from "../../../protocol/messages.js";
import { VmError } from "../../vm/vm-error.js";
import type { ApiContext } from "../context.js";
import { callTransaction, executeConstantCall } from "../queries/contract-calls.js";

/**
 * Calls a contract without effect.
 * @returns what it answers, also by a revert; undefined if there is no such contract, or the call fails
 */
export async function asksContract(
	context: ApiContext,
	contract: Uint8Array,
	data: Uint8Array,
): Promise<Uint8Array | undefined> {
	if (contract.length === 0) return undefined;
	const call = TriggerSmartContract.create({ contract_address: contract, data });
	try {
		return (await executeConstantCall(context, call, callTransaction(context, call))).output;
	} catch (error) {
		if (error instanceof VmError || isWireError(error)) return undefined;
		throw error;
	}
}
