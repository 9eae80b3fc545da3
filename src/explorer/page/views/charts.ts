/** Charts of the latest blocks: transactions, fill, resources, fees and block times; and of prices. */

import { type Json, objectsOf, textOf } from "../../answer.js";
import { type BlockFacts, blockFacts, blockFill, usageOf } from "../../block-facts.js";
import { coins, grouped, moment } from "../../format.js";
import { pricesOf } from "../../network-facts.js";
import type { NodeClient } from "../../node-client.js";
import { fewAtATime } from "../../one-at-a-time.js";
import { barChart, stepChart } from "../chart.js";
import { make, note } from "../elements.js";
import type { ViewMaker } from "../view.js";

const BLOCKS = 40;

/** Receipts by block number, fetched with limited concurrency. */
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

const NO_PRICES = "This node doesn't tell prices.";

/** A price of the network over time. */
async function priceChart(
	client: NodeClient,
	endpoint: "getenergyprices" | "getbandwidthprices",
	title: string,
	nowMs: number,
): Promise<HTMLElement> {
	const answer = await client.call(endpoint).catch((): Json => ({}));
	const prices = pricesOf(textOf(answer, "prices"));
	const last = prices.at(-1);
	const measure = { title, said: inCoins, none: last ? "It costs nothing." : NO_PRICES };
	const changes = prices.filter(({ sinceMs }) => sinceMs > 0);
	const from = changes[0]?.sinceMs ?? nowMs - 1;
	const since = changes.length === 0 ? "since the beginning" : `since ${moment(last?.sinceMs ?? 0)}`;
	const words = `${title}: ${inCoins(last?.sun ?? 0)} ${since}, changed ${changes.length === 1 ? "once" : `${grouped(changes.length)} times`}`;
	// The first price has no start time: it is drawn a fifth as long as the rest.
	const begin = from - (nowMs - from) / 5 - 1;
	const steps = prices.map(({ sinceMs, sun }) => ({
		sinceMs: Math.max(sinceMs, begin),
		place: sinceMs > 0 ? `since ${moment(sinceMs)}` : "at the beginning",
		more: "",
		value: sun,
	}));
	const day = (ms: number): string => moment(ms).slice(0, 10);
	const places = ["beginning", ...(changes.length === 0 ? [] : [day((begin + nowMs) / 2)]), day(nowMs)];
	return stepChart(measure, words, steps, begin, nowMs, places);
}

const inCoins = (sun: number): string => coins(BigInt(Math.round(sun)));
const counted =
	(unit: string, one = unit) =>
	(value: number): string =>
		`${grouped(value)} ${value === 1 ? one : unit}`;
const NO_CALLS = "None of these blocks has a transaction that used any.";

/** Charts of the given blocks, oldest first, with their receipts. */
function blockCharts(
	blocks: readonly BlockFacts[],
	infos: ReadonlyMap<bigint, readonly Json[]>,
): readonly HTMLElement[] {
	const of = ({ number }: BlockFacts) => usageOf(infos.get(number) ?? []);
	const chart = (
		title: string,
		said: (value: number) => string,
		none: string,
		value: (block: BlockFacts, index: number) => number,
		from = 0,
	): HTMLElement => {
		const points = blocks.map((block, index) => ({
			place: `block ${grouped(block.number)}`,
			more: `, ${moment(block.timeMs)}`,
			value: value(block, index),
		}));
		return barChart({ title, said, none }, points.slice(from));
	};
	const since = (block: BlockFacts, index: number): number =>
		Math.round((block.timeMs - (blocks[index - 1]?.timeMs ?? block.timeMs)) / 100) / 10;
	return [
		chart(
			"Transactions",
			counted("transactions", "transaction"),
			"None of these blocks has any.",
			(block) => block.transactions.length,
		),
		chart(
			"Block fill, of the most bytes",
			counted("%"),
			"These blocks are empty.",
			(block) => blockFill(block) / 10,
		),
		chart("Energy", counted("energy"), NO_CALLS, (block) => of(block).energy),
		chart("Bandwidth", counted("bandwidth"), NO_CALLS, (block) => of(block).bandwidth),
		chart("Fees", inCoins, "Nobody paid a fee in these blocks.", (block) => Number(of(block).feeSun)),
		// The genesis block has no time of its own.
		chart(
			"Time between blocks",
			counted("s"),
			"There are too few blocks yet.",
			since,
			blocks[0]?.number === 0n ? 2 : 1,
		),
	];
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
	return {
		title: "Charts",
		body: [
			note(
				"The last blocks, the oldest on the left; prices since the first change. The pointer, or the arrow keys, choose the value that stands below.",
			),
			make("div", { class: "columns" }, blockCharts(blocks, infos), prices),
		],
	};
};
