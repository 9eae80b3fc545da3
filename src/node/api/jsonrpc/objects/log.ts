/** Logs as clients see them (protocol/json-rpc §8). */

import type { SignedBlock } from "../../../../protocol/block.js";
import type { TransactionInfo, TransactionInfoLog } from "../../../../protocol/messages.js";
import type { RpcValue } from "../method.js";
import { data, quantity, seconds } from "../values.js";
import type { ObjectStyle } from "./style.js";

/** A log with its place in its block. */
export interface PlacedLog {
	readonly log: Readonly<TransactionInfoLog>;
	/** Among all logs of the block. */
	readonly logIndex: number;
	readonly transactionIndex: number;
	/** Id of the transaction. */
	readonly transactionId: Uint8Array;
}

/** One that was found with its block's receipts. */
interface FoundLog extends PlacedLog {
	/** Of the block, as its first receipt says. */
	readonly timestampMs: bigint;
}

/** The logs of a block in their order. @param infos of all transactions of the block */
export function* logsOfBlock(infos: Iterable<Readonly<TransactionInfo>>): Generator<FoundLog> {
	let [logIndex, transactionIndex] = [0, 0];
	let timestampMs: bigint | undefined;
	for (const { id, log: logs, blockTimeStamp } of infos) {
		timestampMs ??= blockTimeStamp;
		for (const log of logs) {
			yield { log, logIndex: logIndex++, transactionIndex, transactionId: id, timestampMs };
		}
		transactionIndex++;
	}
}

/** The least that a log without data and topics takes in an answer, and each topic more. */
const LOG_SIZE = 340;
const TOPIC_SIZE = 68;

/** The least that a log takes in an answer. */
export const logSize = ({ data, topics }: Readonly<TransactionInfoLog>): number =>
	LOG_SIZE + 2 * data.length + TOPIC_SIZE * topics.length;

/** What logs say about their block. */
type LogBlock = Pick<SignedBlock, "number" | "id" | "timestampMs">;

/** @param removed the block is no longer of the chain */
export function logObject(
	{ log, logIndex, transactionIndex, transactionId }: PlacedLog,
	block: LogBlock,
	removed: boolean,
	{ timesLogs }: ObjectStyle,
): RpcValue {
	return {
		address: data(log.address),
		blockHash: data(block.id),
		blockNumber: quantity(block.number),
		...(timesLogs ? { blockTimestamp: seconds(block.timestampMs) } : {}),
		data: data(log.data),
		logIndex: quantity(logIndex),
		removed,
		topics: log.topics.map(data),
		transactionHash: data(transactionId),
		transactionIndex: quantity(transactionIndex),
	};
}
