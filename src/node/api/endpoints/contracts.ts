/** Contracts: records, calls, and call costs (protocol/http-endpoints §§1.6, 1.7, 3.7). */

import { toHex } from "../../../protocol/bytes.js";
import type { MessageType } from "../../../protocol/codec/descriptor.js";
import { exceptionText, messageText, NamedError } from "../../../protocol/json/exceptions.js";
import { decodeHexText } from "../../../protocol/json/hex-text.js";
import { readLong, readTextMember } from "../../../protocol/json/member-readers.js";
import {
	mapOrderedMessage,
	mapOrderedMessageWith,
	printMessage,
	shownAs,
} from "../../../protocol/json/message-writer.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import type { JsonObject } from "../../../protocol/json/value.js";
import {
	EstimateEnergyMessage,
	Return,
	ReturnResponse_code,
	SmartContract,
	SmartContractDataWrapper,
	TransactionExtention,
	TriggerSmartContract,
} from "../../../protocol/messages.js";
import { SignedTransaction } from "../../../protocol/transaction.js";
import { ContractValidateError } from "../../rules/errors.js";
import { memoOf, permissionIdOf } from "../builder.js";
import type { ApiContext } from "../context.js";
import {
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	type FailureWriter,
	mapOrdered,
	type RequestField,
	type RequestForm,
	written,
} from "../endpoint.js";
import {
	callTransaction,
	constantAnswer,
	executeConstantCall,
	searchEnergyLimit,
} from "../queries/contract-calls.js";
import { contractAt, contractInfoAt, functionSelector, isConstantCall } from "../queries/contracts.js";
import type { RequestInput } from "../request.js";
import { objectValueRequest } from "../text-forms.js";

interface CallRequest {
	readonly call: TriggerSmartContract;
	readonly members: JsonObject;
	readonly visible: boolean;
}

interface TriggerRequest extends CallRequest {
	readonly feeLimitSun: bigint;
}

const CALL_FIELDS: readonly RequestField[] = [
	{ name: "owner_address", type: "address" },
	{ name: "contract_address", type: "address" },
	{ name: "function_selector", type: "string" },
	{ name: "parameter", type: "bytes" },
	{ name: "data", type: "bytes" },
	{ name: "call_value", type: "int64" },
	{ name: "call_token_value", type: "int64" },
	{ name: "token_id", type: "int64" },
];

const invalid = (text: string): NamedError => new NamedError("InvalidParameterException", text);

const isSet = (members: JsonObject, name: string): boolean => (readTextMember(members, name) ?? "") !== "";

/** The call in a request; if a selector is given, its data is built from selector and parameter. */
function readCall(input: RequestInput, check: (members: JsonObject) => void): CallRequest {
	const members = input.object;
	if (!isSet(members, "owner_address")) throw invalid("owner_address isn't set.");
	check(members);
	const call = input.fields(TriggerSmartContract);
	const selector = readTextMember(members, "function_selector") ?? "";
	if (selector !== "") {
		call.data = decodeHexText(
			toHex(functionSelector(selector)) + (readTextMember(members, "parameter") ?? ""),
		);
	}
	return { call, members, visible: input.visible };
}

const triggerRequest: RequestForm<TriggerRequest> = {
	fields: [...CALL_FIELDS, { name: "fee_limit", type: "int64" }, { name: "Permission_id", type: "int32" }],
	read: (input) => {
		const request = readCall(input, (members) => {
			if (!isSet(members, "contract_address")) throw invalid("contract_address isn't set.");
		});
		// Read again here, as decimal text or numbers.
		const { call, members } = request;
		call.call_token_value = readLong(members, "call_token_value");
		call.token_id = readLong(members, "token_id");
		call.call_value = readLong(members, "call_value");
		return { ...request, feeLimitSun: readLong(members, "fee_limit") };
	},
};

const constantRequest: RequestForm<CallRequest> = {
	fields: CALL_FIELDS,
	read: (input) =>
		readCall(input, (members) => {
			if (isSet(members, "contract_address")) return;
			if (!isSet(members, "data")) throw invalid("At least one of contract_address and data must be set.");
			if (isSet(members, "function_selector")) {
				throw invalid("While trying to deploy, function_selector and data can not be both set.");
			}
		}),
};

/** The answer with its transaction in the builders' form. */
function callReply({ style }: ApiContext, answer: TransactionExtention): string {
	const transaction = new SignedTransaction(answer.transaction as NonNullable<typeof answer.transaction>);
	return mapOrderedMessageWith(TransactionExtention, answer, style, [
		["transaction", transactionJson(transaction, style, { visible: true })],
	]);
}

/** The result reporting a failure: only the message for a contract validation error, otherwise with the error class. */
function failureReturn({ style: { dialect } }: ApiContext, error: Error): Return {
	const [code, text] =
		error instanceof ContractValidateError
			? [ReturnResponse_code.CONTRACT_VALIDATE_ERROR, messageText(error, dialect)]
			: [ReturnResponse_code.OTHER_ERROR, exceptionText(error, dialect).replaceAll('"', "'")];
	return Return.create({ code, message: Buffer.from(text) });
}

/** `{"result":{"code":…,"message":…}}`, in the form of the endpoint's answers. */
function callFailure<T extends TransactionExtention | EstimateEnergyMessage>(
	type: MessageType<T>,
	write: typeof mapOrderedMessage,
): FailureWriter {
	return (context, error) => {
		const answer = new type();
		answer.result = failureReturn(context, error);
		return write(type, answer, shownAs(context.style, isVisible(context)));
	};
}

/** An unreadable request is answered as if it had no `visible`. */
function isVisible({ style }: ApiContext): boolean {
	try {
		return style.visible;
	} catch (error) {
		if (error instanceof NamedError) return false;
		throw error;
	}
}

export const contractEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getcontract",
		about: "A contract: its code, interface and settings.",
		servers: ["full"],
		readsState: true,
		request: objectValueRequest,
		reply: mapOrdered(SmartContract),
		handle: ({ state }, address) => contractAt(state, address),
	}),
	defineEndpoint({
		name: "getcontractinfo",
		about: "A contract with its runtime code and its usage of energy.",
		servers: ["full"],
		readsState: true,
		request: objectValueRequest,
		reply: mapOrdered(SmartContractDataWrapper),
		handle: ({ state }, address) => contractInfoAt(state, address),
	}),
	defineEndpoint({
		name: "triggersmartcontract",
		about: "Calls a contract: builds the transaction, or answers at once where the function only reads.",
		get: "empty",
		post: "raw",
		servers: ["full"],
		request: triggerRequest,
		reply: callReply,
		answers: "TransactionExtention",
		failure: callFailure(TransactionExtention, mapOrderedMessage),
		handle: async (context, { call, members, feeLimitSun }) => {
			const { state, style } = context;
			if (!state.contract.has(call.contract_address)) {
				throw new ContractValidateError("No contract or not a valid smart contract");
			}
			const transaction = callTransaction(context, call, {
				feeLimitSun,
				...permissionIdOf(members, style),
			});
			if (isConstantCall(state.abi.get(call.contract_address), call.data)) {
				return constantAnswer(transaction, await executeConstantCall(context, call, transaction));
			}
			return TransactionExtention.create({
				transaction: transaction.message,
				result: Return.create({ result: true }),
			});
		},
	}),
	defineEndpoint({
		name: "triggerconstantcontract",
		about:
			"What a call of a contract would answer and cost, without effect; a deployment without an address.",
		get: "empty",
		post: "raw",
		servers: EVERYWHERE,
		readsState: true,
		request: constantRequest,
		reply: callReply,
		answers: "TransactionExtention",
		failure: callFailure(TransactionExtention, mapOrderedMessage),
		handle: async (context, { call, members, visible }) => {
			const bare = callTransaction(context, call);
			// The network's node ignores it.
			const isTrial = members.has("fee_limit");
			const result = await executeConstantCall(context, call, bare, isTrial);
			// Read last: errors in them are reported after those of the call.
			const options = { ...permissionIdOf(members, context.style), ...memoOf(members, visible) };
			const isBare = Object.keys(options).length === 0;
			return constantAnswer(isBare ? bare : callTransaction(context, call, options), result);
		},
	}),
	defineEndpoint({
		name: "estimateenergy",
		about: "The energy that a call or deployment needs to succeed.",
		get: "empty",
		post: "raw",
		servers: EVERYWHERE,
		readsState: true,
		request: constantRequest,
		answers: "EstimateEnergyMessage",
		reply: written,
		failure: callFailure(EstimateEnergyMessage, printMessage),
		handle: async (context, { call }) => {
			const estimate = await searchEnergyLimit(context, call);
			const answer = new EstimateEnergyMessage();
			if ("failure" in estimate) {
				const message = Buffer.from(estimate.failure);
				answer.result = Return.create({ code: ReturnResponse_code.CONTRACT_EXE_ERROR, message });
			} else {
				answer.result = Return.create({ result: true });
				answer.energy_required = estimate.energyRequired;
			}
			return printMessage(EstimateEnergyMessage, answer, context.style);
		},
	}),
];
