/** Messages of the transport layer (protocol/peers §4.3). A message is its type byte and protobuf. */

import { concatBytes } from "../../../protocol/bytes.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import {
	TransportDisconnect,
	TransportHello,
	TransportKeepAlive,
	TransportStatus,
} from "../../../protocol/messages.js";
import { endpointMessage, type PeerEndpoint, parseEndpoint } from "./endpoint.js";

export const TransportType = {
	PING: 0xff,
	PONG: 0xfe,
	HELLO: 0xfd,
	STATUS: 0xfc,
	DISCONNECT: 0xfb,
} as const;
export type TransportType = (typeof TransportType)[keyof typeof TransportType];

/** Lower types belong to the application. */
export const FIRST_TRANSPORT_TYPE = 0x80;
/** Belongs to neither. */
export const NO_TYPE = 0x7f;

/** The version we speak: bodies are wrapped after the handshake. */
export const TRANSPORT_VERSION = 1;

export const DisconnectReason = {
	PEER_QUITING: 0x00,
	BAD_PROTOCOL: 0x01,
	TOO_MANY_PEERS: 0x02,
	DUPLICATE_PEER: 0x03,
	DIFFERENT_VERSION: 0x04,
	RANDOM_ELIMINATION: 0x05,
	EMPTY_MESSAGE: 0x06,
	PING_TIMEOUT: 0x07,
	DISCOVER_MODE: 0x08,
	NO_SUCH_MESSAGE: 0x0a,
	BAD_MESSAGE: 0x0b,
	TOO_MANY_PEERS_WITH_SAME_IP: 0x0c,
	RECENT_DISCONNECT: 0x0d,
	DUP_HANDSHAKE: 0x0e,
	UNKNOWN: 0xff,
} as const;
export type DisconnectReason = (typeof DisconnectReason)[keyof typeof DisconnectReason];

/** A HELLO's verdict on the connection. */
export const HelloCode = {
	NORMAL: 0,
	TOO_MANY_PEERS: 1,
	DIFFERENT_VERSION: 2,
	TIME_BANNED: 3,
	DUPLICATE_PEER: 4,
	MAX_CONNECTION_WITH_SAME_IP: 5,
	UNKNOWN: 256,
} as const;
export type HelloCode = (typeof HelloCode)[keyof typeof HelloCode];

const TYPE_NAMES = new Map<number, string>(Object.entries(TransportType).map(([name, type]) => [type, name]));
const REASON_NAMES = new Map<number, string>(
	Object.entries(DisconnectReason).map(([name, code]) => [code, name]),
);
const CODE_NAMES = new Map<number, string>(Object.entries(HelloCode).map(([name, code]) => [code, name]));

/** Names for logs; the number where there is none. */
export function transportTypeName(type: number): string {
	return TYPE_NAMES.get(type) ?? `0x${type.toString(16)}`;
}
export function disconnectReasonName(reason: number): string {
	return REASON_NAMES.get(reason) ?? String(reason);
}
export function helloCodeName(code: number): string {
	return CODE_NAMES.get(code) ?? String(code);
}

/** A HELLO with a valid endpoint. */
export interface Hello {
	readonly from: PeerEndpoint;
	readonly networkId: number;
	readonly code: number;
	/** Milliseconds; echoed in the response. */
	readonly timestamp: bigint;
	readonly version: number;
}

export interface Status {
	readonly from: PeerEndpoint;
	readonly networkId: number;
	readonly maxConnections: number;
	readonly currentConnections: number;
	/** Milliseconds. */
	readonly timestamp: bigint;
}

export type TransportMessage =
	| { readonly type: typeof TransportType.PING; readonly timestamp: bigint }
	| { readonly type: typeof TransportType.PONG; readonly timestamp: bigint }
	| { readonly type: typeof TransportType.HELLO; readonly hello: Hello }
	| { readonly type: typeof TransportType.STATUS; readonly status: Status }
	| { readonly type: typeof TransportType.DISCONNECT; readonly reason: number };

/** How far ahead of our clock a timestamp may be. */
const MAX_AHEAD_MS = 1000;

/**
 * Decodes and checks a message with a type byte of 0x80 or above.
 * @param plain type byte and payload
 * @param nowMs own clock
 * @throws {ProtocolViolation}
 */
export function readTransportMessage(plain: Uint8Array, nowMs: number): TransportMessage {
	const type = plain[0] as number;
	const payload = plain.subarray(1);
	try {
		switch (type) {
			case TransportType.PING:
			case TransportType.PONG: {
				const { timestamp } = TransportKeepAlive.decode(payload);
				if (timestamp <= 0n || timestamp > BigInt(Math.trunc(nowMs) + MAX_AHEAD_MS)) throw badMessage(type);
				return { type, timestamp };
			}
			case TransportType.HELLO: {
				const { network_id, code, timestamp, version, ...message } = TransportHello.decode(payload);
				const from = parseEndpoint(message.from);
				if (from === undefined) throw badMessage(type);
				return { type, hello: { from, networkId: network_id, code, timestamp, version } };
			}
			case TransportType.STATUS: {
				const { network_id, maxConnections, currentConnections, timestamp, ...message } =
					TransportStatus.decode(payload);
				const from = parseEndpoint(message.from);
				if (from === undefined) throw badMessage(type);
				return {
					type,
					status: { from, networkId: network_id, maxConnections, currentConnections, timestamp },
				};
			}
			case TransportType.DISCONNECT:
				return { type, reason: TransportDisconnect.decode(payload).reason };
			default:
				throw new ProtocolViolation(DisconnectReason.NO_SUCH_MESSAGE, `type ${transportTypeName(type)}`);
		}
	} catch (error) {
		if (error instanceof DecodeError) throw badMessage(type);
		throw error;
	}
}

function badMessage(type: number): ProtocolViolation {
	return new ProtocolViolation(DisconnectReason.BAD_MESSAGE, `invalid ${transportTypeName(type)}`);
}

export function writeKeepAlive(
	type: typeof TransportType.PING | typeof TransportType.PONG,
	nowMs: number,
): Uint8Array {
	const timestamp = BigInt(Math.trunc(nowMs));
	return withType(type, TransportKeepAlive.encode(TransportKeepAlive.create({ timestamp })));
}

export function writeHello({ from, networkId, code, timestamp, version }: Hello): Uint8Array {
	const message = { from: endpointMessage(from), network_id: networkId, code, timestamp, version };
	return withType(TransportType.HELLO, TransportHello.encode(TransportHello.create(message)));
}

export function writeStatus({ networkId, ...status }: Status): Uint8Array {
	const message = { ...status, from: endpointMessage(status.from), network_id: networkId };
	return withType(TransportType.STATUS, TransportStatus.encode(TransportStatus.create(message)));
}

export function writeDisconnect(reason: DisconnectReason): Uint8Array {
	return withType(
		TransportType.DISCONNECT,
		TransportDisconnect.encode(TransportDisconnect.create({ reason })),
	);
}

/** Concatenates type byte and payload. */
export function withType(type: number, payload: Uint8Array): Uint8Array {
	return concatBytes(Uint8Array.of(type), payload);
}

/** Unacceptable input. The reason is sent as T-DISCONNECT; undefined: close without a message. */
export class ProtocolViolation extends Error {
	override readonly name = "ProtocolViolation";

	constructor(
		readonly reason: DisconnectReason | undefined,
		message: string,
	) {
		super(message);
	}
}
