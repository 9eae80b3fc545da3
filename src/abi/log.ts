/** Decodes the logs of contracts into events. */

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

/** A log's topics and data, without its contract. */
export interface LogData {
	readonly topics: readonly Uint8Array[];
	readonly data: Uint8Array;
}

/** Decodes a log by a contract's interface; undefined if no event there matches it. */
export function decodeLog(items: ContractInterface, log: LogData): DecodedEvent | undefined {
	const [topic] = log.topics;
	if (!topic) return undefined;
	for (const item of items) {
		const isEvent = item.kind === "event" && !item.anonymous && isComplete(item.inputs);
		// Events that differ only in which parameters are indexed have the same topic.
		const found = isEvent && equalBytes(topicOf(item), topic) && decodeEvent(item, log);
		if (found) return found;
	}
	return undefined;
}

/** Decodes a log as the given event; undefined if it doesn't match. */
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

/** Decodes an indexed value. For values that don't fit into a topic, the topic holds only their hash. */
function topicValue(parameter: AbiParameter, topic: Uint8Array): AbiView {
	if (/^(string|bytes|tuple)$/.test(parameter.type) || parameter.type.endsWith("]"))
		return `0x${toHex(topic)}`;
	const [value] = decodeValues([parameter], topic);
	return value as AbiView;
}
