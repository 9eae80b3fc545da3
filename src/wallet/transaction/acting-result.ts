/** The result of a command that sends a transaction: the transaction, its status, and what it cost (protocol/command-line §1.5). */

import { viewText } from "../../abi/coder.js";
import { toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import { type FieldDescriptor, getField, type Message } from "../../protocol/codec/descriptor.js";
import type { MarketOrderDetail, TransactionInfo } from "../../protocol/messages.js";
import { resultName, type TransactionState, type TransactionStatus } from "../node/wait.js";
import { formatCoin } from "../values/amount.js";
import { utcTime } from "../values/moment.js";
import { resourceCode, resourceName } from "../values/resource.js";
import { type DecodedOutcome, logText } from "../view/contract-outcome.js";
import type { DescribedCall } from "./described-call.js";
import { ownerText, type TransactionEnvelope } from "./envelope.js";
import { summaryOf } from "./envelope-note.js";
import { inPlainWords } from "./refusal-advice.js";

/** Members in output order; absent if unknown. */
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
	/** How the code of a new contract matches what was compiled here: `exact`, `code` or `none`. */
	readonly verified?: string | undefined;
	/** Whether the source of a new contract is stored with the node. */
	readonly stored?: boolean | undefined;
	readonly tokenId?: string | undefined;
	readonly exchangeId?: bigint | undefined;
	readonly orderId?: string | undefined;
	readonly proposalId?: bigint | undefined;
	readonly withdrawn?: bigint | undefined;
	/** When unstaked coins can be withdrawn, epoch milliseconds. */
	readonly due?: bigint | undefined;
	/** Sun whose unstaking was cancelled, by resource. */
	readonly cancelled?: Readonly<Record<string, bigint>> | undefined;
	/** Smallest units received in a trade on an exchange. */
	readonly received?: bigint | undefined;
	/** Smallest units of the other token that went into or came out of an exchange. */
	readonly otherAmount?: bigint | undefined;
	/** Orders with which a new order was matched, and the smallest units paid and received. */
	readonly matches?: readonly Match[] | undefined;
	readonly reason?: string | undefined;
	/** The function that was called, with its arguments. */
	readonly call?: object | undefined;
	/** What the called function returned, decoded. */
	readonly returned?: DecodedOutcome["returned"];
	/** Logs of the transaction, decoded where an interface is known. */
	readonly logs?: DecodedOutcome["logs"];
}

export interface Match {
	readonly order: string;
	readonly paid: bigint;
	readonly received: bigint;
}

/** Logs that are shown to people; the receipt has all. */
const MAX_SHOWN_LOGS = 20;

/** Names of the main fields of contracts in messages. */
const RECIPIENTS = ["to_address", "account_address", "receiver_address"];
const AMOUNTS = [
	"amount",
	"frozen_balance",
	"unfreeze_balance",
	"balance",
	"call_value",
	"quant",
	"sell_token_quantity",
];
const TOKENS = ["asset_name", "token_id", "sell_token_id"];

export function actingResult(envelope: TransactionEnvelope, status: TransactionStatus): ActingResult {
	const { type, transaction } = envelope;
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
		from: ownerText(envelope.owner),
		to: recipient instanceof Uint8Array && recipient.length > 0 ? toBase58Check(recipient) : undefined,
		amount: typeof amount === "bigint" ? amount : undefined,
		token: token instanceof Uint8Array && token.length > 0 ? fromUtf8(token) : undefined,
		contract: contract instanceof Uint8Array && contract.length > 0 ? toBase58Check(contract) : undefined,
		permission: envelope.permissionId,
		...(status.receipt ? receiptMembers(status.receipt) : { result: status.result }),
	};
}

/** The members that a receipt provides. */
export function receiptMembers(receipt: Readonly<TransactionInfo>): Partial<ActingResult> {
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
		exchangeId: positive(receipt.exchange_id),
		orderId: receipt.orderId.length > 0 ? toHex(receipt.orderId) : undefined,
		withdrawn: positive(receipt.withdraw_amount + receipt.withdraw_expire_amount),
		cancelled: receipt.cancel_unfreezeV2_amount.size > 0 ? cancelledStakes(receipt) : undefined,
		received: positive(receipt.exchange_received_amount),
		otherAmount: positive(receipt.exchange_inject_another_amount || receipt.exchange_withdraw_another_amount),
		matches: receipt.orderDetails.length > 0 ? receipt.orderDetails.map(matchOf) : undefined,
		reason: receipt.resMessage.length > 0 ? fromUtf8(receipt.resMessage) : undefined,
	};
}

function positive(value: bigint): bigint | undefined {
	return value > 0n ? value : undefined;
}

function cancelledStakes({ cancel_unfreezeV2_amount }: Readonly<TransactionInfo>): Record<string, bigint> {
	const entries = [...cancel_unfreezeV2_amount].filter(([, amount]) => amount > 0n);
	return Object.fromEntries(entries.map(([name, amount]) => [resourceName(resourceCode(name)), amount]));
}

/** A match from the new order's side: what the maker received is what the new order paid. */
function matchOf({ makerOrderId, fillSellQuantity, fillBuyQuantity }: Readonly<MarketOrderDetail>): Match {
	return { order: toHex(makerOrderId), paid: fillSellQuantity, received: fillBuyQuantity };
}

/** The result as lines for people. */
export function actingLines(
	envelope: TransactionEnvelope,
	result: ActingResult,
	call?: DescribedCall,
): string[] {
	const lines = [`${result.state}: ${resultSummary(envelope, call)}`, `  transaction ${result.txID}`];
	if (result.block !== undefined) lines.push(`  block       ${result.block}, ${result.result ?? ""}`);
	if (result.fee !== undefined) {
		const energy = result.energy ? `, energy ${result.energy}` : "";
		// The chain's own shielded pool takes its fee in the token that it holds.
		const isOfPool = envelope.type.name === "ShieldedTransferContract";
		const fee = isOfPool ? `${result.fee} smallest units of the pool's token` : formatCoin(result.fee);
		lines.push(`  cost        ${fee}, bandwidth ${result.bandwidth ?? 0n}${energy}`);
	}
	lines.push(...reportedLines(result), ...outcomeLines(result));
	if (result.reason) lines.push(`  reason      ${inPlainWords(result.reason)}`);
	return lines;
}

/** Lines for what a called contract returned and logged; logs of other contracts name theirs. */
function outcomeLines({ returned, logs = [], contract, contractAddress }: ActingResult): string[] {
	const own = contract ?? contractAddress;
	const shown = logs
		.slice(0, MAX_SHOWN_LOGS)
		.map((log) => `  event       ${logText(log)}${log.contract === own ? "" : `, of ${log.contract}`}`);
	const more = logs.length - shown.length;
	return [
		...(returned === undefined ? [] : [`  returned    ${viewText(returned)}`]),
		...shown,
		...(more > 0 ? [`  event       and ${more} more: coin tx receipt shows them`] : []),
	];
}

/** One sentence on what happened. Leaves out the new permissions, which fill a screen and were shown before signing. */
function resultSummary(envelope: TransactionEnvelope, call: DescribedCall | undefined): string {
	const { type, owner } = envelope;
	if (type.name === "AccountPermissionUpdateContract") return `new permissions for ${toBase58Check(owner)}`;
	return summaryOf(envelope, call);
}

/** Lines for members that only some contract types have. */
function reportedLines(result: ActingResult): string[] {
	const { contractAddress, tokenId, exchangeId, orderId, withdrawn, cancelled, received, otherAmount, due } =
		result;
	const cancelledText = Object.entries(cancelled ?? {}).map(([name, sun]) => `${formatCoin(sun)} (${name})`);
	const rows: readonly (readonly [string, string | bigint | undefined])[] = [
		["contract", contractAddress],
		[
			"verified",
			result.verified && `${result.verified}${result.stored ? ", source stored with the node" : ""}`,
		],
		["token", tokenId],
		["exchange", exchangeId],
		["order", orderId],
		["withdrawn", withdrawn === undefined ? undefined : formatCoin(withdrawn)],
		[
			"due",
			due === undefined
				? undefined
				: `${utcTime(due)}: the chain keeps unstaked coins back so long, coin stake withdraw takes them from then on`,
		],
		["staked again", cancelledText.join(", ") || undefined],
		["received", received === undefined ? undefined : `${received} units`],
		["other token", otherAmount === undefined ? undefined : `${otherAmount} units`],
		...(result.matches ?? []).map(
			({ order, paid, received: got }) => ["matched", `${order}, ${got} units for ${paid}`] as const,
		),
	];
	return rows.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(11)} ${value}`]));
}
