/** A node of which only the datagrams are real: a test says what it answers. */

import type { UnsentPacket } from "../../../../src/node/network/discovery/node-handler.js";
import {
	type DiscoveryPacket,
	decodePacket,
	encodePacket,
} from "../../../../src/node/network/discovery/packets.js";
import type { DatagramPort } from "../../../../src/node/network/environment.js";
import type { PeerEndpoint } from "../../../../src/node/network/wire/endpoint.js";
import type { SimulatedWorld } from "../../../simulation/world.js";

export const NETWORK = 7777;
export const PORT = 18_888;
export const US = "10.0.0.1";

export class FakeNode {
	readonly got: DiscoveryPacket[] = [];
	answersPings = true;
	/** What it says to FIND_NODE; undefined: nothing. */
	neighbours: PeerEndpoint[] | undefined;
	private port!: DatagramPort;

	private constructor(
		private readonly world: SimulatedWorld,
		/** As it announces itself. */
		readonly endpoint: PeerEndpoint,
		readonly networkId: number,
	) {}

	static async start(
		world: SimulatedWorld,
		host: string,
		idStart: readonly number[],
		options: { networkId?: number; port?: number; announced?: Partial<PeerEndpoint> } = {},
	): Promise<FakeNode> {
		const nodeId = world.random.bytes(64);
		nodeId.set(idStart);
		const port = options.port ?? PORT;
		const endpoint = { ipv4: host, ipv6: "", port, nodeId, ...options.announced };
		const node = new FakeNode(world, endpoint, options.networkId ?? NETWORK);
		const machine = world.find(host);
		if (machine?.isUp) throw new Error(`${host} is in use`);
		node.port = await world
			.host(host)
			.boot()
			.bindDatagrams({ port }, (datagram) => node.receive(datagram));
		return node;
	}

	/** Kinds of what came in. */
	get kinds(): string[] {
		return this.got.map((packet) => packet.kind);
	}

	send(body: UnsentPacket): void {
		this.port.send(encodePacket({ ...body, from: this.endpoint }), { host: US, port: PORT });
	}

	ping(networkId = this.networkId): void {
		this.send({ kind: "ping", to: undefined, networkId, timestampMs: BigInt(this.world.now) });
	}

	pong(networkId = this.networkId): void {
		this.send({ kind: "pong", networkId, timestampMs: 0n });
	}

	private receive(datagram: Uint8Array): void {
		const packet = decodePacket(datagram);
		if (packet === undefined) throw new Error("a node of ours sent what isn't valid");
		this.got.push(packet);
		if (packet.kind === "ping" && this.answersPings) this.pong();
		if (packet.kind === "findNode" && this.neighbours !== undefined) {
			this.send({ kind: "neighbours", neighbours: this.neighbours, timestampMs: packet.timestampMs });
		}
	}
}
