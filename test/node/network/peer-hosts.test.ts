import { beforeEach, describe, expect, it } from "vitest";
import { addressOfHost, resolvePeers } from "../../../src/node/network/peer-hosts.js";
import { SimulatedWorld } from "../../simulation/world.js";

const port = 18_888;
let world: SimulatedWorld;

beforeEach(() => {
	world = new SimulatedWorld();
	world.names.set("seed.example.org", "10.0.0.7");
});

describe("hosts that a configuration names", () => {
	it("become their addresses; those that nobody knows are left out", async () => {
		const environment = world.host("10.0.0.1").boot();
		const unknown: string[] = [];
		const peers = {
			seeds: [
				{ host: "seed.example.org", port },
				{ host: "none.example.org", port },
				{ host: "10.0.0.9", port },
			],
			active: [{ host: "2001:db8::1", port }],
			passive: [{ host: "SEED.example.org", port }],
			fastForward: [
				{ host: "2001:DB8:0:0:0:0:0:2", port },
				{ host: "::FFFF:10.0.0.8", port },
			],
			maxTps: 5,
		};
		const resolved = resolvePeers(environment, peers, (host) => unknown.push(host));
		await world.advance(1_000);
		expect(await resolved).toEqual({
			...peers,
			seeds: [
				{ host: "10.0.0.7", port },
				{ host: "10.0.0.9", port },
			],
			passive: [{ host: "10.0.0.7", port }],
			// As sockets spell them.
			fastForward: [
				{ host: "2001:db8::2", port },
				{ host: "10.0.0.8", port },
			],
		});
		expect(unknown).toEqual(["none.example.org"]);
	});

	it("are not waited for longer than five seconds", async () => {
		const environment = world.host("10.0.0.1").boot();
		const silent = Object.assign(Object.create(environment), { resolveHost: () => new Promise(() => {}) });
		const refused = expect(addressOfHost(silent, "seed.example.org")).rejects.toThrow("no answer about");
		await world.advance(5_001);
		await refused;
	});
});
