/** Methods that build an unsigned transaction (protocol/grpc §2.1). */

import { utf8 } from "../../../protocol/bytes.js";
import type { Message } from "../../../protocol/codec/descriptor.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { type ContractType, contractTypeById } from "../../../protocol/contract-types.js";
import {
	exceptionText,
	isWireError,
	messageText,
	NamedError,
	nullPointer,
} from "../../../protocol/json/exceptions.js";
import {
	Any,
	Return,
	ReturnResponse_code,
	Transaction,
	type TransactionContract,
	TransactionExtention,
	TriggerSmartContract,
} from "../../../protocol/messages.js";
import { ParameterError, unpackParameter } from "../../../protocol/transaction.js";
import { contractModule, parameterTypeRefusal } from "../../contracts/modules.js";
import { ContractValidateError } from "../../rules/errors.js";
import { buildValid, transactionExtention } from "../builder.js";
import type { ApiContext } from "../context.js";
import type { Handler } from "./method.js";

/** The transaction with its id (kind E of protocol/grpc §2.1), or the error in its place. */
export function build<Q extends Message>(type: ContractType): Handler<Q, TransactionExtention> {
	return (context, contract) =>
		extentionOrReason(context, () => transactionExtention(buildValid(context, type, contract)));
}

/** The bare transaction (kind L of protocol/grpc §2.1); an empty one if the contract is not valid. */
export function buildBare<Q extends Message>(type: ContractType): Handler<Q, Transaction> {
	return (context, contract) => {
		try {
			return buildValid(context, type, contract).message;
		} catch (error) {
			if (error instanceof ContractValidateError) return new Transaction();
			throw error;
		}
	};
}

/** Builds a transaction from the type and parameter of another transaction's first contract. */
export const buildCommon: Handler<Transaction, TransactionExtention> = (context, { raw_data }) => {
	const contract = raw_data?.contract[0];
	if (!contract) throw new NamedError("IndexOutOfBoundsException", "Index: 0, Size: 0");
	return extentionOrReason(context, () => {
		const type = contractTypeById(contract.type);
		if (!type?.message) throw nullPointer();
		const parameter = checkedParameter(context, type, contract);
		const packed = contract.parameter ?? Any.create({});
		return transactionExtention(buildValid(context, type, parameter, undefined, packed));
	});
};

/** The parameter of a contract. @throws {ContractValidateError} if it is another message, or none at all */
function checkedParameter(
	{ node, state }: ApiContext,
	type: ContractType,
	contract: Readonly<TransactionContract>,
): Message {
	// A call isn't checked before it is executed.
	if (type.name === "TriggerSmartContract") return new TriggerSmartContract();
	try {
		return unpackParameter(contract);
	} catch (error) {
		if (!(error instanceof ParameterError || error instanceof DecodeError)) throw error;
		const module = contractModule(type.name);
		module?.gate?.({ state, forks: node.forks(state) });
		if (error instanceof ParameterError) throw new ContractValidateError(parameterTypeRefusal(type.name));
		module?.opening?.(state);
		throw new ContractValidateError(error.message);
	}
}

/** The answer, or the error in its place. */
function extentionOrReason(context: ApiContext, answer: () => TransactionExtention): TransactionExtention {
	try {
		return answer();
	} catch (error) {
		if (!isWireError(error)) throw error;
		return TransactionExtention.create({ result: refusal(context, error) });
	}
}

/** The error for something that can't be built, as a result. */
export function refusal({ style: { dialect } }: ApiContext, error: Error): Return {
	return error instanceof ContractValidateError
		? Return.create({
				code: ReturnResponse_code.CONTRACT_VALIDATE_ERROR,
				message: utf8(`Contract validate error : ${messageText(error, dialect)}`),
			})
		: Return.create({
				code: ReturnResponse_code.OTHER_ERROR,
				message: utf8(exceptionText(error, dialect)),
			});
}
