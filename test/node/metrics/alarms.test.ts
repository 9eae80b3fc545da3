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
	registerProducers,
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

const TOKEN = /\s*(>=|<=|==|!=|[()[\]{}<>/=+*,-]|"[^"]*"|\d+[mhd]|[\d.]+|[a-z_][\w:]*)/gy;

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
			if (operator !== "and" && operator !== "or" && operator !== "unless") return left;
			this.take();
			const on = this.tokens[0] === "on" ? this.labels() : undefined;
			const right = this.comparison();
			const known = new Set(right.map(({ labels }) => keyOf(labels, on)));
			left =
				operator === "or"
					? [...left, ...right]
					: left.filter(({ labels }) => known.has(keyOf(labels, on)) === (operator === "and"));
		}
	}

	/** The labels behind `on` or `by`. */
	private labels(): readonly string[] {
		this.take();
		this.take("(");
		const names: string[] = [];
		do names.push(this.take());
		while (this.take() === ",");
		return names;
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
		const right = this.arithmetic();
		return left.flatMap((one) => {
			const other =
				right.length === 1 && Object.keys(right[0]?.labels ?? {}).length === 0
					? right[0]
					: right.find(({ labels }) => keyOf(labels) === keyOf(one.labels));
			return other && holds(one.value, other.value) ? [one] : [];
		});
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
			const by = this.tokens[0] === "by" ? this.labels() : [];
			this.take("(");
			const groups = new Map<string, { labels: Sample["labels"]; value: number }>();
			for (const { labels, value } of this.closed(() => this.sets())) {
				const key = keyOf(labels, by);
				const kept = Object.fromEntries(by.map((name) => [name, labels[name] ?? ""]));
				groups.set(key, { labels: kept, value: Math[token](groups.get(key)?.value ?? value, value) });
			}
			return [...groups.values()];
		}
		if (token === "last_over_time") {
			this.take("(");
			return this.closed(() => {
				const found = this.series(this.take());
				for (const word of ["[", "1h", "]"]) this.take(word);
				return found;
			});
		}
		if (token !== "increase") {
			const found = this.series(token);
			if (this.tokens[0] !== "offset") return found.map(({ labels, value }) => ({ labels, value }));
			for (const word of ["offset", "1d"]) this.take(word);
			return found.flatMap(({ labels, before }) => (before === undefined ? [] : [{ labels, value: before }]));
		}
		this.take("(");
		return this.closed(() => {
			const found = this.series(this.take());
			this.take("[");
			expect(this.take()).toMatch(/^(10m|1h|1d)$/);
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

/** What labels are matched by: all, or those that are named. */
const keyOf = (labels: Sample["labels"], names: readonly string[] = Object.keys(labels).sort()): string =>
	JSON.stringify(names.map((name) => [name, labels[name] ?? ""]));

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
	"coin:made_elsewhere_total": one(3, { miner: "T1" }, 3),
	"coin:producer": one(1, { miner: "T1", instance: "a" }),
	"coin:miner_total": [
		...one(7, { type: "miss", miner: "T1" }, 7),
		...one(3, { type: "miss", miner: "T2" }, 3),
		...one(900, { type: "success", miner: "T1" }, 1),
	],
	"coin:block_fork_total": one(4, { type: "all" }, 3),
	"coin:version_vote": one(0),
	"coin:state_hash_up": one(1),
	"coin:state_hash_value": [
		...one(77, { chain: "0x1", block: "500", instance: "a" }),
		...one(77, { chain: "0x1", block: "500", instance: "b" }),
		// Asked before the others' newest block, and of another network.
		...one(70, { chain: "0x1", block: "400", instance: "c" }),
		...one(71, { chain: "0x2", block: "500", instance: "d" }),
	],
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
	// The node that makes its blocks may be away: another one tells.
	CoinOwnSlotsMissed: { "coin:miner_total": one(8, { type: "miss", miner: "T1", instance: "b" }, 7) },
	CoinSlotsMissed: { "coin:miner_total": one(4, { type: "miss", miner: "T2" }, 3) },
	CoinSignerAway: { "coin:signer_away": one(1) },
	CoinKeyElsewhere: { "coin:made_elsewhere_total": one(4, { miner: "T1" }, 3) },
	CoinReorgs: { "coin:block_fork_total": one(9, { type: "all" }, 3) },
	CoinVersionVote: { "coin:version_vote": one(39) },
	CoinStateHashAway: { "coin:state_hash_up": one(0) },
	CoinStateHashDiffers: {
		"coin:state_hash_value": [
			...one(77, { chain: "0x1", block: "500", instance: "a" }),
			...one(78, { chain: "0x1", block: "500", instance: "b" }),
		],
	},
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
});

test("a counter has an increase once it has an earlier value, also where a restart began it anew", () => {
	const slots = (value: number, before?: number): boolean =>
		fires('increase(coin:miner_total{type="miss"}[1h]) > 0', {
			"coin:miner_total": one(value, { type: "miss" }, before),
		});
	expect([slots(5), slots(5, 5), slots(5, 0), slots(1, 9)]).toEqual([false, false, true, true]);
});

test("a key elsewhere is told of, too, where a series begins with it", () => {
	const { expr = "" } = alarms.find(({ name }) => name === "CoinKeyElsewhere") ?? {};
	const blocks = (value: number, before?: number): boolean =>
		fires(expr, { "coin:made_elsewhere_total": one(value, { miner: "T1" }, before) });
	expect([blocks(1), blocks(0), blocks(1, 1), blocks(2, 1)]).toEqual([true, false, false, true]);
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
	registerStateHashGauges(
		registry,
		dialect,
		{
			kept: { newest: undefined },
			progress: undefined,
			hasFailed: false,
		} as never,
		new Uint8Array(32),
	);
	registerProducers(
		registry,
		dialect,
		() => [],
		() => new Map(),
	);
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
