/**
 * Asks a node of the peer network who it is, as a peer would find out: its STATUS, which costs it nothing and brings no
 * ban, then a handshake, the HELLO of its application, and the time of one PING.
 */

import { equalBytes } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { ByteStream, NetworkEnvironment, NodeAddress, Timer } from "./environment.js";
import type { BlockRef } from "./local-chain.js";
import { askStatus } from "./transport/node-detector.js";
import {
	ApplicationType,
	BlockIdLengthError,
	HelloMessage,
	readBlockId,
} from "./wire/application-messages.js";
import { NODE_ID_LENGTH, type PeerEndpoint } from "./wire/endpoint.js";
import { unwrap, wrapMessage } from "./wire/envelope.js";
import { FrameReader, writeFrame } from "./wire/frames.js";
import {
	DisconnectReason,
	disconnectReasonName,
	FIRST_TRANSPORT_TYPE,
	type Hello,
	HelloCode,
	readTransportMessage,
	type Status,
	TRANSPORT_VERSION,
	type TransportMessage,
	TransportType,
	writeDisconnect,
	writeHello,
	writeKeepAlive,
} from "./wire/transport-messages.js";
import { ProtocolViolation } from "./wire/violation.js";

/** Where nodes listen unless they are told otherwise; what we announce, since we don't listen. */
export const DEFAULT_PEER_PORT = 18888;

export interface ProbeOptions {
	readonly environment: NetworkEnvironment;
	readonly address: NodeAddress;
	/** Undefined: the node is asked. */
	readonly networkId: number | undefined;
	/** For each step: connecting, the answer to each question. */
	readonly timeoutMs: number;
	/** Own address as it is announced, an IPv4 literal. */
	readonly ownIpv4: string;
}

export interface ProbeReport {
	/** 64 bytes. */
	readonly nodeId: Uint8Array;
	readonly networkId: number;
	readonly transportVersion: number;
	/** Undefined if the node doesn't tell. */
	readonly connections: { readonly current: number; readonly max: number } | undefined;
	/** As the node spells it. */
	readonly codeVersion: string;
	readonly isLight: boolean;
	/** First block of a light node. */
	readonly lowestBlock: bigint;
	readonly genesis: BlockRef;
	readonly solid: BlockRef;
	readonly head: BlockRef;
	/** Round trip of a transport PING, milliseconds. */
	readonly latencyMs: number;
}

type ProbeProblem =
	/** No connection. */
	| "unreachable"
	/** No answer in time. */
	| "silent"
	/** It closed the connection; the message says why if it said why. */
	| "closed"
	/** What it says isn't this protocol. */
	| "stranger"
	/** It doesn't take us: `code` says why. */
	| "refused";

export class ProbeError extends Error {
	override readonly name = "ProbeError";

	constructor(
		readonly problem: ProbeProblem,
		message: string,
		/** Code of the refusing HELLO. */
		readonly code?: number,
		/** Network of the node, if it told. */
		readonly networkId?: number,
	) {
		super(message);
	}
}

/** @throws {ProbeError} */
export async function probePeer(options: ProbeOptions): Promise<ProbeReport> {
	const { environment } = options;
	const status = await statusOf(options);
	const dialogue = new Dialogue(environment, await dial(options), options.timeoutMs);
	try {
		const networkId = options.networkId ?? status?.networkId ?? 0;
		const hello = await shakeHands(dialogue, options, networkId);
		const application = await dialogue.application(ApplicationType.P2P_HELLO);
		const sentMs = environment.now();
		dialogue.say(writeKeepAlive(TransportType.PING, environment.wallClock()));
		await dialogue.transport(TransportType.PONG);
		const latencyMs = environment.now() - sentMs;
		dialogue.say(writeDisconnect(DisconnectReason.PEER_QUITING));
		return {
			nodeId: hello.from.nodeId,
			networkId: hello.networkId,
			transportVersion: hello.version,
			connections: status && { current: status.currentConnections, max: status.maxConnections },
			...readApplicationHello(application),
			latencyMs,
		};
	} finally {
		dialogue.end();
	}
}

/** Undefined from a node that doesn't answer the question; whether there is one shows at the next step. */
async function statusOf(options: ProbeOptions): Promise<Status | undefined> {
	const { environment } = options;
	const stream = await dial(options);
	const own: Status = {
		from: ownEndpoint(options),
		networkId: options.networkId ?? 0,
		maxConnections: 0,
		currentConnections: 0,
		timestamp: BigInt(Math.trunc(environment.wallClock())),
	};
	return askStatus(environment, stream, own, options.timeoutMs).catch(() => undefined);
}

async function shakeHands(dialogue: Dialogue, options: ProbeOptions, networkId: number): Promise<Hello> {
	const timestamp = BigInt(Math.trunc(options.environment.wallClock()));
	const own = ownEndpoint(options);
	dialogue.say(
		writeHello({ from: own, networkId, code: HelloCode.NORMAL, timestamp, version: TRANSPORT_VERSION }),
	);
	const { hello } = await dialogue.transport(TransportType.HELLO);
	if (equalBytes(hello.from.nodeId, own.nodeId))
		throw new ProbeError("stranger", "it sends back what we say");
	if (hello.code !== HelloCode.NORMAL) {
		throw new ProbeError("refused", "it refuses the handshake", hello.code, hello.networkId);
	}
	dialogue.isWrapped = hello.version >= TRANSPORT_VERSION;
	return hello;
}

function readApplicationHello(payload: Uint8Array) {
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

async function dial({ environment, address, timeoutMs }: ProbeOptions): Promise<ByteStream> {
	try {
		return await environment.dial(address, timeoutMs);
	} catch (error) {
		throw new ProbeError("unreachable", error instanceof Error ? error.message : String(error));
	}
}

function ownEndpoint({ environment, ownIpv4 }: ProbeOptions): PeerEndpoint {
	return {
		ipv4: ownIpv4,
		ipv6: "",
		port: DEFAULT_PEER_PORT,
		nodeId: environment.randomBytes(NODE_ID_LENGTH),
	};
}

/** One connection, asked question by question. */
class Dialogue {
	/** Bodies come and go in the wrapper. */
	isWrapped = false;
	private readonly reader = new FrameReader();
	private isClosed = false;
	private wake: (() => void) | undefined;

	constructor(
		private readonly environment: NetworkEnvironment,
		private readonly stream: ByteStream,
		private readonly timeoutMs: number,
	) {
		stream.listen({
			data: (bytes) => {
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

	/** Waits for a transport message; once hands are shaken, messages of the application are passed over. @throws {ProbeError} */
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

	/** Waits for an application message, answering what keeps the connection alive. @returns its payload */
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

	private async next<T>(choose: (plain: Uint8Array) => T | undefined): Promise<T> {
		const endMs = this.environment.now() + this.timeoutMs;
		while (true) {
			try {
				for (let body = this.reader.next(); body !== undefined; body = this.reader.next()) {
					const chosen = choose(this.isWrapped ? unwrap(body) : body);
					if (chosen !== undefined) return chosen;
				}
			} catch (error) {
				if (error instanceof ProtocolViolation) throw new ProbeError("stranger", `it sends ${error.message}`);
				throw error;
			}
			if (this.isClosed) throw new ProbeError("closed", "it closes the connection");
			const restMs = endMs - this.environment.now();
			if (restMs <= 0) throw new ProbeError("silent", `no answer within ${this.timeoutMs} ms`);
			await this.more(restMs);
		}
	}

	/** Resolves when something came, the connection was closed, or the time is over. */
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
