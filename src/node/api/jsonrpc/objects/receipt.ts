/** Receipt objects (protocol/json-rpc §8). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { equalBytes } from "../../../../protocol/bytes.js";
import { wrap } from "../../../../protocol/int64.js";
import { type TransactionInfo, TransactionResultContractResult } from "../../../../protocol/messages.js";
import {
	blockIdAt,
	countReceipts,
	receiptSums,
	receiptsInTurn,
	transactionInfosOfBlock,
} from "../../../chain/block-store.js";
import type { StateView } from "../../../state/view.js";
import { contractFacts } from "../contract-facts.js";
import type { RpcValue } from "../method.js";
import { internal } from "../rpc-error.js";
import { addressData, data, quantity, ZERO_BLOOM } from "../values.js";
import { logObject, logSize, type PlacedLog } from "./log.js";
import type { ObjectStyle } from "./style.js";
import { energyPriceAt } from "./transaction.js";

/** A receipt's position in its block. */
interface Place {
	readonly index: number;
	/** Cumulative energy, including this transaction. */
	readonly cumulative: bigint;
	readonly logs: readonly PlacedLog[];
}

/** Receipts with more logs than this are made time-sliced. */
export const MAX_LOGS_AT_ONCE = 512;

/** A receipt whose logs are rendered lazily. */
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
	let [index, cumulative, firstLog] = [0, 0n, 0];
	for (const { id, energy, logs: count } of receiptSums(state, block.number)) {
		cumulative = wrap(cumulative + energy);
		if (equalBytes(id, info.id)) {
			const logs = placedLogs(info, index, firstLog);
			return receiptAt(state, block, info, { index, cumulative, logs }, style);
		}
		firstLog += count;
		index++;
	}
	return receiptAt(state, block, info, { index: -1, cumulative: 0n, logs: [] }, style);
}

/** A block's receipts, in order. @throws {RpcError} if they are not all kept */
export function receiptsOf(state: StateView, block: SignedBlock, style: ObjectStyle): readonly Receipt[] {
	const infos = transactionInfosOfBlock(state, block.number);
	checkCount(block, infos.length);
	return [...receiptsFrom(state, block, infos, style)];
}

/**
 * As above, but made lazily, for blocks that take much memory.
 * @throws {RpcError} if they are not all kept
 */
export function* receiptsOfLarge(
	state: StateView,
	block: SignedBlock,
	style: ObjectStyle,
): Generator<Receipt, void> {
	const id = blockIdAt(state, block.number);
	checkCount(block, id && equalBytes(id, block.id) ? countReceipts(state, block.number) : 0);
	yield* receiptsFrom(state, block, receiptsInTurn(state, block.number), style);
}

function checkCount({ transactions: { length } }: SignedBlock, kept: number): void {
	if (kept === length) return;
	throw internal(
		`TransactionList size mismatch: block has ${length} transactions, but transactionInfoList has ${kept}`,
	);
}

function* receiptsFrom(
	state: StateView,
	block: SignedBlock,
	infos: Iterable<Readonly<TransactionInfo>>,
	style: ObjectStyle,
): Generator<Receipt, void> {
	let [index, cumulative, firstLog] = [0, 0n, 0];
	for (const info of infos) {
		cumulative = wrap(cumulative + energyOf(info));
		const logs = placedLogs(info, index, firstLog);
		yield receiptAt(state, block, info, { index, cumulative, logs }, style);
		firstLog += info.log.length;
		index++;
	}
}

function placedLogs(
	info: Readonly<TransactionInfo>,
	transactionIndex: number,
	firstLog: number,
): readonly PlacedLog[] {
	return info.log.map((log, at) => ({
		log,
		logIndex: firstLog + at,
		transactionIndex,
		transactionId: info.id,
	}));
}

/** Minimum size of receipts in an answer, in bytes. */
export const sizeOfReceipts = (receipts: readonly Receipt[]): number =>
	receipts.reduce((sum, { logs }) => logs.reduce((more, { log }) => more + logSize(log), sum), 0);

const NO_LOGS = '"logs":[]';

export function receiptObject({ shown, logs, block, style }: Receipt): RpcValue {
	return { ...shown, logs: logs.map((placed) => logObject(placed, block, false, style)) };
}

/** Receipts as comma-separated JSON, in lazily made pieces. */
export function* receiptPieces(receipts: Iterable<Receipt>): Generator<string> {
	let before = "";
	for (const { shown, logs, block, style } of receipts) {
		const text = JSON.stringify(shown);
		const [head = "", tail = ""] = text.split(NO_LOGS);
		yield `${before}${head}"logs":[`;
		before = ",";
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

/** Only contract receipts have a result; without one, the transaction succeeded. */
function succeeded({ receipt }: Readonly<TransactionInfo>): boolean {
	const result = receipt?.result ?? TransactionResultContractResult.DEFAULT;
	return result <= TransactionResultContractResult.SUCCESS;
}
