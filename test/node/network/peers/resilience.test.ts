import { describe, expect, it } from "vitest";
import type { PeerSettings } from "../../../../src/node/network/peers/peer-world.js";
import { Reason } from "../../../../src/node/network/wire/application-messages.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { openSmall, produce, produceMany } from "../../chain/small-chain.js";
import { LinkedNode } from "./linked-nodes.js";

const LIMITS = {
	maxConnections: 5,
	minConnections: 3,
	minActiveConnections: 2,
	inactiveThresholdMs: 600_000,
};

/** A node with synced peers that say nothing: some dialed, some not. */
async function quietNode(dialed: number, accepted: number, settings: Partial<PeerSettings> = {}) {
	const world = new SimulatedWorld();
	const node = new LinkedNode(world, "10.0.0.1", await openSmall(), { settings: { ...LIMITS, ...settings } });
	for (let i = 0; i < dialed + accepted; i++) node.connect(`10.0.1.${i}`, i < dialed);
	for (const peer of node.application.world.peers) {
		peer.needSyncFromPeer = false;
		peer.needSyncFromUs = false;
	}
	return { world, node };
}

describe("a connection that ends", () => {
	const LOST = "peer lost: the connection ended without a reason";

	it("leaves a line in the log if no reason was given", async () => {
		const { world, node } = await quietNode(1, 0);
		for (const link of [...node.links]) link.close();
		await world.advance(100);
		expect(node.application.world.peers).toEqual([]);
		expect(node.told).toContain(LOST);
	});

	it("leaves none of that kind if this node disconnected the peer", async () => {
		const { world, node } = await quietNode(1, 0);
		const [peer] = node.application.world.peers;
		if (peer) node.application.world.disconnect(peer, Reason.FORKED, "a test");
		await world.advance(100);
		expect(node.application.world.peers).toEqual([]);
		expect(node.told).toContain("disconnecting peer");
		expect(node.told).not.toContain(LOST);
	});
});

it("counts the new blocks of peers, apart those that it catches up with", async () => {
	const [first, second] = [await openSmall(), await openSmall()];
	produceMany(first, 3);
	const world = new SimulatedWorld({ startMs: Number(first.chain.head.timestampMs) + 1000 });
	const taken: string[] = [];
	const ahead = new LinkedNode(world, "10.0.0.1", first);
	const behind = new LinkedNode(world, "10.0.0.2", second, {
		meter: { blockTaken: ({ number }, inSync) => taken.push(`${number} ${inSync}`) },
	});
	behind.link(ahead);
	await world.advance(5_000);
	ahead.application.advertisement.broadcastBlock(produce(first));
	await world.advance(1_000);
	expect(taken).toEqual(["1 true", "2 true", "3 true", "4 false"]);
});

it("knows how often connections with an address ended", async () => {
	const { world, node } = await quietNode(1, 1);
	const times = (host: string) => node.application.world.departures(host);
	expect(times("10.0.1.0")).toBe(0);
	for (let i = 1; i <= 2; i++) {
		for (const link of [...node.links]) if (link.remote.host === "10.0.1.0") link.close();
		await world.advance(100);
		expect(times("10.0.1.0")).toBe(i);
		node.connect("10.0.1.0", true);
	}
	expect(times("10.0.1.1")).toBe(0);
});

describe("a node that nothing happens to", () => {
	it("drops a peer at random when it is full, if it is asked to", async () => {
		const { world, node } = await quietNode(1, 4, { eliminateAtRandom: true });
		await world.advance(299_000);
		expect(node.links.size).toBe(5);
		await world.advance(2000);
		expect(node.application.world.peers.length).toBeLessThan(5);
		expect(node.said).toContain("P2P_DISCONNECT");
	});

	it("drops dialed peers and surplus ones when no block comes, never trusted ones", async () => {
		const { world, node } = await quietNode(2, 3);
		const [trusted] = node.links;
		if (trusted) trusted.trusted = true;
		await world.advance(301_000);
		expect(node.links.size).toBe(4);
		expect(trusted?.isOpen).toBe(true);
	});

	it("keeps its peers where they are few", async () => {
		const { world, node } = await quietNode(1, 1);
		await world.advance(1_200_000);
		expect(node.links.size).toBe(2);
	});
});
