/** Building unsigned transactions (protocol/json-rpc §12). The contract type follows from the request's members. */

import { utf8 } from "../../../../protocol/bytes.js";
import type { Message } from "../../../../protocol/codec/descriptor.js";
import { type ContractType, contractType } from "../../../../protocol/contract-types.js";
import { hasWireName, messageText, NamedError, nullPointer } from "../../../../protocol/json/exceptions.js";
import { decodeHexText } from "../../../../protocol/json/hex-text.js";
import { shownAs } from "../../../../protocol/json/message-writer.js";
import { transactionJson } from "../../../../protocol/json/transaction-json.js";
import {
	CreateSmartContract,
	SmartContract,
	SmartContractABI,
	TransferAssetContract,
	TransferContract,
	TriggerSmartContract,
} from "../../../../protocol/messages.js";
import { SignedTransaction } from "../../../../protocol/transaction.js";
import { ChainError, ContractValidateError } from "../../../rules/errors.js";
import { VmError } from "../../../vm/vm-error.js";
import { type BuildOptions, buildValid } from "../../builder.js";
import { callTransaction, constantAnswer, executeConstantCall } from "../../queries/contract-calls.js";
import { isConstantCall } from "../../queries/contracts.js";
import { readersOf, rpcAnswersOf } from "../answers.js";
import { flag, integer, type RecordOf, record, text } from "../declared-types.js";
import { defineMethod, JsonText, type RpcContext, type RpcMethod } from "../method.js";
import { internal, invalidRequest, notAvailable, RpcError } from "../rpc-error.js";
import type { ParameterReaders } from "../strict-readers.js";
import { callObjectMembers, isEmptyHex } from "../values.js";

const int64 = integer(64);

const members = {
	...callObjectMembers,
	tokenId: int64,
	tokenValue: int64,
	abi: text,
	consumeUserResourcePercent: int64,
	originEnergyLimit: int64,
	name: text,
	permissionId: integer(32),
	extraData: text,
	visible: flag,
};

const buildObject = record(members);
type BuildObject = RecordOf<typeof members>;

const TRANSFER = contractType("TransferContract");
const TRANSFER_ASSET = contractType("TransferAssetContract");
const CREATE = contractType("CreateSmartContract");

/** A number, 0 by default; null is an error. */
function numberOf(value: bigint | null | undefined): bigint {
	if (value === null) throw nullPointer();
	return value ?? 0n;
}

function ownerOf(readers: ParameterReaders, { from }: BuildObject): Uint8Array {
	try {
		return readers.address(from ?? null);
	} catch (error) {
		if (error instanceof RpcError) throw invalidRequest("invalid json request");
		throw error;
	}
}

function permissionOf(object: BuildObject): BuildOptions {
	const permissionId = Number(numberOf(object.permissionId));
	return permissionId > 0 ? { permissionId } : {};
}

function isVisible({ visible }: BuildObject): boolean {
	if (visible === null) throw nullPointer();
	return visible ?? false;
}

function build(context: RpcContext, object: BuildObject): string | Promise<string> {
	const readers = readersOf(context);
	const owner = ownerOf(readers, object);
	const { to = null, value = null } = object;
	const input = readers.agreedInput(object);
	if (isEmptyHex(to)) {
		if (isEmptyHex(readers.inputText(object))) throw invalidRequest("invalid json request");
		return buildDeployment(context, object, input, owner);
	}
	const receiver = readers.address(to);
	if (context.state.contract.has(receiver)) return buildCall(context, object, input, owner, receiver);
	const tokenId = numberOf(object.tokenId);
	const tokenValue = numberOf(object.tokenValue);
	if (tokenId > 0n && tokenValue > 0n && (!value || value === "0x0")) {
		const contract = TransferAssetContract.create({
			owner_address: owner,
			to_address: receiver,
			asset_name: utf8(String(tokenId)),
			amount: tokenValue,
		});
		return buildTransfer(context, object, TRANSFER_ASSET, contract);
	}
	if (!value) throw invalidRequest("invalid json request");
	const contract = TransferContract.create({
		owner_address: owner,
		to_address: receiver,
		amount: readers.amount(value),
	});
	return buildTransfer(context, object, TRANSFER, contract);
}

function buildTransfer(
	context: RpcContext,
	object: BuildObject,
	type: ContractType,
	contract: Readonly<Message>,
): string {
	const style = shownAs(context.style, isVisible(object));
	return withRefusals(context, () => {
		const transaction = buildValid(context, type, contract, () => ({
			...permissionOf(object),
			...memoOf(object, style.visible),
		}));
		return transactionJson(transaction, style, { visible: true });
	});
}

function memoOf({ extraData }: BuildObject, visible: boolean): BuildOptions {
	if (!extraData) return {};
	return { data: visible ? utf8(extraData) : decodeHexText(extraData) };
}

/** The fee limit that buys the energy given as `gas`. */
function feeLimitOf(context: RpcContext, { gas }: BuildObject): bigint {
	return readersOf(context).feeLimitSun(gas, context.state.properties.get("ENERGY_FEE"));
}

/** A deployment is never shown in visible form, even on request. */
function buildDeployment(
	context: RpcContext,
	object: BuildObject,
	input: () => Uint8Array,
	owner: Uint8Array,
): string {
	const readers = readersOf(context);
	return withRefusals(context, () => {
		const contract = CreateSmartContract.create({
			owner_address: owner,
			call_token_value: numberOf(object.tokenValue),
			token_id: numberOf(object.tokenId),
			new_contract: SmartContract.create({
				origin_address: owner,
				abi: object.abi ? readers.contractAbi(object.abi, isVisible(object)) : new SmartContractABI(),
				bytecode: input(),
				call_value: readers.amount(object.value),
				consume_user_resource_percent: numberOf(object.consumeUserResourcePercent),
				origin_energy_limit: numberOf(object.originEnergyLimit),
				name: object.name ?? "",
			}),
		});
		const transaction = buildValid(context, CREATE, contract, () => ({
			feeLimitSun: feeLimitOf(context, object),
			...permissionOf(object),
		}));
		return transactionJson(transaction, shownAs(context.style, false), { visible: true });
	});
}

/** A constant call is executed right away and its result attached. */
async function buildCall(
	context: RpcContext,
	object: BuildObject,
	input: () => Uint8Array,
	owner: Uint8Array,
	contract: Uint8Array,
): Promise<string> {
	const readers = readersOf(context);
	const style = shownAs(context.style, isVisible(object));
	const build = async (): Promise<string> => {
		const call = TriggerSmartContract.create({
			owner_address: owner,
			contract_address: contract,
			data: input(),
			call_value: readers.amount(object.value),
			call_token_value: numberOf(object.tokenValue),
			token_id: numberOf(object.tokenId),
		});
		let transaction = callTransaction(context, call, {
			feeLimitSun: feeLimitOf(context, object),
			...permissionOf(object),
		});
		if (isConstantCall(context.state.abi.get(contract), call.data)) {
			const answer = constantAnswer(transaction, await executeConstantCall(context, call, transaction));
			transaction = new SignedTransaction(answer.transaction as NonNullable<typeof answer.transaction>);
		}
		return transactionJson(transaction, style);
	};
	try {
		return await build();
	} catch (error) {
		if (!(error instanceof ContractValidateError)) return refuse(context, error);
		throw rpcAnswersOf(context.node.config.node).unbuildable(messageText(error, context.style.dialect));
	}
}

function withRefusals(context: RpcContext, build: () => string): string {
	try {
		return build();
	} catch (error) {
		return refuse(context, error);
	}
}

/** @throws {RpcError | NamedError} */
function refuse({ style }: RpcContext, error: unknown): never {
	if (error instanceof ContractValidateError) throw invalidRequest(messageText(error, style.dialect));
	const isNull = hasWireName(error, "NullPointerException");
	const isFailure = error instanceof NamedError || error instanceof ChainError || error instanceof VmError;
	if (isFailure && !isNull) throw internal(messageText(error, style.dialect));
	throw error;
}

const ELSEWHERE = { full: "", solidity: " in SOLIDITY", pbft: " in PBFT" } as const;

export const buildMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "buildTransaction",
		about: "Builds a transfer of coins or tokens, a deployment or a call, for signing.",
		parameters: [["transaction", buildObject]],
		handle: async (context, object) => {
			if (context.server !== "full") throw notAvailable("buildTransaction", ELSEWHERE[context.server]);
			if (object === null) throw nullPointer();
			return new JsonText(`{"transaction":${await build(context, object)}}`);
		},
	}),
];
