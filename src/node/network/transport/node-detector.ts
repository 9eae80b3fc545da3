/** Asks discovered nodes for their free slots, so that those with most are dialed first (protocol/peers §4.8). */

import { equalBytes } from "../../../protocol/bytes.js";
import {
	type ByteStream,
	keyOfAddress,
	type NetworkEnvironment,
	type NodeAddress,
	type Timer,
} from "../environment.js";
import { FrameReader, writeFrame } from "../wire/frames.js";
import { MAX_GREETING_BYTES } from "../wire/message-kinds.js";
import {
	ProtocolViolation,
	readTransportMessage,
	type Status,
	TransportType,
	writeStatus,
} from "../wire/transport-messages.js";
import type { Candidate, CandidateSource } from "./candidates.js";

const PERIOD_MS = 5_000;
const MIN_POOL = 200;
const BULK = 100;
const BATCH = 10;
const SMALL_BATCH = 3;
/** If the least recently queried node was queried less than this ago, a small batch is enough; or none at all. */
const FRESH_MS = 300_000;
const VERY_FRESH_MS = 30_000;
const ANSWER_TIMEOUT_MS = 2_000;
const EXCLUDED_MS = 3_600_000;

interface DetectedNode {
	readonly address: NodeAddress;
	askedMs: number;
	/** Free connections; undefined until it answered. */
	room: number | undefined;
	/** 64 bytes: the latest from discovery or its answer. */
	nodeId: Uint8Array;
}

interface NodeDetectorOptions {
	readonly environment: NetworkEnvironment;
	readonly candidates: CandidateSource;
	readonly networkId: number;
	/** Our own status. */
	readonly status: () => Status;
	/** Address to dial from. */
	readonly host: string | undefined;
	readonly isOwn: (address: NodeAddress) => boolean;
}

export class NodeDetector {
	private readonly nodes = new Map<string, DetectedNode>();
	/** Host and port -> end of exclusion; oldest first. */
	private readonly excluded = new Map<string, number>();
	private timer: Timer | undefined;

	constructor(private readonly options: NodeDetectorOptions) {}

	start(): void {
		this.timer = this.options.environment.every(PERIOD_MS, () => this.work());
	}

	stop(): void {
		this.timer?.cancel();
		this.timer = undefined;
	}

	/** Nodes that reported free slots, those with most first. */
	withRoom(): readonly Candidate[] {
		return [...this.nodes.values()]
			.filter(({ room }) => room !== undefined && room > 0)
			.sort((a, b) => (b.room as number) - (a.room as number))
			.map(({ address, nodeId }) => ({ address, nodeId }));
	}

	private work(): void {
		const now = this.options.environment.now();
		for (const [key, end] of this.excluded) {
			if (end > now) break;
			this.excluded.delete(key);
		}
		if (this.nodes.size < MIN_POOL) {
			const added = this.load();
			for (const node of added) this.ask(node);
			if (added.length > 0) return;
		}
		const oldest = [...this.nodes.values()].sort((a, b) => a.askedMs - b.askedMs);
		const sinceMs = oldest[0] === undefined ? 0 : now - oldest[0].askedMs;
		if (sinceMs < VERY_FRESH_MS) return;
		for (const node of oldest.slice(0, sinceMs < FRESH_MS ? SMALL_BATCH : BATCH)) this.ask(node);
	}

	/** Adds up to a hundred discovered nodes to a pool below 300, most recently seen first. */
	private load(): readonly DetectedNode[] {
		const added: DetectedNode[] = [];
		const newest = [...this.options.candidates.connectable()].sort((a, b) => b.updatedMs - a.updatedMs);
		for (const { address, nodeId } of newest) {
			if (added.length === BULK) break;
			const key = keyOfAddress(address);
			if (this.nodes.has(key) || this.excluded.has(key) || this.options.isOwn(address)) continue;
			const node: DetectedNode = { address, askedMs: Number.NEGATIVE_INFINITY, room: undefined, nodeId };
			this.nodes.set(key, node);
			added.push(node);
		}
		return added;
	}

	private ask(node: DetectedNode): void {
		const { environment, host, networkId, status } = this.options;
		node.askedMs = environment.now();
		environment
			.dial(node.address, ANSWER_TIMEOUT_MS, host)
			.then((stream) => askStatus(environment, stream, status()))
			.then(
				(answer) => {
					const room = answer.networkId === networkId ? answer.maxConnections - answer.currentConnections : 0;
					node.nodeId = answer.from.nodeId;
					if (room > 0) node.room = room;
					else this.exclude(node);
				},
				() => this.exclude(node),
			);
	}

	private exclude({ address }: DetectedNode): void {
		const key = keyOfAddress(address);
		this.nodes.delete(key);
		this.excluded.set(key, this.options.environment.now() + EXCLUDED_MS);
	}
}

/**
 * Sends STATUS as the first message of a connection and reads the answer, which ends the connection.
 * @throws {Error} if nothing sensible comes in time
 */
export function askStatus(
	environment: NetworkEnvironment,
	stream: ByteStream,
	own: Status,
	timeoutMs: number = ANSWER_TIMEOUT_MS,
): Promise<Status> {
	return new Promise((resolve, reject) => {
		const reader = new FrameReader(MAX_GREETING_BYTES);
		const finish = (act: () => void) => {
			timeout.cancel();
			stream.destroy();
			act();
		};
		const fail = (message: string) => finish(() => reject(new Error(message)));
		const timeout = environment.after(timeoutMs, () => fail("no status in time"));
		stream.listen({
			data: (bytes) => {
				try {
					reader.push(bytes);
					const body = reader.next();
					if (body === undefined) return;
					const message = readTransportMessage(body, environment.wallClock());
					if (message.type !== TransportType.STATUS) fail("another answer than a status");
					else if (equalBytes(message.status.from.nodeId, own.from.nodeId)) fail("it is ourselves");
					else finish(() => resolve(message.status));
				} catch (error) {
					if (!(error instanceof ProtocolViolation)) throw error;
					fail(error.message);
				}
			},
			closed: () => fail("closed without a status"),
		});
		stream.write(writeFrame(writeStatus(own)));
	});
}
