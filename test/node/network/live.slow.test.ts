import { createServer } from "node:net";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { NodeConfig } from "../../../src/node/config/config.js";
import type { NodeAddress } from "../../../src/node/network/environment.js";
import { type PeerNetwork, startNetwork } from "../../../src/node/network/network.js";
import { nodeEnvironment } from "../../../src/node/network/node-environment.js";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import { freePort } from "../../free-port.js";
import { openSmall, produce, produceMany, smallConfig, transfer, users } from "../chain/small-chain.js";

/** Peer networks of several nodes, over real sockets of this machine. */
const running: { readonly network: PeerNetwork; readonly faults: string[] }[] = [];

beforeAll(async () => {
	installRecoverEngine();
});

afterEach(async () => {
	const ended = running.splice(0);
	await Promise.all(ended.map(({ network }) => network.stop()));
	expect(ended.flatMap(({ faults }) => faults)).toEqual([]);
});

function configOf(listenPort: number, active: readonly NodeAddress[]): NodeConfig {
	const config = smallConfig();
	const passive = ["127.0.0.1", "127.0.0.2", "127.0.0.3"].map((host) => ({ host, port: 1 }));
	const peers = { ...config.node.peers, networkId: 7, listenPort, active, passive };
	return { ...config, node: { ...config.node, peers } };
}

async function start(
	open: OpenChain,
	host: string,
	active: readonly NodeAddress[] = [],
	{ port, warnings = [] }: { readonly port?: number; readonly warnings?: string[] } = {},
): Promise<PeerNetwork> {
	const faults: string[] = [];
	const network = await startNetwork({
		environment: nodeEnvironment(),
		config: configOf(port ?? (await freePort(host)), active),
		open,
		pool: undefined,
		producers: [],
		host,
		lan: { ipv4: host, ipv6: "" },
		dataDirectory: undefined,
		log: { info: () => {}, warn: (_fields, message) => warnings.push(message) },
		report: (error, where) => faults.push(`${where}: ${String(error)}`),
	});
	running.push({ network, faults });
	return network;
}

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const headOf = ({ chain }: OpenChain): string => chain.head.idHex;
const isSynced = (network: PeerNetwork): boolean =>
	network.peers().some((peer) => !peer.needSyncFromPeer && !peer.needSyncFromUs);

describe("nodes over real sockets", () => {
	it("bring a fresh node to the head, then produce in turns and relay over it", async () => {
		const [a, b, c] = [await openSmall(), await openSmall(), await openSmall()];
		produceMany(a, 250);
		const first = await start(a, "127.0.0.1");
		const second = await start(b, "127.0.0.2", [{ host: "127.0.0.1", port: first.port }]);
		await until(() => headOf(b) === headOf(a));
		const third = await start(c, "127.0.0.3", [{ host: "127.0.0.2", port: second.port }]);
		await until(() => headOf(c) === headOf(a) && [first, second, third].every(isSynced));
		expect(third.ownHost).toBe("127.0.0.3");
		expect(third.peers().map(({ disconnectTimes }) => disconnectTimes)).toEqual([0]);

		const payment = transfer(a, 0, users[1] as Uint8Array, 5n);
		a.chain.pushTransaction(payment);
		expect(first.announce(payment)).toBe(1);
		await until(() => c.chain.pool.find(payment.idHex) !== undefined);
		for (const producer of [c, a, b, c]) {
			const block = produce(producer);
			await until(() => [a, b, c].every((open) => headOf(open) === block.idHex));
		}
		expect(c.chain.head.number).toBe(254n);
		expect(b.chain.state.account.get(users[1] as Uint8Array)?.balance).toBe(
			a.chain.state.account.get(users[1] as Uint8Array)?.balance,
		);
	});

	it("agree on the longer branch, whichever side it is on", async () => {
		for (const [ahead, behind] of [
			[3, 2],
			[2, 3],
		] as const) {
			const [a, b] = [await openSmall(), await openSmall()];
			for (const block of produceMany(a, 20)) b.chain.push(block, "peer");
			produceMany(a, ahead);
			produceMany(b, behind, 2n);
			const longer = ahead > behind ? headOf(a) : headOf(b);
			const first = await start(a, "127.0.0.1");
			await start(b, "127.0.0.2", [{ host: "127.0.0.1", port: first.port }]);
			await until(() => headOf(a) === longer && headOf(b) === longer);
		}
	});

	it("go on dialing if their own port is taken, and don't claim to have it", async () => {
		const [a, b] = [await openSmall(), await openSmall()];
		produceMany(a, 3);
		const first = await start(a, "127.0.0.1");
		const taken = createServer();
		await new Promise<void>((resolve) => taken.listen(0, "127.0.0.2", resolve));
		const { port } = taken.address() as { port: number };
		const warnings: string[] = [];
		const second = await start(b, "127.0.0.2", [{ host: "127.0.0.1", port: first.port }], { port, warnings });
		expect(second.port).toBe(0);
		expect(warnings).toEqual([`no peer can connect: port ${port} is in use`]);
		await until(() => headOf(b) === headOf(a));
		taken.close();
	});
});
