/** Holds recorded frames against what this program reads and writes. */

import { decodePacket, encodePacket } from "../../../../src/node/network/discovery/packets.js";
import { ApplicationType } from "../../../../src/node/network/wire/application-messages.js";
import { unwrap, wrapMessage } from "../../../../src/node/network/wire/envelope.js";
import { FrameReader, writeFrame } from "../../../../src/node/network/wire/frames.js";
import { withType } from "../../../../src/node/network/wire/transport-messages.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import {
	type FieldDescriptor,
	getField,
	type Message,
	type MessageType,
} from "../../../../src/protocol/codec/descriptor.js";
import { DecodeError } from "../../../../src/protocol/codec/reader.js";
import {
	Block,
	BlockInventory,
	ChainInventory,
	DisconnectMessage,
	FindNeighbours,
	HelloMessage,
	Inventory,
	Neighbours,
	PBFTCommitResult,
	PBFTMessage,
	PingMessage,
	PongMessage,
	Transaction,
	Transactions,
	TransportDisconnect,
	TransportHello,
	TransportKeepAlive,
	TransportStatus,
} from "../../../../src/protocol/messages.js";
import type { RecordedFrame } from "../recorded-frames.js";

const TCP_TYPES: Readonly<Record<string, readonly [number, MessageType<Message>]>> = {
	"transport PING": [0xff, TransportKeepAlive],
	"transport PONG": [0xfe, TransportKeepAlive],
	"transport HELLO": [0xfd, TransportHello],
	"transport STATUS": [0xfc, TransportStatus],
	"transport DISCONNECT": [0xfb, TransportDisconnect],
	"application TX": [ApplicationType.TX, Transaction],
	"application BLOCK": [ApplicationType.BLOCK, Block],
	"application TXS": [ApplicationType.TXS, Transactions],
	"application INVENTORY": [ApplicationType.INVENTORY, Inventory],
	"application FETCH_INV_DATA": [ApplicationType.FETCH_INV_DATA, Inventory],
	"application SYNC_BLOCK_CHAIN": [ApplicationType.SYNC_BLOCK_CHAIN, BlockInventory],
	"application BLOCK_CHAIN_INVENTORY": [ApplicationType.BLOCK_CHAIN_INVENTORY, ChainInventory],
	"application PBFT_COMMIT_MSG": [ApplicationType.PBFT_COMMIT_MSG, PBFTCommitResult],
	"application P2P_HELLO": [ApplicationType.P2P_HELLO, HelloMessage],
	"application P2P_DISCONNECT": [ApplicationType.P2P_DISCONNECT, DisconnectMessage],
	"application PBFT_MSG": [ApplicationType.PBFT_MSG, PBFTMessage],
};

const UDP_TYPES: Readonly<Record<string, MessageType<Message>>> = {
	PING: PingMessage,
	PONG: PongMessage,
	FIND_NODE: FindNeighbours,
	NEIGHBOURS: Neighbours,
};

/** Written by a reference node, so that every byte is the network's own. */
function isReference(frame: RecordedFrame): boolean {
	return /^[A-Z]$/.test(frame.from);
}

/**
 * @returns what is wrong with our reading or writing of a frame; undefined if nothing is
 */
export function checkFrame(frame: RecordedFrame): string | undefined {
	return frame.proto === "udp" ? checkDatagram(frame) : checkTcp(frame);
}

function checkDatagram(frame: RecordedFrame): string | undefined {
	const bytes = fromHex(frame.hex);
	const packet = decodePacket(bytes);
	const type = UDP_TYPES[frame.name];
	if (type === undefined) return packet === undefined ? undefined : "a datagram of no type was read";
	if (packet === undefined) return isReference(frame) ? "not read" : undefined;
	const difference = compare(type.decode(bytes.subarray(1)), type, frame);
	if (difference !== undefined) return difference;
	return toHex(encodePacket(packet)) === frame.hex || !isReference(frame) ? undefined : "written differently";
}

function checkTcp(frame: RecordedFrame): string | undefined {
	// A byte stream that is not a frame, or one on a plain connection that the recorder took for a wrapped one.
	if (frame.compression === undefined) return undefined;
	const reader = new FrameReader();
	reader.push(fromHex(frame.hex));
	const body = reader.next();
	if (body === undefined || reader.isWithinFrame) return "not one frame";
	const plain = frame.compression === "plain" ? body : unwrap(body);
	const type = plain[0] as number;
	const payload = plain.subarray(1);
	const known = TCP_TYPES[`${frame.layer} ${frame.name}`];
	if (known === undefined) {
		if (toHex(payload) !== (frame.decoded["bytes"] ?? "")) return `payload ${toHex(payload)}`;
	} else {
		const [number, message] = known;
		if (type !== number) return `type ${type}`;
		let decoded: Message;
		try {
			decoded = message.decode(payload);
		} catch (error) {
			if (error instanceof DecodeError && "undecodable" in frame.decoded) return undefined;
			throw error;
		}
		if ("undecodable" in frame.decoded) return "read, although it is broken";
		const difference = compare(decoded, message, frame);
		if (difference !== undefined) return difference;
		const written = toHex(withType(type, message.encode(decoded)));
		if (isReference(frame) && written !== toHex(plain)) return `message written as ${written}`;
	}
	if (!isReference(frame)) return undefined;
	const written = toHex(writeFrame(frame.compression === "plain" ? plain : wrapMessage(plain)));
	return written === frame.hex ? undefined : `frame written as ${written}`;
}

function compare(message: Message, type: MessageType<Message>, frame: RecordedFrame): string | undefined {
	const ours = JSON.stringify(plainMessage(message, type));
	const theirs = JSON.stringify(plainRecord(frame.decoded, type));
	return ours === theirs ? undefined : `read as ${ours}, not ${theirs}`;
}

/** Fields that are not at their defaults, in ascending number: bytes as hex, 64-bit integers as text. */
function plainMessage(message: Message, type: MessageType<Message>): object {
	const entries = withoutMaps(type).map(({ name, label, kind, message: nested, enumeration }) => {
		const plain = (value: unknown): unknown => {
			if (kind === "message") return plainMessage(value as Message, (nested as () => MessageType<Message>)());
			if (kind === "bytes") return toHex(value as Uint8Array);
			if (kind === "int64") return String(value);
			if (kind === "enum" && value !== 0) return enumeration?.names.get(value as number) ?? value;
			return value;
		};
		const value = getField(message, name);
		return [
			name,
			label === "repeated" ? (value as unknown[]).map(plain) : value === undefined ? value : plain(value),
		] as const;
	});
	return Object.fromEntries(entries.filter(([, value]) => !isDefault(value)));
}

/** The same of a recorded object, which has fields that are at their defaults where the sender wrote them. */
function plainRecord(record: Readonly<Record<string, unknown>>, type: MessageType<Message>): object {
	const entries = withoutMaps(type).map(({ name, label, kind, message: nested, enumeration }) => {
		const plain = (value: unknown): unknown =>
			kind === "message"
				? plainRecord(value as Record<string, unknown>, (nested as () => MessageType<Message>)())
				: value;
		const value = record[name];
		// The first name of an enumeration is its default, whichever dialect it is in.
		if (kind === "enum" && typeof value === "string" && !(value in (enumeration?.values ?? {}))) {
			return [name, undefined] as const;
		}
		return [
			name,
			label === "repeated" && value
				? (value as unknown[]).map(plain)
				: value === undefined
					? value
					: plain(value),
		] as const;
	});
	return Object.fromEntries(
		entries.filter(([name, value]) => {
			const field = type.fields.find((each) => each.name === name);
			return !isDefault(value) && field?.enumeration?.values[value as string] !== 0;
		}),
	);
}

/** No recorded message has an entry in a map. */
function withoutMaps({ fields }: MessageType<Message>): readonly FieldDescriptor[] {
	return fields.filter(({ label }) => label !== "map");
}

function isDefault(value: unknown): boolean {
	if (Array.isArray(value)) return value.length === 0;
	return value === undefined || value === "" || value === 0 || value === "0" || value === false;
}
