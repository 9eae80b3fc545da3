/** The last blocks as bars: transactions, fill, energy, bandwidth, fees, time between blocks; and prices since the beginning. */

import { type Json, objectsOf, textOf } from "../../answer.js";
import { type BlockFacts, blockFacts, blockFill, usageOf } from "../../block-facts.js";
import { grouped, moment } from "../../format.js";
import type { NodeClient } from "../../node-client.js";
import { fewAtATime } from "../../one-at-a-time.js";
import { pricesOf } from "../../parameters.js";
import { barChart, type Point, stepChart } from "../chart.js";
import { make, note } from "../elements.js";
import type { ViewMaker } from "../view.js";

const BLOCKS = 40;

/** Receipts of each block, a few requests at a time. */
async function receipts(
	client: NodeClient,
	blocks: readonly BlockFacts[],
): Promise<Map<bigint, readonly Json[]>> {
	const found = new Map<bigint, readonly Json[]>();
	const filled = blocks.filter(({ transactions }) => transactions.length > 0);
	await fewAtATime(filled, async ({ number }) => {
		const answer = await client.call("gettransactioninfobyblocknum", { num: Number(number) });
		found.set(number, objectsOf(answer, "list"));
	});
	return found;
}

/** A price of the network since it had one. */
async function priceChart(
	client: NodeClient,
	endpoint: "getenergyprices" | "getbandwidthprices",
	title: string,
	nowMs: number,
): Promise<HTMLElement | undefined> {
	const answer = await client.call(endpoint).catch((): Json => ({}));
	const prices = pricesOf(textOf(answer, "prices"));
	const last = prices.at(-1);
	if (!last) return undefined;
	const changes = prices.filter(({ sinceMs }) => sinceMs > 0);
	const from = changes[0]?.sinceMs ?? nowMs - 1;
	const since = changes.length === 0 ? "since the beginning" : `since ${moment(last.sinceMs)}`;
	const words = `${title}: ${grouped(last.sun)} sun ${since}, changed ${grouped(changes.length)} times`;
	// The first price held before any time is known; its part of the line is as long as a fifth of the rest.
	const begin = from - (nowMs - from) / 5 - 1;
	const steps = prices.map(({ sinceMs, sun }) => ({ sinceMs: Math.max(sinceMs, begin), value: sun }));
	return stepChart(title, words, steps, begin, nowMs);
}

export const chartsView: ViewMaker = async ({ client, nowMs }) => {
	const answer = await client.call("getblockbylatestnum", { num: BLOCKS });
	const blocks = objectsOf(answer, "block")
		.map(blockFacts)
		.sort((a, b) => Number(a.number - b.number));
	const now = Math.max(nowMs(), ...blocks.map(({ timeMs }) => timeMs));
	const [infos, ...prices] = await Promise.all([
		receipts(client, blocks),
		priceChart(client, "getenergyprices", "Price of an energy", now),
		priceChart(client, "getbandwidthprices", "Price of a byte of bandwidth", now),
	]);
	const points = (value: (block: BlockFacts, index: number) => number): Point[] =>
		blocks.map((block, index) => ({ place: `block ${grouped(block.number)}`, value: value(block, index) }));
	const of = ({ number }: BlockFacts) => usageOf(infos.get(number) ?? []);
	// The genesis block has no time of its own.
	const spansFrom = blocks[0]?.number === 0n ? 2 : 1;
	const spans = points((block, index) => {
		const before = blocks[index - 1];
		return before ? Math.round((block.timeMs - before.timeMs) / 100) / 10 : 0;
	}).slice(spansFrom);
	const chart = (title: string, unit: string, value: (block: BlockFacts) => number): HTMLElement =>
		barChart(title, unit, points(value));
	return {
		title: "Charts",
		body: [
			note("The last blocks, the oldest on the left; prices since the first change."),
			make(
				"div",
				{ class: "columns" },
				chart("Transactions", "transactions", ({ transactions }) => transactions.length),
				chart("Block fill", "‰ of the most bytes", (block) => blockFill(block)),
				chart("Energy", "energy", (block) => of(block).energy),
				chart("Bandwidth", "bandwidth", (block) => of(block).bandwidth),
				chart("Fees", "sun", (block) => Number(of(block).feeSun)),
				barChart("Time between blocks", "s", spans),
				prices,
			),
		],
	};
};
