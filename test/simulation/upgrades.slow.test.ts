/** Networks of several releases: block votes activate later versions, at the same block on every node. */

import { beforeAll, describe, expect, it } from "vitest";
import { OpenChain } from "../../src/node/chain/open-chain.js";
import type { NodeConfig } from "../../src/node/config/config.js";
import { scheduledWitness, slotTimeMs } from "../../src/node/consensus/slots.js";
import { producerOf } from "../../src/node/production/slot-producer.js";
import type { NetworkName } from "../../src/node/rules/chain-rules.js";
import type { LaterRelease } from "../../src/node/rules/fork-gates.js";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { loadPostQuantum } from "../../src/protocol/post-quantum/algorithms.js";
import { LinkedNode } from "../node/network/peers/linked-nodes.js";
import { type RealNetwork, realNetwork } from "./real-chain.js";
import { SimulatedWorld } from "./world.js";

const WITNESSES = 27;
const GENESIS_MS = 1_700_000_001_000n - (1_700_000_001_000n % 3000n);
/** More than two rounds and a maintenance, so that one of the periods has a whole round. */
const BLOCKS = 70;

beforeAll(async () => {
	installRecoverEngine();
	await loadPostQuantum();
});

/** A node of a release, whose blocks vote for a version. */
async function start(
	world: SimulatedWorld,
	host: string,
	{ config: base }: RealNetwork,
	own: Pick<NodeConfig["node"], "release"> & Pick<NodeConfig["block"], "version">,
): Promise<LinkedNode> {
	const config: NodeConfig = {
		...base,
		node: { ...base.node, release: own.release },
		block: { ...base.block, version: own.version },
	};
	const open = await OpenChain.open({
		config,
		dataDirectory: undefined,
		clock: () => 0n,
		machine: () => {
			throw new Error("this chain runs no contracts");
		},
		onStorageFailure: (error) => {
			throw error;
		},
	});
	const { network } = config.node;
	return new LinkedNode(world, host, open, {
		settings: { release: own.release, ...(network ? { network } : {}) },
	});
}

/** Nodes produce in turn, each block awaited by all. @param voters number of the new node's witnesses */
async function produce(
	world: SimulatedWorld,
	network: RealNetwork,
	[old, upgraded, watcher]: readonly [LinkedNode, LinkedNode, LinkedNode],
	voters: number,
): Promise<void> {
	const own = network.producers.slice(0, voters);
	const nodes = [old, upgraded, watcher];
	for (let i = 0; i < BLOCKS; i++) {
		const { state } = old.open.chain;
		const witness = scheduledWitness(state, 1n);
		const timeMs = slotTimeMs(state, 1n);
		await world.advance(Math.max(0, Number(timeMs) - old.environment.wallClock()));
		const producer = producerOf(own, witness);
		const node = producer ? upgraded : old;
		const maker = producer ?? producerOf(network.producers, witness);
		if (!maker) throw new Error("nobody has the key of the slot");
		const { block } = node.open.chain.produce(maker, timeMs, () => false);
		node.application.advertisement.broadcastBlock(block);
		expect(await world.until(() => nodes.every(({ head }) => head === block.idHex), 2_000)).toBe(true);
	}
}

describe("a network of old and new nodes", () => {
	it.each<[NetworkName, number, LaterRelease, number]>([
		["main", 33, "4.8.0.1", 19],
		["main", 34, "4.8.1", 22],
		["main", 35, "4.8.1.1", 19],
		["main", 36, "4.8.2", 22],
		["main", 37, "4.8.2.2", 19],
		["main", 38, "4.8.2.3", 19],
		// Two of three witnesses have post-quantum keys.
		["nile", 33, "4.8.1", 22],
		["nile", 34, "4.8.0.1", 19],
		["nile", 35, "4.8.1.1", 19],
		["nile", 36, "4.8.2", 22],
		["nile", 37, "4.8.2_PQ1", 22],
	])(
		"of %s passes version %i (%s) with %i of 27 witnesses, and not with one less",
		async (name, version, release, needed) => {
			const world = new SimulatedWorld({ startMs: Number(GENESIS_MS), link: { latencyMs: 5, jitterMs: 0 } });
			const network = realNetwork(WITNESSES, GENESIS_MS, false, name === "nile");
			const nodes = [
				await start(world, "10.0.0.1", network, { release: "4.8.0", version: undefined }),
				await start(world, "10.0.0.2", network, { release: "4.8.2", version }),
				await start(world, "10.0.0.3", network, { release: "4.8.2", version: undefined }),
			] as const;
			const [old, upgraded, watcher] = nodes;
			upgraded.link(old);
			watcher.link(upgraded);
			watcher.link(old);
			await world.advance(1000);

			const passed = (): readonly boolean[] =>
				nodes.map(({ open }) => open.chain.environment.forks.upgradedTo(release));
			await produce(world, network, nodes, needed - 1);
			expect(passed()).toEqual([false, false, false]);
			await produce(world, network, nodes, needed);
			expect(passed()).toEqual([true, true, true]);
			expect(watcher.open.chain.state.properties.get("VERSION_NUMBER")).toBe(version);
			expect(nodes.flatMap(({ faults }) => faults)).toEqual([]);
			for (const { open } of nodes) await open.close();
		},
	);
});
