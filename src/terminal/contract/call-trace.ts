/** The call tree of a transaction: asked from a node that traces, read with every interface that can be had. */

import { Flags } from "@oclif/core";
import type { ContractInterface } from "../../abi/parameter.js";
import { addressFromHash, contractAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import {
	CreateSmartContract,
	TransactionInfo,
	TransactionResultContractResultEnum,
	TriggerSmartContract,
} from "../../protocol/messages.js";

import { commonInterface, joinedInterfaces } from "../../wallet/abi/signature-list.js";
import { Failure } from "../../wallet/failure.js";
import type { Json } from "../../wallet/json.js";
import { messageFrom } from "../../wallet/node/answer.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { transactionFrom } from "../../wallet/transaction/transaction-view.js";
import { callTree, MAX_STEPS, type RootCall, traceSteps } from "../../wallet/view/call-tree.js";
import { type CallView, type InterfaceOf, viewCall } from "../../wallet/view/call-view.js";
import { storedInterface } from "../../wallet/view/contract-record.js";
import { interfaceFlag } from "./contract-input.js";

/** Interfaces of contracts that have none on the chain. */
export const interfacesFlag = {
	artifact: Flags.string({
		description:
			"file with the interface of a contract that is called: of a compiler, toolchain or list; repeatable",
		helpValue: "<path>",
		multiple: true,
		multipleNonGreedy: true,
		helpGroup: "CONTRACT",
	}),
};

/** Contracts whose interface is asked for in one tree. */
const MAX_CONTRACTS = 200;

/** A tree, and whether the node stopped listing before the end. */
export interface CallTrace {
	readonly tree: CallView;
	readonly truncated: boolean;
}

/** Interfaces of files. @throws {Failure} `bad_value` */
export async function interfacesOf(paths: readonly string[] = []): Promise<ContractInterface> {
	const lists = await Promise.all(paths.map((path) => interfaceFlag(`@${path.replace(/^@/, "")}`)));
	return joinedInterfaces(...lists.map((list) => list ?? []));
}

/**
 * Traces a transaction.
 * @param trace asks the node for the operations
 * @param given interfaces that come before those of the chain
 * @throws {Failure} `not_found`; `bad_value` for a transaction that calls no contract
 */
export async function traceTransactionCalls(
	client: NodeClient,
	id: Uint8Array,
	trace: (method: string, params: readonly unknown[]) => Promise<Json>,
	given: ContractInterface,
): Promise<CallTrace> {
	const idHex = toHex(id);
	const answer = await client.call("gettransactionbyid", { value: idHex });
	if (Object.keys(answer).length === 0) throw new Failure("not_found", `there is no transaction ${idHex}`);
	const { owner, parameter } = transactionFrom(answer, id);
	const root = rootOf(id, owner, parameter);
	if (!root)
		throw new Failure(
			"bad_value",
			`the transaction ${idHex} calls no contract: coin tx show tells what it does`,
		);
	const { steps, failed } = traceSteps(await trace("debug_traceTransaction", [`0x${idHex}`]));
	const receipt = messageFrom(
		TransactionInfo,
		await client.call("gettransactioninfobyid", { value: idHex }),
	).receipt;
	const tree = callTree(root, steps, failed);
	// The receipt knows what the steps don't: why it ended, and what was charged for deployed code.
	if (receipt && receipt.energy_usage_total > 0n) tree.energy = receipt.energy_usage_total;
	const view = await viewCall(tree, interfaceSource(client, given));
	const word = receipt && TransactionResultContractResultEnum.names.get(receipt.result);
	const named = view.result === "failed" && word !== undefined ? { ...view, result: word } : view;
	return { tree: named, truncated: steps.length >= MAX_STEPS };
}

/** Traces a call that isn't on the chain. */
export async function traceCallCalls(
	client: NodeClient,
	root: RootCall,
	answer: Json,
	given: ContractInterface,
): Promise<CallTrace> {
	const { steps, failed } = traceSteps(answer);
	const tree = await viewCall(callTree(root, steps, failed), interfaceSource(client, given));
	return { tree, truncated: steps.length >= MAX_STEPS };
}

function rootOf(id: Uint8Array, owner: Uint8Array, parameter: unknown): RootCall | undefined {
	const from = owner.subarray(1);
	if (parameter instanceof TriggerSmartContract) {
		const { contract_address, data, call_value, call_token_value, token_id } = parameter;
		const token = call_token_value > 0n ? { id: token_id, amount: call_token_value } : undefined;
		return { kind: "CALL", from, to: contract_address.subarray(1), input: data, valueSun: call_value, token };
	}
	if (!(parameter instanceof CreateSmartContract)) return undefined;
	const { new_contract: made, call_token_value, token_id } = parameter;
	const token = call_token_value > 0n ? { id: token_id, amount: call_token_value } : undefined;
	const to = contractAddress(id, owner).subarray(1);
	const [input, valueSun] = [made?.bytecode ?? new Uint8Array(0), made?.call_value ?? 0n];
	return { kind: "CREATE", from, to, input, valueSun, token };
}

/** What was given, what is stored with the contract, what is common; each contract is asked for once. */
function interfaceSource(client: NodeClient, given: ContractInterface): InterfaceOf {
	const known = new Map<string, Promise<ContractInterface>>();
	const unnamed = joinedInterfaces(given, commonInterface());
	return (address) => {
		const key = toHex(address);
		const found = known.get(key);
		if (found) return found;
		// Built-in contracts have small numbers for addresses.
		if (known.size >= MAX_CONTRACTS || /^0{32}/.test(key)) return Promise.resolve(unnamed);
		const asked = storedOrNone(client, addressFromHash(address)).then((stored) =>
			joinedInterfaces(given, stored, commonInterface()),
		);
		known.set(key, asked);
		return asked;
	};
}

async function storedOrNone(client: NodeClient, address: Uint8Array): Promise<ContractInterface> {
	try {
		return await storedInterface(client, address);
	} catch (error) {
		if (error instanceof Failure && error.code === "not_found") return [];
		throw error;
	}
}
