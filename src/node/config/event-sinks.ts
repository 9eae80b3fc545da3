/** Brokers and databases that are told events: the plugins of the network's node, and our own (protocol/configuration §1.11). */

import { basename } from "node:path";
import type { DatabaseAddress } from "../postgresql/address.js";
import { SCHEMA, WRONG_SCHEMA, wrongDatabaseUrl } from "./database-url.js";
import type { EventKind, EventTopic } from "./event-config.js";
import type { Settings } from "./settings.js";

/** Who logs in to a receiver. The password is in a file or in the environment, unless `dbconfig` has it. */
export interface SinkLogin {
	readonly user: string;
	readonly password: string | undefined;
	readonly passwordFile: string | undefined;
}

export interface KafkaConfig {
	readonly is: "kafka";
	/** `host:port` each. */
	readonly brokers: readonly string[];
	/** The topic of each kind that is told. */
	readonly names: ReadonlyMap<EventKind, string>;
	/** `entity`: the contract, or the transaction. */
	readonly key: "none" | "entity";
	/** SCRAM-SHA-512; undefined: none. */
	readonly login: SinkLogin | undefined;
	readonly tls: boolean;
}

export interface MongodbConfig {
	readonly is: "mongodb";
	/** `host:port` */
	readonly server: string;
	readonly database: string;
	/** SCRAM-SHA-1; undefined: none. */
	readonly login: SinkLogin | undefined;
	/** 1: documents are inserted; 2: they replace those of the same key. */
	readonly version: 1 | 2;
	/** The collection of each kind that is told. */
	readonly names: ReadonlyMap<EventKind, string>;
}

export interface NatsConfig {
	readonly is: "nats";
	readonly servers: readonly string[];
	readonly stream: string;
	/** What subjects begin with. */
	readonly subject: string;
	readonly login: SinkLogin | undefined;
	/** File with a token's or a user's credentials; undefined: none. */
	readonly credentialsFile: string | undefined;
	readonly tls: boolean;
}

export interface PostgresqlConfig {
	readonly is: "postgresql";
	readonly address: DatabaseAddress;
}

interface SinkOf<Config> {
	/** Under which it is logged and its position stored. */
	readonly name: string;
	/** What it is told. */
	readonly topics: ReadonlyMap<EventKind, EventTopic>;
	/** The archive of the network's node in whose place it is told; undefined: it is named itself. */
	readonly archive: string | undefined;
	readonly config: Config;
}

export type SinkConfig = SinkOf<KafkaConfig | MongodbConfig | NatsConfig | PostgresqlConfig>;

/** What is read before: the topics of the section, and the name that each gives its kind. */
export interface NamedTopics {
	readonly topics: ReadonlyMap<EventKind, EventTopic>;
	readonly names: ReadonlyMap<EventKind, string>;
	readonly kinds: readonly EventKind[];
}

/**
 * The plugin whose archive `path` names, if any; those of the network's node for Kafka and MongoDB are built in.
 * @throws {ConfigError}
 */
export function readPlugin(settings: Settings, named: NamedTopics): SinkConfig | undefined {
	const path = settings.get("event.subscribe.path");
	const server = settings.get("event.subscribe.server").trim();
	const dbconfig = settings.get("event.subscribe.dbconfig").trim();
	const key = settings.get("event.subscribe.kafka.key");
	const login = readLogin(settings, "event.subscribe.kafka.user", "event.subscribe.kafka.passwordFile");
	const tls = settings.get("event.subscribe.kafka.tls");
	const passwordFile = settings.get("event.subscribe.mongodb.passwordFile");
	if (path === "") return undefined;
	const archive = basename(path).toLowerCase();
	const config = archive.includes("kafka")
		? readKafka(settings, server, { key, login, tls }, named)
		: archive.includes("mongodb")
			? readMongodb(settings, server, { dbconfig, passwordFile }, named)
			: undefined;
	if (!config) {
		throw settings.refuse(
			"event.subscribe.path",
			"names an archive of the network's node that this program has nothing of its own for: it has for kafka and mongodb",
		);
	}
	const topics = new Map([...named.topics].filter(([kind]) => config.names.has(kind)));
	return { name: config.is, topics, archive: path, config };
}

/** Our own receivers. @throws {ConfigError} */
export function readOwnSinks(settings: Settings, named: NamedTopics): readonly SinkConfig[] {
	return [readNats(settings, named), readPostgresql(settings, named)].filter((sink) => sink !== undefined);
}

function readKafka(
	settings: Settings,
	server: string,
	{ key, login, tls }: Pick<KafkaConfig, "login" | "tls"> & { readonly key: string },
	{ topics, names }: NamedTopics,
): KafkaConfig {
	const brokers = server.split(",").map((text) => text.trim());
	if (!brokers.every(isHostAndPort)) {
		throw settings.refuse("event.subscribe.server", "must be host:port of a broker, or several with commas");
	}
	if (key !== "none" && key !== "entity") {
		throw settings.refuse("event.subscribe.kafka.key", "must be none or entity");
	}
	const named = new Map(
		[...topics.keys()]
			.map((kind) => [kind, names.get(kind) ?? ""] as const)
			.filter(([kind, name]) => kind !== "block" || name !== ""),
	);
	for (const name of named.values()) {
		if (/^[\w.-]{1,249}$/.test(name)) continue;
		throw settings.refuse("event.subscribe.topics", "must name topics of Kafka: letters, digits, ., - and _");
	}
	return {
		is: "kafka",
		brokers,
		names: named,
		key,
		login,
		tls,
	};
}

function readMongodb(
	settings: Settings,
	server: string,
	{ dbconfig, passwordFile }: { readonly dbconfig: string; readonly passwordFile: string | undefined },
	{ topics, names }: NamedTopics,
): MongodbConfig {
	if (!isHostAndPort(server)) throw settings.refuse("event.subscribe.server", "must be host:port of MongoDB");
	const parts = dbconfig.split("|");
	const [database = "", user = "", password = "", version = "1"] = parts;
	if ((parts.length !== 3 && parts.length !== 4) || !/^[^\s/\\."$]{1,63}$/.test(database)) {
		throw settings.refuse(
			"event.subscribe.dbconfig",
			"must be database|user|password or database|user|password|version",
		);
	}
	if (version !== "1" && version !== "2") {
		throw settings.refuse(
			"event.subscribe.dbconfig",
			"must end with version 1 or 2, where it has four parts",
		);
	}
	const named = new Map([...topics.keys()].map((kind) => [kind, names.get(kind) ?? ""] as const));
	for (const name of named.values()) {
		if (/^(?!system\.)[^$\0]{1,120}$/.test(name)) continue;
		throw settings.refuse("event.subscribe.topics", "must name collections: 1 to 120 characters without $");
	}
	return {
		is: "mongodb",
		server,
		database,
		login: user === "" ? undefined : { user, password: password === "" ? undefined : password, passwordFile },
		version: version === "2" ? 2 : 1,
		names: named,
	};
}

function readNats(settings: Settings, { topics, kinds }: NamedTopics): SinkConfig | undefined {
	const server = settings.get("event.subscribe.nats.server");
	const asked = settings.get("event.subscribe.nats.kinds");
	const stream = settings.get("event.subscribe.nats.stream");
	const subject = settings.get("event.subscribe.nats.subject");
	const login = readLogin(settings, "event.subscribe.nats.user", "event.subscribe.nats.passwordFile");
	const credentialsFile = settings.get("event.subscribe.nats.credentialsFile");
	const tls = settings.get("event.subscribe.nats.tls");
	if (server === "") return undefined;
	const servers = server.split(",").map((text) => text.trim());
	if (!servers.every(isHostAndPort)) {
		throw settings.refuse(
			"event.subscribe.nats.server",
			"must be host:port of a server, or several with commas",
		);
	}
	if (!/^[\w-]{1,255}$/.test(stream)) {
		throw settings.refuse("event.subscribe.nats.stream", "must be letters, digits, - and _");
	}
	if (!/^[\w-]+(?:\.[\w-]+)*$/.test(subject) || subject.length > 200) {
		throw settings.refuse(
			"event.subscribe.nats.subject",
			"must be words of letters, digits, - and _ between dots",
		);
	}
	const config = { is: "nats", servers, stream, subject, login, credentialsFile, tls } as const;
	return {
		name: "nats",
		archive: undefined,
		topics: topicsOf(settings, "event.subscribe.nats.kinds", asked, topics, kinds),
		config,
	};
}

function readPostgresql(settings: Settings, { topics, kinds }: NamedTopics): SinkConfig | undefined {
	const url = settings.get("event.subscribe.postgresql.database");
	const passwordFile = settings.get("event.subscribe.postgresql.passwordFile");
	const schema = settings.get("event.subscribe.postgresql.schema");
	const asked = settings.get("event.subscribe.postgresql.kinds");
	if (url === undefined) return undefined;
	const wrong = wrongDatabaseUrl(url);
	if (wrong) throw settings.refuse("event.subscribe.postgresql.database", wrong);
	if (!SCHEMA.test(schema)) throw settings.refuse("event.subscribe.postgresql.schema", WRONG_SCHEMA);
	return {
		name: "postgresql",
		archive: undefined,
		topics: topicsOf(settings, "event.subscribe.postgresql.kinds", asked, topics, kinds),
		config: { is: "postgresql", address: { url, passwordFile, schema } },
	};
}

/** The kinds that a receiver asks for, or all, told as the topics of the section say. @throws {ConfigError} */
function topicsOf(
	settings: Settings,
	path: string,
	asked: readonly string[],
	topics: NamedTopics["topics"],
	kinds: readonly EventKind[],
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

function readLogin(
	settings: Settings,
	userPath: "event.subscribe.kafka.user" | "event.subscribe.nats.user",
	filePath: "event.subscribe.kafka.passwordFile" | "event.subscribe.nats.passwordFile",
): SinkLogin | undefined {
	const user = settings.get(userPath);
	const passwordFile = settings.get(filePath);
	return user === "" ? undefined : { user, password: undefined, passwordFile };
}

const isHostAndPort = (text: string): boolean => /^(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}$/.test(text);
