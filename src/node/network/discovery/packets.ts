/** Datagrams of node discovery: a type byte and a protobuf message, nothing before it (protocol/peers §2.1). */

import { DecodeError } from "../../../protocol/codec/reader.js";
import { FindNeighbours, Neighbours, PingMessage, PongMessage } from "../../../protocol/messages.js";
import { endpointMessage, NODE_ID_LENGTH, type PeerEndpoint, parseEndpoint } from "../wire/endpoint.js";

const PING = 0x01;
const PONG = 0x02;
const FIND_NODE = 0x03;
const NEIGHBOURS = 0x04;

/** Exclusive, of a whole datagram. */
const MAX_DATAGRAM = 2048;
const MAX_NEIGHBOURS = 16;

export type DiscoveryPacket =
	| {
			readonly kind: "ping";
			readonly from: PeerEndpoint;
			/** The recipient as assumed by the sender; not checked, since senders may omit it. */
			readonly to: PeerEndpoint | undefined;
			readonly networkId: number;
			readonly timestampMs: bigint;
	  }
	| {
			readonly kind: "pong";
			readonly from: PeerEndpoint;
			readonly networkId: number;
			readonly timestampMs: bigint;
	  }
	| {
			readonly kind: "findNode";
			readonly from: PeerEndpoint;
			/** 64 bytes. */
			readonly target: Uint8Array;
			readonly timestampMs: bigint;
	  }
	| {
			readonly kind: "neighbours";
			readonly from: PeerEndpoint;
			readonly neighbours: readonly PeerEndpoint[];
			/** Timestamp of the query. */
			readonly timestampMs: bigint;
	  };

export function encodePacket(packet: DiscoveryPacket): Uint8Array {
	const from = endpointMessage(packet.from);
	const timestamp = packet.timestampMs;
	switch (packet.kind) {
		case "ping": {
			const to = packet.to && endpointMessage(packet.to);
			const version = packet.networkId;
			return withType(PING, PingMessage.encode(PingMessage.create({ from, to, version, timestamp })));
		}
		case "pong":
			return withType(
				PONG,
				PongMessage.encode(PongMessage.create({ from, echo: packet.networkId, timestamp })),
			);
		case "findNode":
			return withType(
				FIND_NODE,
				FindNeighbours.encode(FindNeighbours.create({ from, targetId: packet.target, timestamp })),
			);
		case "neighbours": {
			const neighbours = packet.neighbours.map(endpointMessage);
			return withType(NEIGHBOURS, Neighbours.encode(Neighbours.create({ from, neighbours, timestamp })));
		}
	}
}

/** @returns undefined for packets to drop, without a response or a penalty */
export function decodePacket(datagram: Uint8Array): DiscoveryPacket | undefined {
	if (datagram.length <= 1 || datagram.length >= MAX_DATAGRAM) return undefined;
	try {
		return decodeBody(datagram[0] as number, datagram.subarray(1));
	} catch (error) {
		if (error instanceof DecodeError) return undefined;
		throw error;
	}
}

function decodeBody(type: number, body: Uint8Array): DiscoveryPacket | undefined {
	switch (type) {
		case PING: {
			const { from, to, version, timestamp } = PingMessage.decode(body);
			const sender = parseEndpoint(from);
			if (sender === undefined) return undefined;
			return {
				kind: "ping",
				from: sender,
				to: parseEndpoint(to),
				networkId: version,
				timestampMs: timestamp,
			};
		}
		case PONG: {
			const { from, echo, timestamp } = PongMessage.decode(body);
			const sender = parseEndpoint(from);
			return sender && { kind: "pong", from: sender, networkId: echo, timestampMs: timestamp };
		}
		case FIND_NODE: {
			const { from, targetId, timestamp } = FindNeighbours.decode(body);
			const sender = parseEndpoint(from);
			if (sender === undefined || targetId.length !== NODE_ID_LENGTH) return undefined;
			return { kind: "findNode", from: sender, target: targetId, timestampMs: timestamp };
		}
		case NEIGHBOURS: {
			const message = Neighbours.decode(body);
			const sender = parseEndpoint(message.from);
			if (sender === undefined || message.neighbours.length > MAX_NEIGHBOURS) return undefined;
			const neighbours: PeerEndpoint[] = [];
			for (const entry of message.neighbours) {
				const neighbour = parseEndpoint(entry);
				if (neighbour === undefined) return undefined;
				neighbours.push(neighbour);
			}
			return { kind: "neighbours", from: sender, neighbours, timestampMs: message.timestamp };
		}
		default:
			return undefined;
	}
}

function withType(type: number, body: Uint8Array): Uint8Array {
	const datagram = new Uint8Array(body.length + 1);
	datagram[0] = type;
	datagram.set(body, 1);
	return datagram;
}
