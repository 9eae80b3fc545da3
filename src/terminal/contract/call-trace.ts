/** The call tree of a transaction: asked from a node that traces, read with every interface that can be had. */

import { Flags } from "@oclif/core";
import type { ContractInterface } from "../../abi/parameter.js";
import { addressFromHash } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { CreateSmartContract, TriggerSmartContract } from "../../protocol/messages.js";
import { commonInterface, joinedInterfaces } from "../../wallet/abi/signature-list.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, type Json } from "../../wallet/json.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { transactionFrom } from "../../wallet/transaction/transaction-view.js";
import { type CallNode, callTree } from "../../wallet/view/call-tree.js";
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

/** Contracts that are asked for on behalf of one tree. */
export const MAX_CONTRACTS = 200;

/** Interfaces of files. @throws {Failure} `bad_value` */
export async function interfacesOf(paths: readonly string[] = []): Promise<ContractInterface> {
	const lists = await Promise.all(paths.map((path) => interfaceFlag(`@${path.replace(/^@/, "")}`)));
	return joinedInterfaces(...lists.map((list) => list ?? []));
}

/** What asks for a tree of calls, beside the subject. */
const TREE = { tracer: "callTracer", tracerConfig: { withLog: true } };

/** Asks a node by JSON-RPC. */
type Ask = (method: string, params: readonly unknown[]) => Promise<Json>;

/**
 * Traces a transaction.
 * @param given interfaces that come before those of the chain
 * @throws {Failure} `not_found`; `bad_value` for a transaction that calls no contract
 */
export async function traceTransactionCalls(
	client: NodeClient,
	id: Uint8Array,
	ask: Ask,
	given: ContractInterface,
): Promise<{ readonly tree: CallView; readonly root: CallNode }> {
	const idHex = toHex(id);
	const answer = await client.call("gettransactionbyid", { value: idHex });
	if (Object.keys(answer).length === 0) throw new Failure("not_found", `there is no transaction ${idHex}`);
	const { parameter } = transactionFrom(answer, id);
	if (!(parameter instanceof TriggerSmartContract || parameter instanceof CreateSmartContract))
		throw new Failure(
			"bad_value",
			`the transaction ${idHex} calls no contract: coin tx show tells what it does`,
		);
	const trace = await ask("debug_traceTransaction", [`0x${idHex}`, TREE]);
	const root = callTree(trace);
	const view = await viewCall(root, interfaceSource(client, given));
	// The receipt names what other networks have no words for.
	const receipt = isRecord(trace) ? trace["receipt"] : undefined;
	const named = isRecord(receipt) ? receipt["result"] : undefined;
	const tree = view.result === "failed" && typeof named === "string" ? { ...view, result: named } : view;
	return { tree, root };
}

/** Traces a call that isn't on the chain, on the head. @param call as JSON-RPC takes it */
export async function traceCallCalls(
	client: NodeClient,
	call: object,
	ask: Ask,
	given: ContractInterface,
): Promise<CallView> {
	return viewCall(
		callTree(await ask("debug_traceCall", [call, "latest", TREE])),
		interfaceSource(client, given),
	);
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
