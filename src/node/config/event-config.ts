/** `event.subscribe` (protocol/configuration §1.11, §3). */

import { ConfigError } from "./config-error.js";
import type { Section } from "./section.js";
import type { StartOptions } from "./start-options.js";

export type TriggerName =
	| "block"
	| "transaction"
	| "contractevent"
	| "contractlog"
	| "solidity"
	| "solidityevent"
	| "soliditylog";

export interface EventTopic {
	readonly trigger: TriggerName;
	readonly topic: string;
	/** Contract logs are also sent where an event of the ABI matched. */
	readonly redundancy: boolean;
	/** Members that Ethereum tools expect are filled. */
	readonly ethCompatible: boolean;
	/** Sent when the block is solidified rather than when it is applied. */
	readonly solidified: boolean;
}

export interface EventFilter {
	readonly fromBlock: bigint;
	/** Undefined: no end. */
	readonly toBlock: bigint | undefined;
	/** Base58; empty: all. */
	readonly contractAddresses: readonly string[];
	/** Hexadecimal; empty: all. */
	readonly contractTopics: readonly string[];
}

export interface EventConfig {
	/** 0: sent while blocks are applied. 1: by a service of its own that can replay. */
	readonly version: number;
	/** Version 1: more than 0 replays from this height. */
	readonly startSyncBlockNumber: bigint;
	readonly nativeQueue: boolean;
	readonly nativePort: number;
	/** The archive of a plugin; read only without the native queue. */
	readonly pluginPath: string;
	/** Whether logs are decoded by their contract's ABI. */
	readonly contractParse: boolean;
	/** The enabled topics. */
	readonly topics: readonly EventTopic[];
	readonly filter: EventFilter | undefined;
}

const TRIGGERS: readonly TriggerName[] = [
	"block",
	"transaction",
	"contractevent",
	"contractlog",
	"solidity",
	"solidityevent",
	"soliditylog",
];

/** Reads `event.subscribe`; undefined if the file has none. @throws {ConfigError} */
export function readEvents(
	root: Section,
	options: StartOptions,
	warn: (text: string) => void,
): EventConfig | undefined {
	const events = root.optionalSection("event.subscribe");
	if (events === undefined) {
		if (options.events === true) throw new ConfigError("--es needs the section event.subscribe");
		return undefined;
	}
	const nativeQueue = events.boolean("native.useNativeQueue", false);
	return {
		version: events.int("version", 0),
		startSyncBlockNumber: events.long("startSyncBlockNum", 0n),
		nativeQueue,
		nativePort: events.intWithin("native.bindport", 0, 0, 65535) || 5555,
		pluginPath: events.text("path", "").trim(),
		contractParse: options.contractParseEnable
			? options.contractParseEnable === "true"
			: events.boolean("contractParse", true),
		topics: events.sections("topics").flatMap((topic) => readTopic(topic, warn)),
		filter: readFilter(events, warn),
	};
}

function readTopic(topic: Section, warn: (text: string) => void): EventTopic[] {
	const name = topic.requiredText("triggerName").trim();
	const trigger = TRIGGERS.find((known) => known === name);
	const isTrue = (key: string) => topic.text(key, "false").toLowerCase() === "true";
	if (trigger === undefined) {
		warn(`event.subscribe.topics: triggerName "${name}" is unknown, ignored`);
		return [];
	}
	if (topic.requiredText("enable").toLowerCase() !== "true") return [];
	return [
		{
			trigger,
			topic: topic.requiredText("topic"),
			redundancy: isTrue("redundancy"),
			ethCompatible: isTrue("ethCompatible"),
			solidified: isTrue("solidified"),
		},
	];
}

function readFilter(events: Section, warn: (text: string) => void): EventFilter | undefined {
	const filter = events.optionalSection("filter");
	if (filter === undefined) return undefined;
	const fromText = filter.requiredText("fromblock").trim();
	const toText = filter.requiredText("toblock").trim();
	for (const key of ["contractAddress", "contractTopic"]) {
		if (!filter.has(key)) filter.requiredText(key);
	}
	const fromBlock = readHeight(fromText, "earliest", 0n);
	const toBlock = readHeight(toText, "latest", -1n);
	if (fromBlock === undefined || toBlock === undefined) {
		warn(`event.subscribe.filter: "${fromText}" to "${toText}" is no range of blocks, the filter is ignored`);
		return undefined;
	}
	return {
		fromBlock,
		toBlock: toBlock === -1n ? undefined : toBlock,
		contractAddresses: filter.texts("contractAddress").filter((text) => text !== ""),
		contractTopics: filter.texts("contractTopic").filter((text) => text !== ""),
	};
}

function readHeight(text: string, word: string, meaning: bigint): bigint | undefined {
	if (text === "" || text.toLowerCase() === word) return meaning;
	return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}
