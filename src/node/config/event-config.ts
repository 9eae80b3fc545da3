/** `event.subscribe` (protocol/configuration §1.11): published events and their receivers. */

import { basename } from "node:path";
import { wrap } from "../../protocol/int64.js";
import { EVENT_KINDS, type EventKind } from "../events/receivers/event-message.js";
import type {
	ConfiguredReceiver,
	EventTopic,
	ReceiverRow,
	SectionTopics,
} from "../events/receivers/receiver-row.js";
import { receiverRows } from "../events/receivers/table.js";
import type { Readings } from "./readings.js";
import type { Settings } from "./settings.js";

export interface EventFilter {
	readonly fromBlock: bigint;
	/** Undefined: no upper bound. */
	readonly toBlock: bigint | undefined;
	/** Base58 in lower case; empty: all. */
	readonly addresses: ReadonlySet<string>;
	/** Hexadecimal; empty: all. */
	readonly topics: ReadonlySet<string>;
}

/** A receiver and its row in the table of receivers. */
export interface ReceiverConfig extends ConfiguredReceiver {
	readonly is: string;
	/** The network node's plugin archive that it replaces; undefined if configured by its own section. */
	readonly archive: string | undefined;
	/** Whether its position is stored: at-least-once delivery, else at most once. */
	readonly hasPosition: boolean;
}

export interface EventConfig {
	/** 0: published as blocks are applied; 1: by a service that follows the chain. */
	readonly version: 0 | 1;
	/** Version 1: old blocks from here are published first; 0 or less: none. */
	readonly startBlock: bigint;
	/** Whether logs are decoded by their contracts' ABIs. */
	readonly parsesLogs: boolean;
	/** Whether reorgs are published for blocks and transactions, with a `removed` member. */
	readonly tellsRemoved: boolean;
	readonly topics: ReadonlyMap<EventKind, EventTopic>;
	/** Undefined: everything matches. */
	readonly filter: EventFilter | undefined;
	readonly receivers: readonly ReceiverConfig[];
}

/**
 * Reads `event.subscribe`.
 * @param isAsked whether the command line enables events
 * @returns undefined: no events are published
 * @throws {ConfigError}
 */
export function readEvents(
	settings: Settings,
	readings: Readings,
	isAsked: boolean,
	warn: (text: string) => void,
): EventConfig | undefined {
	settings.requireMembers("event.subscribe.topics", ["triggerName", "enable", "topic"]);
	settings.requireMembers("event.subscribe.filter", [
		"fromblock",
		"toblock",
		"contractAddress",
		"contractTopic",
	]);
	const isEnabled = settings.get("event.subscribe.enable");
	const version = settings.get("event.subscribe.version");
	const named = readTopics(settings);
	const config: EventConfig = {
		version: version === 1 ? 1 : 0,
		startBlock: settings.get("event.subscribe.startSyncBlockNum"),
		parsesLogs: settings.get("event.subscribe.contractParse"),
		tellsRemoved: readings.tellsRemoved,
		topics: named.topics,
		filter: readFilter(settings, warn),
		receivers: readReceivers(settings, named),
	};
	if (!isAsked && !(isEnabled && readings.fileAsksForEvents)) {
		// Our own receivers aren't part of the reference's service: configuring one enables it.
		const receivers = config.receivers.filter(({ is }) => rowOf(is).isOwn);
		return receivers.length > 0 ? checked(settings, { ...config, receivers }) : undefined;
	}
	if (!settings.hasGroup("event.subscribe") || config.receivers.length === 0) {
		throw settings.refuse(
			"event.subscribe.native.useNativeQueue",
			"must be true, or event.subscribe name a plugin or another receiver: events are asked for",
		);
	}
	return checked(settings, config);
}

export const rowOf = (is: string): ReceiverRow => receiverRows.get(is) as ReceiverRow;

/** @throws {ConfigError} */
function checked(settings: Settings, config: EventConfig): EventConfig {
	const isOn = settings.get("storage.transHistory.switch").toLowerCase() === "on";
	if (!isOn && config.receivers.some(({ hasPosition }) => hasPosition)) {
		throw settings.refuse("storage.transHistory.switch", "must be on: events are made of receipts");
	}
	return config;
}

/** All configured receivers; plugins only if the native queue is off. @throws {ConfigError} */
function readReceivers(settings: Settings, named: Omit<SectionTopics, "plugin">): readonly ReceiverConfig[] {
	const archive = settings.get("event.subscribe.path");
	const plugin = {
		server: settings.get("event.subscribe.server").trim(),
		dbconfig: settings.get("event.subscribe.dbconfig").trim(),
	};
	const keepsPositions = settings.get("event.subscribe.positions");
	const file = basename(archive).toLowerCase();
	const words = [...receiverRows.values()].map((row) => row.archive).filter((word) => word !== undefined);
	const word = words.find((known) => file.includes(known));
	if (archive !== "" && word === undefined) {
		throw settings.refuse(
			"event.subscribe.path",
			`names an archive of the network's node that this program has nothing of its own for: it has for ${words.join(" and ")}`,
		);
	}
	const found = [...receiverRows].flatMap(([is, row]) => {
		const isPlugin = row.archive !== undefined && row.archive === word;
		const own = settings as unknown as Parameters<ReceiverRow["read"]>[0];
		const receivers = row.read(own, { ...named, plugin: isPlugin ? plugin : undefined });
		const hasPosition = row.guarantee === undefined ? keepsPositions : row.guarantee === "at least once";
		return receivers.map((receiver) => ({
			is,
			archive: isPlugin ? archive : undefined,
			hasPosition,
			...receiver,
		}));
	});
	const hasQueue = found.some(({ is }) => is === "zeromq");
	return hasQueue ? found.filter((receiver) => receiver.archive === undefined) : found;
}

/** Of entries with the same name the last wins; unknown names are ignored. */
function readTopics(settings: Settings): Omit<SectionTopics, "plugin"> {
	const topics = new Map<EventKind, EventTopic>();
	const names = new Map<EventKind, string>();
	for (const entry of settings.items("event.subscribe.topics")) {
		const isTrue = (text: string | undefined): boolean => text?.toLowerCase() === "true";
		const kind = kindNamed(entry.get("event.subscribe.topics[].triggerName"));
		const isEnabled = isTrue(entry.get("event.subscribe.topics[].enable"));
		const topic = {
			redundancy: isTrue(entry.get("event.subscribe.topics[].redundancy")),
			ethCompatible: isTrue(entry.get("event.subscribe.topics[].ethCompatible")),
			solidified: isTrue(entry.get("event.subscribe.topics[].solidified")),
		};
		const name = entry.get("event.subscribe.topics[].topic");
		if (kind === undefined) continue;
		names.set(kind, name);
		if (isEnabled) topics.set(kind, topic);
		else topics.delete(kind);
	}
	return { topics, names };
}

function kindNamed(text: string): EventKind | undefined {
	return EVENT_KINDS.find((kind) => kind === text.toLowerCase());
}

function readFilter(settings: Settings, warn: (text: string) => void): EventFilter | undefined {
	const from = settings.get("event.subscribe.filter.fromblock");
	const to = settings.get("event.subscribe.filter.toblock");
	const addresses = settings.get("event.subscribe.filter.contractAddress");
	const topics = settings.get("event.subscribe.filter.contractTopic");
	if (!settings.hasGroup("event.subscribe.filter")) return undefined;
	const fromBlock = readHeight(from, EARLIEST);
	const toBlock = readHeight(to, LATEST);
	if (fromBlock === undefined || toBlock === undefined) {
		warn("event.subscribe.filter: a block is not a number, earliest or latest; the filter is not used");
		return undefined;
	}
	const isEmpty = fromBlock === LATEST || toBlock === EARLIEST;
	if (isEmpty) warn("event.subscribe.filter: from latest, or to earliest: no contract event matches");
	return {
		// Bounds that match no block.
		fromBlock: isEmpty ? 1n : fromBlock,
		toBlock: isEmpty ? 0n : toBlock === LATEST ? undefined : toBlock,
		addresses: new Set(addresses.filter((text) => text !== "").map((text) => text.toLowerCase())),
		topics: new Set(topics.filter((text) => text !== "")),
	};
}

/** The named bounds are numbers, which may also be written directly. */
const EARLIEST = 0n;
const LATEST = -1n;

/** @param usual for an empty text @returns undefined unless it is a named bound or a 64-bit number */
function readHeight(text: string, usual: bigint): bigint | undefined {
	const word = text.trim().toLowerCase();
	if (word === "") return usual;
	if (word === "earliest") return EARLIEST;
	if (word === "latest") return LATEST;
	if (!/^[+-]?\d{1,1000}$/.test(word)) return undefined;
	const number = BigInt(word.replace("+", ""));
	return wrap(number) === number ? number : undefined;
}
