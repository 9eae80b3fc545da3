/** Kafka receiver with the network plugin's records (protocol/events §7.4). Loaded only if configured. */

import { type KafkaConfig as ClientOptions, CompressionTypes, Kafka, logLevel, type Producer } from "kafkajs";
import type { EventKind, EventMessage } from "./event-message.js";
import { CONNECTION_MS, type Publication, type Receiver, RefusedError } from "./receiver.js";
import type { ReceiverLogin } from "./secrets.js";

export interface KafkaConfig {
	/** `host:port` each. */
	readonly brokers: readonly string[];
	/** The Kafka topic of each published kind. */
	readonly names: ReadonlyMap<EventKind, string>;
	/** `entity`: the contract's address, or the transaction's id. */
	readonly key: "none" | "entity";
	/** SCRAM-SHA-512; undefined: no authentication. */
	readonly login: ReceiverLogin | undefined;
	readonly tls: boolean;
}

const REQUEST_MS = 15_000;
/** The client's retries within one delivery, for leader changes; the delivery handles longer outages. */
const RETRY = { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 };
/** Errors that no retry can fix. */
const REFUSALS: ReadonlySet<unknown> = new Set([
	"MESSAGE_TOO_LARGE",
	"RECORD_LIST_TOO_LARGE",
	"INVALID_RECORD",
	"CORRUPT_MESSAGE",
]);

/**
 * @param password undefined: no authentication
 * @param clientOf client factory
 */
export function openKafka(
	config: KafkaConfig,
	password: string | undefined,
	clientOf: (options: ClientOptions) => Pick<Kafka, "producer"> = (options) => new Kafka(options),
): Receiver {
	const { brokers, login, tls, names, key } = config;
	const client = clientOf({
		clientId: "coin",
		brokers: [...brokers],
		ssl: tls,
		...(login && password !== undefined
			? { sasl: { mechanism: "scram-sha-512", username: login.user, password } as const }
			: {}),
		connectionTimeout: CONNECTION_MS,
		authenticationTimeout: CONNECTION_MS,
		requestTimeout: REQUEST_MS,
		retry: RETRY,
		// Errors are reported by the failed delivery.
		logLevel: logLevel.NOTHING,
	});
	let producer: Producer | undefined;
	const open = async (): Promise<Producer> => {
		if (producer) return producer;
		const opened = client.producer({ allowAutoTopicCreation: true, maxInFlightRequests: 1, retry: RETRY });
		producer = opened;
		await opened.connect();
		return opened;
	};
	const close = async (): Promise<void> => {
		const closing = producer;
		producer = undefined;
		await closing?.disconnect();
	};
	return {
		deliver: async (publications) => {
			try {
				await (await open()).sendBatch({
					acks: -1,
					timeout: REQUEST_MS,
					compression: CompressionTypes.None,
					topicMessages: recordsOf(publications, names, key),
				});
			} catch (error) {
				if (isRefusal(error)) throw new RefusedError((error as Error).message);
				// A new connection fetches fresh leader metadata.
				await close().catch(() => {});
				throw error;
			}
		},
		close,
	};
}

/** Records by topic, in order within each topic. */
function recordsOf(
	publications: readonly Publication[],
	names: KafkaConfig["names"],
	key: KafkaConfig["key"],
) {
	const byTopic = new Map<string, { key: string | null; value: string }[]>();
	for (const { message } of publications) {
		const topic = names.get(message.kind);
		if (topic === undefined) continue;
		const records = byTopic.get(topic) ?? [];
		records.push({ key: key === "entity" ? entityOf(message) : null, value: message.json });
		byTopic.set(topic, records);
	}
	return [...byTopic].map(([topic, messages]) => ({ topic, messages }));
}

/** The record key, which keeps an entity's records in one partition. */
function entityOf({ kind, body }: EventMessage): string | null {
	const { transactionId, contractAddress } = body;
	const entity = kind === "transaction" ? transactionId : contractAddress;
	return typeof entity === "string" ? entity : null;
}

/** The client wraps errors in others. */
function isRefusal(error: unknown): boolean {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (REFUSALS.has((cause as { type?: unknown }).type)) return true;
	}
	return false;
}
