/**
 * A node of the day's soak: the node with its servers and peers, by a clock that is faster than the wall's. The first
 * one makes the blocks of all witnesses; others follow it.
 */

import { readFileSync } from "node:fs";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { scheduledWitness, slotOf, slotTimeMs } from "../../src/node/consensus/slots.js";
import { type RunningNode, startNode } from "../../src/node/node.js";
import { producerOf } from "../../src/node/production/slot-producer.js";
import type { CacheUse } from "../../src/node/state/value-cache.js";
import { chainTimeMs, type DayOptions, dayConfig, producers } from "./day-chain.js";

/** What the parent is told when it asks. */
export interface DaySample {
	readonly head: number;
	readonly headId: string;
	readonly headMs: number;
	/** Bytes of objects after a collection, and of what lies outside the heap. */
	readonly used: number;
	/** Bytes of memory that belong to the process alone; files that are mapped are not among them. */
	readonly resident: number;
	readonly peers: number;
	/** What the database's cache keeps of each store. */
	readonly caches: readonly CacheUse[];
}

/** What waits to be written has a bound in entries and bytes that takes hours to reach: it is written first. */
async function sample({ open, peers }: RunningNode): Promise<DaySample> {
	await open.persist();
	globalThis.gc?.();
	const { heapUsed, external } = process.memoryUsage();
	const status = readFileSync("/proc/self/status", "utf8");
	const { head } = open.chain;
	return {
		head: Number(head.number),
		headId: head.idHex,
		headMs: Number(head.timestampMs),
		used: heapUsed + external,
		resident: Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024,
		peers: peers?.peers().length ?? 0,
		caches: open.database.cacheUse,
	};
}

/** Makes the block of every slot that the clock has reached. */
async function produceUntil(
	isOver: () => boolean,
	{ open }: RunningNode,
	options: DayOptions,
): Promise<void> {
	const { chain } = open;
	while (!isOver()) {
		const nowMs = BigInt(chainTimeMs(options));
		const behind = slotOf(chain.state, nowMs);
		if (behind <= 0n) {
			await sleep(2);
			continue;
		}
		const producer = producerOf(producers, scheduledWitness(chain.state, 1n));
		if (!producer) throw new Error("a slot has no producer");
		chain.produce(producer, slotTimeMs(chain.state, 1n), () => false);
		await open.throttle();
		await turn();
	}
}

const options = JSON.parse(process.argv[2] as string) as DayOptions;
const faults: string[] = [];
const log = {
	info: () => {},
	warn: () => {},
	error: (fields: object, message: string) => faults.push(`${message} ${JSON.stringify(fields)}`),
};
const config = dayConfig(options);
const node = await startNode({
	// Caches small enough to be full soon: what grows after that is not a cache.
	config: { ...config, storage: { ...config.storage, cacheBytes: 1 << 20 } },
	dataDirectory: options.directory,
	producers: [],
	host: options.host,
	log,
	clock: () => BigInt(chainTimeMs(options)),
	// What is kept for a time has to come and go as in a whole day.
	monotonicClock: () => chainTimeMs(options) - options.genesisMs,
});
let isOver = false;
const production =
	options.source === undefined ? produceUntil(() => isOver, node, options) : Promise.resolve();
const fail = (error: unknown): void => {
	process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
	process.exit(1);
};
production.catch(fail);
void node.failure.then(fail);
process.on("message", () => {
	if (faults.length > 0) fail(faults[0]);
	sample(node).then((answer) => process.send?.(answer), fail);
});
process.on("SIGTERM", () => {
	isOver = true;
	production.then(() => node.close()).then(() => process.exit(0), fail);
});
process.on("disconnect", () => process.exit(1));
process.send?.("ready");
