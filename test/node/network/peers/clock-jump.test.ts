import { expect, it } from "vitest";
import { ModelChain, modelNetwork } from "../../../simulation/model-chain.js";
import { PORT, SimulatedNode } from "../../../simulation/simulated-node.js";
import { SimulatedWorld } from "../../../simulation/world.js";

const ADDRESSES = ["10.0.0.1", "10.0.0.2"];
const SECOND_MS = 1_000;
/** A ban, the pause before an address is dialed again, and the dialing. */
const BACK_MS = 200 * SECOND_MS;

/** Two nodes with a chain, the second one a witness. */
async function startTwo() {
	const world = new SimulatedWorld({ seed: 1, link: { latencyMs: 20 } });
	const network = modelNetwork(1, BigInt(world.now) - 3_000n);
	const faults: unknown[] = [];
	const nodes = ADDRESSES.map((address, i) => {
		const seeds = ADDRESSES.filter((other) => other !== address).map((host) => ({ host, port: PORT }));
		return new SimulatedNode({
			host: world.host(address),
			chain: new ModelChain(network, i === 1 ? network.witnesses : []),
			seeds,
			active: [],
			limits: { maxConnections: 30, minConnections: 3, minActiveConnections: 3 },
			onDisconnect: () => {},
			onFault: (error) => faults.push(error),
		});
	});
	for (const node of nodes) await node.boot();
	const isTogether = () => nodes.every(({ peers }) => (peers?.synced.length ?? 0) > 0);
	expect(await world.until(isTogether, BACK_MS)).toBe(true);
	return { world, nodes, isTogether, faults };
}

// A ban, a deadline or a pause that was set while the clock was ahead must not last until the clock is there again.
it.each([10, 3, -3, -10])("nodes find each other after a clock was wrong by %d minutes", async (minutes) => {
	const { world, nodes, isTogether, faults } = await startTwo();
	const host = world.host(ADDRESSES[0] as string);
	host.setClock(minutes * 60 * SECOND_MS, 0);
	// Blocks come before their time, or requests do: the peers part, and each bans the other while the clock is wrong.
	for (const node of nodes) for (const { connection } of node.peers?.peers ?? []) connection.close();
	await world.advance(30 * SECOND_MS);
	host.setClock(0, 0);
	expect(await world.until(isTogether, BACK_MS)).toBe(true);
	expect(faults).toEqual([]);
});

it("a connection outlives a clock that is set while nothing goes on", async () => {
	const { world, nodes } = await startTwo();
	const [connection] = nodes[0]?.peers?.peers.map((peer) => peer.connection) ?? [];
	for (const minutes of [10, -10, 0]) {
		// Ahead by up to a second, as a clock may be: nothing that others say is too early.
		world.host(ADDRESSES[0] as string).setClock(minutes === -10 ? 0 : minutes * 60 * SECOND_MS, 0);
		await world.advance(10 * SECOND_MS);
	}
	expect(connection?.isOpen).toBe(true);
});
