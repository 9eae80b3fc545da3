import { describe, expect, it } from "vitest";
import { type ProbeError, type ProbeOptions, probePeer } from "../../../src/node/network/peer-probe.js";
import { NO_CANDIDATES } from "../../../src/node/network/transport/candidates.js";
import { PeerTransport } from "../../../src/node/network/transport/peer-transport.js";
import {
	ApplicationType,
	HelloMessage,
	helloBlockId,
} from "../../../src/node/network/wire/application-messages.js";
import { toHex, utf8 } from "../../../src/protocol/bytes.js";
import { SimulatedWorld } from "../../simulation/world.js";

const block = (number: number) => {
	const id = new Uint8Array(32).fill(0xab);
	id.set([0, 0, 0, 0, 0, 0, number >> 8, number & 0xff]);
	return { id, number: BigInt(number) };
};

const NODE = { host: "10.0.0.1", port: 18888 };

/** A world with one node, which says hello as a node with a chain does. */
async function worldWithNode(maxConnections = 30): Promise<SimulatedWorld> {
	const world = new SimulatedWorld({ link: { latencyMs: 30, jitterMs: 0 }, fragmentation: 0.3 });
	const transport = new PeerTransport({
		environment: world.host(NODE.host).boot(),
		config: {
			listenPort: NODE.port,
			networkId: 4711,
			active: [],
			passive: [],
			fastForward: [],
			maxConnections,
			minConnections: 8,
			minActiveConnections: 3,
			maxConnectionsWithSameIp: 2,
			detectNodes: false,
		},
		candidates: NO_CANDIDATES,
		self: { ipv4: NODE.host, ipv6: "" },
		nodeId: new Uint8Array(64).fill(9),
		listener: {
			connected: (connection) => {
				const hello = HelloMessage.create({
					version: 4711,
					genesisBlockId: helloBlockId(block(0)),
					solidBlockId: helloBlockId(block(990)),
					headBlockId: helloBlockId(block(1000)),
					nodeType: 1,
					lowestBlockNum: 500n,
					codeVersion: utf8("4.8.0"),
				});
				connection.send(ApplicationType.P2P_HELLO, HelloMessage.encode(hello));
			},
			received: () => undefined,
			oversized: () => undefined,
			disconnected: () => undefined,
		},
	});
	await transport.start();
	return world;
}

/** Probes from a host of its own and lets time pass until it is over. */
async function probe(world: SimulatedWorld, options: Partial<ProbeOptions> = {}) {
	const host = world.host("10.0.0.2");
	if (host.isUp) host.crash();
	const probing = probePeer({
		environment: host.boot(),
		address: NODE,
		networkId: undefined,
		timeoutMs: 5_000,
		ownIpv4: host.address,
		...options,
	});
	const outcome = probing.then(
		(report) => ({ report, error: undefined }),
		(error: ProbeError) => ({ report: undefined, error }),
	);
	await world.advance(20_000);
	return outcome;
}

describe("probing a node", () => {
	it("tells who it is, without knowing its network", async () => {
		const { report } = await probe(await worldWithNode());
		expect(report).toMatchObject({
			networkId: 4711,
			transportVersion: 1,
			connections: { current: 0, max: 30 },
			codeVersion: "4.8.0",
			isLight: true,
			lowestBlock: 500n,
			latencyMs: 60,
		});
		expect(toHex(report?.nodeId ?? new Uint8Array())).toBe("09".repeat(64));
		expect(toHex(report?.head.id ?? new Uint8Array())).toBe(toHex(block(1000).id));
		expect([report?.genesis.number, report?.solid.number]).toEqual([0n, 990n]);
	});

	it("says why it isn't taken", async () => {
		const full = await probe(await worldWithNode(0));
		expect(full.error).toMatchObject({ problem: "refused", code: 1, networkId: 4711 });
		const world = await worldWithNode();
		const stranger = await probe(world, { networkId: 1 });
		expect(stranger.error).toMatchObject({ problem: "refused", code: 2, networkId: 4711 });
		await world.advance(41_000);
		await probe(world);
		const again = await probe(world);
		expect(again.error).toMatchObject({ problem: "refused", code: 3 });
	});

	it("tells apart who isn't there, who says nothing, who hangs up and who speaks another language", async () => {
		const world = await worldWithNode();
		const absent = { host: "10.0.0.7", port: 1 };
		expect((await probe(world, { address: absent })).error?.problem).toBe("unreachable");
		const answers: Record<number, (stream: { write(bytes: Uint8Array): void; end(): void }) => void> = {
			1: () => undefined,
			2: (stream) => stream.end(),
			3: (stream) => stream.write(utf8("SSH-2.0-OpenSSH_9.6\r\n".repeat(20))),
		};
		const host = world.host("10.0.0.8").boot();
		const problems: (string | undefined)[] = [];
		for (const [port, answer] of Object.entries(answers)) {
			await host.listen({ port: Number(port) }, (stream) => {
				stream.listen({ data: () => undefined, closed: () => undefined });
				answer(stream);
			});
			const address = { host: "10.0.0.8", port: Number(port) };
			problems.push((await probe(world, { address })).error?.problem);
		}
		expect(problems).toEqual(["silent", "closed", "stranger"]);
	});
});
