/**
 * The filter of chain parameter 24 (protocol/peers §6.2): while it is on, a message must be in canonical
 * form, without anything else, and so must each transaction's parameter.
 */

import type { Message, MessageType } from "../../../protocol/codec/descriptor.js";
import { hasUnknownFields } from "../../../protocol/codec/unknown-fields.js";
import { contractTypeById } from "../../../protocol/contract-types.js";
import { isKnownOnNile } from "../../../protocol/post-quantum/fields.js";
import type { NetworkName } from "../../rules/chain-rules.js";
import { Reason, type SignedTransaction } from "../wire/application-messages.js";
import { Misconduct } from "./misconduct.js";

/**
 * @param received length of the bytes that were parsed
 * @param network where more is known (protocol/schema §2.3)
 * @throws {Misconduct} UNKNOWN if they hold more than the schema knows, or hold it in another form
 */
export function filterMessage<T extends object>(
	type: MessageType<T>,
	message: Readonly<T>,
	received: number,
	network?: NetworkName,
): void {
	const isForeign = hasUnknownFields(
		type,
		message as Message,
		network === "nile" ? isKnownOnNile : undefined,
	);
	if (isForeign || type.encode(message).length !== received) {
		throw new Misconduct(Reason.UNKNOWN, "a message that is not in its canonical form");
	}
}

/** @throws {Misconduct} UNKNOWN if the first contract of a transaction is not the message that it names */
export function filterTransactions(transactions: readonly SignedTransaction[]): void {
	for (const transaction of transactions) {
		const type = transaction.contract && contractTypeById(transaction.contract.type)?.message;
		if (!type) throw new Misconduct(Reason.UNKNOWN, "a transaction without a contract that is known");
		filterMessage(type, unpack(transaction), transaction.contract?.parameter?.value.length ?? 0);
	}
}

function unpack(transaction: SignedTransaction): Readonly<Message> {
	try {
		return transaction.parameter;
	} catch (error) {
		throw new Misconduct(Reason.UNKNOWN, error instanceof Error ? error.message : String(error));
	}
}
