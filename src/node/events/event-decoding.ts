/**
 * Logs as the network's event service reads them by the stored interface of their contract (protocol/events §4). It differs from what
 * the standard says, and from what the history's rows show: unsigned numbers are read as signed, arrays and tuples not at all.
 */

import { MAX_TIMES } from "../../abi/codec.js";
import { isSmallEntry, MAX_ENTRIES } from "../../abi/stored-interface.js";
import { addressPrefix, toBase58Check } from "../../protocol/address.js";
import { concatBytes, fromUtf8, toHex, toKey, utf8 } from "../../protocol/bytes.js";
import { type Dialect, spell, toNeutral } from "../../protocol/dialect.js";
import { keccak256 } from "../../protocol/hash.js";
import {
	type SmartContractABI,
	type SmartContractABIEntry,
	SmartContractABIEntryEntryType,
	type TransactionInfoLog,
} from "../../protocol/messages.js";

const WORD = 32;
/** Bytes by which values may be larger than a multiple of the data that they are read from. */
const SLACK = 1 << 10;

type Inputs = Readonly<SmartContractABIEntry>["inputs"];

/** An event of an interface. */
interface Entry {
	readonly name: string;
	readonly inputs: Inputs;
}

/** A log as an event. */
export interface ReadEvent {
	/** `Transfer(address,address,uint256)` */
	readonly signature: string;
	/** The same with the names of the parameters. */
	readonly signatureFull: string;
	readonly name: string;
	/** Values of topics, by position and by name. */
	readonly topicMap: Readonly<Record<string, string>>;
	/** Values of the data. */
	readonly dataMap: Readonly<Record<string, string>>;
}

const byTopic = new WeakMap<Readonly<SmartContractABI>, ReadonlyMap<string, Entry>>();

/** @returns undefined: the interface doesn't know the log, or it would become much more than it is */
export function readEvent(
	abi: Readonly<SmartContractABI> | undefined,
	log: Readonly<TransactionInfoLog>,
	dialect: Dialect,
): ReadEvent | undefined {
	const entry = eventEntry(abi, log);
	if (!entry) return undefined;
	const typeOf = ({ type }: Inputs[number]): string => spell(toNeutral(type), dialect);
	const typed = entry.inputs.map((input) => `${typeOf(input)}${input.name === "" ? "" : ` ${input.name}`}`);
	return {
		signature: `${entry.name}(${entry.inputs.map(typeOf).join(",")})`,
		signatureFull: `${entry.name}(${typed.join(",")})`,
		name: entry.name,
		...readValues(entry.inputs, log),
	};
}

/** The event that a log is read by; undefined as of {@link readEvent}. */
export function eventEntry(
	abi: Readonly<SmartContractABI> | undefined,
	log: Readonly<TransactionInfoLog>,
): Entry | undefined {
	const [topic] = log.topics;
	const entry = abi && topic && eventsOf(abi).get(toKey(topic));
	return entry && isSmall(entry.inputs, log) ? entry : undefined;
}

/** The events of an interface by their topics; of two with the same the first. Types are hashed as they are stored. */
function eventsOf(abi: Readonly<SmartContractABI>): ReadonlyMap<string, Entry> {
	let events = byTopic.get(abi);
	if (!events) {
		const found = new Map<string, Entry>();
		for (const entry of abi.entrys.slice(0, MAX_ENTRIES)) {
			if (entry.type !== SmartContractABIEntryEntryType.Event || entry.anonymous) continue;
			if (!isSmallEntry(entry)) continue;
			const signature = `${entry.name}(${entry.inputs.map(({ type }) => type).join(",")})`;
			const key = toKey(keccak256(utf8(signature)));
			if (!found.has(key)) found.set(key, entry);
		}
		events = found;
		byTopic.set(abi, events);
	}
	return events;
}

/**
 * Whether the values take about as much as the data: pointers may overlap, so that a few bytes would become gigabytes. What
 * comes after a value that isn't read is not read either.
 */
function isSmall(inputs: Inputs, { topics, data }: Readonly<TransactionInfoLog>): boolean {
	const values = inputs.filter(({ indexed }) => !indexed);
	if (inputs.length - values.length !== topics.length - 1) return true;
	let left = MAX_TIMES * data.length + SLACK;
	for (const [index, { type }] of values.entries()) {
		if (!isRead(type)) break;
		left -= WORD;
		if (isText(type)) left -= Math.min(textLength(data, index * WORD) ?? data.length, data.length);
	}
	return left >= 0;
}

function readValues(inputs: Inputs, { topics, data }: Readonly<TransactionInfoLog>) {
	const values = topics.slice(1);
	const indexed = inputs.filter((input) => input.indexed).length;
	if (values.length !== indexed) {
		return {
			topicMap: Object.fromEntries(values.map((topic, position) => [String(position), toHex(topic)])),
			dataMap: data.length > 0 ? { [values.length]: toHex(data) } : {},
		};
	}
	const topicMap: Record<string, string> = {};
	for (const [position, input] of inputs.entries()) {
		if (!input.indexed) continue;
		const topic = values.shift() as Uint8Array;
		put(topicMap, position, input.name, isWhole(input.type) ? wordText(input.type, topic) : toHex(topic));
	}
	return { topicMap, dataMap: readData(inputs, data) };
}

function readData(inputs: Inputs, data: Uint8Array): Readonly<Record<string, string>> {
	if (data.length === 0) return {};
	if (inputs.length === 0) return { 0: toHex(data) };
	const dataMap: Record<string, string> = {};
	let offset = 0;
	let first = 0;
	for (const [position, input] of inputs.entries()) {
		if (input.indexed) continue;
		// The network's node takes place 0 for none: where the first value is there, the second one's place counts.
		if (first === 0) first = position;
		const value = valueAt(input.type, data, offset);
		if (value === undefined) return { [first]: toHex(data) };
		put(dataMap, position, input.name, value);
		offset += WORD;
	}
	return dataMap;
}

function put(map: Record<string, string>, position: number, name: string, value: string): void {
	map[String(position)] = value;
	// A parameter may be called what no object's member can be.
	if (name !== "")
		Object.defineProperty(map, name, { value, enumerable: true, writable: true, configurable: true });
}

const isWhole = (type: string): boolean => /^(?:u?int\d*|(?:orc|trc)Token|bool|address)$/.test(type);

const isRead = (type: string): boolean => !type.includes("[") && !type.startsWith("tuple");

/** @returns undefined: it can't be read */
function valueAt(type: string, data: Uint8Array, offset: number): string | undefined {
	if (!isRead(type)) return undefined;
	const word = data.subarray(offset, offset + WORD);
	if (word.length < WORD) return undefined;
	if (!isText(type)) return wordText(type, word);
	const start = smallNumber(word);
	const length = textLength(data, offset);
	if (start === undefined || length === undefined) return undefined;
	const bytes = data.subarray(start + WORD, start + WORD + length);
	if (bytes.length < length) return undefined;
	return type === "string" ? fromUtf8(bytes) : toHex(bytes);
}

const isText = (type: string): boolean => type === "string" || type === "bytes";

/** Bytes of the text whose place stands at an offset. */
function textLength(data: Uint8Array, offset: number): number | undefined {
	const start = smallNumber(data.subarray(offset, offset + WORD));
	return start === undefined ? undefined : smallNumber(data.subarray(start, start + WORD));
}

/** A length or place; undefined where no log has so much. */
function smallNumber(word: Uint8Array): number | undefined {
	if (word.length < WORD) return undefined;
	const value = BigInt(`0x${toHex(word)}`);
	return value <= 0xffff_ffffn ? Number(value) : undefined;
}

function wordText(type: string, word: Uint8Array): string {
	if (type === "bool") return String(word.some((byte) => byte !== 0));
	if (type === "address")
		return toBase58Check(concatBytes(Uint8Array.of(addressPrefix()), word.subarray(12)));
	if (isWhole(type)) return BigInt.asIntN(256, BigInt(`0x${toHex(word)}`)).toString();
	return toHex(word);
}
