/** A dialed conversation with one node of the peer network, question by question. */

import { equalBytes } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { ByteStream, NetworkEnvironment, NodeAddress, Timer } from "./environment.js";
import {
	ApplicationType,
	BlockIdLengthError,
	decodeDisconnect,
	HelloMessage,
	PING_PAYLOAD,
	readBlockId,
	reasonName,
} from "./wire/application-messages.js";
import { NODE_ID_LENGTH, type PeerEndpoint } from "./wire/endpoint.js";
import { unwrap, wrapMessage } from "./wire/envelope.js";
import { FrameReader, MAX_LENGTH, writeFrame } from "./wire/frames.js";
import { checkSize, MAX_GREETING_BYTES, OversizeMessage } from "./wire/message-kinds.js";
import {
	DisconnectReason,
	disconnectReasonName,
	FIRST_TRANSPORT_TYPE,
	type Hello,
	HelloCode,
	helloCodeName,
	ProtocolViolation,
	readTransportMessage,
	TRANSPORT_VERSION,
	type TransportMessage,
	TransportType,
	withType,
	writeDisconnect,
	writeHello,
	writeKeepAlive,
} from "./wire/transport-messages.js";

/** The default port of nodes; also what we announce, since we don't listen. */
export const DEFAULT_PEER_PORT = 18888;

/** Unread bytes before the peer is held back: more than the longest message. */
const MAX_UNREAD = 2 * MAX_LENGTH;

export interface PeerOptions {
	readonly environment: NetworkEnvironment;
	readonly address: NodeAddress;
	/** Undefined: the node is asked. */
	readonly networkId: number | undefined;
	/** For each step: connecting, and each answer. */
	readonly timeoutMs: number;
	/** Own announced address, an IPv4 literal. */
	readonly ownIpv4: string;
}

type ProbeProblem =
	/** No connection. */
	| "unreachable"
	/** No answer in time. */
	| "silent"
	/** It closed the connection; the message gives its reason, if any. */
	| "closed"
	/** It doesn't speak this protocol. */
	| "stranger"
	/** It refuses us: `code` says why. */
	| "refused";

export class ProbeError extends Error {
	override readonly name = "ProbeError";

	constructor(
		readonly problem: ProbeProblem,
		message: string,
		/** Code of the refusing HELLO. */
		readonly code?: number,
		/** The node's network, if it told. */
		readonly networkId?: number,
	) {
		super(message);
	}
}

/** Performs the transport handshake. @throws {ProbeError} */
export async function shakeHands(
	dialogue: Dialogue,
	options: PeerOptions,
	networkId: number,
): Promise<Hello> {
	const timestamp = BigInt(Math.trunc(options.environment.wallClock()));
	const own = ownEndpoint(options);
	dialogue.say(
		writeHello({ from: own, networkId, code: HelloCode.NORMAL, timestamp, version: TRANSPORT_VERSION }),
	);
	const { hello } = await dialogue.transport(TransportType.HELLO);
	if (equalBytes(hello.from.nodeId, own.nodeId))
		throw new ProbeError("stranger", "it sends back what we say");
	if (hello.code !== HelloCode.NORMAL) {
		throw new ProbeError(
			"refused",
			`it refuses the handshake: ${helloCodeName(hello.code)}`,
			hello.code,
			hello.networkId,
		);
	}
	dialogue.isWrapped = hello.version >= TRANSPORT_VERSION;
	return hello;
}

/** @throws {ProbeError} */
export function readApplicationHello(payload: Uint8Array) {
	try {
		const message = HelloMessage.decode(payload);
		return {
			codeVersion: new TextDecoder().decode(message.codeVersion),
			isLight: message.nodeType === 1,
			lowestBlock: message.lowestBlockNum,
			genesis: readBlockId(message.genesisBlockId),
			solid: readBlockId(message.solidBlockId),
			head: readBlockId(message.headBlockId),
		};
	} catch (error) {
		if (error instanceof DecodeError || error instanceof BlockIdLengthError) {
			throw new ProbeError("stranger", `its application HELLO is broken: ${error.message}`);
		}
		throw error;
	}
}

/** @throws {ProbeError} `unreachable` */
export async function dial({ environment, address, timeoutMs }: PeerOptions): Promise<ByteStream> {
	try {
		return await environment.dial(address, timeoutMs);
	} catch (error) {
		throw new ProbeError("unreachable", error instanceof Error ? error.message : String(error));
	}
}

/** Our own endpoint, with a new id every time. */
export function ownEndpoint({ environment, ownIpv4 }: PeerOptions): PeerEndpoint {
	return {
		ipv4: ownIpv4,
		ipv6: "",
		port: DEFAULT_PEER_PORT,
		nodeId: environment.randomBytes(NODE_ID_LENGTH),
	};
}

/** A message of the application layer. */
export interface PeerMessage {
	readonly type: number;
	readonly payload: Uint8Array;
}

/** One connection, used question by question. */
export class Dialogue {
	/** Whether message bodies are wrapped, in both directions. */
	isWrapped = false;
	/** Bytes received. */
	receivedBytes = 0;
	/** Messages received. */
	receivedMessages = 0;
	private readonly reader = new FrameReader();
	private isClosed = false;
	private wake: (() => void) | undefined;
	private unread = 0;

	constructor(
		private readonly environment: NetworkEnvironment,
		private readonly stream: ByteStream,
		private readonly timeoutMs: number,
	) {
		stream.listen({
			data: (bytes) => {
				this.receivedBytes += bytes.length;
				this.unread += bytes.length;
				if (this.unread >= MAX_UNREAD) stream.pause();
				this.reader.push(bytes);
				this.wake?.();
			},
			closed: () => {
				this.isClosed = true;
				this.wake?.();
			},
		});
	}

	say(message: Uint8Array): void {
		this.stream.write(writeFrame(this.isWrapped ? wrapMessage(message) : message));
	}

	end(): void {
		this.stream.end();
	}

	/**
	 * Waits for a transport message; after the handshake, application messages are skipped.
	 * @throws {ProbeError}
	 */
	transport<T extends TransportType>(type: T): Promise<Extract<TransportMessage, { readonly type: T }>> {
		return this.next((plain) => {
			if ((plain[0] as number) < FIRST_TRANSPORT_TYPE) {
				if (type !== TransportType.HELLO) return undefined;
				throw new ProbeError("stranger", "it answers with something else than a handshake");
			}
			const message = readTransportMessage(plain, this.environment.wallClock());
			if (message.type === type) return message as Extract<TransportMessage, { readonly type: T }>;
			if (message.type === TransportType.DISCONNECT) {
				throw new ProbeError("closed", `it disconnects: ${disconnectReasonName(message.reason)}`);
			}
			return undefined;
		});
	}

	/** Waits for an application message, answering keep-alives. @returns its payload */
	application(type: ApplicationType): Promise<Uint8Array> {
		return this.next((plain) => {
			if (plain[0] === type) return plain.subarray(1);
			if ((plain[0] as number) < FIRST_TRANSPORT_TYPE) return undefined;
			const message = readTransportMessage(plain, this.environment.wallClock());
			if (message.type === TransportType.DISCONNECT) {
				throw new ProbeError("closed", `it disconnects: ${disconnectReasonName(message.reason)}`);
			}
			return undefined;
		});
	}

	/**
	 * Waits for any application message, answering keep-alives.
	 * @param endMs of the environment's clock
	 * @throws {ProbeError}
	 */
	message(endMs: number): Promise<PeerMessage> {
		return this.next((plain) => {
			const type = plain[0] as number;
			const payload = plain.subarray(1);
			if (type === ApplicationType.P2P_DISCONNECT)
				throw new ProbeError("closed", `it disconnects: ${reasonName(decodeDisconnect(payload))}`);
			if (type === ApplicationType.P2P_PING) this.say(withType(ApplicationType.P2P_PONG, PING_PAYLOAD));
			if (type < FIRST_TRANSPORT_TYPE) return { type, payload };
			const message = readTransportMessage(plain, this.environment.wallClock());
			if (message.type === TransportType.PING)
				this.say(writeKeepAlive(TransportType.PONG, this.environment.wallClock()));
			if (message.type !== TransportType.DISCONNECT) return undefined;
			throw new ProbeError("closed", `it disconnects: ${disconnectReasonName(message.reason)}`);
		}, endMs);
	}

	/** Disconnects like a peer that leaves. */
	leave(): void {
		this.say(writeDisconnect(DisconnectReason.PEER_QUITING));
		this.end();
	}

	/** Closes it immediately. */
	cut(): void {
		this.stream.destroy();
	}

	private async next<T>(
		choose: (plain: Uint8Array) => T | undefined,
		endMs = this.environment.now() + this.timeoutMs,
	): Promise<T> {
		const beganMs = this.environment.now();
		while (true) {
			this.reader.maxLength = this.isWrapped ? MAX_LENGTH : MAX_GREETING_BYTES;
			try {
				for (let body = this.reader.next(); body !== undefined; body = this.reader.next()) {
					this.receivedMessages++;
					const chosen = choose(this.isWrapped ? unwrap(body, checkSize) : body);
					if (chosen !== undefined) return chosen;
				}
			} catch (error) {
				if (error instanceof ProtocolViolation || error instanceof OversizeMessage)
					throw new ProbeError("stranger", `it sends ${error.message}`);
				if (error instanceof DecodeError) throw new ProbeError("stranger", `it sends ${error.message}`);
				throw error;
			}
			if (this.unread >= MAX_UNREAD) this.stream.resume();
			this.unread = 0;
			if (this.isClosed) throw new ProbeError("closed", "it closes the connection");
			const restMs = endMs - this.environment.now();
			if (restMs <= 0) {
				const waitedMs = Math.round(this.environment.now() - beganMs);
				throw new ProbeError("silent", `no answer within ${waitedMs} ms`);
			}
			await this.more(restMs);
		}
	}

	/** Resolves when data arrives, the connection closes, or the time is up. */
	private more(timeoutMs: number): Promise<void> {
		return new Promise((resolve) => {
			const finish = () => {
				timer.cancel();
				this.wake = undefined;
				resolve();
			};
			const timer: Timer = this.environment.after(timeoutMs, finish);
			this.wake = finish;
		});
	}
}
