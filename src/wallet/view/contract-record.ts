/** Contracts as a node knows them: their record, code and interface (protocol/http-endpoints §3.7). */

import type { ContractInterface } from "../../abi/parameter.js";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { SmartContractDataWrapper } from "../../protocol/messages.js";
import { interfaceOf } from "../abi/interface.js";
import { Failure } from "../failure.js";
import { isRecord } from "../json.js";
import { messageFrom } from "../node/answer.js";
import { historyPath, historyRows } from "../node/history-client.js";
import type { NodeClient } from "../node/node-client.js";

/** A contract's record with its runtime code. @throws {Failure} `not_found` */
export async function contractAt(
	client: NodeClient,
	address: Uint8Array,
): Promise<Readonly<SmartContractDataWrapper>> {
	const answer = await client.call("getcontractinfo", { value: toHex(address) });
	if (!isRecord(answer["smart_contract"])) throw noContract(address);
	return messageFrom(SmartContractDataWrapper, answer);
}

/** The interface that was stored with a contract, or with its sources; empty if nobody gave one. @throws {Failure} `not_found` */
export async function storedInterface(client: NodeClient, address: Uint8Array): Promise<ContractInterface> {
	const answer = await client.call("getcontract", { value: toHex(address) });
	if (Object.keys(answer).length === 0) throw noContract(address);
	const { abi } = answer;
	return isRecord(abi) && abi["entrys"] !== undefined ? interfaceOf(abi) : sourceInterface(client, address);
}

/** The interface of the sources that a node's owner stored; empty where the node has none, or no place for them. */
async function sourceInterface(client: NodeClient, address: Uint8Array): Promise<ContractInterface> {
	try {
		for await (const { abi } of historyRows(client, historyPath("contracts", address, "source"))) {
			if (Array.isArray(abi)) return interfaceOf(abi);
		}
	} catch (error) {
		// It only helps to read: whatever the server thinks of the question, the contract is there.
		if (!(error instanceof Failure)) throw error;
	}
	return [];
}

function noContract(address: Uint8Array): Failure {
	return new Failure("not_found", `there is no contract at ${toBase58Check(address)}`);
}
