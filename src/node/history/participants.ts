/** Who takes part in a transaction: the owner, and whom its contract names (protocol/history §2). */

import { contractAddress } from "../../protocol/address.js";
import { getField, type Message } from "../../protocol/codec/descriptor.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { ContractType } from "../../protocol/contract-types.js";
import { byteClass } from "../../protocol/json/byte-fields.js";
import { VoteWitnessContract } from "../../protocol/messages.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";

/** Addresses beyond these are not looked at: a valid transaction has far fewer. */
const MAX_TARGETS = 64;

const targetFields = new Map<string, readonly string[]>();

/** Fields with addresses that are not the owner's. */
function fieldsOf(type: ContractType): readonly string[] {
	let fields = targetFields.get(type.name);
	if (!fields) {
		const { message } = type;
		fields = (message?.fields ?? [])
			.filter(({ kind, name }) => kind === "bytes" && name !== type.owner)
			.map(({ name }) => name)
			.filter((name) => byteClass(message?.typeName ?? "", name) === "address");
		targetFields.set(type.name, fields);
	}
	return fields;
}

/**
 * Whom a transaction is about, besides its owner: receivers, called and created contracts, those that are voted for.
 * @param created the contract as its receipt names it; absent: there is no receipt
 */
export function targetsOf(
	transaction: SignedTransaction,
	created?: Uint8Array | undefined,
): readonly Uint8Array[] {
	const { type } = transaction;
	const parameter = type?.message && readParameter(transaction);
	if (!type || !parameter) return [];
	const targets: Uint8Array[] = [];
	for (const field of fieldsOf(type)) {
		const value = getField(parameter, field) as Uint8Array | readonly Uint8Array[];
		if (value instanceof Uint8Array) targets.push(value);
		else targets.push(...value.slice(0, MAX_TARGETS));
	}
	if (parameter instanceof VoteWitnessContract) {
		targets.push(...parameter.votes.slice(0, MAX_TARGETS).map(({ vote_address }) => vote_address));
	}
	if (type.name === "CreateSmartContract") {
		targets.push(created?.length ? created : contractAddress(transaction.id, transaction.owner));
	}
	return targets;
}

export function readParameter(transaction: SignedTransaction): Readonly<Message> | undefined {
	try {
		return transaction.parameter;
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
}
