/**
 * A node of the day soak: with servers and peers, and an accelerated clock. The first node produces the
 * blocks of all witnesses; others follow it.
 */

import { readFileSync } from "node:fs";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { scheduledWitness, slotOf, slotTimeMs } from "../../src/node/consensus/slots.js";
import { type RunningNode, startNode } from "../../src/node/node.js";
import { producerOf } from "../../src/node/production/slot-producer.js";
import type { CacheUse } from "../../src/node/state/value-cache.js";
import { chainTimeMs, type DayOptions, dayConfig, producers } from "./day-chain.js";

/** Reported to the parent on request. */
export interface DaySample {
	readonly head: number;
	readonly headId: string;
	readonly headMs: number;
	/** Bytes of heap after garbage collection, and of external memory. */
	readonly used: number;
	/** Bytes of private memory, without mapped files. */
	readonly resident: number;
	readonly peers: number;
	/** Entries in the database's cache, by store. */
	readonly caches: readonly CacheUse[];
}

/** Flushes first: unwritten entries would take hours to reach their limit. */
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

/** Produces the block of every slot up to the clock's time. */
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
	// Small caches fill soon, so that later growth isn't caused by them.
	config: { ...config, storage: { ...config.storage, cacheBytes: 1 << 20 } },
	dataDirectory: options.directory,
	producers: [],
	host: options.host,
	log,
	clock: () => BigInt(chainTimeMs(options)),
	// Timeouts must elapse as in a whole day.
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
