import { describe, expect, it } from "vitest";
import { NO_CANDIDATES } from "../../../../src/node/network/transport/candidates.js";
import { DialPool } from "../../../../src/node/network/transport/dial-pool.js";
import { BanList } from "../../../../src/node/network/transport/registry.js";
import { equalBytes } from "../../../../src/protocol/bytes.js";
import { SimulatedWorld } from "../../../simulation/world.js";

describe("the pool of nodes to dial", () => {
	it("leaves out a node with room that is connected by another of its addresses", async () => {
		const world = new SimulatedWorld();
		const [known, other] = [new Uint8Array(64).fill(1), new Uint8Array(64).fill(2)];
		const dialed: string[] = [];
		const pool = new DialPool({
			environment: world.host("10.0.0.1").boot(),
			limits: { maxConnections: 30, maxConnectionsWithSameIp: 2, minConnections: 8, minActiveConnections: 3 },
			bans: new BanList(),
			dialer: {
				counts: () => ({ connecting: 0, passive: 1, total: 1 }),
				usesOf: () => 0,
				isInUse: () => false,
				isNodeIdInUse: (nodeId) => equalBytes(nodeId, known),
				isOwn: () => false,
				dial: ({ host }) => dialed.push(host),
			},
			candidates: NO_CANDIDATES,
			withRoom: () => [
				{ address: { host: "10.0.1.1", port: 18888 }, nodeId: known },
				{ address: { host: "10.0.1.2", port: 18888 }, nodeId: other },
			],
		});
		pool.start();
		await world.advance(199);
		expect(dialed).toEqual([]);
		await world.advance(1);
		expect(dialed).toEqual(["10.0.1.2"]);
		pool.stop();
	});
});
