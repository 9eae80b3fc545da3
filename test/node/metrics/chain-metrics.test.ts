import { expect, it } from "vitest";
import type { DoubleSigner, NodeMeters } from "../../../src/node/api/meters.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { NodeConfig } from "../../../src/node/config/config.js";
import { activeWitnesses, setActiveWitnesses } from "../../../src/node/consensus/slots.js";
import { startMetrics } from "../../../src/node/metrics/metrics.js";
import { isolatedNetwork } from "../../../src/node/node-api.js";
import type { StateView } from "../../../src/node/state/view.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";
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

/** That the witness of the first block signed two more of one number. */
const twiceSigned = ({ chain }: OpenChain): DoubleSigner => {
	const witness = toHex((chain.blockByNumber(1n) ?? chain.head).witness);
	return { witness, times: 2, timeMs: 0n, block: 1n, ids: [] };
};

/** A page is kept for a second. */
let nowMs = 0;

/** Metrics of a chain alone. */
const metricsOf = (open: OpenChain, config: NodeConfig) =>
	startMetrics({
		signerAway: () => false,
		producers: () => [new Uint8Array(21).fill(0x41)],
		madeElsewhere: () => new Map(),
		config,
		chain: open.chain,
		database: open.database,
		network: isolatedNetwork("00"),
		doubleSigners: () => [twiceSigned(open)],
		clock: () => 0n,
		now: () => (nowMs += 1_000),
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

/** What a node has counted: values by series. */
async function countsOf({ port }: { readonly port: number | undefined }, name: string) {
	const page = await (await fetch(`http://127.0.0.1:${port}/metrics?name[]=coin:${name}`)).text();
	const lines = page.split("\n").filter((line) => /^coin:\w+?(?:_count|_total)(?:\{.*\})? /.test(line));
	return Object.fromEntries(
		lines.map((line) => [line.slice(5, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
	);
}

it("counts a block as the recorded node does: own ones by miner, their signatures once, side blocks nowhere", async () => {
	const config = smallConfig("", `node.metricsEnable = true\n${PROMETHEUS}`);
	const [open, peer] = [await openSmall({ config }), await openSmall({ config })];
	const metrics = await metricsOf(open, config);
	const count = async (family: string): Promise<number> => {
		const counts = Object.values(await countsOf(metrics, family));
		return counts.reduce((sum, each) => sum + each, 0);
	};
	const families = [
		"block_push_latency_seconds",
		"miner_delay_seconds",
		"block_generate_latency_seconds",
		"verify_sign_latency_seconds",
	];
	const counted = () => Promise.all(families.map(count));
	try {
		const [payment, second] = [1n, 2n].map((n) => transfer(open, 1, users[2] as Uint8Array, n));
		if (!payment || !second) throw new Error("no payments");
		const empty = produce(open);
		expect(await counted()).toEqual([1, 1, 1, 0]);
		open.chain.pushTransaction(payment);
		expect(await counted()).toEqual([1, 1, 1, 0]);
		const own = produce(open);
		expect(await counted()).toEqual([2, 2, 2, 1]);
		peer.chain.push(empty, "peer");
		const side = produce(peer, 2n);
		// Whose turn it is after both.
		const next = produce(peer);
		open.chain.push(side, "peer");
		expect(await counted()).toEqual([2, 2, 2, 1]);
		const { timestampMs, witness } = next;
		open.chain.push(
			forge(own, timestampMs, { key: keyOfWitness(witness), witness, transactions: [second] }),
			"peer",
		);
		expect(await counted()).toEqual([3, 2, 2, 2]);
		expect(metrics.meters()?.transactions.count).toBe(0);
	} finally {
		await metrics.close();
		await open.close();
		await peer.close();
	}
});

it("begins with 0 what alarms ask the increase of, so that the first slot lost and the first switch count", async () => {
	const config = smallConfig("", PROMETHEUS);
	const open = await openSmall({ config });
	const metrics = await metricsOf(open, config);
	try {
		const lost = async () =>
			Object.entries(await countsOf(metrics, "miner_total")).filter(([series]) => series.includes('"miss"'));
		const witnesses = activeWitnesses(open.chain.state).length;
		expect(await countsOf(metrics, "block_fork_total")).toEqual({
			'block_fork_total{type="all"}': 0,
			'block_fork_total{type="fail"}': 0,
		});
		expect((await lost()).map(([, count]) => count)).toEqual(Array(witnesses).fill(0));
		produce(open);
		produce(open, 2n);
		const counts = (await lost()).map(([, count]) => count);
		expect([counts.length, Math.max(...counts)]).toEqual([witnesses, 1]);
	} finally {
		await metrics.close();
		await open.close();
	}
});

it("counts what peers send and answer", async () => {
	const config = smallConfig("", `node.metricsEnable = true\n${PROMETHEUS}`);
	const open = await openSmall({ config });
	const metrics = await metricsOf(open, config);
	try {
		const empty = produce(open);
		const miner = toBase58Check(empty.witness);
		open.chain.pushTransaction(transfer(open, 1, users[2] as Uint8Array, 3n));
		const full = produce(open);
		const { peers } = metrics;
		peers.blockJudged(full, 40);
		peers.blockTaken(empty, true, 2);
		peers.blockTaken(full, false, 2);
		peers.pinged(30);
		for (const [name, counts] of [
			[
				"miner_latency_seconds",
				{ [`miner_latency_seconds_count{miner="${toBase58Check(full.witness)}"}`]: 1 },
			],
			["txs_total", { 'txs_total{type="success",detail="success"}': 1 }],
			[
				"block_process_latency_seconds",
				{
					'block_process_latency_seconds_count{sync="true"}': 1,
					'block_process_latency_seconds_count{sync="false"}': 1,
				},
			],
			["ping_pong_latency_seconds", { ping_pong_latency_seconds_count: 1 }],
			["miner_total", { [`miner_total{miner="${miner}",type="dup"}`]: 2 }],
		] as const)
			expect(await countsOf(metrics, name), name).toMatchObject(counts);
		expect(metrics.meters()?.transactions.count).toBe(1);
	} finally {
		await metrics.close();
		await open.close();
	}
});
