/** Log objects (protocol/json-rpc §8). */

import type { SignedBlock } from "../../../../protocol/block.js";
import type { TransactionInfo, TransactionInfoLog } from "../../../../protocol/messages.js";
import type { RpcValue } from "../method.js";
import { data, quantity, seconds } from "../values.js";
import type { ObjectStyle } from "./style.js";

/** A log and its position in its block. */
export interface PlacedLog {
	readonly log: Readonly<TransactionInfoLog>;
	/** Among all logs of the block. */
	readonly logIndex: number;
	readonly transactionIndex: number;
	/** Id of the transaction. */
	readonly transactionId: Uint8Array;
}

/** A log found in its block's receipts. */
interface FoundLog extends PlacedLog {
	/** The block's timestamp, from its first receipt. */
	readonly timestampMs: bigint;
}

/** A block's logs, in order. @param infos of all transactions of the block */
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

/** Minimum size in an answer of a log without data and topics, and of each topic. */
const LOG_SIZE = 340;
const TOPIC_SIZE = 68;

/** Minimum size of a log in an answer. */
export const logSize = ({ data, topics }: Readonly<TransactionInfoLog>): number =>
	LOG_SIZE + 2 * data.length + TOPIC_SIZE * topics.length;

/** What a log object includes about its block. */
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
