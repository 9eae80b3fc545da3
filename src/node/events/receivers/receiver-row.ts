/** The type of a row in the table of receivers, and parsing shared by several rows. */

import type { ConfigError } from "../../../hocon/hocon.js";
import type { Setting, SettingRow } from "../../config/setting.js";
import { EVENT_KINDS, type EventKind } from "./event-message.js";
import type { Receiver } from "./receiver.js";
import type { Environment, ReceiverLogin } from "./secrets.js";

export interface EventTopic {
	/** Log kinds: logs published as events are also published as logs. */
	readonly redundancy: boolean;
	/** Transactions: adds index, logs and prices as in Ethereum receipts. */
	readonly ethCompatible: boolean;
	/** Blocks and transactions: published once solidified. */
	readonly solidified: boolean;
}

/** Settings of the section that apply to all of its receivers. */
export interface SectionTopics {
	readonly topics: ReadonlyMap<EventKind, EventTopic>;
	/** The name that each topic gives its kind. */
	readonly names: ReadonlyMap<EventKind, string>;
	/** Set if `path` names the archive of this row's plugin. */
	readonly plugin: { readonly server: string; readonly dbconfig: string } | undefined;
}

type Settings = Readonly<Record<string, SettingRow>>;

/** Configured values of a row's settings. */
interface OwnSettings<S extends Settings> {
	get<P extends keyof S & string>(path: P): S[P] extends Setting<infer T> ? T : never;
	/** The objects of a list, given the path before `[]`. */
	items(list: string): readonly OwnSettings<S>[];
	/** The error for an unacceptable value. */
	refuse(path: string, reason: string): ConfigError;
}

export interface ConfiguredReceiver<C = unknown> {
	/** Name in logs and of the stored position. */
	readonly name: string;
	readonly topics: ReadonlyMap<EventKind, EventTopic>;
	/** The first block to publish if there is no stored position. */
	readonly fromBlock?: bigint | undefined;
	/** Listening port. */
	readonly port?: number;
	readonly config: C;
}

/** What opening a receiver needs besides its settings. */
export interface Surroundings {
	readonly environment: Environment;
	/** Address to bind; undefined: all interfaces. */
	readonly host: string | undefined;
	/** Milliseconds since 1970. */
	readonly nowMs: () => number;
	readonly fetch: typeof fetch;
	/** The error for a port that can't be bound. */
	readonly portError: (port: number, error: unknown) => Error;
}

export interface ReceiverRow<S extends Settings = Settings, C = unknown> {
	/** Its line in docs/events.md: destination, kinds, behavior while it is down, how it was tested. */
	readonly docs: readonly [to: string, kinds: string, whileDown: string, tried: string];
	/** Enabled by being configured; other receivers also need the event service to be enabled. */
	readonly isOwn?: boolean;
	/** Word in the archive name of the plugin that it replaces. */
	readonly archive?: string;
	/** Only solidified blocks are published. */
	readonly isSolid?: boolean;
	/** Absent: set by `event.subscribe.positions`. */
	readonly guarantee?: "at least once" | "at most once";
	/** Separately bundled module below src, loaded only if configured. */
	readonly client?: string;
	readonly settings: S;
	/** Reads all of its settings, even unused ones. @throws {ConfigError} */
	read(settings: OwnSettings<S>, section: SectionTopics): readonly ConfiguredReceiver<C>[];
	/** Connects on the first delivery. @throws {OperatorError} one sentence that contains no secret */
	open(config: C, surroundings: Surroundings): Promise<Receiver>;
}

/** The topics of the requested kinds, or of all, with the section's options. @throws {ConfigError} */
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

/** Kinds and names that a plugin receiver publishes: an empty name of the block topic disables blocks. */
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

/** @returns undefined: no authentication */
export function loginOf(
	user: string,
	passwordFile: string | undefined,
	password = "",
): ReceiverLogin | undefined {
	return user === "" ? undefined : { user, password: password === "" ? undefined : password, passwordFile };
}

export const isHostAndPort = (text: string): boolean => /^(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}$/.test(text);
