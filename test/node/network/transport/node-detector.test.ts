import { expect, it } from "vitest";
import { NO_CANDIDATES } from "../../../../src/node/network/transport/candidates.js";
import { askStatus, NodeDetector } from "../../../../src/node/network/transport/node-detector.js";
import { writeFrame } from "../../../../src/node/network/wire/frames.js";
import { type Status, writeStatus } from "../../../../src/node/network/wire/transport-messages.js";
import { fromHex } from "../../../../src/protocol/bytes.js";
import { SimulatedWorld } from "../../../simulation/world.js";

it("asks a hundred nodes at a time until it has two hundred, then a few of those it asked longest ago", async () => {
	const world = new SimulatedWorld();
	const asked: string[] = [];
	const environment = Object.assign(Object.create(world.host("10.0.0.1").boot()), {
		dial: ({ host }: { host: string }) => {
			asked.push(host);
			return new Promise(() => {});
		},
	});
	const nodes = Array.from({ length: 250 }, (_, i) => ({
		address: { host: `10.0.1.${i}`, port: 18888 },
		nodeId: new Uint8Array(64).fill(i),
		updatedMs: -i,
	}));
	const detector = new NodeDetector({
		environment,
		candidates: { ...NO_CANDIDATES, connectable: () => nodes },
		networkId: 1,
		host: undefined,
		status: () => {
			throw new Error("no node answers");
		},
		isOwn: () => false,
	});
	detector.start();
	const counts: number[] = [];
	for (let tick = 0; tick < 8; tick++) {
		const before = asked.length;
		await world.advance(5_000);
		counts.push(asked.length - before);
	}
	expect(counts).toEqual([100, 100, 0, 0, 0, 0, 3, 3]);
	expect(asked.slice(0, 200)).toEqual(nodes.slice(0, 200).map(({ address }) => address.host));
	expect(asked.slice(200)).toEqual(asked.slice(0, 6));
	detector.stop();
});

const statusOf = (host: string, id: number, maxConnections: number): Status => {
	const from = { ipv4: host, ipv6: "", port: 18888, nodeId: new Uint8Array(64).fill(id) };
	return { from, networkId: 1, maxConnections, currentConnections: 0, timestamp: 1n };
};

it("knows nodes with room by the id of their answer, so that one which is connected already shows", async () => {
	const world = new SimulatedWorld();
	const address = { host: "10.0.1.1", port: 18888 };
	const answer = writeFrame(writeStatus(statusOf(address.host, 7, 5)));
	await world
		.host(address.host)
		.boot()
		.listen({ port: address.port }, (stream) => {
			stream.listen({ data: () => stream.write(answer), closed: () => {} });
		});
	const found = { address, nodeId: new Uint8Array(64).fill(6), updatedMs: 0 };
	const detector = new NodeDetector({
		environment: world.host("10.0.0.1").boot(),
		candidates: { ...NO_CANDIDATES, connectable: () => [found] },
		networkId: 1,
		host: undefined,
		status: () => statusOf("10.0.0.1", 1, 1),
		isOwn: () => false,
	});
	detector.start();
	await world.advance(6_000);
	expect(detector.withRoom()).toEqual([{ address, nodeId: new Uint8Array(64).fill(7) }]);
	detector.stop();
});

it("doesn't wait for the end of an answer of a megabyte", async () => {
	const world = new SimulatedWorld();
	const address = { host: "10.0.1.1", port: 18888 };
	await world
		.host(address.host)
		.boot()
		.listen({ port: address.port }, (stream) => {
			stream.listen({ data: () => stream.write(fromHex("808040")), closed: () => {} });
		});
	const own = statusOf("10.0.0.1", 1, 1);
	const environment = world.host(own.from.ipv4).boot();
	const answer = environment.dial(address, 1_000).then((stream) => askStatus(environment, stream, own));
	const refused = expect(answer).rejects.toThrow("frame of 1048576 bytes");
	await world.advance(3_000);
	await refused;
});
