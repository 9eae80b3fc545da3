/** What became of a transaction, as clients see it (protocol/json-rpc §8). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { equalBytes } from "../../../../protocol/bytes.js";
import { wrap } from "../../../../protocol/int64.js";
import { type TransactionInfo, TransactionResultContractResult } from "../../../../protocol/messages.js";
import { transactionInfosOfBlock } from "../../../chain/block-store.js";
import type { StateView } from "../../../state/view.js";
import { contractFacts } from "../contract-facts.js";
import type { RpcValue } from "../method.js";
import { internal } from "../rpc-error.js";
import { addressData, data, quantity, ZERO_BLOOM } from "../values.js";
import { logObject, logSize, logsOfBlock, type PlacedLog } from "./log.js";
import type { ObjectStyle } from "./style.js";
import { energyPriceAt } from "./transaction.js";

/** A receipt's place in its block. */
interface Place {
	readonly index: number;
	/** Energy of the transactions up to this one, with it. */
	readonly cumulative: bigint;
	readonly logs: readonly PlacedLog[];
}

/** Receipts with more logs than these are made in turns. */
export const MAX_LOGS_AT_ONCE = 512;

/** A receipt, whose logs are shown when they are asked for. */
export interface Receipt {
	/** Without logs. */
	readonly shown: { readonly [member: string]: RpcValue };
	readonly logs: readonly PlacedLog[];
	readonly block: SignedBlock;
	readonly style: ObjectStyle;
}

/** @param info of the transaction @param block in which it stands */
export function receiptOf(
	state: StateView,
	block: SignedBlock,
	info: Readonly<TransactionInfo>,
	style: ObjectStyle,
): Receipt {
	const infos = transactionInfosOfBlock(state, block.number);
	const index = infos.findIndex(({ id }) => equalBytes(id, info.id));
	const cumulative = infos.slice(0, index + 1).reduce((sum, each) => wrap(sum + energyOf(each)), 0n);
	const logs: PlacedLog[] = [];
	for (const placed of logsOfBlock(infos)) if (placed.transactionIndex === index) logs.push(placed);
	return receiptAt(state, block, info, { index, cumulative, logs }, style);
}

/** The receipts of a block, in its order. @throws {RpcError} if they are not all kept */
export function receiptsOf(state: StateView, block: SignedBlock, style: ObjectStyle): readonly Receipt[] {
	const infos = transactionInfosOfBlock(state, block.number);
	const { length } = block.transactions;
	if (infos.length !== length) {
		throw internal(
			`TransactionList size mismatch: block has ${length} transactions, but transactionInfoList has ${infos.length}`,
		);
	}
	const logs: PlacedLog[][] = infos.map(() => []);
	for (const placed of logsOfBlock(infos)) logs[placed.transactionIndex]?.push(placed);
	let cumulative = 0n;
	return infos.map((info, index) => {
		cumulative = wrap(cumulative + energyOf(info));
		return receiptAt(state, block, info, { index, cumulative, logs: logs[index] ?? [] }, style);
	});
}

/** The least that receipts take in an answer, in bytes. */
export const sizeOfReceipts = (receipts: readonly Receipt[]): number =>
	receipts.reduce((sum, { logs }) => logs.reduce((more, { log }) => more + logSize(log), sum), 0);

const NO_LOGS = '"logs":[]';

export function receiptObject({ shown, logs, block, style }: Receipt): RpcValue {
	return { ...shown, logs: logs.map((placed) => logObject(placed, block, false, style)) };
}

/** Receipts as JSON, parted by commas, in pieces that are each made when they are asked for. */
export function* receiptPieces(receipts: readonly Receipt[]): Generator<string> {
	for (const [at, { shown, logs, block, style }] of receipts.entries()) {
		const text = JSON.stringify(shown);
		const [head = "", tail = ""] = text.split(NO_LOGS);
		yield `${at === 0 ? "" : ","}${head}"logs":[`;
		for (const [index, placed] of logs.entries()) {
			yield (index === 0 ? "" : ",") + JSON.stringify(logObject(placed, block, false, style));
		}
		yield `]${tail}`;
	}
}

function receiptAt(
	state: StateView,
	block: SignedBlock,
	info: Readonly<TransactionInfo>,
	{ index, cumulative, logs }: Place,
	style: ObjectStyle,
): Receipt {
	const transaction = block.transactions[index];
	const facts = transaction && contractFacts(state, transaction, info);
	const isCreation = transaction?.type?.name === "CreateSmartContract";
	const shown = {
		blockHash: data(block.id),
		blockNumber: quantity(block.number),
		contractAddress: isCreation ? addressData(info.contract_address) : null,
		cumulativeGasUsed: quantity(cumulative),
		effectiveGasPrice: quantity(energyPriceAt(state, block.timestampMs)),
		from: facts ? addressData(facts.from) : null,
		gasUsed: quantity(energyOf(info)),
		logs: [],
		logsBloom: ZERO_BLOOM,
		status: succeeded(info) ? "0x1" : "0x0",
		to: facts ? addressData(facts.to) : null,
		transactionHash: data(info.id),
		transactionIndex: quantity(index),
		type: "0x0",
	};
	return { shown, logs, block, style };
}

function energyOf({ receipt }: Readonly<TransactionInfo>): bigint {
	return receipt?.energy_usage_total ?? 0n;
}

/** A contract's receipt says how it ended; that of any other transaction says nothing. */
function succeeded({ receipt }: Readonly<TransactionInfo>): boolean {
	const result = receipt?.result ?? TransactionResultContractResult.DEFAULT;
	return result <= TransactionResultContractResult.SUCCESS;
}
