/** Replays a recorded chain with the event service, and compares published events with recorded frames. */

import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type { ChainObserver } from "../../src/node/chain/observers.js";
import { loadConfig, type NodeConfig, type SettingPath } from "../../src/node/config/config.js";
import type { EventConfig } from "../../src/node/config/event-config.js";
import { EVENT_LIMITS, eventBudget } from "../../src/node/events/event-budget.js";
import { createEventService } from "../../src/node/events/event-service.js";
import type { EventChain } from "../../src/node/events/loaded-block.js";
import { type EventMessage, triggerName } from "../../src/node/events/receivers/event-message.js";
import { startNode } from "../../src/node/node.js";
import { eventChainOf } from "../../src/node/node-events.js";
import { atOnce } from "../../src/node/scheduling/sliced-work.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { fromHex } from "../../src/protocol/bytes.js";
import type { Recording } from "./recording.js";

/** A message of the native queue. */
interface EventFrame {
	/** Name of the trigger. */
	readonly topic: string;
	readonly json: string;
}

/** Recorded frames by set, from `events.ndjson.br`, whose lines name the set without `ops-ev-`. */
export function readFrames(file: string): ReadonlyMap<string, readonly EventFrame[]> {
	const frames = new Map<string, EventFrame[]>();
	for (const text of brotliDecompressSync(readFileSync(file)).toString("utf8").split("\n")) {
		if (text === "") continue;
		const line = JSON.parse(text) as EventFrame & { readonly t: string; readonly variant: string };
		if (line.t !== "frame") continue;
		const list = frames.get(line.variant) ?? [];
		list.push({ topic: line.topic, json: line.json });
		frames.set(line.variant, list);
	}
	return frames;
}

/** An additional observer of the replayed chain. */
interface Listener {
	readonly observer: ChainObserver;
	/** Called after each block. */
	readonly rest: () => Promise<void>;
}

/**
 * The events that this program publishes for a recorded chain with its configuration.
 * @param listen creates an additional observer
 * @param limits of the event service
 * @param over settings that override its configuration
 */
export async function tellRecording(
	recording: Recording,
	listen?: (config: EventConfig, chain: EventChain) => Listener,
	limits = EVENT_LIMITS,
	over: ReadonlyMap<SettingPath, unknown> = new Map(),
): Promise<{ readonly frames: readonly EventFrame[]; readonly version: number }> {
	const instead = new Map<SettingPath, unknown>([["node.release", recording.release]]);
	const config = loadConfig(recording.configFile, { instead, over, events: true });
	const { events } = config;
	if (!events) throw new Error(`${recording.configFile} asks for no events`);
	const node = await startNode({
		config: withoutServers(config),
		dataDirectory: undefined,
		limitTime: false,
		producers: [],
		host: "127.0.0.1",
		log: { info: () => {}, warn: () => {}, error: printError },
	});
	try {
		const frames: EventFrame[] = [];
		const { chain } = node.open;
		const service = createEventService({
			config: events,
			chain: eventChainOf(node.open, "deployed"),
			outlet: (message) => frames.push(frameOf(message)),
			budget: eventBudget("the replay", (text) => process.stderr.write(`${text}\n`), undefined, limits),
			pause: async () => {},
			warn: (text) => process.stderr.write(`${text}\n`),
			run: atOnce,
		});
		await service.start();
		chain.observe(service.observer);
		const listener = listen?.(events, eventChainOf(node.open, "deployed"));
		if (listener) chain.observe(listener.observer);
		for (const [, line] of recording.lines()) {
			if (line.t !== "block" && line.t !== "push") continue;
			const block = SignedBlock.decode(fromHex(line.block));
			chain.undoLayers.packed(block.transactions.length);
			chain.push(block, "recording");
			service.flush?.();
			await listener?.rest();
		}
		return { frames, version: events.version };
	} finally {
		await node.close();
	}
}

const frameOf = ({ kind, json }: EventMessage): EventFrame => ({ topic: triggerName(kind), json });

function printError(fields: object, message: string): void {
	process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
}

/** The configuration without servers. */
function withoutServers(config: NodeConfig): NodeConfig {
	const off = { enabled: false, port: 0 };
	const none = { full: off, solidity: off, pbft: off };
	const { node } = config;
	const noEvents: EventConfig | undefined = undefined;
	return {
		...config,
		run: { ...config.run, peers: false },
		events: noEvents,
		node: {
			...node,
			dialect: "deployed",
			http: { ...node.http, ...none },
			jsonrpc: { ...node.jsonrpc, ...none },
			rpc: { ...node.rpc, ...none },
		},
	};
}

/** In version 1, two threads share log objects, and sometimes send one under the other's name. */
const merged = ({ topic, json }: EventFrame): EventFrame => {
	const rename = (text: string): string => text.replace(/solidity(Event|Log)Trigger/, "contract$1Trigger");
	return { topic: rename(topic), json: rename(json) };
};

/** One line per difference. Compared by topic: their order relative to each other depends on threads. */
export function compareFrames(
	recorded: readonly EventFrame[],
	told: readonly EventFrame[],
	version: number,
): string[] {
	return version === 0
		? compareKinds(recorded, told, version)
		: compareKinds(recorded.map(merged), told.map(merged), version);
}

function compareKinds(
	recorded: readonly EventFrame[],
	told: readonly EventFrame[],
	version: number,
): string[] {
	const topics = new Set([...recorded, ...told].map(({ topic }) => topic));
	return [...topics].flatMap((topic) => {
		const expected = ofTopic(recorded, topic);
		const found = ofTopic(told, topic);
		// Events before the recording's subscription are missing in it.
		while (found.length > expected.length && isBefore(found[0] as string, expected[0])) found.shift();
		if (expected.length !== found.length) {
			return [`${topic}: recorded ${marks(expected)}\n  told ${marks(found)}`];
		}
		const [left, right] = [expected, found].map((frames) => {
			const texts = frames.map((json) => comparable(json, topic, version));
			return version === 1 && topic.startsWith("contract") ? texts.sort() : texts;
		}) as [string[], string[]];
		return left.flatMap((one, i) => {
			const other = right[i];
			return one === other ? [] : [`${topic} ${i}: recorded ${one}\n  told ${other}`];
		});
	});
}

/** A summary of frames. */
function marks(frames: readonly string[]): string {
	const bodies = frames.map((json) => JSON.parse(json) as Record<string, unknown>);
	return bodies
		.map((body) =>
			[body["blockNumber"] ?? "", body["uniqueId"] ?? "", body["removed"] ? "removed" : ""].join(" "),
		)
		.join(", ");
}

const ofTopic = (frames: readonly EventFrame[], topic: string): string[] =>
	frames.filter((frame) => frame.topic === topic).map(({ json }) => json);

function isBefore(json: string, first: string | undefined): boolean {
	const timeOf = (text: string): number => (JSON.parse(text) as { timeStamp: number }).timeStamp;
	return first === undefined || timeOf(json) < timeOf(first);
}

/** Removes unreliable parts: the order of maps, and in version 1 the solidified number, which is polled. */
function comparable(json: string, topic: string, version: number): string {
	const body = JSON.parse(json) as Record<string, unknown>;
	for (const name of ["topicMap", "dataMap", "extMap"]) {
		const map = body[name];
		if (map) body[name] = Object.fromEntries(Object.entries(map).sort());
	}
	if (version === 1 && topic !== "solidityTrigger") {
		body["latestSolidifiedBlockNumber"] = "polled";
		return JSON.stringify(body);
	}
	// Parsing loses digits of long numbers, but the length shows them.
	return `${json.length} ${JSON.stringify(body)}`;
}
