/** Contracts and calls of them (protocol/grpc §2.4). */

import { utf8 } from "../../../../protocol/bytes.js";
import { spell } from "../../../../protocol/dialect.js";
import { exceptionText, isWireError } from "../../../../protocol/json/exceptions.js";
import {
	EstimateEnergyMessage,
	Return,
	ReturnResponse_code,
	TransactionExtention,
	type TriggerSmartContract,
} from "../../../../protocol/messages.js";
import { ContractValidateError } from "../../../rules/errors.js";
import { VmError } from "../../../vm/vm-error.js";
import { buildUnchecked } from "../../builder.js";
import type { ApiContext } from "../../context.js";
import {
	callTransaction,
	constantAnswer,
	executeConstantCall,
	searchEnergyLimit,
	TRIGGER,
} from "../../queries/contract-calls.js";
import { contractAt, contractInfoAt, isConstantCall } from "../../queries/contracts.js";
import { transactionExtention } from "../../transaction-extention.js";
import { refusal } from "../building.js";
import type { Handlers } from "../method.js";

/**
 * A call without effect, with its transaction. The id is that of a transaction around the call, also where a deployment
 * stands in the call's place.
 */
async function callOnly(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
): Promise<TransactionExtention> {
	const transaction = callTransaction(context, call);
	const { id } = buildUnchecked(context, TRIGGER, call);
	const answer = constantAnswer(transaction, await executeConstantCall(context, call, transaction));
	answer.txid = id;
	return answer;
}

/** A call that the contract's interface declares to be without effect is executed; of others the transaction is built. */
async function trigger(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
): Promise<TransactionExtention> {
	const { state } = context;
	if (!state.contract.has(call.contract_address)) {
		throw new ContractValidateError("No contract or not a valid smart contract");
	}
	return isConstantCall(state.abi.get(call.contract_address), call.data)
		? callOnly(context, call)
		: transactionExtention(callTransaction(context, call));
}

/** Why a call has no answer: a failed execution differs from a call that could not begin. */
function failure(context: ApiContext, error: unknown): Return {
	const { dialect } = context.style;
	if (error instanceof VmError) {
		return Return.create({
			code: ReturnResponse_code.CONTRACT_EXE_ERROR,
			message: utf8(exceptionText(error, dialect)),
		});
	}
	if (isWireError(error)) return refusal(context, error);
	throw error;
}

async function answered(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
	answer: typeof callOnly,
): Promise<TransactionExtention> {
	try {
		return await answer(context, call);
	} catch (error) {
		return TransactionExtention.create({ result: failure(context, error) });
	}
}

export const contracts = {
	GetContract: ({ state }, { value }) => contractAt(state, value),
	GetContractInfo: ({ state }, { value }) => contractInfoAt(state, value),
	TriggerContract: (context, call) => answered(context, call, trigger),
	TriggerConstantContract: (context, call) => answered(context, call, callOnly),
	EstimateEnergy: async (context, call) => {
		try {
			const estimate = await searchEnergyLimit(context, call);
			if ("energyRequired" in estimate) {
				return EstimateEnergyMessage.create({
					result: Return.create({ result: true }),
					energy_required: estimate.energyRequired,
				});
			}
			const message = utf8(spell(estimate.failure, context.style.dialect));
			const code = ReturnResponse_code.CONTRACT_EXE_ERROR;
			return EstimateEnergyMessage.create({ result: Return.create({ code, message }) });
		} catch (error) {
			return EstimateEnergyMessage.create({ result: failure(context, error) });
		}
	},
} satisfies Partial<Handlers<"Wallet">>;
