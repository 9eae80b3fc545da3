/** Constant calls and energy estimates (protocol/json-rpc §§10 and 11). */

import { contractType } from "../../../../protocol/contract-types.js";
import { messageText, NamedError, nullPointer } from "../../../../protocol/json/exceptions.js";
import { TransferContract, TriggerSmartContract } from "../../../../protocol/messages.js";
import { ChainError, ContractValidateError } from "../../../rules/errors.js";
import type { ConstantResult } from "../../../vm/contract-machine.js";
import { VmError } from "../../../vm/vm-error.js";
import { buildValid } from "../../builder.js";
import { callTransaction, executeConstantCall, searchEnergyLimit } from "../../queries/contract-calls.js";
import { readersOf, rpcAnswersOf } from "../answers.js";
import { anyValue } from "../declared-types.js";
import { defineMethod, type RpcContext, type RpcMethod } from "../method.js";
import { lenientRevert } from "../revert-reason.js";
import { internal, invalidRequest, quotedText, RpcError } from "../rpc-error.js";
import { contextOfBlock } from "../state-block.js";
import type { ParameterReaders } from "../strict-readers.js";
import { type CallObject, callObject, data, isEmptyHex, quantity, ZERO_ADDRESS } from "../values.js";

const TRANSFER = contractType("TransferContract");

const isLenient = ({ node }: RpcContext): boolean => node.config.node.jsonrpc.lenient;

/** A missing sender is the zero address; null is an error. */
function senderOf({ address }: ParameterReaders, { from }: CallObject): Uint8Array {
	return address(from === undefined ? ZERO_ADDRESS : from);
}

/** @throws {RpcError} */
function refuseCall({ style }: RpcContext, error: unknown): never {
	if (error instanceof ContractValidateError) {
		throw invalidRequest(messageText(error, style.dialect) || "Contract validate error : ");
	}
	if (error instanceof VmError || error instanceof ChainError)
		throw internal(quotedText(error, style.dialect));
	throw error;
}

/** @param creates whether a call of nothing is the creation of a contract, as Ethereum's libraries simulate it */
function call(context: RpcContext, object: CallObject, creates: boolean): string | Promise<string> {
	const readers = readersOf(context);
	const isCreation = creates && isEmptyHex(object.to ?? null) && !isEmptyHex(readers.inputText(object));
	const message = new TriggerSmartContract();
	message.owner_address = senderOf(readers, object);
	if (!isCreation) message.contract_address = readers.address(object.to ?? null);
	message.call_value = readers.amount(object.value);
	message.data = readers.input(object)();
	const answer = ({ reverted, output }: ConstantResult): string => {
		if (reverted) throw revertError(context, output);
		return data(output);
	};
	const refuse = (error: unknown): never => refuseCall(context, error);
	try {
		const result = executeConstantCall(context, message, callTransaction(context, message));
		return result instanceof Promise ? result.then(answer).catch(refuse) : answer(result);
	} catch (error) {
		return refuse(error);
	}
}

async function estimate(context: RpcContext, object: CallObject): Promise<string> {
	const readers = readersOf(context);
	const owner = senderOf(readers, object);
	const { to = null, value } = object;
	const input = readers.input(object);
	if (isEmptyHex(to)) {
		if (isEmptyHex(readers.inputText(object))) throw invalidRequest("invalid json request");
		return estimateContract(context, object, input, TriggerSmartContract.create({ owner_address: owner }));
	}
	const address = readers.address(to);
	if (context.state.contract.has(address)) {
		const message = TriggerSmartContract.create({ owner_address: owner, contract_address: address });
		return estimateContract(context, object, input, message);
	}
	if (!value) throw invalidRequest("invalid json request: invalid value");
	const transfer = TransferContract.create({
		owner_address: owner,
		to_address: address,
		amount: readers.amount(value),
	});
	try {
		buildValid(context, TRANSFER, transfer);
	} catch (error) {
		refuseCall(context, error);
	}
	return quantity(0);
}

/** Energy of a call, or of a deployment if the message names no contract. */
async function estimateContract(
	context: RpcContext,
	{ value }: CallObject,
	input: () => Uint8Array,
	message: TriggerSmartContract,
): Promise<string> {
	try {
		message.data = input();
		message.call_value = readersOf(context).amount(value);
		return quantity(await energyOf(context, message));
	} catch (error) {
		if (error instanceof RpcError && error.data !== undefined) throw error;
		// Here, unlike elsewhere, unreadable parameters count as a failed estimate.
		if (error instanceof NamedError || error instanceof RpcError) {
			throw internal(quotedText(error, context.style.dialect) || "invalid json request");
		}
		if (error instanceof ContractValidateError && error.message === "")
			throw invalidRequest("invalid contract");
		return refuseCall(context, error);
	}
}

function revertError({ node: { config } }: RpcContext, output: Uint8Array): RpcError {
	return config.node.jsonrpc.lenient ? lenientRevert(output) : rpcAnswersOf(config.node).reverted(output);
}

/** @throws {RpcError} if the call fails */
async function energyOf(context: RpcContext, message: TriggerSmartContract): Promise<bigint> {
	if (context.node.config.vm.estimateEnergy) {
		const found = await searchEnergyLimit(context, message);
		if ("energyRequired" in found) return found.energyRequired;
		throw found.reverted ? revertError(context, found.output) : internal(found.failure);
	}
	const result = await executeConstantCall(context, message, callTransaction(context, message));
	if (result.reverted) throw revertError(context, result.output);
	return result.energyUsed;
}

export const callMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "eth_call",
		about: "What a contract answers to a call, without effect.",
		parameters: [
			["call", callObject],
			["block", anyValue],
		],
		handle: (context, object, block) => {
			const seen = contextOfBlock(context, block);
			if (object === null) throw nullPointer();
			return call(seen, object, isLenient(context));
		},
	}),
	defineMethod({
		name: "eth_estimateGas",
		about: "Energy that a call, a deployment or a transfer of coins uses.",
		parameters: [["call", callObject]],
		pastBlock: { name: "block", seen: contextOfBlock },
		handle: (context, object) => {
			if (object === null) throw nullPointer();
			return estimate(context, object);
		},
	}),
];
