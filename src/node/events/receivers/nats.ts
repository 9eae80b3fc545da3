/** NATS JetStream receiver (protocol/events §7.6). Loaded only if configured. */

import { type JetStreamClient, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, credsAuthenticator, type NatsConnection, nanos } from "@nats-io/transport-node";
import { CONNECTION_MS, type Receiver, RefusedError } from "./receiver.js";
import type { ReceiverLogin } from "./secrets.js";

export interface NatsConfig {
	readonly servers: readonly string[];
	readonly stream: string;
	/** Subject prefix. */
	readonly subject: string;
	readonly login: ReceiverLogin | undefined;
	/** Credentials file with a token or a user's JWT; undefined: none. */
	readonly credentialsFile: string | undefined;
	readonly tls: boolean;
}

const ACKNOWLEDGE_MS = 10_000;
/** Deduplication window of streams created here. */
const DUPLICATES_MS = 10 * 60_000;
const STREAM_NOT_FOUND = 10_059;

interface Secrets {
	readonly password: string | undefined;
	/** Content of the credentials file. */
	readonly credentials: string | undefined;
}

export function openNats(config: NatsConfig, { password, credentials }: Secrets): Receiver {
	const { servers, login, tls, subject, stream } = config;
	let connection: NatsConnection | undefined;
	let streams: JetStreamClient | undefined;
	const open = async (): Promise<JetStreamClient> => {
		if (streams && connection && !connection.isClosed()) return streams;
		connection = await connect({
			servers: [...servers],
			name: "coin",
			timeout: CONNECTION_MS,
			// A lost connection is replaced on the next delivery, with the delivery's own backoff.
			reconnect: false,
			...(tls ? { tls: {} } : {}),
			...(login && password !== undefined ? { user: login.user, pass: password } : {}),
			...(credentials === undefined
				? {}
				: { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
		});
		await makeStream(connection, stream, subject);
		streams = jetstream(connection, { timeout: ACKNOWLEDGE_MS });
		return streams;
	};
	const close = async (): Promise<void> => {
		const closing = connection;
		connection = undefined;
		streams = undefined;
		await closing?.close();
	};
	return {
		deliver: async (publications) => {
			try {
				const client = await open();
				const most = connection?.info?.max_payload ?? Number.POSITIVE_INFINITY;
				for (const { message } of publications) {
					if (Buffer.byteLength(message.json) > most) {
						throw new RefusedError(`it is longer than the ${most} bytes that the server takes`);
					}
				}
				await Promise.all(
					publications.map(({ message, id }) =>
						client.publish(`${subject}.${message.kind}`, message.json, { msgID: id, retries: 0 }),
					),
				);
			} catch (error) {
				if (error instanceof RefusedError) throw error;
				await close().catch(() => {});
				throw error;
			}
		},
		close,
	};
}

/** Creates the stream if missing: stored on disk, unlimited. */
async function makeStream(connection: NatsConnection, name: string, subject: string): Promise<void> {
	const manager = await jetstreamManager(connection, { timeout: ACKNOWLEDGE_MS });
	try {
		await manager.streams.info(name);
	} catch (error) {
		if ((error as { code?: unknown }).code !== STREAM_NOT_FOUND) throw error;
		await manager.streams.add({
			name,
			subjects: [`${subject}.>`],
			duplicate_window: nanos(DUPLICATES_MS),
		});
	}
}
