/** What became of a transaction, as clients see it (protocol/json-rpc §8). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { equalBytes } from "../../../../protocol/bytes.js";
import { wrap } from "../../../../protocol/int64.js";
import { type TransactionInfo, TransactionResultContractResult } from "../../../../protocol/messages.js";
import type { StateView } from "../../../state/view.js";
import { transactionInfosOfBlock } from "../../queries/blocks.js";
import { contractFacts } from "../contract-facts.js";
import type { RpcValue } from "../method.js";
import { addressData, data, quantity, ZERO_BLOOM } from "../values.js";
import { logObject, logsOfBlock } from "./log.js";
import { energyPriceAt } from "./transaction.js";

/** @param info of the transaction @param block in which it stands */
export function receiptObject(
	state: StateView,
	block: SignedBlock,
	info: Readonly<TransactionInfo>,
): RpcValue {
	const infos = transactionInfosOfBlock(state, block.number);
	const index = infos.findIndex(({ id }) => equalBytes(id, info.id));
	const transaction = block.transactions[index];
	const facts = transaction && contractFacts(state, transaction, info);
	const isCreation = transaction?.type?.name === "CreateSmartContract";
	const logs = [...logsOfBlock(infos)].filter((placed) => placed.transactionIndex === index);
	return {
		blockHash: data(block.id),
		blockNumber: quantity(block.number),
		contractAddress: isCreation ? addressData(info.contract_address) : null,
		cumulativeGasUsed: quantity(
			infos.slice(0, index + 1).reduce((sum, each) => wrap(sum + energyOf(each)), 0n),
		),
		effectiveGasPrice: quantity(energyPriceAt(state, block.timestampMs)),
		from: facts ? addressData(facts.from) : null,
		gasUsed: quantity(energyOf(info)),
		logs: logs.map((placed) => logObject(placed, block, false)),
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
