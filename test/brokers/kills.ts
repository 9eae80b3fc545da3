/** Kills a node and its broker in turn while the chain goes on, and then compares what was told with what the blocks say. */

import { setTimeout as sleep } from "node:timers/promises";
import { between } from "../soak/random.js";
import type { Broker, Held } from "./broker.js";
import { configuration, markOf, ToldChain, writeConfiguration } from "./told-chain.js";

/** For the rest, after the last kill. */
const END_LIMIT_MS = 180_000;

interface KillsOptions {
	readonly broker: Broker;
	/** The chain's own, empty. */
	readonly directory: string;
	readonly kills: number;
	/** Of the event service. */
	readonly version: number;
	readonly random: () => number;
}

/** @returns what happened, in a sentence. @throws {Error} what is missing or too much */
export async function tellThroughKills({
	broker,
	directory,
	kills,
	version,
	random,
}: KillsOptions): Promise<string> {
	await writeConfiguration(directory, configuration(broker.settings(version), version));
	const chain = new ToldChain(directory);
	const started = Date.now();
	await chain.start();
	try {
		await chain.deploy();
		for (let count = 1; count <= kills; count++) {
			await chain.live(between(random, 1, 4), between(random, 1, 6));
			if (random() < 0.3) await chain.putBack(between(random, 1, 4));
			await sleep(between(random, 0, 300));
			if (random() < 0.5) {
				await broker.kill();
				await chain.live(between(random, 0, 2), between(random, 0, 3));
				await broker.restart();
			} else {
				await chain.kill();
				await chain.start();
			}
		}
		await chain.rest();
		const { held, blocks, head } = await whenTold(chain, broker);
		const forgotten = neverTakenBack(held, blocks);
		if (forgotten.length > 0) {
			throw new Error(`${forgotten.length} were never taken back: ${forgotten.slice(0, 10).join("; ")}`);
		}
		const removed = held.filter((one) => isOfContract(one) && isRemoved(one)).length;
		const marks = new Set(held.map((one) => `${markOf(one)} ${isRemoved(one)}`));
		const seconds = Math.round((Date.now() - started) / 1000);
		return (
			`${kills} kills in ${seconds} s: ${head} blocks, ${held.length} messages, ` +
			`${held.length - marks.size} repeated, ${removed} taken back, none missing`
		);
	} finally {
		await chain.kill();
	}
}

/** Waits until everything that the blocks say is there. */
async function whenTold(chain: ToldChain, broker: Broker) {
	for (const end = Date.now() + END_LIMIT_MS; ; ) {
		await sleep(500);
		const { marks, blocks, head } = await chain.expected();
		const held = await broker.read();
		const missing = missingOf(marks, held);
		if (missing.length === 0) return { held, blocks, head };
		if (Date.now() > end) {
			throw new Error(
				`${missing.length} of ${marks.size} were never told: ${missing.slice(0, 10).join("; ")}`,
			);
		}
	}
}

/** Marks that nothing was told of. */
export function missingOf(marks: ReadonlySet<string>, held: readonly Held[]): readonly string[] {
	const found = new Set(held.filter((one) => one["removed"] !== true).map(markOf));
	return [...marks].filter((mark) => !found.has(mark));
}

const isOfContract = (one: Held): boolean => /^contract/.test(String(one["triggerName"]));
const isRemoved = (one: Held): boolean => one["removed"] === true;

/** What was told of blocks that are not on the chain, and not taken back. @param blocks ids of those that are */
export function neverTakenBack(held: readonly Held[], blocks: ReadonlySet<string>): readonly string[] {
	const removed = new Set(held.filter(isRemoved).map(markOf));
	return held
		.filter((one) => isOfContract(one) && !blocks.has(String(one["blockHash"])))
		.map(markOf)
		.filter((mark) => !removed.has(mark));
}
