/**
 * Validates a reference node's data before anything is copied: which chain, which height, whether all stores are from one
 * moment, and what is missing (protocol/adoption §4). Reads only a few entries per store, and the small stores.
 */

import { SignedBlock } from "../../protocol/block.js";
import { be64, equalBytes, fromHex, readBe64, toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { genesisTitle } from "../../protocol/public-networks.js";
import type { NetworkName } from "../rules/chain-rules.js";
import { forkTableOf } from "../rules/fork-gates.js";
import { REFERENCE_WINDOW } from "./adoption-checks.js";
import { AdoptionError } from "./adoption-error.js";
import { rowsOf } from "./checkpoint.js";
import type { ForeignStore } from "./engine/foreign-store.js";
import { UnwrittenStoreError } from "./engine/store-directory.js";
import {
	judgeProperties,
	numberProperty,
	readProperties,
	type SourceProperties,
	versionPassed,
} from "./source-properties.js";
import type { SourceReader } from "./source-reader.js";
import { LEFT_OUT, READ_STORES, RECEIPTS, REQUIRED } from "./source-stores.js";

/** What the data must match. */
export interface Expected {
	/** Id of the configured genesis block, 32 bytes. */
	readonly genesisId: Uint8Array;
	readonly network: NetworkName;
	/** A block known to the operator from elsewhere. */
	readonly block?: { readonly number: bigint; readonly id: Uint8Array } | undefined;
}

export interface Judgement {
	readonly path: string;
	/** Engines of the stores: one, or both. */
	readonly engines: readonly string[];
	/** Release whose block version the latest blocks carry. */
	readonly release: string;
	readonly head: { readonly number: bigint; readonly id: Uint8Array; readonly timestampMs: bigint };
	readonly solidified: bigint;
	/** Lowest block besides genesis; above 1 for data of a lite node. */
	readonly lowest: bigint;
	readonly checkpointRows: number;
	/** Bytes of the stores to be read, by name. */
	readonly storeBytes: ReadonlyMap<string, number>;
	readonly bytes: number;
	/** Approximate number of entries in these. */
	readonly storeEntries: ReadonlyMap<string, number>;
	/** Mean size of the newest blocks in bytes, from a few samples. */
	readonly blockBytes: number;
	/** What is skipped or missing, one sentence each. */
	readonly notes: readonly string[];
	readonly properties: SourceProperties;
}

/** State of the data, whichever chain they are of: stores are present, consistent, and then open. */
interface Standing {
	readonly head: Judgement["head"];
	readonly engines: readonly string[];
}

/** @throws {OperatorError} one sentence that names the file or the store */
export async function judgeStanding(reader: SourceReader): Promise<Standing> {
	const head = headOf(await openStores(reader));
	judgeMoment(reader, head);
	return { head, engines: enginesOf(presentStores(reader)) };
}

/** @returns the properties of the data */
async function openStores(reader: SourceReader): Promise<SourceProperties> {
	const { source } = reader;
	for (const name of REQUIRED) {
		if (!source.stores.includes(name)) throw new AdoptionError(`${source.path} has no store ${name}`);
	}
	await reader.use(READ_STORES);
	return readProperties(reader.entries("properties"));
}

function presentStores(reader: SourceReader): readonly ForeignStore[] {
	return READ_STORES.map((name) => reader.store(name)).filter((store) => store !== undefined);
}

function enginesOf(present: readonly ForeignStore[]): readonly string[] {
	return [...new Set(present.map(({ engine }) => engine))].sort();
}

/** @throws {OperatorError} one sentence that names the file, the store or the property */
export async function judge(reader: SourceReader, expected: Expected): Promise<Judgement> {
	const { source } = reader;
	const properties = await openStores(reader);
	judgeProperties(properties, expected.network);
	const head = headOf(properties);
	judgeGenesis(reader, expected.genesisId);
	const lowest = lowestOf(reader, head.number);
	judgeMoment(reader, head);
	if (expected.block) judgeBlock(reader, expected.block, head.number);
	const present = presentStores(reader);
	const storeBytes = new Map(present.map(({ name, bytes }) => [name, bytes]));
	return {
		path: source.path,
		engines: enginesOf(present),
		release: releaseOf(properties, expected.network),
		head,
		solidified: numberProperty(properties, "LATEST_SOLIDIFIED_BLOCK_NUM"),
		lowest,
		checkpointRows: rowsOf(reader.overlay),
		storeBytes,
		bytes: [...storeBytes.values()].reduce((sum, bytes) => sum + bytes, 0),
		storeEntries: new Map(present.map((store) => [store.name, store.estimate()])),
		blockBytes: meanBlock(reader, lowest, head.number),
		notes: [...notesOf(reader, lowest), ...(await unknownNotes(reader))],
		properties,
	};
}

function headOf(properties: SourceProperties): Judgement["head"] {
	const id = properties.get("latest_block_header_hash");
	if (id?.length !== 32) throw new AdoptionError("the store properties names no head block");
	return {
		id,
		number: numberProperty(properties, "latest_block_header_number"),
		timestampMs: numberProperty(properties, "latest_block_header_timestamp"),
	};
}

function judgeGenesis(reader: SourceReader, genesisId: Uint8Array): void {
	const id = reader.get("block-index", be64(0n));
	if (!id) throw new AdoptionError("the store block-index has no genesis block");
	if (!equalBytes(id, genesisId)) {
		throw new AdoptionError(
			`the data belong to another chain: their genesis block is ${genesisTitle(id)}, the configuration's is ${genesisTitle(genesisId)}`,
		);
	}
	const bytes = reader.get("block", id);
	if (bytes && isBlock(bytes, id)) return;
	const what = bytes ? "another genesis block than" : "no genesis block";
	throw new AdoptionError(`the store block has ${what} ${toHex(id)}`);
}

function isBlock(bytes: Uint8Array, id: Uint8Array): boolean {
	try {
		return equalBytes(SignedBlock.decode(bytes).id, id);
	} catch (error) {
		if (error instanceof DecodeError) return false;
		throw error;
	}
}

function lowestOf(reader: SourceReader, head: bigint): bigint {
	const first = reader.firstFrom("block-index", be64(1n));
	if (first?.[0].length !== 8)
		throw new AdoptionError("the store block-index holds no block but the genesis block");
	const lowest = readBe64(first[0]);
	if (lowest > head)
		throw new AdoptionError(`the store block-index begins with block ${lowest}, above the head ${head}`);
	return lowest;
}

/** Number of sampled blocks, evenly spread over the newest ones. */
const SAMPLED_BLOCKS = 32n;

function meanBlock(reader: SourceReader, lowest: bigint, head: bigint): number {
	const span = head - lowest + 1n < REFERENCE_WINDOW ? head - lowest + 1n : REFERENCE_WINDOW;
	const count = span < SAMPLED_BLOCKS ? span : SAMPLED_BLOCKS;
	let bytes = 0;
	for (let i = 0n; i < count; i++) {
		const id = reader.get("block-index", be64(head - (i * span) / count));
		bytes += (id && reader.get("block", id)?.length) ?? 0;
	}
	return Math.round(bytes / Number(count));
}

/**
 * Stores are written individually: in a torn copy, or if the node was running, they are at different blocks.
 * @throws {AdoptionError}
 */
function judgeMoment(reader: SourceReader, head: Judgement["head"]): void {
	const { number, id } = head;
	const hex = toHex(id);
	const key = be64(number);
	const indexed = reader.get("block-index", key);
	if (!indexed || !equalBytes(indexed, id)) throw torn("block-index", number, "lacks", hex);
	if (reader.firstAfter("block-index", key)) throw torn("block-index", number, "goes on after", hex);
	if (!reader.get("block", id)) throw torn("block", number, "lacks", hex);
	if (reader.firstAfter("block", id)) throw torn("block", number, "goes on after", hex);
	const place = id.subarray(6, 8);
	const recent = reader.get("recent-block", place);
	if (!recent || !equalBytes(recent, id.subarray(8, 16))) throw torn("recent-block", number, "lacks", hex);
	judgeRecentTransactions(reader, place, number, hex);
	const tree = "tree-block-index";
	if (reader.get(tree, be64(number - 1n)) && !reader.get(tree, key)) throw torn(tree, number, "lacks", hex);
	if (reader.firstAfter(tree, key)) throw torn(tree, number, "goes on after", hex);
	if (reader.firstAfter("transactionRetStore", key))
		throw torn("transactionRetStore", number, "goes on after", hex);
}

function judgeRecentTransactions(reader: SourceReader, place: Uint8Array, number: bigint, hex: string): void {
	const store = "recent-transaction";
	if (!reader.source.stores.includes(store)) return;
	const row = reader.get(store, place);
	const named = row && /^\{"num":(\d+)[,}]/.exec(Buffer.from(row).toString("latin1"))?.[1];
	if (named !== String(number)) throw torn(store, number, "lacks", hex);
}

function torn(store: string, number: bigint, what: "lacks" | "goes on after", id: string): AdoptionError {
	return new AdoptionError(
		`the store ${store} ${what} the head block ${number} (${id}): the stores are not of one moment, as in a copy of a running node`,
	);
}

function judgeBlock(reader: SourceReader, block: { number: bigint; id: Uint8Array }, head: bigint): void {
	const id = reader.get("block-index", be64(block.number));
	if (id && equalBytes(id, block.id)) return;
	throw new AdoptionError(
		id
			? `block ${block.number} of the data is ${toHex(id)}, not ${toHex(block.id)}`
			: `the data have no block ${block.number}; their head is ${head}`,
	);
}

/** @throws {RangeError} unless it is `<height>:<id in hexadecimal>` */
export function parseExpectedBlock(text: string): NonNullable<Expected["block"]> {
	const match = /^(\d{1,18}):(?:0x)?([0-9a-fA-F]{64})$/.exec(text);
	if (!match) throw new RangeError("not a height and a block id such as 12:00…0c…");
	return { number: BigInt(match[1] as string), id: fromHex(match[2] as string) };
}

function releaseOf(properties: SourceProperties, network: NetworkName): string {
	const version = versionPassed(properties);
	const row = forkTableOf({ network }).find((known) => known.version === version);
	return row ? `${row.release} (block version ${version})` : `before 3.2.2`;
}

function notesOf(reader: SourceReader, lowest: bigint): string[] {
	const notes = [...reader.notes];
	if (lowest > 1n) notes.push(`the data of a lite node: blocks from 1 to ${lowest - 1n} are missing`);
	if (reader.isEmpty(RECEIPTS)) notes.push("there are no receipts (transactionRetStore is missing or empty)");
	else if (lowest > 1n) notes.push("receipts are those of the latest blocks only");
	for (const name of READ_STORES) {
		for (const note of reader.store(name)?.notes ?? []) notes.push(`${name}: ${note}`);
	}
	return notes;
}

/**
 * Unknown directories next to the stores: a later release may have added state. They are not adopted in any
 * case, so an unreadable one is reported, not refused.
 */
async function unknownNotes(reader: SourceReader): Promise<string[]> {
	const unknown: string[] = [];
	const unreadable: string[] = [];
	for (const name of reader.source.stores) {
		if (READ_STORES.includes(name) || LEFT_OUT.has(name)) continue;
		try {
			await reader.use([name]);
			if (!reader.isEmpty(name)) unknown.push(name);
		} catch (error) {
			if (!(error instanceof OperatorError)) throw error;
			const isStore = !(error instanceof UnwrittenStoreError);
			if (isStore) unreadable.push(`not read, and not one of the known stores: ${error.message}`);
		} finally {
			reader.release(name);
		}
	}
	if (unknown.length > 0)
		unreadable.unshift(`not read, since this program doesn't know the stores: ${unknown.join(", ")}`);
	return unreadable;
}
