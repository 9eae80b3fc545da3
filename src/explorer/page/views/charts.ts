/** The last blocks as bars: transactions, energy, bandwidth, time between blocks. */

import { type Json, objectsOf } from "../../answer.js";
import { type BlockFacts, blockFacts, usageOf } from "../../block-facts.js";
import { grouped } from "../../format.js";
import type { NodeClient } from "../../node-client.js";
import { drawn, make, note, section } from "../elements.js";
import type { ViewMaker } from "../view.js";

const BLOCKS = 40;
const HEIGHT = 100;
const STEP = 10;
/** Receipts asked for at a time. */
const AT_ONCE = 4;

interface Point {
	readonly number: bigint;
	readonly value: number;
}

function chart(title: string, unit: string, points: readonly Point[]): HTMLElement {
	const most = Math.max(1, ...points.map(({ value }) => value));
	const width = Math.max(1, points.length) * STEP;
	const bars = points.map(({ number, value }, index) => {
		const height = (value / most) * HEIGHT;
		const place = { x: index * STEP + 1, y: HEIGHT - height, width: STEP - 2, height };
		return drawn("rect", place, drawn("title", {}, `block ${grouped(number)}: ${grouped(value)} ${unit}`));
	});
	const sum = points.reduce((total, { value }) => total + value, 0);
	const mean = points.length === 0 ? 0 : Math.round((sum / points.length) * 10) / 10;
	const words = `${title}: at most ${grouped(most)} ${unit}, ${mean} on average of ${points.length} blocks`;
	const attributes = {
		viewBox: `0 0 ${width} ${HEIGHT}`,
		role: "img",
		"aria-label": words,
		preserveAspectRatio: "none",
	};
	const line = drawn("line", { x1: 0, y1: HEIGHT, x2: width, y2: HEIGHT });
	return section(
		title,
		make("figure", {}, drawn("svg", attributes, ...bars, line), make("figcaption", { class: "note" }, words)),
	);
}

/** Receipts of each block, a few requests at a time. */
async function receipts(
	client: NodeClient,
	blocks: readonly BlockFacts[],
): Promise<Map<bigint, readonly Json[]>> {
	const found = new Map<bigint, readonly Json[]>();
	const waiting = blocks.filter(({ transactions }) => transactions.length > 0);
	const work = async (): Promise<void> => {
		for (let block = waiting.shift(); block; block = waiting.shift()) {
			const answer = await client.call("gettransactioninfobyblocknum", { num: Number(block.number) });
			found.set(block.number, objectsOf(answer, "list"));
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	return found;
}

export const chartsView: ViewMaker = async ({ client }) => {
	const answer = await client.call("getblockbylatestnum", { num: BLOCKS });
	const blocks = objectsOf(answer, "block")
		.map(blockFacts)
		.sort((a, b) => Number(a.number - b.number));
	const infos = await receipts(client, blocks);
	const points = (value: (block: BlockFacts, index: number) => number): Point[] =>
		blocks.map((block, index) => ({ number: block.number, value: value(block, index) }));
	const of = ({ number }: BlockFacts) => usageOf(infos.get(number) ?? []);
	// The genesis block has no time of its own.
	const spansFrom = blocks[0]?.number === 0n ? 2 : 1;
	const spans = points((block, index) => {
		const before = blocks[index - 1];
		return before ? Math.round((block.timeMs - before.timeMs) / 100) / 10 : 0;
	}).slice(spansFrom);
	return {
		title: "Charts",
		body: [
			note("The last blocks, the oldest on the left."),
			make(
				"div",
				{ class: "columns" },
				chart(
					"Transactions",
					"transactions",
					points(({ transactions }) => transactions.length),
				),
				chart(
					"Energy",
					"energy",
					points((block) => of(block).energy),
				),
				chart(
					"Bandwidth",
					"bandwidth",
					points((block) => of(block).bandwidth),
				),
				chart(
					"Burnt fees",
					"sun",
					points((block) => Number(of(block).feeSun)),
				),
				chart("Time between blocks", "s", spans),
			),
		],
	};
};
