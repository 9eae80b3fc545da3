import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PeerConnection } from "../../../../src/node/network/connection.js";
import type {
	ByteStream,
	NetworkEnvironment,
	NodeAddress,
} from "../../../../src/node/network/environment.js";
import { type CandidateSource, NO_CANDIDATES } from "../../../../src/node/network/transport/candidates.js";
import {
	PeerTransport,
	type TransportConfig,
} from "../../../../src/node/network/transport/peer-transport.js";
import { wrapMessage } from "../../../../src/node/network/wire/envelope.js";
import { FrameReader, writeFrame } from "../../../../src/node/network/wire/frames.js";
import {
	disconnectReasonName,
	HelloCode,
	helloCodeName,
	readTransportMessage,
	TransportType,
	withType,
	writeHello,
	writeKeepAlive,
} from "../../../../src/node/network/wire/transport-messages.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { SimulatedWorld } from "../../../simulation/world.js";

const NETWORK = 7777;
const BASE: TransportConfig = {
	listenPort: 18888,
	networkId: NETWORK,
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
	/** What the application was told, in order. */
	readonly told: string[];
	readonly connections: PeerConnection[];
	/** What its log heard. */
	readonly reports: object[];
	readonly pings: readonly number[];
	/** Hosts that it has a connection with, in order. */
	peers(): readonly string[];
}

async function start(
	world: SimulatedWorld,
	host: string,
	config: Partial<TransportConfig> = {},
	candidates: CandidateSource = NO_CANDIDATES,
	nodeId?: Uint8Array,
): Promise<Node> {
	const told: string[] = [];
	const connections: PeerConnection[] = [];
	const reports: object[] = [];
	const pings: number[] = [];
	const transport = new PeerTransport({
		environment: world.host(host).boot(),
		config: { ...BASE, ...config },
		candidates,
		self: { ipv4: host, ipv6: "" },
		nodeId,
		report: (fields, message) => reports.push({ message, ...fields }),
		pinged: (ms) => pings.push(ms),
		listener: {
			connected: (connection) => {
				connections.push(connection);
				told.push(`connected ${connection.remote.host}`);
			},
			received: (_connection, type, payload) => told.push(`received ${type} ${toHex(payload)}`),
			oversized: (connection) => told.push(`oversized ${connection.remote.host}`),
			disconnected: (connection) => told.push(`disconnected ${connection.remote.host}`),
		},
	});
	await transport.start();
	const peers = () => transport.connections().map(({ remote }) => remote.host);
	return { transport, told, connections, reports, pings, peers };
}

const at = (host: string, port = 18888): NodeAddress => ({ host, port });

/** Nodes that discovery found, newest first. */
function found(
	nodes: readonly { host: string; nodeId: Uint8Array }[],
	dns: readonly string[] = [],
): CandidateSource {
	return {
		connectable: () =>
			nodes.map(({ host, nodeId }, i) => ({ address: at(host), nodeId, updatedMs: 1_000 - i })),
		dnsNodes: () => dns.map((host) => at(host)),
		tableSize: nodes.length,
	};
}

/** A peer that is moved by hand, on the plain part of the protocol. */
class Puppet {
	readonly heard: string[] = [];
	isClosed = false;
	private readonly reader = new FrameReader();

	private constructor(
		private readonly world: SimulatedWorld,
		readonly environment: NetworkEnvironment,
		readonly stream: ByteStream,
		isDeaf: boolean,
	) {
		stream.listen({
			data: (bytes) => {
				if (isDeaf) return;
				this.reader.push(bytes);
				for (let body = this.reader.next(); body; body = this.reader.next())
					this.heard.push(this.describe(body));
			},
			closed: () => {
				this.isClosed = true;
			},
		});
	}

	/** @param isDeaf it doesn't try to understand the answers */
	static async dial(world: SimulatedWorld, host: string, node: string, isDeaf = false): Promise<Puppet> {
		const simulated = world.host(host);
		const environment = simulated.boot();
		const dialed = environment.dial(at(node), 2_000);
		await world.advance(100);
		return new Puppet(world, environment, await dialed, isDeaf);
	}

	hello(fill: number, options: { networkId?: number; version?: number } = {}): void {
		this.say(
			writeHello({
				from: { ipv4: this.stream.remote.host, ipv6: "", port: 1, nodeId: new Uint8Array(64).fill(fill) },
				networkId: options.networkId ?? NETWORK,
				code: HelloCode.NORMAL,
				timestamp: 1n,
				version: options.version ?? 0,
			}),
		);
	}

	say(message: Uint8Array): void {
		this.stream.write(writeFrame(message));
	}

	private describe(body: Uint8Array): string {
		if ((body[0] as number) < 0x80) return `application ${toHex(body)}`;
		const message = readTransportMessage(body, this.world.now);
		switch (message.type) {
			case TransportType.HELLO:
				return `HELLO ${helloCodeName(message.hello.code)}`;
			case TransportType.DISCONNECT:
				return `DISCONNECT ${disconnectReasonName(message.reason)}`;
			case TransportType.STATUS:
				return `STATUS ${message.status.currentConnections} of ${message.status.maxConnections}`;
			case TransportType.PING:
				return "PING";
			default:
				return "PONG";
		}
	}
}

describe("dialing", () => {
	it("connects to a configured node; both sides see the connection after the handshake", async () => {
		const world = new SimulatedWorld();
		const left = await start(world, "10.0.0.1");
		const right = await start(world, "10.0.0.2", { active: [at("10.0.0.1")] });
		await world.advance(1_000);
		expect(left.told).toEqual(["connected 10.0.0.2"]);
		expect(right.told).toEqual(["connected 10.0.0.1"]);
		const [connection] = right.connections;
		expect(connection).toMatchObject({ outgoing: true, configured: true, trusted: true, isOpen: true });
		expect(toHex(connection?.nodeId ?? new Uint8Array())).toBe(toHex(left.transport.nodeId));
		expect(connection?.averageLatencyMs).toBeGreaterThan(39);
		connection?.send(0x22, Uint8Array.of(0xc0));
		await world.advance(100);
		expect(left.told.at(-1)).toBe("received 34 c0");
	});

	it("goes on until a configured node is there, and again after it went", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1", { active: [at("10.0.0.2")] });
		await world.advance(10_000);
		expect(node.told).toEqual([]);
		// Once, although it was dialed again and again.
		expect(node.reports).toEqual([
			{ message: "peer not reached", peer: "10.0.0.2:18888", why: "no answer from 10.0.0.2:18888" },
		]);
		const other = await start(world, "10.0.0.2");
		await world.advance(6_000);
		expect(node.peers()).toEqual(["10.0.0.2"]);
		other.connections[0]?.close();
		await world.advance(1_000);
		// The other side banned us for a minute, but not the other way round.
		expect(node.told).toEqual(["connected 10.0.0.2", "disconnected 10.0.0.2"]);
		await world.advance(70_000);
		expect(node.peers()).toEqual(["10.0.0.2"]);
	});

	it("never dials itself, and leaves a node that turns out to be itself", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1", { active: [at("10.0.0.1"), at("10.0.0.9")] });
		world.alias(world.host("10.0.0.1"), "10.0.0.9");
		await world.advance(1_000);
		expect(node.told).toEqual([]);
		expect(node.transport.connections()).toEqual([]);
	});

	it("takes discovered nodes until it has enough, then those of DNS", async () => {
		const world = new SimulatedWorld();
		const others: { host: string; nodeId: Uint8Array }[] = [];
		for (let i = 1; i <= 6; i++) {
			const host = `10.0.1.${i}`;
			const { transport } = await start(world, host);
			if (i <= 3) others.push({ host, nodeId: transport.nodeId });
		}
		const dns = ["10.0.1.4", "10.0.1.5", "10.0.1.6"];
		const node = await start(
			world,
			"10.0.0.1",
			{ minConnections: 5, minActiveConnections: 2 },
			found(others, dns),
		);
		await world.advance(5_000);
		const peers = [...node.peers()].sort();
		expect(peers.slice(0, 3)).toEqual(["10.0.1.1", "10.0.1.2", "10.0.1.3"]);
		expect(peers).toHaveLength(5);
	});

	it("replaces a discovered node that went away, and waits two minutes before it dials that one again", async () => {
		const world = new SimulatedWorld();
		const others = await Promise.all(["10.0.1.1", "10.0.1.2"].map((host) => start(world, host)));
		const nodes = others.map(({ transport }, i) => ({ host: `10.0.1.${i + 1}`, nodeId: transport.nodeId }));
		const node = await start(world, "10.0.0.1", { minConnections: 1, minActiveConnections: 1 }, found(nodes));
		await world.advance(2_000);
		const [first] = node.peers() as [string];
		node.connections[0]?.close();
		await world.advance(2_000);
		const [second] = node.peers() as [string];
		expect(second).not.toBe(first);
		node.connections[1]?.close();
		await world.advance(60_000);
		expect(node.peers()).toEqual([]);
		await world.advance(70_000);
		expect(node.peers()).toEqual([first]);
	});

	it("asks nodes for their room if it is told to, and takes the one with most", async () => {
		const world = new SimulatedWorld();
		const nodes = [];
		for (const [i, maxConnections] of [5, 29, 6, 0].entries()) {
			const host = `10.0.1.${i}`;
			nodes.push({ host, nodeId: (await start(world, host, { maxConnections })).transport.nodeId });
		}
		// Found after the pool has looked for the first time and before the detector does.
		const startMs = world.now;
		const candidates = found(nodes);
		const node = await start(
			world,
			"10.0.0.1",
			{ minConnections: 1, minActiveConnections: 1, detectNodes: true },
			{ ...candidates, connectable: () => (world.now < startMs + 4_500 ? [] : candidates.connectable()) },
		);
		await world.advance(10_000);
		expect(node.peers()).toEqual(["10.0.1.1"]);
	});
});

describe("the dialing side", () => {
	it.each([
		["takes a normal answer", { code: 0, networkId: NETWORK, version: 1 }, true],
		["takes an old node, whose version is the network", { code: 0, networkId: 1, version: NETWORK }, true],
		["closes to another network without a reason", { code: 0, networkId: 1, version: 1 }, false],
		[
			"closes to a node that doesn't want it, without a reason",
			{ code: 3, networkId: NETWORK, version: 1 },
			false,
		],
	])("%s", async (_name, answer, isTaken) => {
		const world = new SimulatedWorld();
		const heard: string[] = [];
		const environment = world.host("10.0.0.9").boot();
		await environment.listen({ port: 18888 }, (stream) => {
			stream.listen({ data: (bytes) => heard.push(toHex(bytes)), closed: () => heard.push("closed") });
			const from = { ipv4: "10.0.0.9", ipv6: "", port: 18888, nodeId: new Uint8Array(64).fill(9) };
			stream.write(writeFrame(writeHello({ from, timestamp: 1n, ...answer })));
		});
		const node = await start(world, "10.0.0.1", { active: [at("10.0.0.9")] });
		await world.advance(1_000);
		expect(node.told).toEqual(isTaken ? ["connected 10.0.0.9"] : []);
		// Its own HELLO and nothing else.
		expect(heard).toHaveLength(isTaken ? 1 : 2);
		expect(heard.at(-1) === "closed").toBe(!isTaken);
		const code = answer.code === 3 ? "TIME_BANNED" : "NORMAL";
		const report = { message: "peer doesn't take us", peer: "10.0.0.9:18888", outgoing: true };
		expect(node.reports).toEqual(isTaken ? [] : [{ ...report, code, network: answer.networkId }]);
	});
});

describe("admission", () => {
	it("tells a peer of the old kind, who says no HELLO, why it isn't taken", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1", { maxConnections: 1 });
		const peers: Puppet[] = [];
		for (const host of ["10.0.0.2", "10.0.0.3"]) {
			const puppet = await Puppet.dial(world, host, "10.0.0.1");
			puppet.say(Uint8Array.of(0x22, 0xc0));
			await world.advance(100);
			peers.push(puppet);
		}
		expect(node.told).toEqual(["connected 10.0.0.2", "received 34 c0"]);
		expect(peers.map(({ heard }) => heard)).toEqual([[], ["DISCONNECT TOO_MANY_PEERS"]]);
		node.connections[0]?.send(0x23, Uint8Array.of(0xc0));
		await world.advance(100);
		expect(peers[0]?.heard).toEqual(["application 23c0"]);
	});

	it("lets a trusted address in whatever its limits and bans", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1", { maxConnections: 1, maxConnectionsWithSameIp: 1 });
		node.transport.trust("10.0.0.2");
		const first = await Puppet.dial(world, "10.0.0.3", "10.0.0.1");
		first.hello(3);
		await world.advance(100);
		const second = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		second.hello(2);
		await world.advance(100);
		expect(node.peers()).toEqual(["10.0.0.3", "10.0.0.2"]);
		node.connections[1]?.close(3_600_000);
		await world.advance(100);
		world.host("10.0.0.2").crash();
		const again = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		again.hello(4);
		await world.advance(100);
		expect(again.heard).toEqual(["HELLO NORMAL"]);
	});

	it("keeps an established connection whose node id another address gives", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1");
		// Early, silent, and then with the id of a peer that came meanwhile.
		const silent = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		const liar = await Puppet.dial(world, "10.0.0.3", "10.0.0.1");
		liar.hello(3);
		const honest = await Puppet.dial(world, "10.0.0.4", "10.0.0.1");
		honest.hello(4);
		await world.advance(100);
		silent.hello(4);
		await world.advance(100);
		expect(silent.heard).toEqual(["HELLO DUPLICATE_PEER"]);
		const [lying, established] = node.connections as [PeerConnection, PeerConnection];
		expect(lying.replaceNodeId(established.nodeId)).toBe(false);
		await world.advance(100);
		expect(liar.heard.at(-1)).toBe("DISCONNECT DUPLICATE_PEER");
		expect(established.isOpen).toBe(true);
		expect(node.peers()).toEqual(["10.0.0.4"]);
	});

	it("keeps the earlier of two connections with one address that give one id", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1");
		const environment = world.host("10.0.0.2").boot();
		const streams = [environment.dial(at("10.0.0.1"), 2_000)];
		await world.advance(100);
		streams.push(environment.dial(at("10.0.0.1"), 2_000));
		await world.advance(100);
		const from = { ipv4: "10.0.0.2", ipv6: "", port: 1, nodeId: new Uint8Array(64).fill(2) };
		const hello = writeHello({ from, networkId: NETWORK, code: HelloCode.NORMAL, timestamp: 1n, version: 0 });
		const [early, late] = (await Promise.all(streams)) as [ByteStream, ByteStream];
		late.write(writeFrame(hello));
		await world.advance(100);
		early.write(writeFrame(hello));
		await world.advance(100);
		expect(node.connections.map(({ isOpen }) => isOpen)).toEqual([false, true]);
		expect(node.connections.at(-1)?.replaceNodeId(node.transport.nodeId)).toBe(false);
	});

	it("bans for the time that the application says, and not again while that lasts", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1");
		const codes: string[] = [];
		const knock = async (fill: number) => {
			if (world.host("10.0.0.2").isUp) world.host("10.0.0.2").crash();
			const puppet = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
			puppet.hello(fill);
			await world.advance(100);
			codes.push(puppet.heard[0] ?? "nothing");
		};
		await knock(1);
		node.connections[0]?.close(3_600_000);
		await knock(2);
		await world.advance(3_500_000);
		await knock(3);
		await world.advance(100_000);
		await knock(4);
		expect(codes).toEqual(["HELLO NORMAL", "HELLO TIME_BANNED", "HELLO TIME_BANNED", "HELLO NORMAL"]);
	});

	it("doesn't keep more silent connections than it must, of one address or of all", async () => {
		const world = new SimulatedWorld();
		await start(world, "10.0.0.1");
		const environment = world.host("10.0.0.2").boot();
		const streams = Array.from({ length: 40 }, () => environment.dial(at("10.0.0.1"), 2_000));
		await world.advance(100);
		let closed = 0;
		for (const stream of await Promise.all(streams))
			stream.listen({ data: () => undefined, closed: () => closed++ });
		await world.advance(1_000);
		expect(closed).toBe(24);
	});
});

describe("connections that say nothing", () => {
	/** Streams that are opened from one address and stay silent; gives how many of them are still open. */
	async function openSilent(world: SimulatedWorld, host: string, count: number): Promise<() => number> {
		const environment = world.host(host).boot();
		const dialed = Array.from({ length: count }, () => environment.dial(at("10.0.0.1"), 2_000));
		await world.advance(100);
		let open = 0;
		for (const stream of await Promise.all(dialed)) {
			open++;
			stream.listen({ data: () => undefined, closed: () => open-- });
		}
		await world.advance(100);
		return () => open;
	}

	it("of many addresses don't keep others out, and go after five seconds while it is crowded", async () => {
		const world = new SimulatedWorld();
		await start(world, "10.0.0.1");
		const groups: (() => number)[] = [];
		for (let i = 0; i < 40; i++) groups.push(await openSilent(world, `10.1.0.${i + 1}`, 16));
		const honest = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		honest.hello(2);
		await world.advance(100);
		expect(honest.heard).toEqual(["HELLO NORMAL"]);
		await world.advance(8_000);
		expect(groups.reduce((sum, open) => sum + open(), 0)).toBeLessThan(64);
	});

	it("make room for others, the oldest of the address that has most first", async () => {
		const world = new SimulatedWorld();
		await start(world, "10.0.0.1");
		const largest = await openSilent(world, "10.1.0.1", 16);
		for (let i = 1; i < 29; i++) await openSilent(world, `10.2.0.${i}`, i < 4 ? 15 : 4);
		expect(largest()).toBeLessThan(16);
	});

	it("of a few may take as long as anything, even if others are banned", async () => {
		const world = new SimulatedWorld();
		await start(world, "10.0.0.1");
		const open = await openSilent(world, "10.1.0.1", 16);
		await world.advance(50_000);
		expect(open()).toBe(16);
		await world.advance(20_000);
		expect(open()).toBe(0);
	});
});

describe("a connection", () => {
	it("pings after 20 s of our silence, and is ended 20 s later if no answer comes", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1");
		const puppet = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		puppet.hello(2);
		await world.advance(22_500);
		expect(puppet.heard).toEqual(["HELLO NORMAL", "PING"]);
		puppet.say(writeKeepAlive(TransportType.PONG, world.now - 100));
		await world.advance(22_500);
		expect(puppet.heard).toEqual(["HELLO NORMAL", "PING", "PING"]);
		await world.advance(22_500);
		expect(puppet.heard.at(-1)).toBe("DISCONNECT PING_TIMEOUT");
		expect(puppet.isClosed).toBe(true);
		expect(node.told).toEqual(["connected 10.0.0.2", "disconnected 10.0.0.2"]);
		// One that was answered.
		expect(node.pings).toHaveLength(1);
	});

	it("is closed without a reason after 60 s in which nothing came", async () => {
		const world = new SimulatedWorld();
		await start(world, "10.0.0.1");
		const puppet = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		await world.advance(59_000);
		expect(puppet.isClosed).toBe(false);
		await world.advance(2_000);
		expect(puppet.isClosed).toBe(true);
		expect(puppet.heard).toEqual([]);
	});

	it("is closed if its HELLO or a frame takes longer than a minute, however busy it looks", async () => {
		const world = new SimulatedWorld();
		await start(world, "10.0.0.1");
		const pinging = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		const dribbling = await Puppet.dial(world, "10.0.0.3", "10.0.0.1");
		dribbling.hello(3);
		dribbling.stream.write(Uint8Array.of(0xff, 0xff, 0x3f));
		for (let i = 0; i < 7; i++) {
			await world.advance(10_000);
			pinging.say(writeKeepAlive(TransportType.PING, world.now));
			dribbling.stream.write(Uint8Array.of(0x22));
		}
		await world.advance(100);
		expect([pinging.isClosed, dribbling.isClosed]).toEqual([true, true]);
	});

	it("is dropped if the other side doesn't read", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1");
		const puppet = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		puppet.hello(2);
		await world.advance(100);
		puppet.stream.pause();
		const block = new Uint8Array(2_000_000);
		const [connection] = node.connections as [PeerConnection];
		for (let i = 0; i < 40; i++) connection.send(0x02, block);
		expect(connection.isOpen).toBe(false);
		// Not within the call that found out.
		expect(node.told).toEqual(["connected 10.0.0.2"]);
		await world.advance(100);
		expect(node.told).toEqual(["connected 10.0.0.2", "disconnected 10.0.0.2"]);
	});

	it("is dropped if what is written makes no way for a minute", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1");
		const puppet = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		puppet.hello(2);
		await world.advance(100);
		puppet.stream.pause();
		for (let i = 0; i < 30; i++) node.connections[0]?.send(0x02, new Uint8Array(100_000));
		for (let i = 0; i < 8; i++) {
			await world.advance(10_000);
			puppet.say(writeKeepAlive(TransportType.PONG, world.now - 100));
			puppet.say(Uint8Array.of(0x22));
		}
		expect(node.told.at(-1)).toBe("disconnected 10.0.0.2");
	});

	it("switches to wrapped bodies within one segment", async () => {
		const world = new SimulatedWorld({ fragmentation: 0.5 });
		const left = await start(world, "10.0.0.1");
		const right = await start(world, "10.0.0.2", { active: [at("10.0.0.1")] });
		await world.until(() => left.connections.length > 0, 5_000);
		left.connections[0]?.send(0x02, new Uint8Array(70_000));
		await world.advance(1_000);
		expect(right.told.at(-1)).toBe(`received 2 ${"00".repeat(70_000)}`);
	});

	it("survives whatever bytes come, before and after the handshake", async () => {
		const world = new SimulatedWorld({ fragmentation: 0.2 });
		const node = await start(world, "10.0.0.1");
		const bytes = fc.oneof(
			fc.uint8Array({ minLength: 1, maxLength: 60 }).map(writeFrame),
			fc.uint8Array({ minLength: 1, maxLength: 60 }).map((plain) => writeFrame(wrapMessage(plain))),
			fc
				.tuple(fc.constantFrom(0xff, 0xfe, 0xfd, 0xfc, 0xfb), fc.uint8Array({ maxLength: 60 }))
				.map(([type, payload]) => writeFrame(withType(type, payload))),
			fc.uint8Array({ minLength: 1, maxLength: 60 }),
		);
		let count = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.array(bytes, { maxLength: 8 }),
				fc.constantFrom(undefined, 0, 1),
				async (pieces, version) => {
					count++;
					const puppet = await Puppet.dial(world, `10.9.${count >> 8}.${count & 0xff}`, "10.0.0.1", true);
					if (version !== undefined) puppet.hello(count & 0xff, { version });
					for (const piece of pieces) puppet.stream.write(piece);
					await world.advance(100);
					puppet.stream.destroy();
					await world.advance(100);
					expect(node.peers()).toEqual([]);
				},
			),
			{ seed: 3, numRuns: 300 },
		);
		const connected = node.told.filter((line) => line.startsWith("connected")).length;
		expect(connected).toBeGreaterThan(100);
		expect(node.told.filter((line) => line.startsWith("disconnected"))).toHaveLength(connected);
	});

	it("tells its peers when the node stops", async () => {
		const world = new SimulatedWorld();
		const node = await start(world, "10.0.0.1");
		const puppet = await Puppet.dial(world, "10.0.0.2", "10.0.0.1");
		puppet.hello(2);
		await world.advance(100);
		const stopped = node.transport.stop();
		await world.advance(500);
		await stopped;
		expect(puppet.heard.at(-1)).toBe("DISCONNECT PEER_QUITING");
		expect(puppet.isClosed).toBe(true);
		expect(node.told.at(-1)).toBe("disconnected 10.0.0.2");
	});
});
