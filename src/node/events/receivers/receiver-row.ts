/** What a row of the table of receivers is, and what several rows read alike. */

import type { ConfigError } from "../../../hocon/hocon.js";
import type { Setting, SettingRow } from "../../config/setting.js";
import { EVENT_KINDS, type EventKind } from "./event-message.js";
import type { Receiver } from "./receiver.js";
import type { Environment, ReceiverLogin } from "./secrets.js";

export interface EventTopic {
	/** Log kinds: logs that were published as events are published as logs, too. */
	readonly redundancy: boolean;
	/** Transactions: with position, logs and prices as Ethereum's receipts have them. */
	readonly ethCompatible: boolean;
	/** Blocks and transactions: published once they are solidified. */
	readonly solidified: boolean;
}

/** What the section says for all of its receivers. */
export interface SectionTopics {
	readonly topics: ReadonlyMap<EventKind, EventTopic>;
	/** The name that each topic gives its kind. */
	readonly names: ReadonlyMap<EventKind, string>;
	/** Where `path` names the archive of this row's plugin. */
	readonly plugin: { readonly server: string; readonly dbconfig: string } | undefined;
}

type Settings = Readonly<Record<string, SettingRow>>;

/** The settings of a row as the configuration has them. */
interface OwnSettings<S extends Settings> {
	get<P extends keyof S & string>(path: P): S[P] extends Setting<infer T> ? T : never;
	/** The objects of a list: what stands before `[]`. */
	items(list: string): readonly OwnSettings<S>[];
	/** The error that a value is not acceptable. */
	refuse(path: string, reason: string): ConfigError;
}

/** A receiver as it is configured. */
export interface ConfiguredReceiver<C = unknown> {
	/** Under which it is logged, and its position stored. */
	readonly name: string;
	/** What is published to it. */
	readonly topics: ReadonlyMap<EventKind, EventTopic>;
	/** The first block that is published to it where it has no position. */
	readonly fromBlock?: bigint | undefined;
	/** On which it listens. */
	readonly port?: number;
	readonly config: C;
}

/** What opening a receiver takes from outside of its settings. */
export interface Surroundings {
	readonly environment: Environment;
	/** Address to bind; undefined: every interface. */
	readonly host: string | undefined;
	/** Milliseconds since 1970. */
	readonly nowMs: () => number;
	readonly fetch: typeof fetch;
	/** The error that a port can't be bound. */
	readonly portError: (port: number, error: unknown) => Error;
}

export interface ReceiverRow<S extends Settings = Settings, C = unknown> {
	/** Its line in docs/events.md: to what, which kinds, what happens while it is down, how it was tried. */
	readonly docs: readonly [to: string, kinds: string, whileDown: string, tried: string];
	/** Naming it is enough; others are part of the service that the start has to ask for. */
	readonly isOwn?: boolean;
	/** Word in the name of the plugin's archive for which it stands. */
	readonly archive?: string;
	/** Only solidified blocks are published. */
	readonly isSolid?: boolean;
	/** `event.subscribe.positions` says so if absent. */
	readonly guarantee?: "at least once" | "at most once";
	/** Module below src that is bundled apart: a node that is configured for none reads nothing of it. */
	readonly client?: string;
	readonly settings: S;
	/** Reads all of its settings, whether they are used or not. @throws {ConfigError} */
	read(settings: OwnSettings<S>, section: SectionTopics): readonly ConfiguredReceiver<C>[];
	/** It connects with the first delivery. @throws {OperatorError} one sentence, without a word of any secret */
	open(config: C, surroundings: Surroundings): Promise<Receiver>;
}

/** The kinds that a receiver asks for, or all, published as the topics of the section say. @throws {ConfigError} */
export function topicsOf(
	settings: Pick<OwnSettings<Settings>, "refuse">,
	path: string,
	asked: readonly string[],
	topics: SectionTopics["topics"],
	kinds: readonly EventKind[] = EVENT_KINDS,
): ReadonlyMap<EventKind, EventTopic> {
	const plain = { redundancy: false, ethCompatible: false, solidified: false };
	const wanted = asked.length === 0 ? kinds : asked.map((name) => kinds.find((kind) => kind === name));
	return new Map(
		wanted.map((kind) => {
			if (!kind) throw settings.refuse(path, `are ${kinds.join(", ")}`);
			return [kind, topics.get(kind) ?? plain];
		}),
	);
}

/** What a plugin's receiver publishes, and under which names: an empty one of blocks turns their stream off. */
export function namedTopics({ topics, names }: SectionTopics): Pick<SectionTopics, "topics" | "names"> {
	const used = [...topics].filter(([kind]) => kind !== "block" || names.get(kind) !== "");
	return { topics: new Map(used), names: new Map(used.map(([kind]) => [kind, names.get(kind) ?? ""])) };
}

/** @throws {ConfigError} */
export function checkServers(
	settings: Pick<OwnSettings<Settings>, "refuse">,
	path: string,
	text: string,
): readonly string[] {
	const servers = text.split(",").map((server) => server.trim());
	if (!servers.every(isHostAndPort)) {
		throw settings.refuse(path, "must be host:port of a server, or several with commas");
	}
	return servers;
}

/** @returns undefined: nobody logs in */
export function loginOf(
	user: string,
	passwordFile: string | undefined,
	password = "",
): ReceiverLogin | undefined {
	return user === "" ? undefined : { user, password: password === "" ? undefined : password, passwordFile };
}

export const isHostAndPort = (text: string): boolean => /^(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}$/.test(text);
