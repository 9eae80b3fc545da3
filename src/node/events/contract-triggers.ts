/** Contract logs as triggers: decoded if the ABI has the event, else raw logs (protocol/events §3.2). */

import { addressPrefix, toBase58Check } from "../../protocol/address.js";
import { concatBytes, toHex, toKey } from "../../protocol/bytes.js";
import type { TransactionInfoLog } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { EventConfig, EventFilter } from "../config/event-config.js";
import { type BlockBudget, paidBy } from "./event-budget.js";
import { type ReadEvent, readEvent } from "./event-decoding.js";
import type { LoadedBlock } from "./loaded-block.js";
import type { EventBody, Trigger } from "./receivers/event-message.js";

/** Members that a decoded event adds to its log. */
interface EventMembers extends EventBody {
	readonly eventSignatureFull: string;
	readonly topicMap: Readonly<Record<string, string>>;
	readonly dataMap: Readonly<Record<string, string>>;
}

/** A contract log before it is decided which kind it is published as. */
export interface ContractTrigger extends Trigger {
	/** Set if the ABI decoded the log; {@link asLog} turns it back into a plain log. */
	readonly event: EventMembers | undefined;
	readonly log: EventBody;
}

/** Estimated JSON characters of the fixed members, of a topic, and of a data byte, which appears twice. */
const TRIGGER_CHARACTERS = 1_500;
const TOPIC_CHARACTERS = 2 * 67;
const BYTE_CHARACTERS = 2 * 2;
/** Characters of a JSON escape such as `\u0000`. */
const ESCAPE_CHARACTERS = 6;

/** The logs of a block in order, built lazily; undefined for a log that the filter or the budget drops. */
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

/** One log of a block. @returns undefined if it doesn't exist or the budget drops it */
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

/** Upper bound of the JSON characters that decoding adds to a log. */
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

/** Topics are compared as raw bytes, before anything is decoded. */
function isWanted({ addresses, topics }: EventFilter, log: Readonly<TransactionInfoLog>): boolean {
	if (addresses.size > 0 && !addresses.has(addressText(contractOf(log)).toLowerCase())) return false;
	return topics.size === 0 || log.topics.some((topic) => topics.has(toHex(topic)));
}

/** Base58Check texts by address: a block's logs repeat few addresses, and each encoding takes two hashes. */
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

/** The 21-byte address. */
const contractOf = ({ address }: Readonly<TransactionInfoLog>): Uint8Array =>
	concatBytes(Uint8Array.of(addressPrefix()), address);

interface LogPlace {
	/** Index of the transaction in its block. */
	readonly position: number;
	/** Index among the transaction's logs. */
	readonly index: number;
}

interface PlacedLog {
	readonly transaction: SignedTransaction;
	readonly log: Readonly<TransactionInfoLog>;
	/** Index among the transaction's logs. */
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
