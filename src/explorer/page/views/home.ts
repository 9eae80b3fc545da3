/** Summary of the chain: head, load and prices, latest blocks, pending transactions. */

import { decodeCall } from "../../abi.js";
import { addressText } from "../../address-text.js";
import { type Json, objectOf, objectsOf, textOf, textsOf, wholeOf } from "../../answer.js";
import {
	amountOf,
	type BlockFacts,
	BlockFees,
	blockFacts,
	type Dated,
	earlierTransactions,
	type HourFacts,
	lastHour,
	lastTransactions,
	receiverOf,
	type TransactionFacts,
	transactionFacts,
} from "../../block-facts.js";
import type { Contracts } from "../../contracts.js";
import { age, coins, grouped, moment, span, typeName } from "../../format.js";
import { pricesOf } from "../../network-facts.js";
import type { NodeClient } from "../../node-client.js";
import { oneAtATime } from "../../one-at-a-time.js";
import { tokenUnits } from "../../token-moves.js";
import { unitText } from "../../tokens.js";
import { barChart } from "../chart.js";
import {
	addressLink,
	ago,
	amount,
	badge,
	blockLink,
	type Child,
	link,
	make,
	note,
	party,
	section,
	table,
	tile,
	transactionLink,
} from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";

const BLOCKS = 15;
const TRANSACTIONS = 15;
const PENDING = 25;
/** The most blocks kept, fetched and pushed ones. */
const KEPT = 60;
/** Refresh interval of a sampled hour. */
const HOUR_AGAIN_MS = 60_000;
/** Blocks per page of the list. */
const LISTED = 50;

/**
 * A row of a list of transactions.
 * @param contracts names functions and contracts, once they are known
 */
export function transactionRow(
	transaction: Json,
	contracts: Contracts,
	more: readonly Child[] = [],
): readonly Child[] {
	const facts = transactionFacts(transaction);
	const sun = amountOf(facts);
	const receiver = receiverOf(facts);
	const units = tokenUnits(facts);
	const method = make("span", {}, methodOf(facts));
	const moved = make("span", { class: "inline" }, sun === undefined ? "" : amount(sun));
	if (units) void countUnits(units, contracts, moved);
	if (facts.type === "TriggerSmartContract") void nameCall(facts, contracts, method, moved);
	return [
		transactionLink(facts.id),
		method,
		senderOf(facts, contracts),
		receiver === "" ? textOf(objectOf(facts.value, "new_contract"), "name") : party(receiver, contracts),
		moved,
		facts.result === "" || facts.result === "SUCCESS"
			? facts.result && "succeeded"
			: badge(resultText(facts.result), "bad"),
		...more,
	];
}

/** `OUT_OF_ENERGY` as `out of energy`. */
const resultText = (result: string): string =>
	result === "REVERT" ? "refused" : result.toLowerCase().replaceAll("_", " ");

/** The called function or transaction type, without a request. */
function methodOf(facts: TransactionFacts): string {
	if (facts.type !== "TriggerSmartContract") return typeName(facts.type);
	const data = textOf(facts.value, "data");
	const call = decodeCall([], data);
	return call?.item.name ?? (data === "" ? "plain transfer" : `0x${data.slice(0, 8)}`);
}

async function nameCall(
	{ value }: TransactionFacts,
	contracts: Contracts,
	method: HTMLElement,
	moved: HTMLElement,
): Promise<void> {
	const contract = textOf(value, "contract_address");
	const { items } = await contracts.factsOf(contract);
	const call = decodeCall(items, textOf(value, "data"));
	if (call) method.replaceChildren(call.item.name);
	if (call && wholeOf(value, "call_value") === 0n) {
		const { values } = await contracts.units.counted(contract, call);
		const last = values.at(-1)?.value;
		if (last?.kind === "text" && last.amount !== undefined) moved.replaceChildren(last.amount);
	}
}

/** Adds an amount of an ORC-10 token, with its decimals. */
async function countUnits(
	[token, units]: readonly [string, bigint],
	contracts: Contracts,
	moved: HTMLElement,
): Promise<void> {
	const text = unitText(await contracts.units.unitOf(token), units);
	moved.replaceChildren(link(`token/${encodeURIComponent(token)}`, text));
}

/** Transfers in the genesis block have the text `0x000…` as their sender. */
function senderOf({ value }: TransactionFacts, contracts: Contracts): Child {
	const owner = textOf(value, "owner_address");
	return owner === "" || addressText(owner) !== undefined ? party(owner, contracts) : "genesis";
}

export const TRANSACTION_HEADS = ["Transaction", "Method", "From", "To", "Amount", "Result"] as const;

function blockRow(
	{ number, timeMs, transactions, witness }: BlockFacts,
	{ contracts, nowMs }: ViewContext,
): Child[] {
	return [
		blockLink(number),
		ago(timeMs, nowMs()),
		grouped(transactions.length),
		number === 0n ? "genesis" : party(witness, contracts),
	];
}

const BLOCK_HEADS = ["Block", "Age", "Transactions", "Witness"] as const;

/** Settings that rarely change, fetched once per view. */
interface Setting {
	readonly energySun: number | undefined;
	readonly bandwidthSun: number | undefined;
	readonly witnesses: readonly Json[];
	readonly maintenanceMs: number;
}

async function setting(client: NodeClient): Promise<Setting> {
	const empty = (): Json => ({});
	const [energy, bandwidth, witnesses, next] = await Promise.all([
		client.call("getenergyprices").catch(empty),
		client.call("getbandwidthprices").catch(empty),
		client.call("listwitnesses").catch(empty),
		client.call("getnextmaintenancetime").catch(empty),
	]);
	return {
		energySun: pricesOf(textOf(energy, "prices")).at(-1)?.sun,
		bandwidthSun: pricesOf(textOf(bandwidth, "prices")).at(-1)?.sun,
		witnesses: objectsOf(witnesses, "witnesses"),
		maintenanceMs: Number(wholeOf(next, "num")),
	};
}

/** The number of the last finalized block; undefined if unknown. */
async function finalNumber(client: NodeClient): Promise<bigint | undefined> {
	try {
		const block = await client.rpc("eth_getBlockByNumber", ["finalized", false]);
		return BigInt(textOf(block as Json, "number"));
	} catch {
		// This port doesn't serve JSON-RPC.
		return undefined;
	}
}

/** Average transactions per second over the given blocks. */
function rateOf(blocks: readonly BlockFacts[]): string {
	const [newest] = blocks;
	// The genesis block has no time of its own, and nobody sent its transactions.
	const oldest = blocks.filter(({ number }) => number > 0n).at(-1);
	if (!newest || !oldest || newest.timeMs <= oldest.timeMs) return "–";
	const sent = blocks
		.filter(({ number }) => number > oldest.number)
		.reduce((sum, each) => sum + each.transactions.length, 0);
	const rate = (sent * 1_000) / (newest.timeMs - oldest.timeMs);
	return rate >= 10 ? grouped(Math.round(rate)) : String(Math.round(rate * 100) / 100);
}

function tiles(
	blocks: readonly BlockFacts[],
	{ energySun, bandwidthSun, witnesses, maintenanceMs }: Setting,
	final: bigint | undefined,
	nowMs: number,
	hour: HTMLElement,
): HTMLElement {
	const [head] = blocks;
	if (!head) return make("div");
	const behind = final === undefined ? undefined : head.number - final;
	const producing = witnesses.filter((witness) => witness["isJobs"] === true).length;
	const price = (sun: number | undefined): string => (sun === undefined ? "–" : coins(BigInt(sun)));
	return make(
		"div",
		{ class: "tiles" },
		tile(
			"Head",
			blockLink(head.number),
			`${age(head.timeMs, nowMs)}, by ${addressLink(head.witness, false).textContent}`,
		),
		tile(
			"Final",
			final === undefined ? "–" : blockLink(final),
			behind === undefined
				? "this node doesn't say here"
				: behind === 0n
					? "the head itself"
					: `${grouped(behind)} blocks behind the head`,
		),
		tile("Transactions a second", rateOf(blocks), `in the last ${grouped(blocks.length)} blocks`),
		tile("Energy", price(energySun), `a unit; a byte of bandwidth ${price(bandwidthSun)}`),
		tile(
			"Witnesses",
			grouped(producing),
			`make blocks, of ${grouped(witnesses.length)}${maintenanceMs > nowMs ? `; votes count anew in ${span(maintenanceMs - nowMs)}` : ""}`,
		),
		hour,
	);
}

function hourChart({ sinceMs, partMs, counts, isSampled }: HourFacts): HTMLElement {
	const points = counts.map((value, part) => ({
		place: `${moment(sinceMs + part * partMs).slice(11, 16)} UTC`,
		more: isSampled ? ", about" : "",
		value,
	}));
	const said = (value: number): string => `${grouped(value)} ${value === 1 ? "transaction" : "transactions"}`;
	const measure = { title: "Transactions in the last hour", said, none: "There are none." };
	return barChart(measure, points, `parts of ${span(partMs)}`);
}

/** Blocks with `start <= number < end`, newest first. */
async function blocksBetween(client: NodeClient, start: bigint, end: bigint): Promise<readonly BlockFacts[]> {
	const answer = await client.call("getblockbylimitnext", { startNum: Number(start), endNum: Number(end) });
	return newestFirst(objectsOf(answer, "block").map(blockFacts));
}

const newestFirst = (blocks: readonly BlockFacts[]): readonly BlockFacts[] =>
	[...blocks].sort((a, b) => Number(b.number - a.number));

/** The newest blocks: a head is prepended; after a gap or a reorg all are fetched again. */
class RecentBlocks {
	blocks: readonly BlockFacts[] = [];

	constructor(private readonly client: NodeClient) {}

	async load(): Promise<void> {
		const answer = await this.client.call("getblockbylatestnum", { num: BLOCKS });
		this.blocks = newestFirst(objectsOf(answer, "block").map(blockFacts));
	}

	async add(head: Json): Promise<void> {
		const block = blockFacts(head);
		if (block.parent !== this.blocks[0]?.id) return this.load();
		this.blocks = [block, ...this.blocks].slice(0, KEPT);
	}
}

export const homeView: ViewMaker = async (context) => {
	const { client, contracts } = context;
	const recent = new RecentBlocks(client);
	const fees = new BlockFees(client);
	const [known] = await Promise.all([setting(client), recent.load()]);
	let hour: HourFacts | undefined;
	let hourMs = 0;
	const showHour = async (place: HTMLElement, [head]: readonly BlockFacts[]): Promise<void> => {
		if (hour?.isSampled && head && head.timeMs < hourMs + HOUR_AGAIN_MS) return;
		hourMs = head?.timeMs ?? 0;
		hour = (await lastHour(client, recent.blocks).catch(() => undefined)) ?? hour;
		if (hour) place.replaceChildren(hourChart(hour));
	};
	let last: readonly Dated[] = [];
	const parts = async (): Promise<HTMLElement[]> => {
		const { blocks } = recent;
		last = lastTransactions(blocks, last).slice(0, TRANSACTIONS);
		const transactions = last;
		const place = make("div", { class: "tile broad" }, hour && hourChart(hour));
		const final = await finalNumber(client);
		const nowMs = context.nowMs();
		void showHour(place, blocks);
		const rows = blocks.slice(0, BLOCKS).map((block) => blockRow(block, context));
		const older = blocks[BLOCKS - 1]?.number ?? 0n;
		return [
			tiles(blocks, known, final, nowMs, place),
			make(
				"div",
				{ class: "columns lists" },
				section(
					"Last blocks",
					table("Last blocks", BLOCK_HEADS, rows),
					older > 0n ? make("p", {}, link(`blocks/${older}`, "Older blocks")) : undefined,
				),
				section(
					"Last transactions",
					table(
						"Last transactions",
						["Transaction", "Method", "From, to", "Amount, fee", "Result"],
						transactions.map(([each, block]) => {
							const [id, method, from, to, moved, ...rest] = transactionRow(each, contracts);
							const fee = make("span", { class: "note" });
							void fees.feeOf(block, textOf(each, "txID")).then((sun) => {
								if (sun) fee.replaceChildren("fee ", amount(sun));
							});
							return [
								make("div", {}, id, make("br"), ago(block.timeMs, nowMs)),
								method,
								make("div", {}, from, to === "" ? undefined : [make("br"), "to ", to]),
								make("div", {}, moved, make("br"), fee),
								...rest,
							];
						}),
						"None in the blocks that were looked at.",
					),
				),
			),
		];
	};
	const body = make("div", {}, await parts());
	const lookBack = async (): Promise<void> => {
		const between = (start: bigint, end: bigint) => blocksBetween(client, start, end);
		last = await earlierTransactions(between, recent.blocks.at(-1)?.number ?? 0n, context.signal);
		if (last.length > 0 && !context.signal.aborted) body.replaceChildren(...(await parts()));
	};
	if (last.length === 0) void lookBack().catch(() => undefined);
	renewed(
		context,
		async (head) => {
			await recent.add(head);
			return parts();
		},
		body,
	);
	return { title: "Overview", body };
};

/** Blocks before a number, page by page. */
export const blocksView: ViewMaker = async (context, argument) => {
	const { client } = context;
	const end = /^\d{1,15}$/.test(argument) ? BigInt(argument) : 0n;
	const start = end > BigInt(LISTED) ? end - BigInt(LISTED) : 0n;
	const blocks = end > 0n ? await blocksBetween(client, start, end) : [];
	const rows = blocks.map((block) => blockRow(block, context));
	return {
		title: end > 0n ? `Blocks ${grouped(start)} to ${grouped(end - 1n)}` : "Blocks",
		body: section(
			"Blocks",
			table("Blocks", BLOCK_HEADS, rows, "There are none before the first."),
			make(
				"p",
				{ class: "row" },
				link(`blocks/${end + BigInt(LISTED)}`, "Newer"),
				start > 0n ? link(`blocks/${start}`, "Older") : undefined,
			),
		),
	};
};

async function pending(context: ViewContext): Promise<HTMLElement[]> {
	const ids = textsOf(await context.client.call("gettransactionlistfrompending"), "txId");
	const found = await Promise.all(
		ids.slice(0, PENDING).map((value) => context.client.call("gettransactionfrompending", { value })),
	);
	// The node no longer returns transactions that a block has included since.
	const rows = found
		.filter((each) => textOf(each, "txID") !== "")
		.map((each) => transactionRow(each, context.contracts).slice(0, -1));
	const rest = ids.length - found.length;
	return [
		table("Pending transactions", TRANSACTION_HEADS.slice(0, -1), rows, "Nothing waits for a block."),
		...(rest > 0 ? [note(`and ${grouped(rest)} more`)] : []),
	];
}

/** Rerenders with each head, unless the body has the focus. */
function renewed(
	context: ViewContext,
	parts: (head: Json) => Promise<HTMLElement[]>,
	body: HTMLElement,
): void {
	let newest: Json = {};
	const renew = oneAtATime(async () => {
		const now = await parts(newest).catch(() => undefined);
		if (now && !context.signal.aborted && !body.contains(document.activeElement))
			body.replaceChildren(...now);
	});
	context.onHead((head) => {
		newest = head;
		renew();
	});
}

export const pendingView: ViewMaker = async (context) => {
	const body = make("div", {}, await pending(context));
	renewed(context, () => pending(context), body);
	return { title: "Pending transactions", body };
};
