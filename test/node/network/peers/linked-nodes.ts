/** Nodes whose application layers talk over links without a transport, under a simulated clock. */

import type { OpenChain } from "../../../../src/node/chain/open-chain.js";
import type { PeerConnection, Transport } from "../../../../src/node/network/connection.js";
import type { NodeAddress } from "../../../../src/node/network/environment.js";
import type { PeerMeter } from "../../../../src/node/network/metered-environment.js";
import { peerSettings } from "../../../../src/node/network/network.js";
import { NodeChain } from "../../../../src/node/network/node-chain.js";
import { Application } from "../../../../src/node/network/peers/application.js";
import {
	type OwnWitness,
	type PeerSettings,
	PeerWorld,
} from "../../../../src/node/network/peers/peer-world.js";
import {
	ApplicationType,
	applicationTypeName,
	decodeInventory,
} from "../../../../src/node/network/wire/application-messages.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import type { SimulatedEnvironment } from "../../../simulation/environment.js";
import type { SimulatedWorld } from "../../../simulation/world.js";
import { smallConfig } from "../../chain/small-chain.js";

const LINK_MS = 5;

/** One end of a link. */
export class LinkEnd implements PeerConnection {
	other: LinkEnd | undefined;
	trusted = false;
	isOpen = true;
	averageLatencyMs = 0;
	backlog = 0;
	bannedMs: number | undefined;
	readonly startMs: number;
	readonly connectTimeMs: number;

	constructor(
		private readonly node: LinkedNode,
		readonly remote: NodeAddress,
		readonly outgoing: boolean,
		readonly nodeId: Uint8Array,
	) {
		this.startMs = node.environment.now();
		this.connectTimeMs = node.environment.wallClock();
	}

	send(type: number, payload: Uint8Array): void {
		if (!this.isOpen) return;
		this.node.sent.push({ type, payload, to: this });
		this.node.environment.after(LINK_MS, () => this.other?.deliver(type, payload));
	}

	deliver(type: number, payload: Uint8Array): void {
		if (!this.isOpen) return;
		if (type === ApplicationType.INVENTORY) this.node.note(payload);
		this.node.application.received(this, type, payload);
	}

	addLatency(ms: number): void {
		this.averageLatencyMs = ms;
	}

	replaceNodeId(): boolean {
		return true;
	}

	close(banMs?: number): void {
		if (!this.isOpen) return;
		this.isOpen = false;
		this.bannedMs = banMs;
		this.node.links.delete(this);
		this.node.environment.after(LINK_MS, () => {
			this.node.application.disconnected(this);
			this.other?.close();
		});
	}
}

export interface SentMessage {
	readonly type: number;
	readonly payload: Uint8Array;
	readonly to: LinkEnd;
}

export interface LinkedNodeOptions {
	readonly settings?: Partial<PeerSettings>;
	readonly witnesses?: readonly OwnWitness[];
	/** The chain was opened at this head: nothing below can be undone any more. */
	readonly restarted?: boolean;
	/** What it counts; absent: nothing. */
	readonly meter?: Partial<PeerMeter>;
}

const ignored = (): void => {};
const IGNORED: PeerMeter = {
	bytes: ignored,
	processed: ignored,
	disconnected: ignored,
	failed: ignored,
	blockFetched: ignored,
	transactionFetched: ignored,
	greeted: ignored,
	blockReceived: ignored,
	blockJudged: ignored,
	blockTaken: ignored,
	pinged: ignored,
};

/** A reference node that was restarted has lost what it needs to undo its last blocks. */
class RestartedChain extends NodeChain {
	private readonly firstHead = this.head.number;

	override get lowestForkPoint(): bigint {
		const lowest = super.lowestForkPoint;
		return lowest > this.firstHead ? lowest : this.firstHead;
	}
}

export class LinkedNode {
	readonly environment: SimulatedEnvironment;
	readonly chain: NodeChain;
	readonly application: Application;
	readonly links = new Set<LinkEnd>();
	/** Everything it said, in order. */
	readonly sent: SentMessage[] = [];
	readonly faults: string[] = [];
	/** What its log tells, without fields. */
	readonly told: string[] = [];
	/** Ids of blocks and transactions that others announced or delivered. */
	readonly received = new Set<string>();
	private readonly nodeId: Uint8Array;

	constructor(
		world: SimulatedWorld,
		readonly host: string,
		readonly open: OpenChain,
		{ settings = {}, witnesses = [], restarted = false, meter }: LinkedNodeOptions = {},
	) {
		this.environment = world.host(host).boot();
		this.nodeId = this.environment.randomBytes(64);
		const report = (error: unknown, where: string): void => {
			this.faults.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`);
		};
		this.chain = new (restarted ? RestartedChain : NodeChain)({ open, pool: undefined, report });
		const log = {
			debug: () => {},
			info: (_: object, message: string) => this.told.push(message),
			warn: () => {},
		};
		const peerWorld = new PeerWorld(
			this.environment,
			this.chain,
			{ ...peerSettings(smallConfig()), ...settings },
			log,
			witnesses,
			() => true,
			meter && { ...IGNORED, ...meter },
		);
		const transport: Transport = {
			nodeId: this.nodeId,
			self: { ipv4: host, ipv6: "", port: 18888 },
			setConfigured: () => {},
			trust: () => {},
			dial: () => {},
			connectable: () => [],
			dnsNodes: () => [],
			tableSize: 0,
		};
		this.application = new Application(peerWorld, transport, { configured: () => [], relays: [], report });
		this.application.start();
	}

	/** Connects two nodes, this one dialing. */
	link(other: LinkedNode): LinkEnd {
		const near = new LinkEnd(this, { host: other.host, port: 18888 }, true, other.nodeId);
		const far = new LinkEnd(other, { host: this.host, port: 40000 }, false, this.nodeId);
		near.other = far;
		far.other = near;
		this.links.add(near);
		other.links.add(far);
		this.application.connected(near);
		other.application.connected(far);
		return near;
	}

	/** A connection of a peer whose messages the test delivers. */
	connect(host: string, outgoing: boolean): LinkEnd {
		const end = new LinkEnd(this, { host, port: 18888 }, outgoing, new Uint8Array(64));
		this.links.add(end);
		this.application.connected(end);
		return end;
	}

	note(inventory: Uint8Array): void {
		try {
			for (const id of decodeInventory(inventory).ids) this.received.add(toHex(id));
		} catch {
			// What doesn't decode brings nothing.
		}
	}

	/** Whether another peer announced a block or transaction. */
	hasReceived(id: Uint8Array): boolean {
		return this.received.has(toHex(id));
	}

	get head(): string {
		return this.open.chain.head.idHex;
	}

	/** Names of what it said, HELLO left out. */
	get said(): string[] {
		return this.sent.map(({ type }) => applicationTypeName(type)).filter((name) => name !== "P2P_HELLO");
	}
}
