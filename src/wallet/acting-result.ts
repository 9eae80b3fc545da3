/** What an acting command reports: the transaction, how far it is, and what it cost (sheet 11 §2.4). */

import { toBase58Check } from "../protocol/address.js";
import { fromUtf8, toHex } from "../protocol/bytes.js";
import type { FieldDescriptor, Message } from "../protocol/codec/descriptor.js";
import { getField } from "../protocol/codec/descriptor.js";
import type { TransactionInfo } from "../protocol/messages.js";
import { formatCoin } from "./amount.js";
import type { Artefact } from "./artefact.js";
import { summaryOf } from "./artefact-note.js";
import { resultName, type TransactionState, type TransactionStatus } from "./wait.js";

/** Members in their order; absent when unknown. */
export interface ActingResult {
	readonly txID: string;
	readonly state: TransactionState;
	readonly type: string;
	readonly from: string;
	readonly to?: string | undefined;
	readonly amount?: bigint | undefined;
	readonly token?: string | undefined;
	readonly contract?: string | undefined;
	readonly permission: number;
	readonly block?: bigint | undefined;
	readonly blockTime?: bigint | undefined;
	readonly result?: string | undefined;
	readonly fee?: bigint | undefined;
	readonly energy?: bigint | undefined;
	readonly bandwidth?: bigint | undefined;
	readonly contractAddress?: string | undefined;
	readonly tokenId?: string | undefined;
	readonly exchangeId?: bigint | undefined;
	readonly orderId?: string | undefined;
	readonly withdrawn?: bigint | undefined;
	readonly reason?: string | undefined;
}

/** Main fields of a contract, by the names that the wire gives them. */
const RECIPIENTS = ["to_address", "account_address", "receiver_address"];
const AMOUNTS = ["amount", "frozen_balance", "unfreeze_balance", "balance", "call_value", "quant"];
const TOKENS = ["asset_name", "token_id"];

export function actingResult(artefact: Artefact, status: TransactionStatus): ActingResult {
	const { type, transaction } = artefact;
	const fields = type.message?.fields ?? [];
	const find = (names: readonly string[]): FieldDescriptor | undefined =>
		fields.find((field) => names.includes(field.name));
	const value = (field: FieldDescriptor | undefined): unknown =>
		field && getField(transaction.parameter as Readonly<Message>, field.name);
	const recipient = value(find(RECIPIENTS));
	const amount = value(find(AMOUNTS));
	const token = value(find(TOKENS));
	const contract = value(find(["contract_address"]));
	return {
		txID: transaction.idHex,
		state: status.state,
		type: type.name,
		from: toBase58Check(artefact.owner),
		to: recipient instanceof Uint8Array && recipient.length > 0 ? toBase58Check(recipient) : undefined,
		amount: typeof amount === "bigint" ? amount : undefined,
		token: token instanceof Uint8Array && token.length > 0 ? fromUtf8(token) : undefined,
		contract: contract instanceof Uint8Array && contract.length > 0 ? toBase58Check(contract) : undefined,
		permission: artefact.permissionId,
		...(status.receipt ? receiptMembers(status.receipt) : {}),
	};
}

/** What a receipt reports. */
export function receiptMembers(receipt: Readonly<TransactionInfo>): Partial<ActingResult> {
	const withdrawn = receipt.withdraw_amount + receipt.withdraw_expire_amount;
	return {
		block: receipt.blockNumber,
		blockTime: receipt.blockTimeStamp,
		result: resultName(receipt),
		fee: receipt.fee,
		energy: receipt.receipt?.energy_usage_total ?? 0n,
		bandwidth: receipt.receipt?.net_usage ?? 0n,
		contractAddress:
			receipt.contract_address.length > 0 ? toBase58Check(receipt.contract_address) : undefined,
		tokenId: receipt.assetIssueID || undefined,
		exchangeId: receipt.exchange_id > 0n ? receipt.exchange_id : undefined,
		orderId: receipt.orderId.length > 0 ? toHex(receipt.orderId) : undefined,
		withdrawn: withdrawn > 0n ? withdrawn : undefined,
		reason: receipt.resMessage.length > 0 ? fromUtf8(receipt.resMessage) : undefined,
	};
}

/** The same for people. */
export function actingLines(artefact: Artefact, result: ActingResult): string[] {
	const lines = [`${result.state}: ${summaryOf(artefact)}`, `  transaction ${result.txID}`];
	if (result.block !== undefined) lines.push(`  block       ${result.block}, ${result.result ?? ""}`);
	if (result.fee !== undefined) {
		const energy = result.energy ? `, energy ${result.energy}` : "";
		lines.push(`  cost        ${formatCoin(result.fee)}, bandwidth ${result.bandwidth ?? 0n}${energy}`);
	}
	if (result.reason) lines.push(`  reason      ${result.reason}`);
	return lines;
}
