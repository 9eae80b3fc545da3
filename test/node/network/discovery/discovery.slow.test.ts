import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Discovery, type DiscoveryOptions } from "../../../../src/node/network/discovery/discovery.js";
import type { UnsentPacket } from "../../../../src/node/network/discovery/node-handler.js";
import { type DiscoveryPacket, encodePacket } from "../../../../src/node/network/discovery/packets.js";
import {
	type PeerStore,
	peerFile,
	readStoredPeers,
} from "../../../../src/node/network/discovery/peer-store.js";
import type { PeerEndpoint } from "../../../../src/node/network/wire/endpoint.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { FakeNode, NETWORK, PORT, US } from "./fake-node.js";

let world: SimulatedWorld;

beforeEach(() => {
	world = new SimulatedWorld();
});

function start(change: Partial<DiscoveryOptions> = {}, host = US): Promise<Discovery> {
	const nodeId = world.random.bytes(64);
	const self: PeerEndpoint = { ipv4: host, ipv6: "", port: PORT, nodeId };
	return Discovery.start(world.host(host).boot(), { networkId: NETWORK, self, seeds: [], ...change });
}

const hostsOf = (discovery: Discovery) =>
	discovery
		.connectable()
		.map((node) => node.address.host)
		.sort();

class MemoryStore implements PeerStore {
	text: string | undefined;
	async read() {
		return this.text;
	}
	async write(text: string) {
		this.text = text;
	}
}

describe("discovery", () => {
	it("pings a seed and offers it once it answered", async () => {
		const seed = await FakeNode.start(world, "10.0.0.2", [0x80]);
		const discovery = await start({ seeds: [{ host: "10.0.0.2", port: PORT }] });
		expect(discovery.connectable()).toEqual([]);
		await world.advance(1_000);
		expect(seed.got[0]).toMatchObject({
			kind: "ping",
			networkId: NETWORK,
			to: { ipv4: "10.0.0.2", port: PORT },
		});
		const [node] = discovery.connectable();
		expect(node?.address).toEqual({ host: "10.0.0.2", port: PORT });
		expect(toHex(node?.nodeId as Uint8Array)).toBe(toHex(seed.endpoint.nodeId));
		expect(discovery.tableSize).toBe(1);
	});

	it("answers an unknown sender and pings it first", async () => {
		world.link = { ...world.link, jitterMs: 0 };
		await start();
		const stranger = await FakeNode.start(world, "10.0.0.2", [0x80]);
		stranger.send({ kind: "findNode", target: new Uint8Array(64), timestampMs: 77n });
		await world.advance(1_000);
		expect(stranger.kinds).toEqual(["ping", "neighbours"]);
		expect(stranger.got[1]).toMatchObject({ timestampMs: 77n, neighbours: [] });
	});

	it("answers who has ponged even while a flood of others gets nothing", async () => {
		const discovery = await start();
		const silent = await FakeNode.start(world, "10.0.0.9", [0x80]);
		silent.answersPings = false;
		const question: UnsentPacket = { kind: "findNode", target: new Uint8Array(64), timestampMs: 77n };
		for (let i = 0; i < 60; i++) {
			const node = await FakeNode.start(world, `10.8.0.${i + 1}`, [i]);
			node.ping();
		}
		await world.advance(1_000);
		for (let i = 0; i < 300; i++) {
			const flood = await FakeNode.start(world, `10.9.${i >> 8}.${i & 0xff}`, [i & 0xff]);
			flood.answersPings = false;
			flood.send(question);
		}
		await world.advance(1_000);
		silent.send(question);
		await world.advance(1_000);
		expect(silent.kinds).not.toContain("neighbours");
		silent.pong();
		await world.advance(1_000);
		expect(silent.kinds.at(-1)).toBe("neighbours");
		await discovery.stop();
	});

	it("answers no more than sixteen questions of a node in ten seconds", async () => {
		const discovery = await start();
		const node = await FakeNode.start(world, "10.0.0.9", [0x80]);
		node.ping();
		await world.advance(1_000);
		for (let i = 0; i < 100; i++)
			node.send({ kind: "findNode", target: node.endpoint.nodeId, timestampMs: 77n });
		await world.advance(1_000);
		expect(node.kinds.filter((kind) => kind === "neighbours")).toHaveLength(16);
		await discovery.stop();
	});

	it.each(["ping", "findNode"] as const)(
		"sends no more than it got to the senders that a flood of %s names",
		async (kind) => {
			const discovery = await start();
			const victims = [];
			for (let i = 1; i <= 50; i++) {
				const victim = await FakeNode.start(world, `10.7.0.${i}`, [0x80 + i]);
				victim.answersPings = false;
				victims.push(victim);
			}
			let sent = 0;
			for (let round = 0; round < 200; round++) {
				for (const victim of victims) {
					const { endpoint } = victim;
					const body: UnsentPacket =
						kind === "ping"
							? { kind, to: undefined, networkId: NETWORK, timestampMs: 1n }
							: { kind, target: endpoint.nodeId, timestampMs: 1n };
					sent += encodePacket({ ...body, from: endpoint } as DiscoveryPacket).length;
					victim.send(body);
				}
				await world.advance(50);
			}
			await world.advance(60_000);
			const got = victims
				.flatMap((victim) => victim.got)
				.reduce((sum, packet) => sum + encodePacket(packet).length, 0);
			expect(got / sent).toBeLessThan(1.2);
			await discovery.stop();
		},
	);

	it("names the asker too, if it is in the table", async () => {
		await start();
		const node = await FakeNode.start(world, "10.0.0.2", [0x80]);
		node.ping();
		await world.advance(1_000);
		node.send({ kind: "findNode", target: new Uint8Array(64), timestampMs: 1n });
		await world.advance(1_000);
		expect(node.got.at(-1)).toMatchObject({ kind: "neighbours", neighbours: [node.endpoint] });
	});

	it("pings the neighbours that it asked for, and no others", async () => {
		const node = await FakeNode.start(world, "10.0.0.2", [0x80]);
		const third = await FakeNode.start(world, "10.0.0.3", [0x81]);
		const fourth = await FakeNode.start(world, "10.0.0.4", [0x82]);
		await start({ seeds: [{ host: "10.0.0.2", port: PORT }] });
		node.neighbours = [third.endpoint];
		await world.advance(2_000);
		node.send({ kind: "neighbours", neighbours: [fourth.endpoint], timestampMs: 0n });
		await world.advance(8_000);
		expect(third.kinds).toContain("ping");
		expect(fourth.kinds).toEqual([]);
	});

	it("asks every 7.2 seconds, up to three nodes a round, every fifth time for its own id", async () => {
		const nodes = [];
		for (let i = 0; i < 8; i++) nodes.push(await FakeNode.start(world, `10.0.1.${i}`, [0x80]));
		for (const node of nodes) node.neighbours = [];
		const nodeId = world.random.bytes(64);
		await start({
			self: { ipv4: US, ipv6: "", port: PORT, nodeId },
			seeds: nodes.map(({ endpoint }) => ({ host: endpoint.ipv4, port: PORT })),
		});
		await world.advance(37_000);
		const asked = nodes.map((node) =>
			node.got.flatMap((packet) => (packet.kind === "findNode" ? [packet] : [])),
		);
		// The first lookup finds an empty table; rounds of 3, 3 and 2, and one that finds no node, take 400 ms.
		for (const questions of asked) expect(questions.length).toBe(4);
		for (const questions of asked) {
			expect(questions.map((question) => toHex(question.target) === toHex(nodeId))).toEqual([
				false,
				false,
				false,
				true,
			]);
			const gaps = questions
				.slice(1)
				.map((q, i) => Number(q.timestampMs - (questions[i]?.timestampMs ?? 0n)));
			for (const gap of gaps) expect(Math.abs(gap - 7_600)).toBeLessThanOrEqual(200);
		}
	});

	it("ignores nodes of another address family and its own packets", async () => {
		const discovery = await start({
			seeds: [
				{ host: "fe80::1", port: PORT },
				{ host: US, port: PORT },
			],
		});
		await world.advance(70_000);
		expect(discovery.handlerCount).toBe(1);
		expect(discovery.connectable()).toEqual([]);
	});

	it("reaches nodes by IPv6 if it has no IPv4 address, however theirs is spelled", async () => {
		const host = "fd00::1";
		const node = await FakeNode.start(world, "fd00::2", [0x80], { announced: { ipv4: "", ipv6: "fd00::2" } });
		const self: PeerEndpoint = { ipv4: "", ipv6: host, port: PORT, nodeId: world.random.bytes(64) };
		const seeds = ["fd00::2", "FD00:0:0:0:0:0:0:2"].map((seed) => ({ host: seed, port: PORT }));
		const discovery = await start({ self, seeds }, host);
		await world.advance(100);
		expect(node.kinds).toEqual(["ping"]);
		expect(discovery.handlerCount).toBe(1);
	});

	it("remembers no more than three thousand nodes, and keeps those that can be dialed", async () => {
		const discovery = await start();
		const real = await FakeNode.start(world, "10.0.0.2", [0x80]);
		real.ping();
		await world.advance(200);
		for (let i = 0; i < 6_000; i++) {
			const node = await FakeNode.start(world, `172.${16 + (i >> 8)}.${i & 0xff}.1`, [0x90]);
			node.answersPings = false;
			node.ping();
			if (i % 500 === 0) await world.advance(100);
		}
		await world.advance(1_000);
		expect(discovery.handlerCount).toBeLessThanOrEqual(3_001);
		expect(hostsOf(discovery)).toContain("10.0.0.2");
	});

	it("asks those it began with again, as long as it knows no other node", async () => {
		world.setBroken(US, "10.0.0.2", true);
		const seed = await FakeNode.start(world, "10.0.0.2", [0x80]);
		const discovery = await start({ seeds: [{ host: "10.0.0.2", port: PORT }] });
		await world.advance(300_000);
		expect(seed.got).toEqual([]);
		world.setBroken(US, "10.0.0.2", false);
		await world.advance(60_000);
		expect(discovery.tableSize).toBe(1);
		const pings = seed.kinds.filter((kind) => kind === "ping").length;
		await world.advance(300_000);
		expect(seed.kinds.filter((kind) => kind === "ping").length).toBe(pings);
	});

	it("stores the nodes of its table every minute, and begins with them next time", async () => {
		const store = new MemoryStore();
		const node = await FakeNode.start(world, "10.0.0.2", [0x80]);
		const first = await start({ store, seeds: [{ host: "10.0.0.2", port: PORT }] });
		await world.advance(60_500);
		expect(store.text).toBe(`{"nodes":[{"host":"10.0.0.2","port":${PORT}}]}`);
		await first.stop();
		world.host(US).crash();
		node.got.length = 0;
		await start({ store });
		await world.advance(100);
		expect(node.kinds).toEqual(["ping"]);
	});

	it("stores at most thirty nodes", async () => {
		const store = new MemoryStore();
		await start({ store });
		for (let i = 0; i < 40; i++) (await FakeNode.start(world, `10.0.1.${i}`, [i * 6])).ping();
		await world.advance(61_000);
		expect(readStoredPeers(store.text ?? "").length).toBe(30);
	});

	it.each(["{", "[]", '{"nodes":7}'])("starts with a stored list that is damaged: %s", async (text) => {
		const problems: unknown[] = [];
		const store = new MemoryStore();
		store.text = text;
		const discovery = await start({ store, onProblem: (error) => problems.push(error) });
		expect(problems.length).toBe(1);
		expect(discovery.handlerCount).toBe(0);
	});

	it("leaves out stored entries that are not addresses", () => {
		const text =
			'{"nodes":[{"host":"a.example.org","port":1},{"host":"10.0.0.1","port":0},{"host":"10.0.0.2","port":7}]}';
		expect(readStoredPeers(text)).toEqual([{ host: "10.0.0.2", port: 7 }]);
	});

	it("keeps the list in a file of the data directory that is replaced as a whole", async () => {
		const directory = await mkdtemp(join(tmpdir(), "coin-peers-"));
		try {
			const store = peerFile(directory);
			expect(await store.read()).toBeUndefined();
			await store.write("one");
			await store.write("two");
			expect(await store.read()).toBe("two");
			expect(await readdir(directory)).toEqual(["peers.json"]);
			expect(await readFile(join(directory, "peers.json"), "utf8")).toBe("two");
		} finally {
			await rm(directory, { recursive: true });
		}
	});

	it("is silent once it is stopped", async () => {
		const node = await FakeNode.start(world, "10.0.0.2", [0x80]);
		const discovery = await start({ seeds: [{ host: "10.0.0.2", port: PORT }] });
		await world.advance(100);
		await discovery.stop();
		node.got.length = 0;
		node.ping();
		await world.advance(100_000);
		expect(node.got).toEqual([]);
	});

	it("lets twenty nodes find each other through one seed, though datagrams are lost, repeated and reordered", async () => {
		world.link = { ...world.link, loss: 0.2, duplication: 0.1, reordering: 0.2 };
		const hosts = Array.from({ length: 20 }, (_, i) => `10.0.3.${i + 1}`);
		const all = [];
		for (const host of hosts) all.push(await start({ seeds: [{ host: "10.0.3.1", port: PORT }] }, host));
		await world.advance(120_000);
		for (const [i, discovery] of all.entries())
			expect(hostsOf(discovery)).toEqual(hosts.filter((h) => h !== hosts[i]).sort());
	});
});
