/** What is known about one node, and the states it goes through (protocol/peers §2.4). */

import type { NetworkEnvironment, NodeAddress, Timer } from "../environment.js";
import type { PeerEndpoint } from "../wire/endpoint.js";
import type { DiscoveryPacket } from "./packets.js";
import type { NodeTable, TableNode } from "./table.js";

/**
 * - `discovered`: known by name, pinged.
 * - `alive`: answered, and the table has no room.
 * - `active`: answered, in the table.
 * - `evictCandidate`: in the table, has to answer or to give its place to a challenger.
 * - `dead`: doesn't answer, or can't be connected to.
 */
type NodeState = "discovered" | "alive" | "active" | "evictCandidate" | "dead";

const PONG_TIMEOUT_MS = 15_000;
/** Repetitions in the life of a handler, for any purpose. */
const REPEATED_PINGS = 3;
/** Consecutive requests that a node may leave unanswered (as of transport 2.2.8). */
const UNANSWERED_QUESTIONS = 5;
/** The bucket must hold this many for an entry to be dropped for silence: an isolated node keeps the nodes it knows. */
const CROWDED_BUCKET = 4;

/** A node asks each other one about once in seven seconds; a forged sender would ask more. */
const MAX_ANSWERS = 16;
const ANSWERS_MS = 10_000;

/** What a handler needs of the rest of discovery. */
export interface HandlerWorld {
	readonly environment: NetworkEnvironment;
	readonly networkId: number;
	readonly table: NodeTable<NodeHandler>;
	/** @returns false if the address has to prove itself first */
	send(to: NodeHandler, body: UnsentPacket): boolean;
}

type Unsent<T> = T extends DiscoveryPacket ? Omit<T, "from"> : never;
/** A packet without its sender, which is always us. */
export type UnsentPacket = Unsent<DiscoveryPacket>;

export class NodeHandler implements TableNode {
	state: NodeState = "discovered";
	updatedMs: number;
	/** 64 bytes: what it said last, or a random one as long as it said nothing. */
	nodeId: Uint8Array;
	readonly host: string;
	/** The port that its last packet came from, or that it is said to have. */
	readonly port: number;
	/** Network id that it announced last. */
	private networkId: number | undefined;
	private boundPort: number;
	private ipv4: string;
	private ipv6: string;
	private pingTimer: Timer | undefined;
	private repetitionsLeft = REPEATED_PINGS;
	private challenger: NodeHandler | undefined;
	private awaitsNeighbours = false;
	private unanswered = 0;
	private isPonged = false;
	/** A question that came before the address had proven itself. */
	private held: { readonly target: Uint8Array; readonly timestampMs: bigint } | undefined;
	private answersSinceMs = Number.NEGATIVE_INFINITY;
	private answers = 0;

	/** @param address where it is reached, by the family that both of us have */
	constructor(
		private readonly world: HandlerWorld,
		address: NodeAddress,
		endpoint: PeerEndpoint,
	) {
		this.host = address.host;
		this.port = address.port;
		this.boundPort = endpoint.port;
		this.nodeId = endpoint.nodeId;
		this.ipv4 = endpoint.ipv4;
		this.ipv6 = endpoint.ipv6;
		this.updatedMs = world.environment.now();
	}

	/** Whether it answered a ping: only then does it get more than it sends. */
	get isProven(): boolean {
		return this.isPonged;
	}

	/** Whether a connection to it can be made: it listens where its packets come from, and is of our network. */
	get isConnectable(): boolean {
		return this.boundPort === this.port && this.networkId === this.world.networkId;
	}

	get endpoint(): PeerEndpoint {
		return { ipv4: this.ipv4, ipv6: this.ipv6, port: this.port, nodeId: this.nodeId };
	}

	/** Every packet tells who the node says it is now. */
	update(from: PeerEndpoint): void {
		this.nodeId = from.nodeId;
		this.boundPort = from.port;
		if (from.ipv4 !== "") this.ipv4 = from.ipv4;
		if (from.ipv6 !== "") this.ipv6 = from.ipv6;
		this.updatedMs = this.world.environment.now();
	}

	/** Pings it; the first thing that happens to a new handler. */
	ping(): void {
		const { environment, networkId } = this.world;
		this.world.send(this, {
			kind: "ping",
			to: this.endpoint,
			networkId,
			timestampMs: BigInt(Math.trunc(environment.wallClock())),
		});
		this.pingTimer?.cancel();
		this.pingTimer = environment.after(PONG_TIMEOUT_MS, () => this.pongMissed());
	}

	/** Another chance for a node that gave no answer. */
	revive(): void {
		if (this.state !== "dead") return;
		this.state = "discovered";
		this.ping();
	}

	pinged(networkId: number): void {
		const { world } = this;
		world.send(this, {
			kind: "pong",
			networkId: world.networkId,
			timestampMs: BigInt(Math.trunc(world.environment.wallClock())),
		});
		this.networkId = networkId;
		if (this.isConnectable) this.revive();
		else this.die();
	}

	/** A pong that was not asked for is ignored. */
	ponged(networkId: number): void {
		if (this.pingTimer === undefined) return;
		this.stop();
		this.networkId = networkId;
		this.isPonged = true;
		if (this.isConnectable) this.proveAlive();
		else this.die();
		if (this.held) this.answer(this.held.target, this.held.timestampMs);
		this.held = undefined;
	}

	/** @param target 64 bytes */
	ask(target: Uint8Array): void {
		if (this.awaitsNeighbours) {
			this.unanswered++;
			const { table } = this.world;
			if (this.unanswered >= UNANSWERED_QUESTIONS && table.neighbourCount(this) >= CROWDED_BUCKET) {
				table.remove(this);
				this.die();
				return;
			}
		}
		this.awaitsNeighbours = true;
		this.world.send(this, {
			kind: "findNode",
			target,
			timestampMs: BigInt(Math.trunc(this.world.environment.wallClock())),
		});
	}

	/** @returns whether it was asked: what it says unasked is ignored */
	answered(): boolean {
		const wasAsked = this.awaitsNeighbours;
		this.awaitsNeighbours = false;
		this.unanswered = 0;
		return wasAsked;
	}

	/**
	 * An answer has up to ten times the bytes of its question: a node that has not ponged may have to do so before it gets one.
	 * @param timestampMs that of the question
	 */
	answer(target: Uint8Array, timestampMs: bigint): void {
		const now = this.world.environment.now();
		if (now - this.answersSinceMs >= ANSWERS_MS) {
			this.answersSinceMs = now;
			this.answers = 0;
		}
		if (++this.answers > MAX_ANSWERS) return;
		const neighbours = this.world.table.closest(target).map((node) => node.endpoint);
		if (this.world.send(this, { kind: "neighbours", neighbours, timestampMs })) return;
		this.held = { target, timestampMs };
		if (this.pingTimer === undefined) this.ping();
	}

	/** Ends its timer. */
	stop(): void {
		this.pingTimer?.cancel();
		this.pingTimer = undefined;
	}

	private pongMissed(): void {
		this.pingTimer = undefined;
		if (this.repetitionsLeft > 0) {
			this.repetitionsLeft--;
			this.ping();
		} else if (this.state === "discovered" || this.state === "evictCandidate") this.die();
	}

	private proveAlive(): void {
		this.challenger = undefined;
		const result = this.world.table.insert(this, this.world.environment.now());
		if (result.kind !== "full") {
			this.state = "active";
			return;
		}
		this.state = "alive";
		result.rival.challengeBy(this);
	}

	private challengeBy(challenger: NodeHandler): void {
		this.challenger = challenger;
		if (this.state === "evictCandidate") return;
		this.state = "evictCandidate";
		this.ping();
	}

	private die(): void {
		const { state, challenger } = this;
		this.state = "dead";
		this.challenger = undefined;
		if (state !== "evictCandidate") return;
		this.world.table.remove(this);
		if (challenger?.state !== "alive") return;
		if (this.world.table.insert(challenger, this.world.environment.now()).kind !== "full")
			challenger.state = "active";
	}
}
