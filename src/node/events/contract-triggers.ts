/** Logs of contracts as triggers: as events where the contract's interface knows them, else as logs (protocol/events §3.2). */

import { addressPrefix, toBase58Check } from "../../protocol/address.js";
import { concatBytes, toHex, toKey } from "../../protocol/bytes.js";
import type { TransactionInfoLog } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { EventConfig, EventFilter } from "../config/event-config.js";
import { type BlockBudget, paidBy } from "./event-budget.js";
import { type ReadEvent, readEvent } from "./event-decoding.js";
import type { LoadedBlock } from "./loaded-block.js";
import type { EventBody, Trigger } from "./receivers/event-message.js";

/** What an event says beyond its log. */
interface EventMembers extends EventBody {
	readonly eventSignatureFull: string;
	readonly topicMap: Readonly<Record<string, string>>;
	readonly dataMap: Readonly<Record<string, string>>;
}

/** A log of a block, before it is settled as which kind it is published. */
export interface ContractTrigger extends Trigger {
	/** Whether the interface knew it; what makes it a log instead of an event is {@link asLog}. */
	readonly event: EventMembers | undefined;
	readonly log: EventBody;
}

/** Members, names and addresses of a trigger, in characters; of a topic; of a byte of data, which stands there twice. */
const TRIGGER_CHARACTERS = 1_500;
const TOPIC_CHARACTERS = 2 * 67;
const BYTE_CHARACTERS = 2 * 2;
/** Of a character that JSON writes as an escape. */
const ESCAPE_CHARACTERS = 6;

/** The logs of a block in order, each made when it is asked for; undefined stands for one that the filter or the budget leaves out. */
export function* contractTriggers(
	loaded: LoadedBlock,
	{ filter, parsesLogs }: Pick<EventConfig, "filter" | "parsesLogs">,
	budget: BlockBudget,
): Generator<ContractTrigger | undefined, void> {
	const { block, infos } = loaded;
	if (filter && !isWithin(filter, block.number)) return;
	if (infos.length !== block.transactions.length) return;
	for (const [position, info] of infos.entries()) {
		for (const [index, log] of info.log.entries()) {
			const isWithout = filter && !isWanted(filter, log);
			yield isWithout ? undefined : contractTriggerAt(loaded, { position, index }, parsesLogs, budget);
		}
	}
}

/** One log of a block. @returns undefined: it isn't there, or it is left out */
export function contractTriggerAt(
	loaded: LoadedBlock,
	{ position, index }: LogPlace,
	parsesLogs: boolean,
	budget: BlockBudget,
): ContractTrigger | undefined {
	const { block, infos } = loaded;
	const transaction = block.transactions[position];
	const log = infos[position]?.log[index];
	if (!transaction || !log || infos.length !== block.transactions.length) return undefined;
	return budget.make(
		{ what: "log", transaction: transaction.idHex, index },
		{
			characters:
				TRIGGER_CHARACTERS + TOPIC_CHARACTERS * log.topics.length + BYTE_CHARACTERS * log.data.length,
			paid: paidBy(log.data.length),
		},
		() => contractTrigger(loaded, { transaction, log, index }, parsesLogs),
		({ event }) => (event ? eventCharacters(event) : 0),
	);
}

/** How long what an event says beyond its log is, at most. */
function eventCharacters({ topicMap, dataMap, eventSignatureFull }: EventMembers): number {
	let length = 2 * eventSignatureFull.length;
	for (const map of [topicMap, dataMap]) {
		for (const [name, value] of Object.entries(map))
			length += textCharacters(name) + textCharacters(value) + 6;
	}
	return length;
}

const textCharacters = (text: string): number =>
	text.length * (/["\\\p{Cc}]/u.test(text) ? ESCAPE_CHARACTERS : 1);

const isWithin = ({ fromBlock, toBlock }: EventFilter, number: bigint): boolean =>
	number >= fromBlock && (toBlock === undefined || number <= toBlock);

/** Topics are compared as they are, before anything is read. */
function isWanted({ addresses, topics }: EventFilter, log: Readonly<TransactionInfoLog>): boolean {
	if (addresses.size > 0 && !addresses.has(addressText(contractOf(log)).toLowerCase())) return false;
	return topics.size === 0 || log.topics.some((topic) => topics.has(toHex(topic)));
}

/** Addresses as text: the logs of a block name few, again and again, and two hashes stand behind each text. */
const texts = new Map<string, string>();
const MAX_TEXTS = 1_000;

function addressText(address: Uint8Array): string {
	const key = toKey(address);
	let text = texts.get(key);
	if (text === undefined) {
		if (texts.size >= MAX_TEXTS) texts.clear();
		text = toBase58Check(address);
		texts.set(key, text);
	}
	return text;
}

/** 21 bytes. */
const contractOf = ({ address }: Readonly<TransactionInfoLog>): Uint8Array =>
	concatBytes(Uint8Array.of(addressPrefix()), address);

interface LogPlace {
	/** Of the transaction in its block. */
	readonly position: number;
	/** Among the logs of its transaction. */
	readonly index: number;
}

interface PlacedLog {
	readonly transaction: SignedTransaction;
	readonly log: Readonly<TransactionInfoLog>;
	/** Among the logs of its transaction. */
	readonly index: number;
}

function contractTrigger(
	{ block, state, solidNumber, dialect }: LoadedBlock,
	{ transaction, log, index }: PlacedLog,
	parsesLogs: boolean,
): ContractTrigger {
	const contract = contractOf(log);
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
			contractAddress: addressText(contract),
			callerAddress: "",
			originAddress: addressText(owner),
			creatorAddress: addressText(creator),
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

function eventMembers({ signature, signatureFull, name, topicMap, dataMap }: ReadEvent): EventMembers {
	return {
		eventSignature: signature,
		eventSignatureFull: signatureFull,
		eventName: name,
		topicMap,
		dataMap,
	};
}
