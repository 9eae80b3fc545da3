/** Gets a transaction's call tree from a node that supports tracing, decoded by all available interfaces. */

import { Flags } from "@oclif/core";
import type { ContractInterface } from "../../abi/parameter.js";
import { toHex } from "../../protocol/bytes.js";
import { CreateSmartContract, TriggerSmartContract } from "../../protocol/messages.js";
import { joinedInterfaces } from "../../wallet/abi/signature-list.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, type Json } from "../../wallet/json.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { transactionFrom } from "../../wallet/transaction/transaction-view.js";
import { type CallNode, callTree } from "../../wallet/view/call-tree.js";
import { type CallView, viewCall } from "../../wallet/view/call-view.js";
import { otherInterfaces, ownSource } from "../../wallet/view/contract-record.js";
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

/** Interfaces of files. @throws {Failure} `bad_value` */
export async function interfacesOf(
	settings: Settings,
	paths: readonly string[] = [],
): Promise<ContractInterface> {
	const lists = await Promise.all(paths.map((path) => interfaceFlag(`@${path.replace(/^@/, "")}`, settings)));
	return joinedInterfaces(...lists.map((list) => list ?? []));
}

/** Parameters for requesting a call tree. */
const TREE = { tracer: "callTracer", tracerConfig: { withLog: true } };

/** Calls a node's JSON-RPC. */
type Ask = (method: string, params: readonly unknown[]) => Promise<Json>;

/**
 * Traces a transaction.
 * @param given interfaces that take precedence over those on the chain
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
	const view = await viewCall(root, ownSource(client, given), await otherInterfaces(client.settings));
	// The receipt names what other networks have no words for.
	const receipt = isRecord(trace) ? trace["receipt"] : undefined;
	const named = isRecord(receipt) ? receipt["result"] : undefined;
	const tree = view.result === "failed" && typeof named === "string" ? { ...view, result: named } : view;
	return { tree, root };
}

/** Traces a call that isn't on the chain, on the state of the head. @param call in the form of JSON-RPC */
export async function traceCallCalls(
	client: NodeClient,
	call: object,
	ask: Ask,
	given: ContractInterface,
): Promise<CallView> {
	return viewCall(
		callTree(await ask("debug_traceCall", [call, "latest", TREE])),
		ownSource(client, given),
		await otherInterfaces(client.settings),
	);
}
