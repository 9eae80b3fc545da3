/** The brokers and databases that a node tells events: a feed for each, and one table of the kinds that there are. */

import { join } from "node:path";
import { readSecretFile } from "../../../keystore/secret-file.js";
import { OperatorError } from "../../../protocol/operator-error.js";
import type { EventConfig } from "../../config/event-config.js";
import type {
	KafkaConfig,
	MongodbConfig,
	NatsConfig,
	PostgresqlConfig,
	SinkConfig,
	SinkLogin,
} from "../../config/event-sinks.js";
import { eventBudget } from "../event-budget.js";
import type { EventChain } from "../loaded-block.js";
import type { TimeSlice } from "../sliced-work.js";
import { reasonOf } from "./delivering.js";
import { QueuedFeed } from "./queued-feed.js";
import type { Receiver } from "./receiver.js";
import { type Feed, ToldFeed } from "./told-feed.js";

const MAX_SECRET_BYTES = 64 << 10;

/** What a receiver takes from outside of its settings. */
type Environment = Readonly<Record<string, string | undefined>>;

interface SinkKinds {
	readonly kafka: KafkaConfig;
	readonly mongodb: MongodbConfig;
	readonly nats: NatsConfig;
	readonly postgresql: PostgresqlConfig;
}

/** What opens a receiver; clients of brokers are loaded only for it. It connects with the first delivery. */
const OPENERS: {
	readonly [K in keyof SinkKinds]: (config: SinkKinds[K], environment: Environment) => Promise<Receiver>;
} = {
	kafka: async (config, environment) => {
		const password = passwordOf(config.login, "COIN_KAFKA_PASSWORD", environment);
		return (await import("./kafka.js")).openKafka(config, password);
	},
	mongodb: async (config, environment) => {
		const password = passwordOf(config.login, "COIN_MONGODB_PASSWORD", environment);
		return (await import("./mongodb.js")).openMongodb(config, password);
	},
	nats: async (config, environment) => {
		const password = passwordOf(config.login, "COIN_NATS_PASSWORD", environment);
		const { credentialsFile } = config;
		const credentials = credentialsFile === undefined ? undefined : secretOf(credentialsFile);
		return (await import("./nats.js")).openNats(config, { password, credentials });
	},
	postgresql: async (config) => (await import("./postgresql.js")).openPostgresql(config),
};

/** A receiver can't be used as it is configured; one sentence. */
class SinkError extends OperatorError {
	override readonly name = "SinkError";
}

interface SinksOptions {
	readonly config: EventConfig;
	readonly chain: EventChain;
	/** Undefined: the chain lives in memory, and positions do. */
	readonly dataDirectory: string | undefined;
	readonly environment: Environment;
	/** Another text in every run. */
	readonly run: string;
	/** Waits so many ms, or until the signal. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly slice: () => TimeSlice;
	readonly warn: (text: string) => void;
	readonly info: (text: string) => void;
	readonly report: (error: unknown) => void;
}

/** @throws {OperatorError} one sentence, without a word of any secret */
export async function createSinks(options: SinksOptions): Promise<readonly Feed[]> {
	const feeds: Feed[] = [];
	for (const sink of options.config.sinks) feeds.push(await createSink(sink, options));
	return feeds;
}

async function createSink(sink: SinkConfig, options: SinksOptions): Promise<Feed> {
	const { config, chain, dataDirectory, environment, run, pause, slice, warn, info, report } = options;
	const { name, topics, archive } = sink;
	if (archive !== undefined)
		info(`events of ${name}: what is built in is told in place of ${reasonOf(archive)}`);
	const receiver = await open(sink.config, environment);
	const file = dataDirectory && join(dataDirectory, "events", `${name}.told`);
	const budget = eventBudget(name, warn);
	const told = { ...config, topics };
	const feed = { name, config: told, chain, receiver, budget, file, pause, slice, warn, info };
	return config.keepsPositions ? new ToldFeed(feed) : new QueuedFeed({ ...feed, run, report });
}

function open<K extends keyof SinkKinds>(
	config: SinkKinds[K] & { readonly is: K },
	environment: Environment,
): Promise<Receiver> {
	return OPENERS[config.is](config, environment);
}

/** @returns undefined: nobody logs in. @throws {SinkError} */
function passwordOf(
	login: SinkLogin | undefined,
	variable: string,
	environment: Environment,
): string | undefined {
	if (!login) return undefined;
	const { passwordFile } = login;
	const password =
		login.password ?? (passwordFile === undefined ? environment[variable] : secretOf(passwordFile));
	if (password === undefined || password === "") {
		throw new SinkError(`${login.user} has no password: name a passwordFile, or set ${variable}`);
	}
	return password;
}

/** @throws {SinkError} without a word of what the file holds */
const secretOf = (file: string): string =>
	readSecretFile(file, MAX_SECRET_BYTES, (reason) => new SinkError(`${file} ${reason}`));
