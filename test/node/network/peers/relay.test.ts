import { beforeAll, describe, expect, it } from "vitest";
import type { PeerMeter } from "../../../../src/node/network/metered-environment.js";
import { RelayConnections } from "../../../../src/node/network/peers/relay.js";
import { producerWithKey } from "../../../../src/node/production/slot-producer.js";
import { installRecoverEngine } from "../../../../src/node/signatures/engine.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { forge, openSmall, produce, produceMany } from "../../chain/small-chain.js";
import { LinkedNode } from "./linked-nodes.js";

const RELAY = "10.0.0.9";

const witness = (n: number) => {
	const key = Buffer.alloc(32);
	key.writeUInt32BE(n, 28);
	return producerWithKey(key);
};

/** A relay node, and nodes that name it as theirs, each with the key of one number. */
async function aroundRelay(keys: readonly number[], meter: Partial<PeerMeter> = {}) {
	const opens = await Promise.all([openSmall(), ...keys.map(() => openSmall())]);
	const [first, ...others] = opens as unknown as readonly [(typeof opens)[number], ...typeof opens];
	for (const block of produceMany(first, 10)) for (const open of others) open.chain.push(block, "peer");
	const world = new SimulatedWorld({ startMs: Number(first.chain.head.timestampMs) + 1000 });
	const relay = new LinkedNode(world, RELAY, first, { settings: { isFastForward: true }, meter });
	const nodes = others.map((open, i) => {
		const settings = { relayHosts: new Set([RELAY]) };
		const node = new LinkedNode(world, `10.0.0.${i + 1}`, open, {
			settings,
			witnesses: [witness(keys[i] as number)],
		});
		node.link(relay);
		return node;
	});
	await world.advance(2500);
	return { world, relay, nodes };
}

beforeAll(async () => {
	installRecoverEngine();
});

describe("a fast-forward relay node", () => {
	it("admits witnesses only, who prove who they are, and trusts them", async () => {
		const { relay, nodes } = await aroundRelay([1, 77, 2]);
		expect(nodes.map(({ links }) => links.size)).toEqual([1, 0, 1]);
		expect(relay.application.world.peers.map(({ connection }) => connection.trusted)).toEqual([true, true]);
		expect(relay.said).toEqual(["P2P_DISCONNECT"]);
	});

	it("pushes a witness's block to the others without being asked, and announces nothing", async () => {
		const { world, relay, nodes } = await aroundRelay([1, 2, 3]);
		const producer = nodes[0] as LinkedNode;
		producer.open.chain.observe({
			produced: (block) => producer.application.advertisement.broadcastBlock(block),
		});
		const block = produce(producer.open);
		await world.advance(500);
		expect([relay, ...nodes].map(({ head }) => head)).toEqual(Array(4).fill(block.idHex));
		expect(relay.said).toEqual(["FETCH_INV_DATA", "BLOCK", "BLOCK"]);
		expect([relay, ...nodes].flatMap(({ faults }) => faults)).toEqual([]);
	});

	it("counts the blocks of a witness apart once it knows that it signed them", async () => {
		const received: number[] = [];
		const judged: string[] = [];
		const { world, nodes } = await aroundRelay([1, 2], {
			blockReceived: (delayMs) => received.push(delayMs),
			blockJudged: ({ idHex }, delayMs) => judged.push(`${idHex} ${delayMs}`),
		});
		const [honest, liar] = nodes as [LinkedNode, LinkedNode];
		const parent = honest.open.chain.head;
		liar.application.advertisement.broadcastBlock(forge(parent, parent.timestampMs + 3000n));
		await world.advance(500);
		expect([received.length, judged]).toEqual([1, []]);
		const block = produce(honest.open);
		honest.application.advertisement.broadcastBlock(block);
		await world.advance(500);
		expect(judged).toEqual([`${block.idHex} ${received[1]}`]);
	});
});

describe("a witness's node", () => {
	it("dials its relay nodes from half a minute on, also after the configuration changed, until it doesn't produce", async () => {
		const { world, nodes } = await aroundRelay([1]);
		const [node] = nodes as [LinkedNode];
		const told: string[][] = [];
		const active = ["10.0.1.1"];
		let isMaster = true;
		const peers = Object.assign(Object.create(node.application.world), { isMaster: () => isMaster });
		const relays = new RelayConnections(
			peers,
			{ setConfigured: (addresses) => told.push(addresses.map(({ host }) => host)) },
			() => active.map((host) => ({ host, port: 18888 })),
			[{ host: RELAY, port: 18888 }],
		);
		relays.start();
		await world.advance(29_999);
		relays.apply();
		await world.advance(1);
		active.push("10.0.1.2");
		relays.apply();
		expect(told).toEqual([["10.0.1.1"], ["10.0.1.1", RELAY], ["10.0.1.1", "10.0.1.2", RELAY]]);
		expect(node.links.size).toBe(1);
		isMaster = false;
		await world.advance(100_000);
		expect(told.at(-1)).toEqual(active);
		expect(node.said.at(-1)).toBe("P2P_DISCONNECT");
		relays.stop();
	});
});
