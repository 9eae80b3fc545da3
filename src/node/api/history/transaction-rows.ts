/** Transactions and internal transactions as rows of the history API (protocol/history §4). */

import { toHex } from "../../../protocol/bytes.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import {
	type InternalTransaction,
	ResourceReceipt,
	type TransactionInfo,
	TransactionResultContractResult,
	TransactionResultContractResultEnum,
} from "../../../protocol/messages.js";
import { ownerKey } from "../../history/history-index.js";
import { DIRECTIONS, type HistoryRow, type RowKind, readPlace, readPointer } from "../../history/rows.js";
import { plainStyle } from "../answers.js";
import type { LongAnswer } from "../long-answer.js";
import {
	type AnswerRow,
	answerText,
	type HistoryRequest,
	heightsOf,
	streamedPage,
	WrittenJson,
} from "./page.js";
import type { StoredBodies, StoredBody } from "./stored-bodies.js";

/** Internal transactions shown per row; the transaction's own path has all of them. */
const MAX_INTERNAL = 100;

/** Transactions of an account or contract, optionally interleaved by time with its internal ones. */
export function transactionPage(request: HistoryRequest, address: Uint8Array): Promise<LongAnswer> {
	const isMixed = request.parameters.flag("search_internal", true);
	return pageOf(request, address, isMixed ? ["transaction", "internal"] : ["transaction"]);
}

export function internalPage(request: HistoryRequest, address: Uint8Array): Promise<LongAnswer> {
	return pageOf(request, address, ["internal"]);
}

async function pageOf(
	request: HistoryRequest,
	address: Uint8Array,
	kinds: readonly RowKind[],
): Promise<LongAnswer> {
	const owner = ownerKey(address);
	return streamedPage(request, {
		lists: kinds.map((kind) => ({ kind, owner })),
		heights: await heightsOf(request),
		accepts: directionFilter(request),
		write: (row, bodies) => writeRow(request, row, bodies),
	});
}

/** `only_to` and `only_from`; both at once mean no filter. Also works for rows that hold more than a pointer. */
export function directionFilter({ parameters }: HistoryRequest): ((row: HistoryRow) => boolean) | undefined {
	const [from, to] = [parameters.flag("only_from"), parameters.flag("only_to")];
	if (from === to) return undefined;
	const wanted = from ? DIRECTIONS.from : DIRECTIONS.to;
	return ({ value }) => ((value[0] as number) & wanted) !== 0;
}

function writeRow(request: HistoryRequest, row: HistoryRow, bodies: StoredBodies): AnswerRow | undefined {
	const place = readPlace(row.suffix);
	const body = bodies.at(place, readPointer(row.value).mark);
	if (!body) return undefined;
	if (row.kind === "transaction") return transactionRow(request, body);
	const call = body.info?.internal_transactions[place.ordinal - 1];
	return call && internalRow(call, body.transaction.idHex, body.timeMs);
}

/** A transaction with its result. */
function transactionRow({ context }: HistoryRequest, body: StoredBody): AnswerRow {
	const { transaction, info, height, timeMs } = body;
	const style = plainStyle(context.node.config);
	// The members of the wallet's answer without the results, which are shown along with the fee.
	const own = transactionJson(transaction.withResults([]), style);
	const receipt = info?.receipt ?? new ResourceReceipt();
	const result = transaction.message.ret[0]?.contractRet ?? TransactionResultContractResult.SUCCESS;
	const more = answerText({
		ret: [
			{
				contractRet: TransactionResultContractResultEnum.names.get(result) ?? String(result),
				fee: info?.fee ?? 0n,
			},
		],
		blockNumber: height,
		block_timestamp: timeMs,
		net_usage: receipt.net_usage,
		net_fee: receipt.net_fee,
		energy_usage: receipt.energy_usage,
		energy_fee: receipt.energy_fee,
		energy_usage_total: receipt.energy_usage_total,
		...(info ? amountsOf(info) : {}),
		internal_transactions: (info?.internal_transactions ?? []).slice(0, MAX_INTERNAL).map(internalCall),
	});
	const rest = own.slice(1);
	return new WrittenJson(`${more.slice(0, -1)}${rest === "}" ? "" : ","}${rest}`);
}

/** Amounts the transaction paid out, if any. */
function amountsOf(info: Readonly<TransactionInfo>): { readonly [member: string]: bigint | undefined } {
	const given = (amount: bigint): bigint | undefined => (amount === 0n ? undefined : amount);
	return {
		withdraw_amount: given(info.withdraw_amount),
		unfreeze_amount: given(info.unfreeze_amount),
		withdraw_expire_amount: given(info.withdraw_expire_amount),
	};
}

/** @param idHex of the transaction that called */
export function internalRow(call: Readonly<InternalTransaction>, idHex: string, timeMs: number): AnswerRow {
	const { internal_tx_id, ...others } = internalCall(call);
	return { internal_tx_id, tx_id: idHex, block_timestamp: timeMs, ...others };
}

/** An internal transaction as embedded in its transaction's row. */
function internalCall(call: Readonly<InternalTransaction>) {
	return {
		internal_tx_id: toHex(call.hash),
		from_address: toHex(call.caller_address),
		to_address: toHex(call.transferTo_address),
		data: {
			note: toHex(call.note),
			rejected: call.rejected,
			call_value: Object.fromEntries(
				call.callValueInfo.map(({ tokenId, callValue }) => [tokenId === "" ? "_" : tokenId, callValue]),
			),
		},
	};
}
