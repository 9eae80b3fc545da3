/** Contracts as a node knows them: their record, code and interface (protocol/http-endpoints §3.7). */

import type { ContractInterface } from "../../abi/parameter.js";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { SmartContractDataWrapper } from "../../protocol/messages.js";
import { interfaceOf } from "../abi/interface.js";
import { Failure } from "../failure.js";
import { isRecord } from "../json.js";
import { messageFrom } from "../node/answer.js";
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

/** The interface that was stored with a contract; empty if its deployer gave none. @throws {Failure} `not_found` */
export async function storedInterface(client: NodeClient, address: Uint8Array): Promise<ContractInterface> {
	const answer = await client.call("getcontract", { value: toHex(address) });
	if (Object.keys(answer).length === 0) throw noContract(address);
	const { abi } = answer;
	return isRecord(abi) && abi["entrys"] !== undefined ? interfaceOf(abi) : [];
}

function noContract(address: Uint8Array): Failure {
	return new Failure("not_found", `there is no contract at ${toBase58Check(address)}`);
}
