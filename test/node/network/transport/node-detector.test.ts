import { expect, it } from "vitest";
import { NO_CANDIDATES } from "../../../../src/node/network/transport/candidates.js";
import { NodeDetector } from "../../../../src/node/network/transport/node-detector.js";
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
