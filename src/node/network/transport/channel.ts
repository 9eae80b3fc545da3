/**
 * One TCP connection with a peer: framing, backpressure, handshake, keepalive and closing (protocol/peers §§4.1 to 4.5).
 *
 * Before the handshake completes, bodies are plain and only transport messages are expected; afterwards
 * bodies are wrapped, if the peer speaks version 1, and the application takes over.
 */

import { EMPTY } from "../../../protocol/bytes.js";
import { type ApplicationListener, BAN_MS, type PeerConnection } from "../connection.js";
import type { ByteStream, NetworkEnvironment, NodeAddress, Timer } from "../environment.js";
import type { PeerEndpoint } from "../wire/endpoint.js";
import { type FrameWriter, unwrap } from "../wire/envelope.js";
import { FrameReader, MAX_LENGTH } from "../wire/frames.js";
import { checkSize, MAX_GREETING_BYTES, OversizeMessage } from "../wire/message-kinds.js";
import {
	DisconnectReason,
	disconnectReasonName,
	FIRST_TRANSPORT_TYPE,
	type Hello,
	HelloCode,
	helloCodeName,
	NO_TYPE,
	ProtocolViolation,
	readTransportMessage,
	type Status,
	TRANSPORT_VERSION,
	TransportType,
	writeDisconnect,
	writeHello,
	writeKeepAlive,
	writeStatus,
} from "../wire/transport-messages.js";
import type { PeerReport } from "./candidates.js";
import type { BanList, ChannelRegistry } from "./registry.js";

/** A connection is closed if nothing is received for this long. */
const READ_IDLE_MS = 60_000;
/** A peer that takes longer than this for its HELLO or a single frame is just wasting our time. */
const UNFINISHED_MS = 60_000;
const PING_AFTER_MS = 20_000;
const PONG_TIMEOUT_MS = 20_000;
/** How long the last bytes may take to be sent. */
const LINGER_MS = 3_000;
/** Unsent bytes at which a peer is considered not reading. */
const MAX_BACKLOG = 64 * 1024 * 1024;
/** A connection with data to send and no progress for this long is closed. */
const STALLED_MS = 60_000;

/** What a connection needs of its node. */
export interface ChannelContext {
	readonly environment: NetworkEnvironment;
	readonly networkId: number;
	/** Our own endpoint, with our node id. */
	readonly own: PeerEndpoint;
	readonly registry: ChannelRegistry;
	readonly bans: BanList;
	readonly frames: FrameWriter;
	readonly listener: ApplicationListener;
	/** The response to a STATUS. */
	status(): Status;
	/** Called once for each connection. */
	closed(channel: Channel): void;
	/** Receives what may interest an operator. */
	readonly report: PeerReport;
	/** A ping was answered after this time; absent: not measured. */
	readonly pinged?: ((ms: number) => void) | undefined;
}

interface ChannelOptions {
	readonly outgoing: boolean;
	/** Dialed because it is configured (`node.active`). */
	readonly configured: boolean;
	readonly trusted: boolean;
}

export class Channel implements PeerConnection {
	readonly remote: NodeAddress;
	readonly outgoing: boolean;
	readonly configured: boolean;
	readonly startMs: number;
	readonly connectTimeMs: number;
	trusted: boolean;
	nodeId: Uint8Array = EMPTY;
	averageLatencyMs = 0;

	private phase: "greeting" | "established" | "closed" = "greeting";
	private isWrapped = false;
	private samples = 0;
	/** Before the handshake, messages are few and small. */
	private readonly reader = new FrameReader(MAX_GREETING_BYTES);
	private lastReceivedMs: number;
	private lastSentMs: number;
	private pingSentMs: number | undefined;
	private frameSinceMs: number | undefined;
	private writtenBytes = 0;
	private flushedBytes = 0;
	private flushedMs: number;
	private deadline: Timer;
	private linger: Timer | undefined;

	constructor(
		private readonly context: ChannelContext,
		private readonly stream: ByteStream,
		options: ChannelOptions,
	) {
		this.remote = stream.remote;
		this.outgoing = options.outgoing;
		this.configured = options.configured;
		this.trusted = options.trusted;
		this.startMs = this.now;
		this.connectTimeMs = this.wallClock;
		this.lastReceivedMs = this.startMs;
		this.lastSentMs = this.startMs;
		this.flushedMs = this.startMs;
		this.deadline = context.environment.after(READ_IDLE_MS, () => this.checkDeadlines());
		stream.listen({
			data: (bytes) => this.take(bytes),
			closed: () => {
				this.linger?.cancel();
				this.leave(BAN_MS);
			},
		});
		if (this.outgoing) this.sendHello(HelloCode.NORMAL, BigInt(Math.trunc(this.connectTimeMs)));
	}

	get isOpen(): boolean {
		return this.phase !== "closed";
	}

	/** The other side connected and hasn't identified itself yet. */
	get isGreeting(): boolean {
		return this.phase === "greeting" && !this.outgoing;
	}

	/** The handshake is complete and the connection open. */
	get isEstablished(): boolean {
		return this.phase === "established";
	}

	get backlog(): number {
		return this.stream.backlog;
	}

	send(type: number, payload: Uint8Array): void {
		if (this.isOpen) this.write(this.context.frames.application(type, payload, this.isWrapped));
	}

	addLatency(ms: number): void {
		this.samples++;
		this.averageLatencyMs += (ms - this.averageLatencyMs) / this.samples;
	}

	replaceNodeId(nodeId: Uint8Array): boolean {
		this.nodeId = nodeId;
		this.context.registry.claim(this);
		return this.isOpen;
	}

	close(banMs: number = BAN_MS): void {
		if (this.leave(banMs)) this.endStream();
	}

	/** Sends the reason, then closes. */
	disconnect(reason: DisconnectReason, banMs: number = BAN_MS): void {
		this.say(writeDisconnect(reason));
		this.close(banMs);
	}

	/** Destroys the socket without waiting any longer. */
	abandon(): void {
		this.linger?.cancel();
		this.leave(BAN_MS);
		this.stream.destroy();
	}

	/** To be called every two seconds once the connection is registered. */
	keepAlive(): void {
		const now = this.now;
		if (!this.isEstablished) return;
		if (this.pingSentMs === undefined) {
			if (now - this.lastSentMs > PING_AFTER_MS) {
				// Set before sending: the answer may arrive before we continue.
				this.pingSentMs = now;
				this.say(writeKeepAlive(TransportType.PING, this.wallClock));
			}
		} else if (now - this.pingSentMs > PONG_TIMEOUT_MS) {
			this.report({}, "peer doesn't answer a ping");
			this.disconnect(DisconnectReason.PING_TIMEOUT);
			return;
		}
		this.checkFlow(now);
	}

	private get now(): number {
		return this.context.environment.now();
	}

	private get wallClock(): number {
		return this.context.environment.wallClock();
	}

	private take(bytes: Uint8Array): void {
		if (!this.isOpen) return;
		this.lastReceivedMs = this.now;
		this.reader.push(bytes);
		this.drain();
	}

	/** Handles received data frame by frame, since each determines how the next is read. */
	private drain(): void {
		try {
			while (this.isOpen) {
				const body = this.reader.next();
				if (body === undefined) break;
				this.frameSinceMs = undefined;
				this.handle(this.open(body));
			}
		} catch (error) {
			if (error instanceof ProtocolViolation) this.punish(error);
			else if (error instanceof OversizeMessage) this.refuse(error);
			else {
				// The application failed; the state of the connection is unknown.
				this.close();
				throw error;
			}
		}
		if (this.reader.isWithinFrame) this.frameSinceMs ??= this.now;
	}

	/** @returns type byte and payload @throws {ProtocolViolation | OversizeMessage} */
	private open(body: Uint8Array): Uint8Array {
		if (this.isWrapped) return unwrap(body, checkSize);
		checkSize(body[0] as number, body.length);
		return body;
	}

	/** Lets the application send the reason, unless it doesn't know the peer yet. */
	private refuse(message: OversizeMessage): void {
		if (this.isEstablished) this.context.listener.oversized(this, message);
		else this.punish(new ProtocolViolation(DisconnectReason.BAD_MESSAGE, message.message));
	}

	private punish({ reason, message }: ProtocolViolation): void {
		this.report({ why: message }, "peer breaks the protocol");
		if (reason === undefined) this.close();
		else this.disconnect(reason);
	}

	/** @param plain type byte and payload */
	private handle(plain: Uint8Array): void {
		const type = plain[0] as number;
		if (type >= FIRST_TRANSPORT_TYPE) {
			this.handleTransport(plain);
			return;
		}
		if (type === NO_TYPE) throw new ProtocolViolation(DisconnectReason.NO_SUCH_MESSAGE, "type 0x7f");
		if (!this.isEstablished && !this.admitWithoutHello()) return;
		this.context.listener.received(this, type, unshared(plain.subarray(1)));
	}

	private handleTransport(plain: Uint8Array): void {
		const message = readTransportMessage(plain, this.wallClock);
		switch (message.type) {
			case TransportType.PING:
				this.say(writeKeepAlive(TransportType.PONG, this.wallClock));
				return;
			case TransportType.PONG:
				if (this.pingSentMs === undefined) return;
				this.context.pinged?.(this.now - this.pingSentMs);
				this.addLatency(this.now - this.pingSentMs);
				this.pingSentMs = undefined;
				return;
			case TransportType.HELLO:
				this.handleHello(message.hello);
				return;
			case TransportType.STATUS:
				if (!this.outgoing) this.answerStatus();
				return;
			case TransportType.DISCONNECT:
				this.report({ reason: disconnectReasonName(message.reason) }, "peer disconnects");
				this.close();
		}
	}

	private handleHello(hello: Hello): void {
		if (this.isEstablished) throw new ProtocolViolation(DisconnectReason.DUP_HANDSHAKE, "second HELLO");
		const { networkId, registry } = this.context;
		this.nodeId = unshared(hello.from.nodeId);
		const code = registry.admit(this, this.now);
		if (code !== HelloCode.NORMAL) {
			this.report({ code: helloCodeName(code) }, "peer not taken");
			if (!this.outgoing) this.sendHello(code, hello.timestamp);
			this.close();
			return;
		}
		registry.claim(this);
		if (!this.isOpen) return;
		if (this.outgoing) {
			const isOurNetwork = hello.networkId === networkId || hello.version === networkId;
			if (hello.code !== HelloCode.NORMAL || !isOurNetwork) {
				this.report({ code: helloCodeName(hello.code), network: hello.networkId }, "peer doesn't take us");
				this.close();
				return;
			}
		} else {
			const isOurNetwork = hello.networkId === networkId;
			this.sendHello(isOurNetwork ? HelloCode.NORMAL : HelloCode.DIFFERENT_VERSION, hello.timestamp);
			if (!isOurNetwork) {
				this.report({ network: hello.networkId }, "peer of another network");
				this.close();
				return;
			}
		}
		this.establish(hello.version);
	}

	/** A legacy peer starts with an application message and doesn't wrap bodies. */
	private admitWithoutHello(): boolean {
		const code = this.context.registry.admit(this, this.now);
		if (code !== HelloCode.NORMAL) {
			this.disconnect(REASON_OF_CODE[code]);
			return false;
		}
		this.establish(0);
		return this.isOpen;
	}

	private establish(version: number): void {
		this.phase = "established";
		this.isWrapped = version >= TRANSPORT_VERSION;
		this.reader.maxLength = MAX_LENGTH;
		this.addLatency(this.now - this.startMs);
		this.context.listener.connected(this);
	}

	/** A peer that requests the status wants no connection, and isn't banned for asking. */
	private answerStatus(): void {
		this.say(writeStatus(this.context.status()));
		if (this.leave(undefined)) this.endStream();
	}

	private sendHello(code: HelloCode, timestamp: bigint): void {
		const { own, networkId } = this.context;
		this.say(writeHello({ from: own, networkId, code, timestamp, version: TRANSPORT_VERSION }));
	}

	private say(message: Uint8Array): void {
		if (this.isOpen) this.write(this.context.frames.transport(message, this.isWrapped));
	}

	private write(frame: Uint8Array): void {
		this.lastSentMs = this.now;
		this.writtenBytes += frame.length;
		this.stream.write(frame);
		if (this.stream.backlog > MAX_BACKLOG) this.drop();
	}

	private checkDeadlines(): void {
		const now = this.now;
		const deadlines = [this.lastReceivedMs + READ_IDLE_MS];
		if (this.phase === "greeting") deadlines.push(this.startMs + UNFINISHED_MS);
		if (this.frameSinceMs !== undefined) deadlines.push(this.frameSinceMs + UNFINISHED_MS);
		const next = Math.min(...deadlines);
		if (next <= now) {
			this.report({}, "peer takes too long");
			this.close();
		} else this.deadline = this.context.environment.after(next - now, () => this.checkDeadlines());
	}

	private checkFlow(now: number): void {
		const flushed = this.writtenBytes - this.backlog;
		if (flushed > this.flushedBytes || this.backlog === 0) {
			this.flushedBytes = flushed;
			this.flushedMs = now;
		} else if (now - this.flushedMs > STALLED_MS) this.drop();
	}

	private drop(): void {
		this.report({ backlog: this.backlog }, "peer doesn't read");
		this.abandon();
	}

	private report(fields: object, message: string): void {
		if (this.isOpen) this.context.report(this.remote, { outgoing: this.outgoing, ...fields }, message);
	}

	private endStream(): void {
		this.stream.end();
		this.linger = this.context.environment.after(LINGER_MS, () => this.stream.destroy());
	}

	/** Everything a close implies except for the socket. @returns false if it was over before */
	private leave(banMs: number | undefined): boolean {
		if (!this.isOpen) return false;
		const { registry, bans, listener, environment } = this.context;
		const wasEstablished = this.isEstablished;
		this.phase = "closed";
		this.deadline.cancel();
		registry.remove(this);
		if (banMs !== undefined) bans.add(this.remote.host, this.now, banMs);
		environment.soon(() => {
			if (wasEstablished) listener.disconnected(this);
			this.context.closed(this);
		});
		return true;
	}
}

const REASON_OF_CODE = {
	[HelloCode.TOO_MANY_PEERS]: DisconnectReason.TOO_MANY_PEERS,
	[HelloCode.DIFFERENT_VERSION]: DisconnectReason.DIFFERENT_VERSION,
	[HelloCode.TIME_BANNED]: DisconnectReason.RECENT_DISCONNECT,
	[HelloCode.DUPLICATE_PEER]: DisconnectReason.DUPLICATE_PEER,
	[HelloCode.MAX_CONNECTION_WITH_SAME_IP]: DisconnectReason.TOO_MANY_PEERS_WITH_SAME_IP,
	[HelloCode.UNKNOWN]: DisconnectReason.UNKNOWN,
} as const;

/** Bytes safe to keep: copied if they are a small part of a large buffer. */
function unshared(bytes: Uint8Array): Uint8Array {
	return bytes.byteLength * 2 < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
}
