/**
 * The table of receivers. A row holds what the rest of the program knows about a receiver type: settings,
 * their parsing, how to open it, its bundled client and its line in docs/events.md.
 */

import {
	boolean,
	int,
	long,
	optionalText,
	requiredText,
	type SettingRow,
	text,
	texts,
} from "../../config/setting.js";
import { type DatabaseAddress, SCHEMA, WRONG_SCHEMA, wrongDatabaseUrl } from "../../postgresql/address.js";
import { SOLID_KINDS } from "./event-message.js";
import type { KafkaConfig } from "./kafka.js";
import type { MongodbConfig } from "./mongodb.js";
import type { NatsConfig } from "./nats.js";
import {
	checkServers,
	isHostAndPort,
	loginOf,
	namedTopics,
	type ReceiverRow,
	topicsOf,
} from "./receiver-row.js";
import { passwordOf, secretOf } from "./secrets.js";
import type { WebhookConfig } from "./webhook.js";
import type { ZeromqConfig } from "./zeromq.js";

const MAX_KEY_BYTES = 4096;
const DEFAULT_PORT = 5555;
/** Minimum of the network's node, whatever is configured. */
const LEAST_HIGH_WATER_MARK = 1000;

/** Infers the types of a row's settings and parsed configuration. */
const row = <S extends Readonly<Record<string, SettingRow>>, C>(of: ReceiverRow<S, C>): ReceiverRow<S, C> =>
	of;

export const RECEIVERS = {
	zeromq: row({
		docs: [
			"ZeroMQ subscribers (`native`)",
			"all seven",
			"lost, as on the network's nodes",
			"recordings of a reference node",
		],
		guarantee: "at most once",
		settings: {
			"event.subscribe.native.useNativeQueue": boolean(false, "a ZeroMQ publisher publishes the events"),
			"event.subscribe.native.bindport": int(0, "its port; 0 or less: 5555"),
			"event.subscribe.native.sendqueuelength": int(
				0,
				"messages that wait for one subscriber, further ones are lost to it; below 1000: 1000",
			),
		},
		read: (settings, { topics }) => {
			const isUsed = settings.get("event.subscribe.native.useNativeQueue");
			const port = settings.get("event.subscribe.native.bindport");
			const length = settings.get("event.subscribe.native.sendqueuelength");
			if (!isUsed) return [];
			if (port > 65_535) throw settings.refuse("event.subscribe.native.bindport", "must be at most 65535");
			const config: ZeromqConfig = {
				port: port <= 0 ? DEFAULT_PORT : port,
				highWaterMark: Math.max(LEAST_HIGH_WATER_MARK, length),
			};
			return [{ name: "the native queue", topics, port: config.port, config }];
		},
		open: async (config, { host, portError }) => {
			const { Publisher } = await import("./zeromq.js");
			return Publisher.listen({ ...config, host }).catch((error: unknown) => {
				throw portError(config.port, error);
			});
		},
	}),

	kafka: row({
		docs: ["Kafka (`path`)", "all seven", "nothing is lost", "`npm run tool soak:brokers`"],
		client: "node/events/receivers/kafka",
		settings: {
			"event.subscribe.kafka.key": text(
				"none",
				"key of records: none, or entity for the contract or transaction (ours)",
			),
			"event.subscribe.kafka.user": text("", "logs in with SCRAM-SHA-512; empty: does not (ours)"),
			"event.subscribe.kafka.passwordFile": optionalText(
				"file with its password, else COIN_KAFKA_PASSWORD has it (ours)",
			),
			"event.subscribe.kafka.tls": boolean(false, "connections to Kafka are encrypted (ours)"),
		},
		archive: "kafka",
		read: (settings, section) => {
			const key = settings.get("event.subscribe.kafka.key");
			const user = settings.get("event.subscribe.kafka.user");
			const login = loginOf(user, settings.get("event.subscribe.kafka.passwordFile"));
			const tls = settings.get("event.subscribe.kafka.tls");
			const { plugin } = section;
			if (!plugin) return [];
			const brokers = plugin.server.split(",").map((server) => server.trim());
			if (!brokers.every(isHostAndPort)) {
				throw settings.refuse(
					"event.subscribe.server",
					"must be host:port of a broker, or several with commas",
				);
			}
			if (key !== "none" && key !== "entity") {
				throw settings.refuse("event.subscribe.kafka.key", "must be none or entity");
			}
			const named = namedTopics(section);
			for (const name of named.names.values()) {
				if (/^[\w.-]{1,249}$/.test(name)) continue;
				throw settings.refuse(
					"event.subscribe.topics",
					"must name topics of Kafka: letters, digits, ., - and _",
				);
			}
			const config: KafkaConfig = { brokers, names: named.names, key, login, tls };
			return [{ name: "kafka", topics: named.topics, config }];
		},
		open: async (config, { environment }) => {
			const password = passwordOf(config.login, "COIN_KAFKA_PASSWORD", environment);
			return (await import("./kafka.js")).openKafka(config, password);
		},
	}),

	mongodb: row({
		docs: ["MongoDB (`path`)", "all seven", "nothing is lost", "`npm run tool soak:brokers`"],
		client: "node/events/receivers/mongodb",
		settings: {
			"event.subscribe.mongodb.passwordFile": optionalText(
				"file with the password where dbconfig has none, else COIN_MONGODB_PASSWORD has it (ours)",
			),
		},
		archive: "mongodb",
		read: (settings, section) => {
			const passwordFile = settings.get("event.subscribe.mongodb.passwordFile");
			if (!section.plugin) return [];
			const { server, dbconfig } = section.plugin;
			if (!isHostAndPort(server)) {
				throw settings.refuse("event.subscribe.server", "must be host:port of MongoDB");
			}
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
			const named = namedTopics(section);
			for (const name of named.names.values()) {
				if (/^(?!system\.)[^$\0]{1,120}$/.test(name)) continue;
				throw settings.refuse(
					"event.subscribe.topics",
					"must name collections: 1 to 120 characters without $",
				);
			}
			const config: MongodbConfig = {
				server,
				database,
				login: loginOf(user, passwordFile, password),
				version: version === "2" ? 2 : 1,
				names: named.names,
			};
			return [{ name: "mongodb", topics: named.topics, config }];
		},
		open: async (config, { environment }) => {
			const password = passwordOf(config.login, "COIN_MONGODB_PASSWORD", environment);
			return (await import("./mongodb.js")).openMongodb(config, password);
		},
	}),

	nats: row({
		docs: ["NATS JetStream (`nats`)", "all seven", "nothing is lost", "`npm run tool soak:brokers`"],
		isOwn: true,
		client: "node/events/receivers/nats",
		settings: {
			"event.subscribe.nats.server": text(
				"",
				"host:port of NATS with JetStream, several with commas; empty: none (ours)",
			),
			"event.subscribe.nats.stream": text("COIN", "its stream, which is made where it is missing (ours)"),
			"event.subscribe.nats.subject": text("coin.events", "subjects are this, a dot and the kind (ours)"),
			"event.subscribe.nats.kinds": texts("kinds that are published to it; empty: all seven (ours)"),
			"event.subscribe.nats.user": text("", "logs in with a password; empty: does not (ours)"),
			"event.subscribe.nats.passwordFile": optionalText(
				"file with its password, else COIN_NATS_PASSWORD has it (ours)",
			),
			"event.subscribe.nats.credentialsFile": optionalText(
				"file of credentials to log in with instead (ours)",
			),
			"event.subscribe.nats.tls": boolean(false, "connections to NATS are encrypted (ours)"),
		},
		read: (settings, { topics }) => {
			const server = settings.get("event.subscribe.nats.server");
			const kinds = settings.get("event.subscribe.nats.kinds");
			const stream = settings.get("event.subscribe.nats.stream");
			const subject = settings.get("event.subscribe.nats.subject");
			const user = settings.get("event.subscribe.nats.user");
			const login = loginOf(user, settings.get("event.subscribe.nats.passwordFile"));
			const credentialsFile = settings.get("event.subscribe.nats.credentialsFile");
			const tls = settings.get("event.subscribe.nats.tls");
			if (server === "") return [];
			const servers = checkServers(settings, "event.subscribe.nats.server", server);
			if (!/^[\w-]{1,255}$/.test(stream)) {
				throw settings.refuse("event.subscribe.nats.stream", "must be letters, digits, - and _");
			}
			if (!/^[\w-]+(?:\.[\w-]+)*$/.test(subject) || subject.length > 200) {
				throw settings.refuse(
					"event.subscribe.nats.subject",
					"must be words of letters, digits, - and _ between dots",
				);
			}
			const config: NatsConfig = { servers, stream, subject, login, credentialsFile, tls };
			return [
				{ name: "nats", topics: topicsOf(settings, "event.subscribe.nats.kinds", kinds, topics), config },
			];
		},
		open: async (config, { environment }) => {
			const password = passwordOf(config.login, "COIN_NATS_PASSWORD", environment);
			const { credentialsFile } = config;
			const credentials = credentialsFile === undefined ? undefined : secretOf(credentialsFile);
			return (await import("./nats.js")).openNats(config, { password, credentials });
		},
	}),

	postgresql: row({
		docs: [
			"PostgreSQL (`postgresql`)",
			"all seven",
			"nothing is lost, nothing comes twice",
			"`npm run tool soak:brokers`",
		],
		isOwn: true,
		client: "node/postgresql/driver",
		settings: {
			"event.subscribe.postgresql.database": optionalText(
				"postgres://user@host:port/name: a PostgreSQL database to which events are published, without a password in it (ours)",
			),
			"event.subscribe.postgresql.passwordFile": optionalText(
				"file with its password; else PGPASSWORD or PGPASSFILE of the environment (ours)",
			),
			"event.subscribe.postgresql.schema": text("coin_events", "schema in which the tables are (ours)"),
			"event.subscribe.postgresql.kinds": texts("kinds that are published to it; empty: all seven (ours)"),
		},
		read: (settings, { topics }) => {
			const url = settings.get("event.subscribe.postgresql.database");
			const passwordFile = settings.get("event.subscribe.postgresql.passwordFile");
			const schema = settings.get("event.subscribe.postgresql.schema");
			const kinds = settings.get("event.subscribe.postgresql.kinds");
			if (url === undefined) return [];
			const wrong = wrongDatabaseUrl(url);
			if (wrong) throw settings.refuse("event.subscribe.postgresql.database", wrong);
			if (!SCHEMA.test(schema)) throw settings.refuse("event.subscribe.postgresql.schema", WRONG_SCHEMA);
			const config: DatabaseAddress = { url, passwordFile, schema };
			const published = topicsOf(settings, "event.subscribe.postgresql.kinds", kinds, topics);
			return [{ name: "postgresql", topics: published, config }];
		},
		open: async (config) => (await import("./postgresql.js")).openPostgresql(config),
	}),

	webhook: row({
		docs: ["webhooks", "solidified ones", "nothing is lost", "`npm run tool soak:sinks`"],
		isOwn: true,
		isSolid: true,
		guarantee: "at least once",
		settings: {
			"event.subscribe.webhooks[].name": requiredText("under which the receiver's position is stored (ours)"),
			"event.subscribe.webhooks[].url": requiredText("to which solidified events are posted (ours)"),
			"event.subscribe.webhooks[].secretFile": optionalText(
				"file with the key that signs what is posted (ours)",
			),
			"event.subscribe.webhooks[].kinds": texts(
				"block, transaction, solidity, solidityevent, soliditylog; empty: all (ours)",
			),
			"event.subscribe.webhooks[].fromBlock": long(
				-1n,
				"first block for a receiver without a position; below 0: the next that is solidified (ours)",
			),
		},
		read: (settings, { topics }) => {
			const known = new Set<string>();
			return settings.items("event.subscribe.webhooks").map((entry) => {
				const name = entry.get("event.subscribe.webhooks[].name");
				if (!/^[\w-]{1,64}$/.test(name) || known.has(name)) {
					throw entry.refuse(
						"event.subscribe.webhooks[].name",
						"must be letters, digits, - and _, another one for each",
					);
				}
				known.add(name);
				const url = entry.get("event.subscribe.webhooks[].url");
				const parsed = URL.canParse(url) ? new URL(url) : undefined;
				const isPlain = parsed && parsed.username === "" && parsed.password === "";
				if (!isPlain || !/^https?:$/.test(parsed.protocol)) {
					throw entry.refuse(
						"event.subscribe.webhooks[].url",
						"must be an http or https address without user and password",
					);
				}
				const kinds = entry.get("event.subscribe.webhooks[].kinds");
				const from = entry.get("event.subscribe.webhooks[].fromBlock");
				const config: WebhookConfig = {
					name,
					url,
					secretFile: entry.get("event.subscribe.webhooks[].secretFile"),
				};
				return {
					name,
					topics: topicsOf(entry, "event.subscribe.webhooks[].kinds", kinds, topics, SOLID_KINDS),
					fromBlock: from < 0n ? undefined : from,
					config,
				};
			});
		},
		open: async (config, { nowMs, fetch }) => {
			const { secretFile: file, name } = config;
			const what = `the key file ${file} of webhook ${name}`;
			const secret = file === undefined ? undefined : secretOf(file, MAX_KEY_BYTES, what);
			return (await import("./webhook.js")).openWebhook(config, { secret, nowMs, fetch });
		},
	}),
};

type ReceiverName = keyof typeof RECEIVERS;

type Rows = typeof RECEIVERS;
type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;

/** Rows by kind, for lookup at run time. */
export const receiverRows: ReadonlyMap<string, ReceiverRow> = new Map(Object.entries(RECEIVERS));

/** The settings of all rows, merged into the table of settings. */
export const receiverSettings = Object.assign(
	{},
	...Object.values(RECEIVERS).map(({ settings }) => settings),
) as Together<Rows[ReceiverName]["settings"]>;
