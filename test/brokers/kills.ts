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
		const removed = checkRemoved(held, blocks);
		const marks = new Set(held.map((one) => `${markOf(one)} ${one["removed"] === true}`));
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
		const found = new Set(held.filter((one) => one["removed"] !== true).map(markOf));
		const missing = [...marks].filter((mark) => !found.has(mark));
		if (missing.length === 0) return { held, blocks, head };
		if (Date.now() > end) {
			throw new Error(
				`${missing.length} of ${marks.size} were never told: ${missing.slice(0, 10).join("; ")}`,
			);
		}
	}
}

/** What was told of blocks that have left the chain must be taken back. @returns how many */
function checkRemoved(held: readonly Held[], blocks: ReadonlySet<string>): number {
	const isLeft = (one: Held): boolean => !blocks.has(String(one["blockHash"]));
	const contract = held.filter((one) => /^contract/.test(String(one["triggerName"])));
	const removed = new Set(contract.filter((one) => one["removed"] === true).map(markOf));
	const forgotten = contract.filter((one) => isLeft(one) && !removed.has(markOf(one)));
	if (forgotten.length > 0) {
		throw new Error(
			`${forgotten.length} were never taken back: ${forgotten.slice(0, 10).map(markOf).join("; ")}`,
		);
	}
	return removed.size;
}
