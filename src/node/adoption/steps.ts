/**
 * The steps of an adoption, one per store, ascending by our keys, so that the database never has to sort.
 * Each can resume after any key of its source.
 */

import { SignedBlock } from "../../protocol/block.js";
import { be64, readBe64, toHex, toKey } from "../../protocol/bytes.js";
import type { Message } from "../../protocol/codec/descriptor.js";
import { minInt } from "../../protocol/int64.js";
import { sideKey } from "../chain/data-directory.js";
import type { KeyValueDatabase } from "../state/database.js";
import { type PackedDefinition, type StoreDefinition, stores } from "../state/definition.js";
import { mergedAccounts } from "./accounts.js";
import { AdoptionError } from "./adoption-error.js";
import type { BlockChoice } from "./adoption-mark.js";
import type { BatchWriter } from "./batch-writer.js";
import type { OverlayRow } from "./checkpoint.js";
import type { ForeignEntry } from "./engine/foreign-store.js";
import { RECORD_BUDGET } from "./engine/limits.js";
import type { Judgement } from "./judgement.js";
import { keptProperty, numberOf } from "./source-properties.js";
import { rowsAfter, type SourceReader } from "./source-reader.js";
import { adoptedStores, BLOCK_STORES, CONFIRMED, VOTES } from "./source-stores.js";
import { AccountSums } from "./sums.js";

/** What a step works with. */
export interface AdoptionWork {
	readonly reader: SourceReader;
	readonly judgement: Judgement;
	readonly blocks: BlockChoice;
	/** Lowest block to keep besides genesis. */
	readonly lowestKept: bigint;
	readonly database: KeyValueDatabase;
	readonly writer: BatchWriter;
}

export interface AdoptionStep {
	readonly name: string;
	/** Stores of the source that it reads. */
	readonly reads: readonly string[];
	/** @param after key of the source up to which it was done before */
	run(work: AdoptionWork, after: Uint8Array | undefined): Promise<void>;
}

/** Converts a value; undefined skips the entry. */
type Convert = (key: Uint8Array, value: Uint8Array, work: AdoptionWork) => Uint8Array | undefined;

/** Entries processed before others get a turn, if none of them is kept. */
const TURN_ENTRIES = 65_536;

/** The steps of an adoption. */
export const steps: readonly AdoptionStep[] = [
	...adoptedStores.map(storeStep),
	{ name: "recent transactions", reads: ["recent-transaction"], run: addRecentTransactions },
	{ name: "transactions without height", reads: [], run: indexTransactions },
	{ name: CONFIRMED, reads: [CONFIRMED], run: copyConfirmed },
	{ name: VOTES, reads: [VOTES], run: copyVotes },
];

function storeStep(store: StoreDefinition<unknown>): AdoptionStep {
	if (isStore(store, "account")) {
		return { name: store.name, reads: ["account", "account-asset"], run: copyAccounts };
	}
	const convert = converterOf(store);
	return {
		name: store.name,
		reads: [store.name],
		run: (work, after) => copy(store, work, keptEntries(store, work, after), convert),
	};
}

function converterOf(store: StoreDefinition<unknown>): Convert {
	if (isStore(store, "properties")) return (key, value) => keptProperty(toKey(key), value);
	if (isStore(store, "transaction")) return keptTransaction;
	const { codec } = store;
	const packed = "packed" in store ? (store as PackedDefinition<Message>).packed : undefined;
	return (_key, value) => {
		if (packed) packed.decode(value, RECORD_BUDGET);
		else codec.decode(value, "", RECORD_BUDGET);
		return value;
	};
}

function isStore(store: StoreDefinition<unknown>, name: keyof typeof stores): boolean {
	return store.index === stores[name].index;
}

function keptEntries(
	store: StoreDefinition<unknown>,
	{ reader, blocks, lowestKept }: AdoptionWork,
	after: Uint8Array | undefined,
): Iterable<ForeignEntry> {
	const isKept = blocks === "copy" || !BLOCK_STORES.includes(store.name);
	if (isKept) return reader.entries(store.name, after);
	const isBlocks = isStore(store, "block") || isStore(store, "blockIndex");
	if (isBlocks) return recentBlocks(store.name, reader, lowestKept, after);
	// The reference's tool adds checkpoints to lite data, which the node applies: receipts of its last blocks.
	const isReceipts = isStore(store, "transactionResult");
	return isReceipts ? presentRows(reader.apart(store.name).rows, after) : [];
}

/** The entries a checkpoint puts, after a key. */
function* presentRows(rows: readonly OverlayRow[], after: Uint8Array | undefined): Generator<ForeignEntry> {
	for (const { key, value } of rowsAfter(rows, after)) if (value) yield [key, value];
}

/** Genesis and blocks from a height on: keys start with the height. */
function* recentBlocks(
	name: string,
	reader: SourceReader,
	lowest: bigint,
	after: Uint8Array | undefined,
): Generator<ForeignEntry> {
	const below = Buffer.concat([be64(lowest - 1n), Buffer.alloc(25, 0xff)]);
	if (!after) {
		const genesis = reader.firstFrom(name, be64(0n));
		if (genesis && readBe64(genesis[0]) === 0n) yield genesis;
	}
	yield* reader.entries(name, after && Buffer.compare(after, below) > 0 ? after : below);
}

/** Rows of 8 bytes hold the height; older releases stored the transaction itself, whose height is found later. */
function keptTransaction(
	key: Uint8Array,
	value: Uint8Array,
	{ writer, judgement }: AdoptionWork,
): Uint8Array | undefined {
	if (value.length === 8) {
		const { number } = judgement.head;
		if (readBe64(value) <= number) return value;
		throw new AdoptionError(
			`the store trans has the transaction ${toHex(key)} in a block above the head ${number}: the stores are not of one moment, as in a copy of a running node`,
		);
	}
	writer.mark = { ...writer.mark, withoutHeight: writer.mark.withoutHeight + 1 };
	return undefined;
}

async function copy(
	store: StoreDefinition<unknown>,
	work: AdoptionWork,
	entries: Iterable<ForeignEntry>,
	convert: Convert,
): Promise<void> {
	const { writer } = work;
	let seen = 0;
	for (const [key, value] of entries) {
		let kept: Uint8Array | undefined;
		try {
			kept = convert(key, value, work);
		} catch (error) {
			if (error instanceof AdoptionError) throw error;
			const why = (error as Error).message;
			throw new AdoptionError(`the store ${store.name} holds at ${toHex(key)} what can't be read: ${why}`);
		}
		if (kept) writer.put(store.index, key, kept);
		if (writer.isFull || ++seen % TURN_ENTRIES === 0) await writer.turn(key);
	}
}

async function copyAccounts(work: AdoptionWork, after: Uint8Array | undefined): Promise<void> {
	const { stored, rows } = work.reader.apart("account", after);
	const sums = new AccountSums(work.writer.mark.sums);
	work.writer.counted = () => ({ sums: sums.text });
	const merged = mergedAccounts({
		accounts: stored,
		rows: rowsAfter(rows, after),
		balances: work.reader.entries("account-asset", after),
		onAccount: (account) => sums.add(account),
		movesTokens:
			numberOf(work.judgement.properties.get("ALLOW_ASSET_OPTIMIZATION") ?? new Uint8Array(0)) === 1n,
	});
	await copy(stores.account as StoreDefinition<unknown>, work, merged, (_key, value) => value);
}

/**
 * The reference keeps ids of recent transactions separately from their index, and at start completes the
 * index of lite data with them, so that they can't be replayed (protocol/adoption §3).
 */
async function addRecentTransactions(work: AdoptionWork): Promise<void> {
	const { reader, judgement, writer } = work;
	const lowest = work.blocks === "copy" ? judgement.lowest : work.lowestKept;
	if (lowest <= 1n) return;
	const { index } = stores.transaction;
	for (const [key, value] of reader.entries("recent-transaction")) {
		const { num, transactionIds } = readRecent(key, value);
		if (num >= lowest) continue;
		for (const id of transactionIds) writer.put(index, Buffer.from(id, "hex"), be64(num));
		if (writer.isFull) await writer.turn(key);
	}
}

function readRecent(key: Uint8Array, value: Uint8Array): { num: bigint; transactionIds: readonly string[] } {
	try {
		const { num, transactionIds } = JSON.parse(Buffer.from(value).toString("utf8")) as {
			readonly num: number;
			readonly transactionIds: readonly string[];
		};
		if (transactionIds.every((id) => /^[0-9a-f]{64}$/.test(id))) return { num: BigInt(num), transactionIds };
	} catch {
		// Treat them like invalid ids.
	}
	throw new AdoptionError(
		`the store recent-transaction holds at ${toHex(key)} what is not a list of transactions`,
	);
}

/** The last block confirmed by votes, capped at the head: the node had later blocks only in memory. */
async function copyConfirmed({ reader, judgement, writer }: AdoptionWork): Promise<void> {
	const value = reader.get(CONFIRMED, Buffer.from(CONFIRMED_BLOCK));
	if (!value) return;
	const number = minInt(numberOf(value), judgement.head.number);
	putSide(writer, `${CONFIRMED}/${CONFIRMED_BLOCK}`, be64(number));
}

/** Copies those votes, which peers may request. */
async function copyVotes({ reader, writer }: AdoptionWork, after: Uint8Array | undefined): Promise<void> {
	for (const [key, value] of reader.entries(VOTES, after)) {
		putSide(writer, `${VOTES}/${Buffer.from(key).toString("latin1")}`, value);
		if (writer.isFull) await writer.turn(key);
	}
}

const CONFIRMED_BLOCK = "LATEST_PBFT_BLOCK_NUM";

function putSide(writer: BatchWriter, name: string, value: Uint8Array): void {
	const key = sideKey(name);
	writer.put(key[0] as number, key.subarray(1), value);
}

/**
 * Indexes transactions whose index entry was skipped: those stored without height by older releases, and all
 * if old blocks are skipped. The height is that of the block that holds them.
 */
async function indexTransactions(work: AdoptionWork, after: Uint8Array | undefined): Promise<void> {
	const { database, writer, blocks } = work;
	if (blocks === "copy" && writer.mark.withoutHeight === 0) return;
	const { index } = stores.transaction;
	for await (const [key, value] of database.entries(Uint8Array.of(stores.block.index))) {
		const id = key.subarray(1);
		const isDone = after && Buffer.compare(id, after) <= 0;
		const block = isDone ? undefined : SignedBlock.decode(value);
		// As in the reference, where genesis is stored before the index exists.
		if (!block || block.number === 0n) continue;
		for (const transaction of block.transactions) {
			const known = database.get(Buffer.concat([Uint8Array.of(index), transaction.id]));
			if (!known) writer.put(index, transaction.id, be64(block.number));
		}
		if (writer.isFull) await writer.turn(id);
	}
}
