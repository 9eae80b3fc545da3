/**
 * The rule of ALLOW_PROTO_FILTER_NUM for transactions from clients (protocol/blocks §1.3, protocol/http-endpoints §2.1): no
 * field unknown to both the schema and the network (protocol/schema §2.3), in the transaction or its parameter.
 */

import { DecodeError } from "../../protocol/codec/reader.js";
import { hasUnknownFields } from "../../protocol/codec/unknown-fields.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import { NamedError } from "../../protocol/json/exceptions.js";
import { Transaction } from "../../protocol/messages.js";
import { isKnownOnNile } from "../../protocol/post-quantum/fields.js";
import { ParameterError, type SignedTransaction, unpackParameter } from "../../protocol/transaction.js";
import type { NetworkName } from "../rules/chain-rules.js";

/** Whether a pooled transaction may go into a block: peers refuse one with unknown fields. */
export function isConsistent(transaction: SignedTransaction, network?: NetworkName): boolean {
	try {
		checkProtobufConsistency(transaction, network);
		return true;
	} catch (error) {
		if (error instanceof NamedError || error instanceof ParameterError || error instanceof DecodeError)
			return false;
		throw error;
	}
}

/** @throws {NamedError | ParameterError | DecodeError} with the text that follows `Error: ` */
export function checkProtobufConsistency(transaction: SignedTransaction, network?: NetworkName): void {
	const isKnown = network === "nile" ? isKnownOnNile : undefined;
	if (hasUnknownFields(Transaction, transaction.message, isKnown)) throw inconsistent();
	for (const contract of transaction.raw?.contract ?? []) {
		const type = contractTypeById(contract.type)?.message;
		if (!type) throw inconsistent();
		if (hasUnknownFields(type, unpackParameter(contract))) throw inconsistent();
	}
}

function inconsistent(): NamedError {
	return new NamedError("P2pException", "protobuf inconsistent");
}
