/** `event.subscribe` (protocol/configuration §1.11): which events are told, and to whom. */

import { type NamedTopics, readOwnSinks, readPlugin, type SinkConfig } from "./event-sinks.js";
import type { Readings } from "./readings.js";
import type { Settings } from "./settings.js";

/** What a topic may name (protocol/configuration §3). */
const EVENT_KINDS = [
	"block",
	"transaction",
	"contractlog",
	"contractevent",
	"solidity",
	"solidityevent",
	"soliditylog",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface EventTopic {
	/** Log kinds: logs that were told as events are told as logs, too. */
	readonly redundancy: boolean;
	/** Transactions: with position, logs and prices as Ethereum's receipts have them. */
	readonly ethCompatible: boolean;
	/** Blocks and transactions: told once they are solidified. */
	readonly solidified: boolean;
}

export interface EventFilter {
	readonly fromBlock: bigint;
	/** Undefined: no end. */
	readonly toBlock: bigint | undefined;
	/** Base58 in lower case; empty: all. */
	readonly addresses: ReadonlySet<string>;
	/** Hexadecimal; empty: all. */
	readonly topics: ReadonlySet<string>;
}

interface NativeQueueConfig {
	readonly port: number;
	/** Messages that wait for one subscriber; further ones are lost to it. */
	readonly highWaterMark: number;
}

/** Ours: a receiver over HTTP. */
export interface WebhookConfig {
	/** Under which the position is stored. */
	readonly name: string;
	readonly url: string;
	/** File with the key of signatures; undefined: not signed. */
	readonly secretFile: string | undefined;
	readonly kinds: ReadonlySet<EventKind>;
	/** The first block that is told to a receiver without a position; undefined: the one after the solidified block then. */
	readonly fromBlock: bigint | undefined;
}

export interface EventConfig {
	/** 0: told as blocks are applied; 1: by a service that follows the chain. */
	readonly version: 0 | 1;
	/** Version 1: old blocks from here are told first; 0 or less: none. */
	readonly startBlock: bigint;
	/** Whether logs are read by the interfaces of their contracts. */
	readonly parsesLogs: boolean;
	readonly topics: ReadonlyMap<EventKind, EventTopic>;
	/** Undefined: everything matches. */
	readonly filter: EventFilter | undefined;
	readonly native: NativeQueueConfig | undefined;
	readonly webhooks: readonly WebhookConfig[];
	/** Brokers and databases. */
	readonly sinks: readonly SinkConfig[];
	/** Whether these go on where they were after a start. */
	readonly keepsPositions: boolean;
}

const DEFAULT_PORT = 5555;
const DEFAULT_HIGH_WATER_MARK = 1000;

/**
 * Reads `event.subscribe`.
 * @param isAsked whether the command line asks for events
 * @returns undefined: no events are told
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
	const native = readNative(settings);
	const plugin = readPlugin(settings, named);
	const own = readOwnSinks(settings, named);
	const config: EventConfig = {
		version: version === 1 ? 1 : 0,
		startBlock: settings.get("event.subscribe.startSyncBlockNum"),
		parsesLogs: settings.get("event.subscribe.contractParse"),
		topics: named.topics,
		filter: readFilter(settings, warn),
		native,
		webhooks: readWebhooks(settings),
		sinks: plugin && !native ? [plugin, ...own] : own,
		keepsPositions: settings.get("event.subscribe.positions"),
	};
	if (!isAsked && !(isEnabled && readings.fileAsksForEvents)) {
		// Webhooks and our own receivers are no part of the reference's service: naming one asks for it.
		const others = { ...config, native: undefined, sinks: own };
		return others.webhooks.length + own.length > 0 ? checked(settings, others) : undefined;
	}
	if (
		!settings.hasGroup("event.subscribe") ||
		(!native && config.webhooks.length + config.sinks.length === 0)
	) {
		throw settings.refuse(
			"event.subscribe.native.useNativeQueue",
			"must be true, or event.subscribe name a plugin or another receiver: events are asked for",
		);
	}
	return checked(settings, config);
}

/** @throws {ConfigError} */
function checked(settings: Settings, config: EventConfig): EventConfig {
	const isOn = settings.get("storage.transHistory.switch").toLowerCase() === "on";
	if (!isOn && config.keepsPositions && config.sinks.length > 0) {
		throw settings.refuse("storage.transHistory.switch", "must be on: receivers are told what receipts hold");
	}
	return config;
}

/** Two entries of one name: the later wins; unknown names count for nothing. */
function readTopics(settings: Settings): NamedTopics {
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
	return { topics, names, kinds: EVENT_KINDS };
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
	const fromBlock = readHeight(from, "earliest", 0n, "latest", -1n);
	const toBlock = readHeight(to, "latest", -1n, "earliest", 0n);
	if (fromBlock === undefined || toBlock === undefined) {
		warn("event.subscribe.filter: a block is not a number, earliest or latest; the filter is not used");
		return undefined;
	}
	const isEmpty = fromBlock < 0n || toBlock === 0n;
	if (isEmpty) warn("event.subscribe.filter: from latest, or to earliest: no contract event matches");
	return {
		// No block matches such bounds.
		fromBlock: isEmpty ? 1n : fromBlock,
		toBlock: isEmpty ? 0n : toBlock < 0n ? undefined : toBlock,
		addresses: new Set(addresses.filter((text) => text !== "").map((text) => text.toLowerCase())),
		topics: new Set(topics.filter((text) => text !== "")),
	};
}

function readHeight(
	text: string,
	usual: string,
	usualValue: bigint,
	other: string,
	otherValue: bigint,
): bigint | undefined {
	const word = text.trim().toLowerCase();
	if (word === "" || word === usual) return usualValue;
	if (word === other) return otherValue;
	return /^\d{1,18}$/.test(word) ? BigInt(word) : undefined;
}

function readNative(settings: Settings): NativeQueueConfig | undefined {
	const isUsed = settings.get("event.subscribe.native.useNativeQueue");
	const port = settings.get("event.subscribe.native.bindport");
	const length = settings.get("event.subscribe.native.sendqueuelength");
	if (!isUsed) return undefined;
	if (port > 65_535) throw settings.refuse("event.subscribe.native.bindport", "must be at most 65535");
	return {
		port: port <= 0 ? DEFAULT_PORT : port,
		highWaterMark: length <= 0 ? DEFAULT_HIGH_WATER_MARK : length,
	};
}

/** Kinds that are known once blocks are solidified: a receiver is never told what may be taken back. */
const SOLID_KINDS: readonly EventKind[] = [
	"block",
	"transaction",
	"solidity",
	"solidityevent",
	"soliditylog",
];

/** @throws {ConfigError} for an address or kind that can't be */
function readWebhooks(settings: Settings): readonly WebhookConfig[] {
	const names = new Set<string>();
	const entries = settings.items("event.subscribe.webhooks");
	if (entries.length > 0 && settings.get("storage.transHistory.switch").toLowerCase() !== "on") {
		throw settings.refuse("storage.transHistory.switch", "must be on: webhooks are told what receipts hold");
	}
	return entries.map((entry) => {
		const name = entry.get("event.subscribe.webhooks[].name");
		if (!/^[\w-]{1,64}$/.test(name) || names.has(name)) {
			throw entry.refuse(
				"event.subscribe.webhooks[].name",
				"must be letters, digits, - and _, another one for each",
			);
		}
		names.add(name);
		const url = entry.get("event.subscribe.webhooks[].url");
		const parsed = URL.canParse(url) ? new URL(url) : undefined;
		if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== "" || parsed.password !== "") {
			throw entry.refuse(
				"event.subscribe.webhooks[].url",
				"must be an http or https address without user and password",
			);
		}
		const kinds = entry.get("event.subscribe.webhooks[].kinds");
		for (const kind of kinds) {
			if (SOLID_KINDS.some((known) => known === kind)) continue;
			throw entry.refuse("event.subscribe.webhooks[].kinds", `are ${SOLID_KINDS.join(", ")}`);
		}
		const from = entry.get("event.subscribe.webhooks[].fromBlock");
		return {
			name,
			url,
			secretFile: entry.get("event.subscribe.webhooks[].secretFile"),
			kinds: new Set(kinds.length === 0 ? SOLID_KINDS : (kinds as readonly EventKind[])),
			fromBlock: from < 0n ? undefined : from,
		};
	});
}
