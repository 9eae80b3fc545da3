/**
 * Checks of adopted data before a node may start on it (protocol/adoption §5): head and its signature,
 * schedule, and the blocks and transactions that rules look back to. Nothing proves the state itself.
 */

import { SignedBlock } from "../../protocol/block.js";
import { be64, equalBytes, fromKey, readBe64, toHex, toKey } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { MarketOrderState } from "../../protocol/messages.js";
import { loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import { checkHeaderSignature } from "../consensus/block-judgement.js";
import { MAX_ACTIVE_WITNESSES } from "../consensus/maintenance.js";
import { activePosition, activeWitnesses } from "../consensus/slots.js";
import { headKey, tokensOfPair } from "../market/keys.js";
import { levelOf, levelOrders } from "../market/order-book.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ChainError } from "../rules/errors.js";
import { yieldToEventLoop } from "../scheduling/time-slice.js";
import { PAIR_KEY_LENGTH } from "../state/price-key.js";
import type { StateView } from "../state/view.js";
import { AdoptionError } from "./adoption-error.js";

/** Blocks that a transaction may reference, and that a lite node keeps. */
export const REFERENCE_WINDOW = 65_536n;
/** How far the stored solid number may lag: it is that of an earlier block (protocol/adoption §2). */
const FARTHEST_SOLID = 100n;
/** Blocks processed before others get a turn. */
const TURN_BLOCKS = 64n;

export interface CheckResult {
	/** Blocks compared with their predecessors. */
	readonly blocks: number;
	readonly transactions: number;
	/** Blocks since the last maintenance that weren't signed by their witness's current key. */
	readonly otherKeys: number;
}

/**
 * @param lowest block that is there besides the genesis block
 * @param onBlock called with how far the window is; false ends the checks, which count as not made
 * @throws {AdoptionError}
 */
export async function checkAdopted(
	state: StateView,
	rules: Pick<ChainRules, "network">,
	lowest: bigint,
	onBlock: (done: bigint, all: bigint) => boolean,
): Promise<CheckResult | undefined> {
	if (rules.network === "nile") await loadPostQuantum();
	const head = checkHead(state, rules);
	checkSchedule(state, head);
	const first = head.number - REFERENCE_WINDOW + 1n > lowest ? head.number - REFERENCE_WINDOW + 1n : lowest;
	const since =
		state.properties.get("NEXT_MAINTENANCE_TIME") - state.properties.get("MAINTENANCE_TIME_INTERVAL");
	const signers = activeWitnesses(state);
	let [transactions, otherKeys] = [0, 0];
	let parent: Uint8Array | undefined;
	for (let number = first; number <= head.number; number++) {
		const block = checkBlock(state, number, parent);
		transactions += block.transactions.length;
		parent = block.id;
		if (block.timestampMs > since && activePosition(signers, block.witness) >= 0) {
			if (!isSignedByWitness(state, rules, block)) otherKeys++;
		}
		if (number % TURN_BLOCKS !== 0n) continue;
		if (!onBlock(number - first + 1n, head.number - first + 1n)) return undefined;
		await yieldToEventLoop();
	}
	return { blocks: Number(head.number - first + 1n), transactions, otherKeys };
}

function checkHead(state: StateView, rules: Pick<ChainRules, "network">): SignedBlock {
	const { properties } = state;
	const { headNumber, headId } = properties;
	const bytes = state.block.get(headId);
	if (!bytes) throw new AdoptionError(`the head block ${headNumber} (${toHex(headId)}) is missing`);
	const block = decodeBlock(bytes, headNumber);
	if (!equalBytes(block.id, headId)) {
		throw new AdoptionError(`the head block has the id ${block.idHex}, the properties say ${toHex(headId)}`);
	}
	if (block.timestampMs !== properties.headTimestampMs) {
		throw new AdoptionError(
			`the head block is of ${block.timestampMs}, the properties say ${properties.headTimestampMs}`,
		);
	}
	if (block.number > 0n && !changesOwnKey(block) && !isSignedByWitness(state, rules, block)) {
		throw new AdoptionError(`the head block ${block.number} is not signed by the key of its witness`);
	}
	return block;
}

/** Whether a block changes its own witness's permissions, in which case it was signed with the earlier key. */
function changesOwnKey({ transactions, witness }: SignedBlock): boolean {
	return transactions.some(
		({ type, owner }) => type?.name === "AccountPermissionUpdateContract" && equalBytes(owner, witness),
	);
}

function decodeBlock(bytes: Uint8Array, number: bigint): SignedBlock {
	try {
		return SignedBlock.decode(bytes);
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
		throw new AdoptionError(`block ${number} of the adopted data can't be read: ${error.message}`);
	}
}

function isSignedByWitness(
	state: StateView,
	rules: Pick<ChainRules, "network">,
	block: SignedBlock,
): boolean {
	try {
		checkHeaderSignature(state, rules, block);
		return true;
	} catch (error) {
		if (error instanceof ChainError) return false;
		throw error;
	}
}

function checkSchedule(state: StateView, head: SignedBlock): void {
	const { properties } = state;
	const active = activeWitnesses(state);
	if (active.length === 0) throw new AdoptionError("the store witness_schedule names no active witness");
	if (active.length > MAX_ACTIVE_WITNESSES) {
		throw new AdoptionError(
			`the store witness_schedule names ${active.length} active witnesses, more than ${MAX_ACTIVE_WITNESSES}`,
		);
	}
	for (const address of active) {
		if (!state.witness.get(address)?.isJobs) {
			throw new AdoptionError(`the active witness ${toHex(address)} is not one in the store witness`);
		}
	}
	// A maintenance block has changed the list that its own witness was in.
	const changedNow = properties.get("state_flag") === 1;
	if (!changedNow && activePosition(active, head.witness) < 0) {
		throw new AdoptionError(`the witness of the head block, ${toHex(head.witness)}, is not active`);
	}
	const next = properties.get("NEXT_MAINTENANCE_TIME");
	const interval = properties.get("MAINTENANCE_TIME_INTERVAL");
	if (next <= head.timestampMs || head.timestampMs < next - interval) {
		throw new AdoptionError(
			`the next maintenance at ${next} is not that after a head block of ${head.timestampMs}`,
		);
	}
	const solid = properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	if (solid > head.number || solid < head.number - FARTHEST_SOLID) {
		throw new AdoptionError(`the solidified block ${solid} is not near the head ${head.number}`);
	}
}

/** A block of the window: complete, linked to its parent, and indexed along with its transactions. */
function checkBlock(state: StateView, number: bigint, parent: Uint8Array | undefined): SignedBlock {
	const fail = (what: string): never => {
		throw new AdoptionError(`block ${number} of the adopted data ${what}`);
	};
	const id = state.blockIndex.get(be64(number)) ?? fail("is missing in block-index");
	const block = decodeBlock(state.block.get(id) ?? fail("is missing in block"), number);
	if (block.number !== number || !equalBytes(block.id, id)) fail("is another one than block-index says");
	if (parent && !equalBytes(block.parentId, parent)) fail(`doesn't follow block ${number - 1n}`);
	if (!equalBytes(block.computeMerkleRoot(), block.raw.txTrieRoot))
		fail("has other transactions than its header says");
	const recent = state.recentBlock.get(id.subarray(6, 8));
	if (!recent || !equalBytes(recent, id.subarray(8, 16))) fail("is missing in recent-block");
	for (const transaction of block.transactions) {
		const height = state.transaction.get(transaction.id);
		if (height?.length !== 8 || readBe64(height) !== number) {
			fail(`has the transaction ${transaction.idHex}, which trans doesn't know`);
		}
	}
	return block;
}

/** Differences reported in full; further ones are only counted. */
const MAX_SENTENCES = 10;

/**
 * Whether the order book is consistent: levels and their orders, the level count of each pair, and the active
 * order count of each account (protocol/market §§1 and 2).
 * @returns what differs, a sentence each
 */
export async function bookDifferences(state: StateView): Promise<string[]> {
	const found = new Findings();
	const levels = new Map<string, bigint>();
	const active = new Map<string, bigint>();
	const seen = new Set<string>();
	for (const key of state.marketPairPriceToOrder.keysFrom("")) {
		const level = fromKey(key);
		const pair = level.subarray(0, PAIR_KEY_LENGTH);
		if (equalBytes(level, headKey(pair))) continue;
		add(levels, toKey(pair));
		checkLevel(state, level, { found, active, seen });
	}
	for (const pair of state.marketPairToPrice.keysFrom("")) {
		const bytes = fromKey(pair);
		const count = state.marketPairToPrice.get(bytes);
		const stored = count?.length === 8 ? readBe64(count) : 0n;
		const counted = levels.get(pair) ?? 0n;
		levels.delete(pair);
		if (stored !== counted) {
			found.add(
				`the pair ${nameOf(bytes)} has ${counted} prices in the order book, and its count says ${stored}`,
			);
		}
	}
	for (const [pair, counted] of levels) {
		const name = nameOf(fromKey(pair));
		found.add(`the pair ${name} has ${counted} prices in the order book, and no count`);
	}
	await checkAccounts(state, active, found);
	return found.sentences();
}

interface Walk {
	readonly found: Findings;
	/** Number of active orders per account, by key. */
	readonly active: Map<string, bigint>;
	/** Keys of visited orders: none may be in two places, and no list may be cyclic. */
	readonly seen: Set<string>;
}

function checkLevel(state: StateView, level: Uint8Array, { found, active, seen }: Walk): void {
	const { head, tail } = levelOrders(state, level);
	let before: Uint8Array = new Uint8Array(0);
	for (let id = head; id.length > 0; ) {
		const fail = (what: string): void => found.add(`the order ${toHex(id)} of the order book ${what}`);
		const order = state.marketOrder.get(id);
		if (!order || seen.has(toKey(id))) {
			fail(order ? "is in the book twice" : "is missing");
			return;
		}
		seen.add(toKey(id));
		if (order.state !== MarketOrderState.ACTIVE) fail("is not active");
		if (!equalBytes(levelOf(order), level)) fail("is of another price than its place");
		if (!equalBytes(order.prev, before)) fail("does not name the order before it");
		add(active, toKey(order.owner_address));
		before = id;
		id = order.next;
	}
	if (!equalBytes(before, tail))
		found.add(`the last order of the price ${toHex(level)} is not the one that its list names`);
}

async function checkAccounts(state: StateView, active: Map<string, bigint>, found: Findings): Promise<void> {
	for (const key of await state.marketAccount.keysEver("")) {
		const address = fromKey(key);
		const record = state.marketAccount.get(address);
		if (!record) continue;
		const counted = active.get(key) ?? 0n;
		active.delete(key);
		if (record.count !== counted) {
			found.add(
				`the account ${toHex(address)} has ${counted} orders in the order book, and its record says ${record.count}`,
			);
		}
	}
	for (const [key, counted] of active) {
		const address = toHex(fromKey(key));
		found.add(`the account ${address} has ${counted} orders in the order book, and no record of them`);
	}
}

class Findings {
	private readonly first: string[] = [];
	private count = 0;

	add(sentence: string): void {
		this.count++;
		if (this.first.length < MAX_SENTENCES) this.first.push(sentence);
	}

	sentences(): string[] {
		const more = this.count - this.first.length;
		return more > 0 ? [...this.first, `the order book has ${more} more differences`] : this.first;
	}
}

function add(counts: Map<string, bigint>, key: string): void {
	counts.set(key, (counts.get(key) ?? 0n) + 1n);
}

function nameOf(pair: Uint8Array): string {
	const { sellId, buyId } = tokensOfPair(pair);
	return `${toHex(sellId)}/${toHex(buyId)}`;
}
