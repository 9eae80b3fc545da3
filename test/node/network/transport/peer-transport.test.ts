import { afterEach, describe, expect, it } from "vitest";
import type { PeerConnection } from "../../../../src/node/network/connection.js";
import type { NetworkEnvironment, NodeAddress } from "../../../../src/node/network/environment.js";
import { type CandidateSource, NO_CANDIDATES } from "../../../../src/node/network/transport/candidates.js";
import {
	PeerTransport,
	type TransportConfig,
} from "../../../../src/node/network/transport/peer-transport.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { SimulatedWorld } from "../../../simulation/world.js";

const BASE: TransportConfig = {
	listenPort: 18888,
	networkId: 7777,
	active: [],
	passive: [],
	fastForward: [],
	maxConnections: 30,
	minConnections: 8,
	minActiveConnections: 3,
	maxConnectionsWithSameIp: 2,
	detectNodes: false,
};

interface Node {
	readonly transport: PeerTransport;
	readonly environment: NetworkEnvironment;
	/** What the application was told, in order. */
	readonly told: string[];
	readonly connections: PeerConnection[];
}

const nodes: Node[] = [];
afterEach(() => {
	nodes.length = 0;
});

async function start(
	world: SimulatedWorld,
	host: string,
	config: Partial<TransportConfig> = {},
	candidates: CandidateSource = NO_CANDIDATES,
): Promise<Node> {
	const told: string[] = [];
	const connections: PeerConnection[] = [];
	const environment = world.host(host).boot();
	const transport = new PeerTransport({
		environment,
		config: { ...BASE, ...config },
		candidates,
		self: { ipv4: host, ipv6: "" },
		listener: {
			connected: (connection) => {
				connections.push(connection);
				told.push(`connected ${connection.remote.host}`);
			},
			received: (_connection, type, payload) => told.push(`received ${type} ${toHex(payload)}`),
			disconnected: (connection) => told.push(`disconnected ${connection.remote.host}`),
		},
	});
	await transport.start();
	const node = { transport, environment, told, connections };
	nodes.push(node);
	return node;
}

const at = (host: string, port = 18888): NodeAddress => ({ host, port });

describe("peer transport", () => {
	it("dials a configured node, and both see a connection after the handshake", async () => {
		const world = new SimulatedWorld();
		const left = await start(world, "10.0.0.1");
		const right = await start(world, "10.0.0.2", { active: [at("10.0.0.1")] });
		await world.advance(1_000);
		expect(left.told).toEqual(["connected 10.0.0.2"]);
		expect(right.told).toEqual(["connected 10.0.0.1"]);
		const [connection] = right.transport.connections();
		expect(connection).toMatchObject({ outgoing: true, configured: true, trusted: true, isOpen: true });
		expect(toHex(connection?.nodeId ?? new Uint8Array())).toBe(toHex(left.transport.nodeId));
		expect(connection?.averageLatencyMs).toBeGreaterThan(39);
		connection?.send(0x22, Uint8Array.of(0xc0));
		await world.advance(100);
		expect(left.told.at(-1)).toBe("received 34 c0");
	});
});
