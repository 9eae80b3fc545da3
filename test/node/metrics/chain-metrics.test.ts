import { expect, it } from "vitest";
import type { NodeMeters } from "../../../src/node/api/meters.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { NodeConfig } from "../../../src/node/config/config.js";
import { activeWitnesses, setActiveWitnesses } from "../../../src/node/consensus/slots.js";
import { startMetrics } from "../../../src/node/metrics/metrics.js";
import { isolatedNetwork } from "../../../src/node/node-api.js";
import type { StateView } from "../../../src/node/state/view.js";
import {
	forge,
	keyOfWitness,
	openSmall,
	produce,
	smallConfig,
	transfer,
	users,
} from "../chain/small-chain.js";

const PROMETHEUS = "node.metrics.prometheus { enable = true, port = 0 }";

/** Metrics of a chain alone. */
const metricsOf = (open: OpenChain, config: NodeConfig) =>
	startMetrics({
		signerAway: () => false,
		config,
		chain: open.chain,
		database: open.database,
		network: isolatedNetwork("00"),
		clock: () => 0n,
		now: () => 0,
		report: (error) => {
			throw error;
		},
	});

/** What a node of a release counts of a block that changes the active witnesses. */
async function pageOf(release: string, network = "main"): Promise<string> {
	const config = smallConfig("", `node.release = "${release}"\nnode.network = ${network}\n${PROMETHEUS}`);
	let base: StateView | undefined;
	const open = await openSmall({
		config,
		initialize: (state) => {
			base = state;
		},
	});
	const metrics = await metricsOf(open, config);
	try {
		const view = base as StateView;
		setActiveWitnesses(view, activeWitnesses(view).slice(1));
		produce(open);
		return await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text();
	} finally {
		await metrics.close();
		await open.close();
	}
}

it("counts transactions of blocks and changes of the active witnesses from release 4.8.2 on", async () => {
	const text = await pageOf("4.8.2");
	expect(text).toContain('coin:sr_set_change_total{action="remove"} 1');
	expect(text).toContain('coin:block_transaction_count_bucket{le="0"} 1');
	expect(text).toContain('coin:block_transaction_count_bucket{le="10000"} 1');
});

it("has neither before", async () => {
	expect(await pageOf("4.8.1")).not.toMatch(/sr_set_change|block_transaction_count/);
});

it("counts transactions with post-quantum signatures on Nile alone", async () => {
	expect(await pageOf("4.8.2", "nile")).toMatch(
		/coin:block_pq_transaction_count_bucket\{le="3000",miner="\w+"\} 1/,
	);
	expect(await pageOf("4.8.2")).not.toMatch(/block_pq_transaction_count|tx_fetch_latency|handshake_latency/);
});

it("counts a change of branch that fails, and keeps the block that it failed at", async () => {
	const config = smallConfig("", `node.metricsEnable = true\n${PROMETHEUS}`);
	const [open, peer] = [await openSmall({ config }), await openSmall({ config })];
	const metrics = await metricsOf(open, config);
	try {
		produce(open);
		peer.chain.pushTransaction(transfer(peer, 1, users[2] as Uint8Array, 3n));
		const good = produce(peer, 2n);
		const { timestampMs, witness } = produce(peer);
		const { transactions } = good;
		const bad = forge(good, timestampMs, { key: keyOfWitness(witness), witness, transactions });
		open.chain.push(good, "peer");
		expect(() => open.chain.push(bad, "recording")).toThrow("dup trans");
		const { forks, failedForks, failedBlock } = metrics.meters() as NodeMeters;
		expect([forks, failedForks, failedBlock.number]).toEqual([1, 1, 2n]);
		expect(failedBlock.reason).toMatch(/^dup trans/);
		const page = await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text();
		for (const type of ["all", "fail"]) expect(page).toContain(`coin:block_fork_total{type="${type}"} 1`);
	} finally {
		await metrics.close();
		await open.close();
		await peer.close();
	}
});
