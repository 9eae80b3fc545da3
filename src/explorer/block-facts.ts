/** Reads facts from blocks, transactions and receipts. */

import { type Json, objectOf, objectsOf, textOf, wholeOf } from "./answer.js";
import type { NodeClient } from "./node-client.js";
import { fewAtATime } from "./one-at-a-time.js";

export interface BlockFacts {
	readonly number: bigint;
	readonly id: string;
	readonly parent: string;
	readonly timeMs: number;
	readonly witness: string;
	readonly version: string;
	readonly transactions: readonly Json[];
}

export function blockFacts(block: Json): BlockFacts {
	const header = objectOf(objectOf(block, "block_header"), "raw_data");
	return {
		number: wholeOf(header, "number"),
		id: textOf(block, "blockID"),
		parent: textOf(header, "parentHash"),
		timeMs: Number(wholeOf(header, "timestamp")),
		witness: textOf(header, "witness_address"),
		version: textOf(header, "version"),
		transactions: objectsOf(block, "transactions"),
	};
}

export type Dated = readonly [transaction: Json, block: BlockFacts];

/** The transactions of the newest blocks, newest first, then those that were found in blocks before them. */
export function lastTransactions(
	blocks: readonly BlockFacts[],
	before: readonly Dated[] = [],
): readonly Dated[] {
	const oldest = blocks.at(-1)?.number ?? 0n;
	return [
		...blocks.flatMap((block) => [...block.transactions].reverse().map((each): Dated => [each, block])),
		// Newer ones are gone with a reorg.
		...before.filter(([, { number }]) => number < oldest),
	];
}

/** How many questions look for the latest transactions, if the newest blocks have none. */
const LOOKED_BACK = 50;
const BLOCKS_A_QUESTION = 99n;

/** The last transactions before a block, whatever their age, as far back as is looked. @param between fetches blocks, newest first */
export async function earlierTransactions(
	between: (start: bigint, end: bigint) => Promise<readonly BlockFacts[]>,
	before: bigint,
	signal: AbortSignal,
): Promise<readonly Dated[]> {
	let found: readonly Dated[] = [];
	let end = before;
	for (let step = 0; found.length === 0 && end > 0n && step < LOOKED_BACK && !signal.aborted; step++) {
		const start = end > BLOCKS_A_QUESTION ? end - BLOCKS_A_QUESTION : 0n;
		found = lastTransactions(await between(start, end));
		end = start;
	}
	return found;
}

export interface TransactionFacts {
	readonly id: string;
	readonly type: string;
	readonly value: Json;
	readonly permission: bigint;
	/** `SUCCESS`, or the failure; empty while pending. */
	readonly result: string;
	readonly raw: Json;
	readonly signatures: number;
}

export function transactionFacts(transaction: Json): TransactionFacts {
	const raw = objectOf(transaction, "raw_data");
	const contract = objectsOf(raw, "contract")[0] ?? {};
	return {
		id: textOf(transaction, "txID"),
		type: textOf(contract, "type"),
		value: objectOf(objectOf(contract, "parameter"), "value"),
		permission: wholeOf(contract, "Permission_id"),
		result: textOf(objectsOf(transaction, "ret")[0] ?? {}, "contractRet"),
		raw,
		signatures: signatureCount(transaction),
	};
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** Counts both kinds of signatures: the test network Nile also has post-quantum ones. */
export const signatureCount = (transaction: Json): number =>
	lengthOf(transaction["signature"]) + lengthOf(transaction["pq_auth_sig"]);

/** The other account that a transaction names; empty if none. */
export function receiverOf({ value }: TransactionFacts): string {
	return (
		textOf(value, "to_address") || textOf(value, "contract_address") || textOf(value, "receiver_address")
	);
}

/** Coins moved, staked or released, in sun. */
export function amountOf({ type, value }: TransactionFacts): bigint | undefined {
	// Here `amount` is in token units; when buying tokens, it is the coins paid.
	if (type === "TransferAssetContract") return undefined;
	const created = objectOf(value, "new_contract");
	if (created["call_value"] !== undefined) return wholeOf(created, "call_value");
	const member = AMOUNTS.find((name) => value[name] !== undefined);
	return member === undefined ? undefined : wholeOf(value, member);
}

/** Members with coin amounts in the various types. */
const AMOUNTS = ["amount", "call_value", "frozen_balance", "unfreeze_balance", "balance"];

/** Totals over receipts. */
interface Usage {
	readonly transactions: number;
	readonly energy: number;
	readonly bandwidth: number;
	readonly feeSun: bigint;
	readonly failed: number;
}

export function usageOf(infos: readonly Json[]): Usage {
	let energy = 0;
	let bandwidth = 0;
	let feeSun = 0n;
	let failed = 0;
	for (const info of infos) {
		const receipt = objectOf(info, "receipt");
		energy += Number(wholeOf(receipt, "energy_usage_total"));
		bandwidth += Number(wholeOf(receipt, "net_usage"));
		feeSun += wholeOf(info, "fee");
		if (textOf(info, "result") === "FAILED") failed++;
	}
	return { transactions: infos.length, energy, bandwidth, feeSun, failed };
}

/** The most blocks whose fees are cached: more than a list shows. */
const MAX_BLOCKS = 60;

/** Fees, which only receipts contain. Those of a block are fetched together, once. */
export class BlockFees {
	private readonly known = new Map<string, Promise<ReadonlyMap<string, bigint>>>();

	constructor(private readonly client: Pick<NodeClient, "call">) {}

	/** @param id of one of the block's transactions @returns undefined if the node doesn't have it */
	async feeOf(
		{ number, id: blockId }: Pick<BlockFacts, "number" | "id">,
		id: string,
	): Promise<bigint | undefined> {
		const found = this.known.get(blockId) ?? this.ask(number);
		// Evicts the least recently used block.
		this.known.delete(blockId);
		this.known.set(blockId, found);
		const [oldest] = this.known.keys();
		if (this.known.size > MAX_BLOCKS && oldest !== undefined) this.known.delete(oldest);
		return (await found).get(id);
	}

	private async ask(number: bigint): Promise<ReadonlyMap<string, bigint>> {
		// The genesis block's transactions have no receipts.
		if (number === 0n) return new Map();
		const answer = await this.client
			.call("gettransactioninfobyblocknum", { num: Number(number) })
			.catch((): Json => ({}));
		return new Map(objectsOf(answer, "list").map((info) => [textOf(info, "id"), wholeOf(info, "fee")]));
	}
}

const HOUR_MS = 3_600_000;
/** Parts of the hour. */
const PARTS = 12;
/** Blocks sampled per part if the hour has more blocks than one request returns. */
const SAMPLE = 2;
const BLOCKS_AT_ONCE = 99;

/** Transactions of the hour before the head, or of the known part of it. */
export interface HourFacts {
	readonly sinceMs: number;
	readonly partMs: number;
	/** By part, oldest first. */
	readonly counts: readonly number[];
	/** Whether they are estimated from a few blocks of each part. */
	readonly isSampled: boolean;
}

/**
 * Fetches the blocks of the last hour: all, or samples of each part if the newest ones are too frequent.
 * @param newest the newest blocks, newest first
 */
export async function lastHour(
	client: Pick<NodeClient, "call">,
	newest: readonly BlockFacts[],
): Promise<HourFacts | undefined> {
	const [head] = newest;
	if (!head) return undefined;
	const top = Number(head.number);
	const between = async (startNum: number, endNum: number): Promise<readonly BlockFacts[]> => {
		const answer = await client.call("getblockbylimitnext", { startNum, endNum });
		return objectsOf(answer, "block")
			.map(blockFacts)
			.sort((a, b) => Number(b.number - a.number));
	};
	const hourMs = head.timeMs - HOUR_MS;
	const isWhole = (blocks: readonly BlockFacts[]): boolean =>
		blocks.some(({ number, timeMs }) => number <= 1n || timeMs < hourMs);
	const inHour = (blocks: readonly BlockFacts[]): number => {
		const oldest = blocks.at(-1) ?? head;
		const paceMs = (head.timeMs - oldest.timeMs) / Math.max(1, blocks.length - 1);
		return Math.min(top - 1, Math.ceil(HOUR_MS / Math.max(1, paceMs)));
	};
	let known = newest;
	if (!isWhole(known) && inHour(known) <= BLOCKS_AT_ONCE)
		known = await between(Math.max(0, top - BLOCKS_AT_ONCE), top + 1);
	if (isWhole(known)) {
		const sent = known.filter(({ number, timeMs }) => number > 0n && timeMs >= hourMs);
		const spans = sent.map(({ timeMs, transactions: { length } }): Span => [timeMs, timeMs, length]);
		return { ...partsOf(spans, hourMs, head.timeMs), isSampled: false };
	}
	const count = inHour(known);
	const starts = Array.from(
		{ length: PARTS + 1 },
		(_, part) => top - count + Math.floor((count * part) / PARTS),
	);
	const samples: (readonly [timeMs: number, mean: number])[] = [];
	await fewAtATime([...starts.slice(0, PARTS).entries()], async ([part, start]) => {
		const blocks = await between(start, start + SAMPLE);
		const sent = blocks.reduce((sum, { transactions }) => sum + transactions.length, 0);
		samples[part] = [blocks.at(-1)?.timeMs ?? head.timeMs, sent / Math.max(1, blocks.length)];
	});
	const spans = samples.map(([fromMs, mean], part): Span => {
		const blocks = (starts[part + 1] ?? top) - (starts[part] ?? top);
		return [fromMs, samples[part + 1]?.[0] ?? head.timeMs, mean * blocks];
	});
	const sinceMs = Math.max(hourMs, samples[0]?.[0] ?? hourMs);
	return { ...partsOf(spans, sinceMs, head.timeMs), isSampled: true };
}

/** Transactions spread evenly over a time span, or at one moment. */
type Span = readonly [fromMs: number, untilMs: number, transactions: number];

function partsOf(spans: readonly Span[], sinceMs: number, untilMs: number): Omit<HourFacts, "isSampled"> {
	const partMs = Math.max(1, (untilMs - sinceMs) / PARTS);
	const counts = Array.from({ length: PARTS }, (_, part) => {
		const [begin, end] = [sinceMs + part * partMs, sinceMs + (part + 1) * partMs];
		const isLast = part === PARTS - 1;
		const sum = spans.reduce((total, [fromMs, toMs, sent]) => {
			const isIn = fromMs >= begin && (fromMs < end || isLast);
			if (toMs <= fromMs) return total + (isIn ? sent : 0);
			const shared = Math.min(toMs, end) - Math.max(fromMs, begin);
			return total + (sent * Math.max(0, shared)) / (toMs - fromMs);
		}, 0);
		return Math.round(sum);
	});
	return { sinceMs, partMs, counts };
}

/** The block size limit in bytes (protocol/blocks §5.2). */
const MAX_BLOCK_BYTES = 2_000_000;
/** An encoded signature: 65 bytes, tag, length. */
const SIGNATURE_SIZE = 2 + 65;
/** Encoding overhead of a post-quantum key and signature. */
const ENTRY_BYTES = 11;
/** Approximate size of the header with its signature. */
const HEADER_BYTES = 180;

/** Block fill in thousandths of the size limit; approximate, since answers lack the bytes of results. */
export function blockFill({ transactions }: Pick<BlockFacts, "transactions">): number {
	let bytes = HEADER_BYTES;
	for (const transaction of transactions) {
		bytes += textOf(transaction, "raw_data_hex").length / 2;
		bytes += lengthOf(transaction["signature"]) * SIGNATURE_SIZE;
		for (const entry of objectsOf(transaction, "pq_auth_sig")) {
			const digits = textOf(entry, "public_key").length + textOf(entry, "signature").length;
			bytes += digits / 2 + ENTRY_BYTES;
		}
	}
	return Math.round((bytes / MAX_BLOCK_BYTES) * 100_000) / 100;
}
