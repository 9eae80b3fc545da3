/** Logs of contracts as the events that they are. */

import { equalBytes, toHex } from "../protocol/bytes.js";
import { AbiDataError, type CodecLimits, USUAL_LIMITS } from "./codec.js";
import { type AbiView, decodeValues, keyedValues } from "./coder.js";
import {
	type AbiItem,
	type AbiParameter,
	type ContractInterface,
	hashedSignature,
	isComplete,
} from "./parameter.js";
import { topicOf } from "./selector.js";

/** A log's event and its values by name. */
export interface DecodedEvent {
	readonly event: string;
	readonly signature: string;
	readonly args: { readonly [name: string]: AbiView };
}

/** What a log holds beside its contract. */
export interface LogData {
	readonly topics: readonly Uint8Array[];
	readonly data: Uint8Array;
}

/** The event of a log; undefined if the interface doesn't know it, or the log doesn't fit. */
export function decodeLog(items: ContractInterface, log: LogData): DecodedEvent | undefined {
	const [topic] = log.topics;
	if (!topic) return undefined;
	for (const item of items) {
		const isEvent = item.kind === "event" && !item.anonymous && isComplete(item.inputs);
		// Events that differ in what is indexed have the same topic.
		const found = isEvent && equalBytes(topicOf(item), topic) && decodeEvent(item, log);
		if (found) return found;
	}
	return undefined;
}

/** Reads a log as an event; undefined if it doesn't fit. */
export function decodeEvent(
	event: AbiItem,
	log: LogData,
	limits: CodecLimits = USUAL_LIMITS,
): DecodedEvent | undefined {
	const topics = event.anonymous ? log.topics : log.topics.slice(1);
	const indexed = event.inputs.filter((parameter) => parameter.indexed);
	const plain = event.inputs.filter((parameter) => !parameter.indexed);
	if (indexed.length !== topics.length) return undefined;
	try {
		const fromData = decodeValues(plain, log.data, limits);
		const fromTopics = indexed.map((parameter, index) => topicValue(parameter, topics[index] as Uint8Array));
		const values = event.inputs.map((parameter) =>
			parameter.indexed ? fromTopics[indexed.indexOf(parameter)] : fromData[plain.indexOf(parameter)],
		) as AbiView[];
		return {
			event: event.name,
			signature: hashedSignature(event),
			args: keyedValues(event.inputs, values),
		};
	} catch (error) {
		if (error instanceof AbiDataError) return undefined;
		throw error;
	}
}

/** Values that don't fit into a topic are there by their hash alone. */
function topicValue(parameter: AbiParameter, topic: Uint8Array): AbiView {
	if (/^(string|bytes|tuple)$/.test(parameter.type) || parameter.type.endsWith("]"))
		return `0x${toHex(topic)}`;
	const [value] = decodeValues([parameter], topic);
	return value as AbiView;
}
