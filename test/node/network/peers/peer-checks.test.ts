import { beforeEach, describe, expect, it } from "vitest";
import type { PeerConnection } from "../../../../src/node/network/connection.js";
import type { NodeAddress } from "../../../../src/node/network/environment.js";
import { Peer } from "../../../../src/node/network/peers/peer.js";
import { EffectiveCheck, StallCheck } from "../../../../src/node/network/peers/peer-checks.js";
import { PeerWorld } from "../../../../src/node/network/peers/peer-world.js";
import { ModelChain, modelNetwork } from "../../../simulation/model-chain.js";
import { modelSettings, type NodeOptions } from "../../../simulation/simulated-node.js";
import { SimulatedWorld } from "../../../simulation/world.js";

const PORT = 18_888;

let world: SimulatedWorld;
let chain: ModelChain;
let dialed: NodeAddress[];
let peers: PeerWorld;

beforeEach(() => {
	world = new SimulatedWorld();
	const network = modelNetwork(1, BigInt(world.now));
	chain = new ModelChain(network, network.witnesses);
	dialed = [];
});

/** @param known hosts that discovery has found */
function watch(known: readonly string[], maxConnections = 30): void {
	const transport = begin(known, { maxConnections, minConnections: 8, minActiveConnections: 3 });
	new StallCheck(peers, transport).start();
}

function begin(known: readonly string[], limits: NodeOptions["limits"], effectiveCheck = false) {
	const environment = world.host("10.0.0.1").boot();
	const quiet = { debug: () => {}, info: () => {}, warn: () => {} };
	const settings = { ...modelSettings({ limits }), effectiveCheck };
	peers = new PeerWorld(environment, chain, settings, quiet, [], () => true);
	return {
		connectable: () => known.map((host) => ({ host, port: PORT })),
		dial: (address: NodeAddress) => void dialed.push(address),
	};
}

function connect(host: string): void {
	const connection = { remote: { host, port: PORT } } as PeerConnection;
	peers.add(new Peer(connection, chain.genesis, () => world.now));
}

function produce(): void {
	const block = chain.produceFor(BigInt(world.now));
	if (block === undefined) throw new Error("not its slot");
	chain.push(block);
}

describe("a node whose blocks don't become final", () => {
	it("dials nodes that it knows and is not connected to", async () => {
		watch(["10.0.0.2", "10.0.0.3"]);
		connect("10.0.0.2");
		await world.advance(74_000);
		expect(dialed).toEqual([]);
		await world.advance(17_000);
		expect(dialed).toEqual([
			{ host: "10.0.0.3", port: PORT },
			{ host: "10.0.0.3", port: PORT },
		]);
	});

	it("doesn't dial as long as blocks become final", async () => {
		watch(["10.0.0.2"]);
		for (let i = 0; i < 60; i++) {
			await world.advance(3_000);
			produce();
		}
		expect(chain.solid.number).toBe(60n);
		expect(dialed).toEqual([]);
	});

	it.each<[string, readonly string[], number]>([
		["knows no other node", ["10.0.0.2"], 30],
		["has no room", ["10.0.0.2", "10.0.0.3"], 1],
	])("doesn't dial if it %s", async (_, known, maxConnections) => {
		watch(known, maxConnections);
		connect("10.0.0.2");
		await world.advance(200_000);
		expect(dialed).toEqual([]);
	});
});

describe("a node all of whose peers lack blocks of it", () => {
	it("dials nodes that discovery found, then those of DNS, each once in twenty minutes", async () => {
		const limits = { maxConnections: 30, minConnections: 8, minActiveConnections: 3 };
		const transport = begin(["10.0.0.2", "10.0.0.3"], limits, true);
		const dnsNodes = () => [{ host: "10.0.0.4", port: PORT }];
		new EffectiveCheck(peers, { ...transport, dnsNodes }).start();
		connect("10.0.0.2");
		await world.advance(59_999);
		expect(dialed).toEqual([]);
		await world.advance(300_000);
		expect(dialed.map(({ host }) => host)).toEqual(["10.0.0.3", "10.0.0.4"]);
		await world.advance(1_000_000);
		expect(dialed.map(({ host }) => host)).toEqual(["10.0.0.3", "10.0.0.4", "10.0.0.3", "10.0.0.4"]);
	});
});
