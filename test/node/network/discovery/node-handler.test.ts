import { beforeEach, describe, expect, it } from "vitest";
import { type HandlerWorld, NodeHandler } from "../../../../src/node/network/discovery/node-handler.js";
import { NodeTable } from "../../../../src/node/network/discovery/table.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { NETWORK, PORT, US } from "./fake-node.js";

let world: SimulatedWorld;
let surroundings: HandlerWorld;
let sent: string[];

beforeEach(() => {
	world = new SimulatedWorld();
	sent = [];
	surroundings = {
		environment: world.host(US).boot(),
		networkId: NETWORK,
		table: new NodeTable(new Uint8Array(64), new Set([US])),
		send: (to, packet) => sent.push(`${packet.kind} ${to.host}`) > 0,
	};
});

let hosts = 0;
/** A new handler that was just pinged, in the farthest bucket. */
function discovered(announcedPort = PORT): NodeHandler {
	const host = `10.1.${hosts >> 8}.${hosts++ & 0xff}`;
	const nodeId = world.random.bytes(64);
	nodeId[0] = 0x80;
	const endpoint = { ipv4: host, ipv6: "", port: announcedPort, nodeId };
	const handler = new NodeHandler(surroundings, { host, port: PORT }, endpoint);
	handler.ping();
	return handler;
}

function active(): NodeHandler {
	const handler = discovered();
	handler.ponged(NETWORK);
	return handler;
}

describe("the states of a node", () => {
	it("discovered, it becomes active by a pong of our network", () => {
		const handler = discovered();
		expect(handler.state).toBe("discovered");
		expect(handler.isConnectable).toBe(false);
		handler.ponged(NETWORK);
		expect(handler.state).toBe("active");
		expect(handler.isConnectable).toBe(true);
		expect(surroundings.table.nodes()).toEqual([handler]);
	});

	it.each<[string, number, number]>([
		["of another network", PORT, NETWORK + 1],
		["that listens elsewhere than it speaks from", PORT + 1, NETWORK],
	])("dies by a pong of a node %s", (_, port, network) => {
		const handler = discovered(port);
		handler.ponged(network);
		expect(handler.state).toBe("dead");
		expect(surroundings.table.size).toBe(0);
	});

	it("ignores a pong that was not asked for", () => {
		const handler = active();
		handler.ponged(NETWORK + 1);
		expect(handler.state).toBe("active");
		expect(handler.isConnectable).toBe(true);
	});

	it("is pinged four times, fifteen seconds apart, and then dead", async () => {
		const handler = discovered();
		await world.advance(14_999);
		expect(sent.length).toBe(1);
		await world.advance(1);
		expect(sent.length).toBe(2);
		await world.advance(44_999);
		expect([sent.length, handler.state]).toEqual([4, "discovered"]);
		await world.advance(1);
		expect([sent.length, handler.state]).toEqual([4, "dead"]);
		await world.advance(120_000);
		expect(sent.length).toBe(4);
	});

	it("answers a ping, even one of another network, which kills it; a later good one revives it", () => {
		const handler = active();
		sent = [];
		handler.pinged(NETWORK + 1);
		expect(handler.state).toBe("dead");
		handler.pinged(NETWORK);
		expect(handler.state).toBe("discovered");
		expect(sent.map((line) => line.split(" ")[0])).toEqual(["pong", "pong", "ping"]);
		handler.ponged(NETWORK);
		expect(handler.state).toBe("active");
	});

	it("has no more than three repeated pings in its life", async () => {
		const handler = discovered();
		await world.advance(60_000);
		expect(handler.state).toBe("dead");
		handler.pinged(NETWORK);
		await world.advance(15_000);
		expect(handler.state).toBe("dead");
		expect(sent.filter((line) => line.startsWith("ping")).length).toBe(5);
	});

	describe("when its bucket is full", () => {
		let entries: NodeHandler[];
		let rival: NodeHandler;
		let challenger: NodeHandler;

		beforeEach(async () => {
			entries = [];
			for (let i = 0; i < 16; i++) {
				entries.push(active());
				await world.advance(10);
			}
			rival = entries[15] as NodeHandler;
			challenger = discovered();
			sent = [];
			challenger.ponged(NETWORK);
		});

		it("stays alive outside the table, and the entry that was touched last has to answer", () => {
			expect(challenger.state).toBe("alive");
			expect(rival.state).toBe("evictCandidate");
			expect(sent).toEqual([`ping ${rival.host}`]);
		});

		it("goes without a place if that one answers", async () => {
			rival.ponged(NETWORK);
			expect([rival.state, challenger.state]).toEqual(["active", "alive"]);
			await world.advance(120_000);
			expect(surroundings.table.holds(rival)).toBe(true);
			expect(surroundings.table.size).toBe(16);
		});

		it("takes the place of one that stays silent", async () => {
			await world.advance(59_999);
			expect(rival.state).toBe("evictCandidate");
			await world.advance(1);
			expect([rival.state, challenger.state]).toEqual(["dead", "active"]);
			expect(surroundings.table.holds(rival)).toBe(false);
			expect(surroundings.table.holds(challenger)).toBe(true);
		});

		it("drops an entry that leaves five questions unanswered", () => {
			const entry = entries[0] as NodeHandler;
			for (let i = 0; i < 5; i++) entry.ask(new Uint8Array(64));
			expect(surroundings.table.holds(entry)).toBe(true);
			entry.ask(new Uint8Array(64));
			expect(surroundings.table.holds(entry)).toBe(false);
			expect(entry.state).toBe("dead");
		});
	});

	it("keeps a silent entry of a bucket that holds fewer than four", () => {
		const entry = active();
		for (let i = 0; i < 20; i++) entry.ask(new Uint8Array(64));
		expect(surroundings.table.holds(entry)).toBe(true);
	});

	it("takes one answer for one question", () => {
		const entry = active();
		expect(entry.answered()).toBe(false);
		entry.ask(new Uint8Array(64));
		expect(entry.answered()).toBe(true);
		expect(entry.answered()).toBe(false);
	});
});
