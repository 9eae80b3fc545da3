/**
 * The alarms of docs/prometheus: each asks for series that a node's page has, is silent at a healthy node, and fires at what it is
 * for. What is used of Prometheus's language is evaluated here by its documentation: comparisons filter series, `and` and `or`
 * join sets of them, `increase` is what a counter rose by within the range, from 0 on where it began anew, and nothing of a series
 * that has no earlier value. So the counters that it is asked of begin with 0 (chain-metrics.test.ts).
 */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FAMILIES, type Family } from "../../../src/node/metrics/families.js";
import {
	registerAuditGauges,
	registerDisagreements,
	registerEventGauges,
	registerHistoryGauges,
	registerOperatorGauges,
	registerStateHashGauges,
} from "../../../src/node/metrics/gauges.js";
import { MetricRegistry } from "../../../src/node/metrics/registry.js";

interface Sample {
	readonly labels: Readonly<Record<string, string>>;
	readonly value: number;
	/** An hour or ten minutes ago. */
	readonly before?: number;
}
type Samples = Readonly<Record<string, readonly Sample[]>>;

const NOW_S = 1_800_000_000;
const alarms = [
	...readFileSync("docs/prometheus/alarms.yml", "utf8").matchAll(/- alert: (\w+)\n\s+expr: (.*)\n/g),
].map(([, name = "", expr = ""]) => ({ name, expr }));

const TOKEN = /\s*(>=|<=|==|!=|[()[\]{}<>/=+*,-]|"[^"]*"|\d+[mh]|[\d.]+|[a-z_][\w:]*)/gy;

/** A set of values with their labels; a plain number is one without labels. */
type Vector = readonly { readonly labels: Sample["labels"]; readonly value: number }[];

class Evaluation {
	private readonly tokens: string[];

	constructor(
		expr: string,
		private readonly samples: Samples,
	) {
		this.tokens = [...expr.matchAll(TOKEN)].map(([, token = ""]) => token);
		if (this.tokens.join("") !== expr.replace(/\s/g, "")) throw new Error(`not understood: ${expr}`);
	}

	result(): Vector {
		const result = this.sets();
		if (this.tokens.length > 0) throw new Error(`left over: ${this.tokens.join(" ")}`);
		return result;
	}

	private take(expected?: string): string {
		const token = this.tokens.shift();
		if (token === undefined || (expected !== undefined && token !== expected))
			throw new Error(`${expected ?? "more"} is missing before ${token}`);
		return token;
	}

	private sets(): Vector {
		let left = this.comparison();
		for (;;) {
			const [operator] = this.tokens;
			if (operator !== "and" && operator !== "or") return left;
			this.take();
			const right = this.comparison();
			left = operator === "or" ? [...left, ...right] : right.length > 0 ? left : [];
		}
	}

	private comparison(): Vector {
		const left = this.arithmetic();
		const tests: Readonly<Record<string, (a: number, b: number) => boolean>> = {
			">": (a, b) => a > b,
			"<": (a, b) => a < b,
			"==": (a, b) => a === b,
			"!=": (a, b) => a !== b,
		};
		const holds = tests[this.tokens[0] ?? ""];
		if (!holds) return left;
		this.take();
		const [right] = this.arithmetic();
		return right ? left.filter(({ value }) => holds(value, right.value)) : [];
	}

	private arithmetic(): Vector {
		let left = this.product();
		while (this.tokens[0] === "-") {
			this.take();
			left = combined(left, this.product(), (a, b) => a - b);
		}
		return left;
	}

	private product(): Vector {
		let left = this.value();
		while (this.tokens[0] === "/") {
			this.take();
			left = combined(left, this.value(), (a, b) => a / b);
		}
		return left;
	}

	private value(): Vector {
		const token = this.take();
		if (/^[\d.]+$/.test(token)) return [{ labels: {}, value: Number(token) }];
		if (token === "(") return this.closed(() => this.sets());
		if (token === "time") {
			this.take("(");
			this.take(")");
			return [{ labels: {}, value: NOW_S }];
		}
		if (token === "max" || token === "min") {
			this.take("(");
			const all = this.closed(() => this.sets()).map(({ value }) => value);
			return all.length === 0 ? [] : [{ labels: {}, value: Math[token](...all) }];
		}
		if (token !== "increase") return this.series(token).map(({ labels, value }) => ({ labels, value }));
		this.take("(");
		return this.closed(() => {
			const found = this.series(this.take());
			this.take("[");
			expect(this.take()).toMatch(/^(10m|1h)$/);
			this.take("]");
			return found.flatMap(({ labels, value, before }) =>
				before === undefined ? [] : [{ labels, value: value < before ? value : value - before }],
			);
		});
	}

	private closed(inner: () => Vector): Vector {
		const found = inner();
		this.take(")");
		return found;
	}

	private series(name: string): readonly Sample[] {
		const wanted: [string, string][] = [];
		if (this.tokens[0] === "{") {
			this.take();
			do {
				const label = this.take();
				this.take("=");
				wanted.push([label, this.take().slice(1, -1)]);
			} while (this.take() === ",");
		}
		return (this.samples[name] ?? []).filter(({ labels }) =>
			wanted.every(([label, text]) => labels[label] === text),
		);
	}
}

function combined(left: Vector, right: Vector, of: (a: number, b: number) => number): Vector {
	const [a, b] = [left[0], right[0]];
	if (!a || !b) return [];
	const longer = left.length >= right.length ? left : right;
	return longer.map(({ labels, value }) => ({
		labels,
		value: longer === left ? of(value, b.value) : of(a.value, value),
	}));
}

const one = (value: number, labels: Sample["labels"] = {}, before?: number): readonly Sample[] => [
	{ labels, value, ...(before === undefined ? {} : { before }) },
];

const HEALTHY: Samples = {
	up: one(1, { job: "coin" }),
	"coin:header_time": one((NOW_S - 3) * 1_000),
	"coin:peers": [...one(12, { type: "all" }), ...one(0, { type: "passive" })],
	"coin:signer_away": one(0),
	"coin:miner_total": [
		...one(7, { type: "miss", miner: "T1" }, 7),
		...one(900, { type: "success", miner: "T1" }, 1),
	],
	"coin:block_fork_total": one(4, { type: "all" }, 3),
	"coin:version_vote": one(0),
	"coin:state_hash_up": one(1),
	"coin:state_hash_block": [...one(5), ...one(5)],
	"coin:state_hash_value": [...one(77), ...one(77)],
	"coin:audit_different_block": one(0),
	"coin:faults": one(0, { kind: "refused" }),
	"coin:chain_observer_failures": one(0),
	"coin:event_receiver_lag": one(3, { receiver: "kafka" }),
	"coin:event_receiver_lost": one(2, { receiver: "kafka" }, 2),
	"coin:event_queue_lost": one(0, {}, 0),
	"coin:history_database_up": one(1),
	"coin:disk_free_bytes": one(900e9),
	system_free_physical_memory_bytes: one(8e9),
	system_total_physical_memory_bytes: one(32e9),
	"coin:resident_bytes": one(600e6),
};

const BROKEN: Readonly<Record<string, Samples>> = {
	CoinNodeAway: { up: one(0, { job: "coin" }) },
	CoinBehind: { "coin:header_time": one((NOW_S - 31) * 1_000) },
	CoinFewPeers: { "coin:peers": one(2, { type: "all" }) },
	CoinSlotsMissed: { "coin:miner_total": one(8, { type: "miss", miner: "T1" }, 7) },
	CoinSignerAway: { "coin:signer_away": one(1) },
	CoinReorgs: { "coin:block_fork_total": one(9, { type: "all" }, 3) },
	CoinVersionVote: { "coin:version_vote": one(39) },
	CoinStateHashAway: { "coin:state_hash_up": one(0) },
	CoinStateHashDiffers: { "coin:state_hash_value": [...one(77), ...one(78)] },
	CoinAuditDiffers: { "coin:audit_different_block": one(12) },
	CoinFault: { "coin:faults": one(1, { kind: "refused" }) },
	CoinObserverFailed: { "coin:chain_observer_failures": one(1) },
	CoinEventsLate: { "coin:event_receiver_lag": one(101, { receiver: "kafka" }) },
	CoinEventsLost: { "coin:event_queue_lost": one(1, {}, 0) },
	CoinHistoryAway: { "coin:history_database_up": one(0) },
	CoinDiskLow: { "coin:disk_free_bytes": one(19e9) },
	CoinMemoryLow: { system_free_physical_memory_bytes: one(1e9) },
	CoinMemoryGrows: { "coin:resident_bytes": one(5e9) },
};

const fires = (expr: string, samples: Samples): boolean => new Evaluation(expr, samples).result().length > 0;

test("there is a broken node for each alarm", () => {
	expect(alarms.map(({ name }) => name).sort()).toEqual(Object.keys(BROKEN).sort());
});

test.each(alarms)("$name fires at what it is for, and nowhere else", ({ name, expr }) => {
	expect(fires(expr, HEALTHY)).toBe(false);
	for (const [of, broken] of Object.entries(BROKEN))
		expect([of, fires(expr, { ...HEALTHY, ...broken })]).toEqual([of, of === name]);
	// Nodes that stand at different blocks are not compared.
	const apart = {
		"coin:state_hash_block": [...one(5), ...one(6)],
		"coin:state_hash_value": [...one(77), ...one(78)],
	};
	if (name === "CoinStateHashDiffers") expect(fires(expr, { ...HEALTHY, ...apart })).toBe(false);
});

test("a counter has an increase once it has an earlier value, also where a restart began it anew", () => {
	const slots = (value: number, before?: number): boolean =>
		fires('increase(coin:miner_total{type="miss"}[1h]) > 0', {
			"coin:miner_total": one(value, { type: "miss" }, before),
		});
	expect([slots(5), slots(5, 5), slots(5, 0), slots(1, 9)]).toEqual([false, false, true, true]);
});

test("alarms ask for series and labels that a node's page has", () => {
	const { registry } = new MetricRegistry(
		"neutral",
		{ release: "4.8.2" },
		() => 0n,
		() => undefined,
	);
	const dialect = "neutral";
	registerOperatorGauges(
		registry,
		dialect,
		() => ({ properties: { forkStatistics: () => undefined } }) as never,
		".",
		() => false,
	);
	registerStateHashGauges(registry, dialect, {
		kept: { newest: undefined },
		progress: undefined,
		hasFailed: false,
	} as never);
	registerAuditGauges(registry, dialect, () => undefined);
	registerDisagreements(registry, dialect, { found: {}, first: undefined } as never);
	registerEventGauges(registry, dialect, () => undefined);
	registerHistoryGauges(registry, dialect, { status: {}, coverage: {} } as never);
	const known = new Set(registry.getMetricsAsArray().map(({ name }) => name));
	for (const { name, kind } of Object.values<Family>(FAMILIES))
		if (kind !== "histogram") known.add(`coin:${name}`);
	// Prometheus's own, and the one that metrics.ts registers with the chain.
	for (const name of ["up", "coin:chain_observer_failures"]) known.add(name);
	expect(Object.keys(HEALTHY).filter((name) => !known.has(name))).toEqual([]);
});
