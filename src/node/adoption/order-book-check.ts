/**
 * Whether the order book is what its parts say of each other: levels and the orders in them, the counts of levels of each
 * pair, and of active orders of each account (protocol/adoption §5, protocol/market §§1 and 2).
 */

import { equalBytes, fromKey, readBe64, toHex, toKey } from "../../protocol/bytes.js";
import { MarketOrderState } from "../../protocol/messages.js";
import { headKey, tokensOfPair } from "../market/keys.js";
import { levelOf, levelOrders } from "../market/order-book.js";
import { PAIR_KEY_LENGTH } from "../state/price-key.js";
import type { StateView } from "../state/view.js";

/** Sentences that are said; the rest are counted. */
const MAX_SENTENCES = 10;

/** What differs, a sentence each. */
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
	/** Active orders of each account, by its key. */
	readonly active: Map<string, bigint>;
	/** Orders that were met, by their keys: none is in two places, and no list has a circle. */
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
