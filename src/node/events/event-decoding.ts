/**
 * Decodes logs by the contract's stored ABI as the network's event service does (protocol/events §4). Unlike
 * the ABI standard and history rows it reads unsigned integers as signed, and no arrays or tuples.
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
/** Bytes that decoded values may take beyond a multiple of their data. */
const SLACK = 1 << 10;

type Inputs = Readonly<SmartContractABIEntry>["inputs"];

/** An event of an ABI. */
interface Entry {
	readonly name: string;
	readonly inputs: Inputs;
}

/** A decoded log. */
export interface ReadEvent {
	/** `Transfer(address,address,uint256)` */
	readonly signature: string;
	/** The same with parameter names. */
	readonly signatureFull: string;
	readonly name: string;
	/** Values of indexed parameters, by position and by name. */
	readonly topicMap: Readonly<Record<string, string>>;
	/** Values of the data. */
	readonly dataMap: Readonly<Record<string, string>>;
}

const byTopic = new WeakMap<Readonly<SmartContractABI>, ReadonlyMap<string, Entry>>();

/** @returns undefined if the ABI has no such event, or the values would be much larger than the data */
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

/** The ABI entry that decodes a log; undefined as with {@link readEvent}. */
export function eventEntry(
	abi: Readonly<SmartContractABI> | undefined,
	log: Readonly<TransactionInfoLog>,
): Entry | undefined {
	const [topic] = log.topics;
	const entry = abi && topic && eventsOf(abi).get(toKey(topic));
	return entry && isSmall(entry.inputs, log) ? entry : undefined;
}

/** An ABI's events by topic 0; the first wins on duplicates. Type names are hashed as stored. */
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
 * Whether decoded values are about as large as the data: overlapping offsets could turn a few bytes into
 * gigabytes. Decoding stops at the first unsupported type, so later values don't count.
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
		// The network's node treats position 0 as unset, so the second value's position is used then.
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
	// A parameter may be called `__proto__`.
	if (name !== "")
		Object.defineProperty(map, name, { value, enumerable: true, writable: true, configurable: true });
}

const isWhole = (type: string): boolean => /^(?:u?int\d*|(?:orc|trc)Token|bool|address)$/.test(type);

const isRead = (type: string): boolean => !type.includes("[") && !type.startsWith("tuple");

/** @returns undefined if it can't be decoded */
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

/** Byte length of the dynamic value whose offset is stored at `offset`. */
function textLength(data: Uint8Array, offset: number): number | undefined {
	const start = smallNumber(data.subarray(offset, offset + WORD));
	return start === undefined ? undefined : smallNumber(data.subarray(start, start + WORD));
}

/** A length or offset; undefined if larger than any log. */
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
