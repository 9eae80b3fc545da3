/** Logs of contracts as triggers: as events where the contract's interface knows them, else as logs (protocol/events §3.2). */

import { addressPrefix, toBase58Check } from "../../protocol/address.js";
import { concatBytes, toHex } from "../../protocol/bytes.js";
import type { TransactionInfo, TransactionInfoLog } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { EventConfig, EventFilter } from "../config/event-config.js";
import { type ReadEvent, readEvent } from "./event-decoding.js";
import type { EventBody } from "./event-json.js";
import type { Trigger } from "./event-kinds.js";
import type { LoadedBlock } from "./loaded-block.js";

/** A log of a block, before it is settled as which kind it is told. */
export interface ContractTrigger extends Trigger {
	/** Whether the interface knew it; what makes it a log instead of an event is {@link asLog}. */
	readonly event: EventBody | undefined;
	readonly log: EventBody;
}

/** The logs of a block that the filter leaves, in order. */
export function contractTriggers(
	loaded: LoadedBlock,
	{ filter, parsesLogs }: Pick<EventConfig, "filter" | "parsesLogs">,
): ContractTrigger[] {
	const { block, infos } = loaded;
	if (filter && !isWithin(filter, block.number)) return [];
	const { transactions } = block;
	if (infos.length !== transactions.length) return [];
	return infos.flatMap((info, at) => {
		const transaction = transactions[at] as SignedTransaction;
		return info.log.flatMap((log, index) => {
			const contract = concatBytes(Uint8Array.of(addressPrefix()), log.address);
			if (filter && !isWanted(filter, toBase58Check(contract), log)) return [];
			return [contractTrigger(loaded, { transaction, info, log, index, contract }, parsesLogs)];
		});
	});
}

const isWithin = ({ fromBlock, toBlock }: EventFilter, number: bigint): boolean =>
	number >= fromBlock && (toBlock === undefined || number <= toBlock);

/** Topics are compared as they are, before anything is read. */
function isWanted(
	{ addresses, topics }: EventFilter,
	contract: string,
	log: Readonly<TransactionInfoLog>,
): boolean {
	if (addresses.size > 0 && !addresses.has(contract.toLowerCase())) return false;
	return topics.size === 0 || log.topics.some((topic) => topics.has(toHex(topic)));
}

interface PlacedLog {
	readonly transaction: SignedTransaction;
	readonly info: Readonly<TransactionInfo>;
	readonly log: Readonly<TransactionInfoLog>;
	/** Among the logs of its transaction. */
	readonly index: number;
	/** 21 bytes. */
	readonly contract: Uint8Array;
}

function contractTrigger(
	{ block, state, solidNumber, dialect }: LoadedBlock,
	{ transaction, log, index, contract }: PlacedLog,
	parsesLogs: boolean,
): ContractTrigger {
	const { owner } = transaction;
	const creator = state.contract.get(contract)?.origin_address ?? owner;
	const topics = log.topics.map(toHex);
	const data = toHex(log.data);
	const id = `${transaction.idHex}_${index + 1}`;
	const event = parsesLogs ? readEvent(state.abi.get(contract), log, dialect) : undefined;
	return {
		timestampMs: block.timestampMs,
		id,
		members: {
			uniqueId: id,
			transactionId: transaction.idHex,
			contractAddress: toBase58Check(contract),
			callerAddress: "",
			originAddress: toBase58Check(owner),
			creatorAddress: toBase58Check(creator),
			blockNumber: block.number,
			blockHash: block.idHex,
			removed: false,
			latestSolidifiedBlockNumber: solidNumber,
			logInfo: null,
			rawData: { address: toHex(log.address), topics, data },
			abi: null,
		},
		event: event && eventMembers(event),
		log: { topicList: topics, data },
	};
}

function eventMembers({ signature, signatureFull, name, topicMap, dataMap }: ReadEvent): EventBody {
	return {
		eventSignature: signature,
		eventSignatureFull: signatureFull,
		eventName: name,
		topicMap,
		dataMap,
	};
}
