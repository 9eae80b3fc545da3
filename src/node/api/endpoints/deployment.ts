/** Building a contract deployment (protocol/http-endpoints §1.5): members are read individually, only the ABI is decoded. */

import { contractType } from "../../../protocol/contract-types.js";
import { decodeFields } from "../../../protocol/json/field-decoder.js";
import { decodeHexText } from "../../../protocol/json/hex-text.js";
import { readLong, readTextMember } from "../../../protocol/json/member-readers.js";
import type { JsonObject } from "../../../protocol/json/value.js";
import { CreateSmartContract, SmartContract, SmartContractABI } from "../../../protocol/messages.js";
import { buildValid, permissionIdOf } from "../builder.js";
import { defineEndpoint, type RequestForm } from "../endpoint.js";
import { parseAddressText } from "../parameters.js";
import type { RequestInput } from "../request.js";
import { builtTransaction } from "./builders.js";

interface Deployment {
	readonly contract: CreateSmartContract;
	readonly feeLimitSun: bigint;
	readonly members: JsonObject;
}

const FIELDS = {
	owner_address: "address",
	abi: "protocol.SmartContract.ABI.Entry[]",
	bytecode: "bytes",
	parameter: "bytes",
	name: "string",
	call_value: "int64",
	call_token_value: "int64",
	token_id: "int64",
	consume_user_resource_percent: "int64",
	origin_energy_limit: "int64",
	fee_limit: "int64",
	Permission_id: "int32",
};

const deploymentRequest: RequestForm<Deployment> = {
	fields: Object.entries(FIELDS).map(([name, type]) => ({ name, type })),
	read: (input) => {
		const members = input.object;
		const { visible, library } = input;
		const owner = parseAddressText(readTextMember(members, "owner_address"), visible, library);
		const contract = CreateSmartContract.create({
			owner_address: owner,
			call_token_value: readLong(members, "call_token_value"),
			token_id: readLong(members, "token_id"),
		});
		contract.new_contract = newContract(members, owner, input);
		return { contract, feeLimitSun: readLong(members, "fee_limit"), members };
	},
};

function newContract(
	members: JsonObject,
	owner: Uint8Array,
	{ visible, library }: Pick<RequestInput, "visible" | "library">,
): SmartContract {
	const abi = readTextMember(members, "abi");
	return SmartContract.create({
		origin_address: owner,
		// Accepts a list or its text; the message always contains the list, even if empty.
		abi:
			abi === null
				? new SmartContractABI()
				: decodeFields(SmartContractABI, `{"entrys":${abi}}`, visible, library),
		call_value: readLong(members, "call_value"),
		consume_user_resource_percent: readLong(members, "consume_user_resource_percent"),
		origin_energy_limit: readLong(members, "origin_energy_limit"),
		bytecode: bytecodeOf(members),
		name: readTextMember(members, "name") ?? "",
	});
}

/** Bytecode with the constructor arguments appended. */
function bytecodeOf(members: JsonObject): Uint8Array {
	const code = readTextMember(members, "bytecode");
	if (!members.has("parameter")) return decodeHexText(code);
	return decodeHexText(`${code}${readTextMember(members, "parameter")}`);
}

export const deployContract = defineEndpoint({
	name: "deploycontract",
	about: "Deploys a contract.",
	get: "empty",
	servers: ["full"],
	request: deploymentRequest,
	reply: builtTransaction,
	answers: "Transaction",
	handle: (context, { contract, feeLimitSun, members }) =>
		buildValid(context, contractType("CreateSmartContract"), contract, () => ({
			feeLimitSun,
			...permissionIdOf(members, context.style),
		})),
});
