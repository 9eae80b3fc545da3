import { expect, it } from "vitest";
import { activeWitnesses, setActiveWitnesses } from "../../../src/node/consensus/slots.js";
import { startMetrics } from "../../../src/node/metrics/metrics.js";
import { isolatedNetwork } from "../../../src/node/node-api.js";
import type { StateView } from "../../../src/node/state/view.js";
import { openSmall, produce, smallConfig } from "../chain/small-chain.js";

const PROMETHEUS = "node.metrics.prometheus { enable = true, port = 0 }";

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
	const metrics = await startMetrics({
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
