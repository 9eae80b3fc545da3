/**
 * Plays the probes of a recording against our transport: the probe's bytes come when they came, and an application that
 * says what the recorded node's application said stands above the transport. What is compared is what left the node on
 * each connection, byte by byte, and who closed it.
 */

import { BAD_PEER_BAN_MS, BAN_MS, type PeerConnection } from "../../../../src/node/network/connection.js";
import type { ByteStream, NetworkEnvironment } from "../../../../src/node/network/environment.js";
import { NO_CANDIDATES } from "../../../../src/node/network/transport/candidates.js";
import { PeerTransport } from "../../../../src/node/network/transport/peer-transport.js";
import {
	ApplicationType,
	decodeDisconnect,
	HelloMessage,
	Reason,
} from "../../../../src/node/network/wire/application-messages.js";
import { unwrap } from "../../../../src/node/network/wire/envelope.js";
import { FrameReader, writeFrame } from "../../../../src/node/network/wire/frames.js";
import { TransportType } from "../../../../src/node/network/wire/transport-messages.js";
import { fromHex, fromUtf8, toHex } from "../../../../src/protocol/bytes.js";
import { DecodeError } from "../../../../src/protocol/codec/reader.js";
import type { SimulatedHost } from "../../../simulation/host.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { isFrame, type RecordedCase, type RecordedFrame, type RecordedLine } from "../recorded-frames.js";

const NODE = "A";
const GRAVE: ReadonlySet<number> = new Set([Reason.BAD_PROTOCOL, Reason.BAD_BLOCK, Reason.BAD_TX]);
/** Recorders and sockets take a few milliseconds; the end of a connection needs no more. */
const SLACK_MS = 100;

/** One connection of a probe: what the node sent, and whether the node closed it. */
export interface ProbeConnection {
	readonly conn: number | string;
	readonly frames: readonly string[];
	readonly closedByNode: boolean;
}

/** What the recorded node did on each connection. */
export function recordedConnections(lines: readonly RecordedLine[]): readonly ProbeConnection[] {
	const connections = new Map<number | string, { frames: string[]; closedByNode: boolean }>();
	for (const line of lines) {
		if (isFrame(line)) {
			const connection = connections.get(line.conn ?? "");
			if (line.from !== NODE || connection === undefined) continue;
			connection.frames.push(lasting(line.hex));
			// Once the recorder took the probe's own end for the first of the two.
			if (line.name === "HELLO" && line.decoded["code"] !== undefined) connection.closedByNode = true;
		} else if (line.t === "event" && line.conn !== undefined) {
			if (line.event === "open") connections.set(line.conn, { frames: [], closedByNode: false });
			const connection = connections.get(line.conn);
			if (line.event === "close" && line.by === NODE && connection) connection.closedByNode = true;
		}
	}
	return [...connections].map(([conn, rest]) => ({ conn, ...rest }));
}

interface Probe {
	stream: ByteStream | undefined;
	readonly frames: string[];
	readonly reader: FrameReader;
	isOver: boolean;
	closedByNode: boolean;
	/** The node's side, once its handshake is finished. */
	connection: PeerConnection | undefined;
	readonly host: string;
}

/** What our transport does on each connection of the recording. */
export async function replayProbes(lines: readonly RecordedLine[]): Promise<readonly ProbeConnection[]> {
	const [first] = lines as readonly [RecordedCase];
	const hello = lines.find(
		(line): line is RecordedFrame => isFrame(line) && line.from === NODE && line.name === "HELLO",
	);
	if (hello === undefined) throw new Error("the node never says hello");
	const { address, port, nodeId } = hello.decoded["from"] as {
		address: string;
		port: number;
		nodeId: string;
	};
	const host = fromUtf8(fromHex(address));
	const world = new SimulatedWorld({ startMs: first.startedAt, link: { latencyMs: 0, jitterMs: 0 } });
	const probes = new Map<number | string, Probe>();
	const transport = new PeerTransport({
		environment: world.host(host).boot(),
		config: {
			listenPort: port,
			networkId: first.network,
			active: [],
			passive: [],
			fastForward: [],
			// The recorded node took eight; it had no reason to dial anyone.
			maxConnections: 8,
			minConnections: 8,
			minActiveConnections: 3,
			maxConnectionsWithSameIp: 2,
			detectNodes: false,
		},
		candidates: NO_CANDIDATES,
		self: { ipv4: host, ipv6: "" },
		nodeId: fromHex(nodeId),
		listener: {
			connected: (connection) => {
				for (const probe of probes.values()) {
					if (probe.host === connection.remote.host && !probe.isOver && probe.connection === undefined) {
						probe.connection = connection;
						return;
					}
				}
			},
			received: (connection, type, payload) => {
				if (type === ApplicationType.P2P_HELLO) {
					const nodeId = announcedNodeId(payload);
					if (nodeId !== undefined) connection.replaceNodeId(nodeId);
				}
				if (type === ApplicationType.P2P_DISCONNECT && isReadable(payload)) connection.close();
			},
			oversized: () => undefined,
			disconnected: () => undefined,
		},
	});
	await transport.start();

	for (const line of lines) {
		if ("t" in line && line.t !== "event") continue;
		await world.advance(first.startedAt + line.ms - world.now);
		if (isFrame(line)) {
			const probe = probes.get(line.conn ?? "");
			if (probe === undefined) continue;
			if (line.from !== NODE) sendAsProbe(probe, line);
			else if (line.layer === "application") sendAsApplication(probe, line);
		} else if (line.conn !== undefined) {
			if (line.event === "open" && line.ip !== undefined) {
				const probe: Probe = {
					stream: undefined,
					frames: [],
					reader: new FrameReader(),
					isOver: false,
					closedByNode: false,
					connection: undefined,
					host: line.ip,
				};
				probes.set(line.conn, probe);
				await dial(world, probe, { host, port });
			} else if (line.event === "close" && line.by !== NODE) {
				const probe = probes.get(line.conn);
				if (probe === undefined || probe.isOver) continue;
				probe.isOver = true;
				probe.stream?.end();
			}
		}
	}
	await world.advance(SLACK_MS);
	return [...probes].map(([conn, { frames, closedByNode }]) => ({ conn, frames, closedByNode }));
}

/** The probes' ends of the network. */
const dialers = new WeakMap<SimulatedHost, NetworkEnvironment>();

async function dial(
	world: SimulatedWorld,
	probe: Probe,
	node: { host: string; port: number },
): Promise<void> {
	const host = world.host(probe.host);
	if (!host.isUp) dialers.set(host, host.boot());
	(dialers.get(host) as NetworkEnvironment).dial(node, 1000).then(
		(stream) => {
			probe.stream = stream;
			stream.listen({
				data: (bytes) => {
					probe.reader.push(bytes);
					for (let body = probe.reader.next(); body !== undefined; body = probe.reader.next()) {
						probe.frames.push(lasting(toHex(writeFrame(body))));
					}
				},
				closed: () => {
					if (!probe.isOver) probe.closedByNode = true;
					probe.isOver = true;
				},
			});
		},
		(error: unknown) => {
			throw error;
		},
	);
	await world.until(() => probe.stream !== undefined, 1);
}

function sendAsProbe(probe: Probe, { hex, note }: RecordedFrame): void {
	const bytes = fromHex(hex);
	if (note === "sent byte by byte") for (const byte of bytes) probe.stream?.write(Uint8Array.of(byte));
	else probe.stream?.write(bytes);
}

function sendAsApplication({ connection }: Probe, { hex, compression }: RecordedFrame): void {
	const reader = new FrameReader();
	reader.push(fromHex(hex));
	const body = reader.next() as Uint8Array;
	const plain = compression === "none" || compression === "snappy" ? unwrap(body) : body;
	const payload = plain.subarray(1);
	connection?.send(plain[0] as number, payload);
	if (plain[0] !== ApplicationType.P2P_DISCONNECT) return;
	connection?.close(GRAVE.has(decodeDisconnect(payload)) ? BAD_PEER_BAN_MS : BAN_MS);
}

/** Node id of an application HELLO, if it is one and has one. */
function announcedNodeId(payload: Uint8Array): Uint8Array | undefined {
	try {
		return HelloMessage.decode(payload).from?.nodeId;
	} catch (error) {
		if (error instanceof DecodeError) return undefined;
		throw error;
	}
}

function isReadable(disconnect: Uint8Array): boolean {
	try {
		decodeDisconnect(disconnect);
		return true;
	} catch (error) {
		if (error instanceof DecodeError) return false;
		throw error;
	}
}

/** A frame without what differs from run to run: the own clock in PING, PONG and STATUS. */
function lasting(hex: string): string {
	const reader = new FrameReader();
	reader.push(fromHex(hex));
	const body = reader.next() as Uint8Array;
	for (const [name, type] of Object.entries(TransportType)) {
		if (type === TransportType.HELLO || type === TransportType.DISCONNECT) continue;
		if (body[0] === type) return `${name} ${toHex(withoutEnd(body))}`;
		if (body[0] === 0x12 && body[2] === type) return `wrapped ${name} ${toHex(withoutEnd(body))}`;
	}
	return hex;
}

/** The six bytes of a timestamp of our days. */
function withoutEnd(body: Uint8Array): Uint8Array {
	return body.subarray(0, body.length - 6);
}
