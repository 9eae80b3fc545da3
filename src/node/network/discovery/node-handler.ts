/** What is known about one node, and its states (protocol/peers §2.4). */

import type { NetworkEnvironment, NodeAddress, Timer } from "../environment.js";
import type { PeerEndpoint } from "../wire/endpoint.js";
import type { DiscoveryPacket } from "./packets.js";
import type { NodeTable, TableNode } from "./table.js";

/**
 * - `discovered`: heard of, and pinged.
 * - `alive`: has answered, but the table is full.
 * - `active`: has answered, and is in the table.
 * - `evictCandidate`: in the table, but must answer or be replaced by a challenger.
 * - `dead`: doesn't answer, or can't be dialed.
 */
type NodeState = "discovered" | "alive" | "active" | "evictCandidate" | "dead";

const PONG_TIMEOUT_MS = 15_000;
/** The most repeated PINGs over the lifetime of a handler, for any purpose. */
const REPEATED_PINGS = 3;
/** The most consecutive queries that a node may leave unanswered (as of transport 2.2.8). */
const UNANSWERED_QUESTIONS = 5;
/** An entry is only dropped for silence if its bucket has this many, so that an isolated node keeps the nodes it knows. */
const CROWDED_BUCKET = 4;

/** Limit of responses per node: a node queries each other node about once in seven seconds; forged senders would do so more often. */
const MAX_ANSWERS = 16;
const ANSWERS_MS = 10_000;

/** The interface of discovery that handlers use. */
export interface HandlerWorld {
	readonly environment: NetworkEnvironment;
	readonly networkId: number;
	readonly table: NodeTable<NodeHandler>;
	/** @returns false if the address has to be proven first */
	send(to: NodeHandler, body: UnsentPacket): boolean;
}

type Unsent<T> = T extends DiscoveryPacket ? Omit<T, "from"> : never;
/** A packet without its sender, which is always this node. */
export type UnsentPacket = Unsent<DiscoveryPacket>;

export class NodeHandler implements TableNode {
	state: NodeState = "discovered";
	updatedMs: number;
	/** 64 bytes: its last claim, or random until it has sent one. */
	nodeId: Uint8Array;
	readonly host: string;
	/** The source port of its last packet, or its port as named by others. */
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
	/** A query that arrived before the address was proven. */
	private held: { readonly target: Uint8Array; readonly timestampMs: bigint } | undefined;
	private answersSinceMs = Number.NEGATIVE_INFINITY;
	private answers = 0;

	/** @param address its address, in a family that both nodes have */
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

	/** Whether it has answered a ping: only then is it sent more than it sends. */
	get isProven(): boolean {
		return this.isPonged;
	}

	/** Whether it can be dialed: it listens on the port its packets come from, and belongs to the same network. */
	get isConnectable(): boolean {
		return this.boundPort === this.port && this.networkId === this.world.networkId;
	}

	get endpoint(): PeerEndpoint {
		return { ipv4: this.ipv4, ipv6: this.ipv6, port: this.port, nodeId: this.nodeId };
	}

	/** Updates the node's claims, which every packet contains. */
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

	/** Gives a node that didn't answer another chance. */
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

	/** Handles a pong; ignores an unsolicited one. */
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

	/** @returns whether it was queried: unsolicited responses are ignored */
	answered(): boolean {
		const wasAsked = this.awaitsNeighbours;
		this.awaitsNeighbours = false;
		this.unanswered = 0;
		return wasAsked;
	}

	/**
	 * Answers a query. A response can be ten times as large as the query, so a node may have to pong first.
	 * @param timestampMs timestamp of the query
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
