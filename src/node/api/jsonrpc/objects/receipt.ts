/** What became of a transaction, as clients see it (protocol/json-rpc §8). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { equalBytes } from "../../../../protocol/bytes.js";
import { wrap } from "../../../../protocol/int64.js";
import { type TransactionInfo, TransactionResultContractResult } from "../../../../protocol/messages.js";
import type { StateView } from "../../../state/view.js";
import { transactionInfosOfBlock } from "../../queries/blocks.js";
import { contractFacts } from "../contract-facts.js";
import type { RpcValue } from "../method.js";
import { internal } from "../rpc-error.js";
import { addressData, data, quantity, ZERO_BLOOM } from "../values.js";
import { logObject, logsOfBlock, type PlacedLog } from "./log.js";
import type { ObjectStyle } from "./style.js";
import { energyPriceAt } from "./transaction.js";

/** A receipt's place in its block. */
interface Place {
	readonly index: number;
	/** Energy of the transactions up to this one, with it. */
	readonly cumulative: bigint;
	readonly logs: readonly PlacedLog[];
}

/** @param info of the transaction @param block in which it stands */
export function receiptObject(
	state: StateView,
	block: SignedBlock,
	info: Readonly<TransactionInfo>,
	style: ObjectStyle,
): RpcValue {
	const infos = transactionInfosOfBlock(state, block.number);
	const index = infos.findIndex(({ id }) => equalBytes(id, info.id));
	const cumulative = infos.slice(0, index + 1).reduce((sum, each) => wrap(sum + energyOf(each)), 0n);
	const logs = [...logsOfBlock(infos)].filter((placed) => placed.transactionIndex === index);
	return receiptAt(state, block, info, { index, cumulative, logs }, style);
}

/** The receipts of a block, in its order. @throws {RpcError} if they are not all kept */
export function receiptObjects(state: StateView, block: SignedBlock, style: ObjectStyle): RpcValue[] {
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

function receiptAt(
	state: StateView,
	block: SignedBlock,
	info: Readonly<TransactionInfo>,
	{ index, cumulative, logs }: Place,
	style: ObjectStyle,
): RpcValue {
	const transaction = block.transactions[index];
	const facts = transaction && contractFacts(state, transaction, info);
	const isCreation = transaction?.type?.name === "CreateSmartContract";
	return {
		blockHash: data(block.id),
		blockNumber: quantity(block.number),
		contractAddress: isCreation ? addressData(info.contract_address) : null,
		cumulativeGasUsed: quantity(cumulative),
		effectiveGasPrice: quantity(energyPriceAt(state, block.timestampMs)),
		from: facts ? addressData(facts.from) : null,
		gasUsed: quantity(energyOf(info)),
		logs: logs.map((placed) => logObject(placed, block, false, style)),
		logsBloom: ZERO_BLOOM,
		status: succeeded(info) ? "0x1" : "0x0",
		to: facts ? addressData(facts.to) : null,
		transactionHash: data(info.id),
		transactionIndex: quantity(index),
		type: "0x0",
	};
}

function energyOf({ receipt }: Readonly<TransactionInfo>): bigint {
	return receipt?.energy_usage_total ?? 0n;
}

/** A contract's receipt says how it ended; that of any other transaction says nothing. */
function succeeded({ receipt }: Readonly<TransactionInfo>): boolean {
	const result = receipt?.result ?? TransactionResultContractResult.DEFAULT;
	return result <= TransactionResultContractResult.SUCCESS;
}
