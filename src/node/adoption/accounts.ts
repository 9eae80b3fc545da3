/**
 * Merges account records with the token balances that the reference stores separately (protocol/adoption §3,
 * protocol/tokens §8.3). Both stores are sorted by address, so one pass over each suffices.
 */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { readBe64, toHex } from "../../protocol/bytes.js";
import { Account } from "../../protocol/messages.js";
import { AdoptionError } from "./adoption-error.js";
import type { OverlayRow } from "./checkpoint.js";
import type { ForeignEntry } from "./engine/foreign-store.js";
import { RECORD_BUDGET } from "./engine/limits.js";

interface AccountSources {
	/** The records of the store. */
	readonly accounts: Iterable<ForeignEntry>;
	/** The checkpoint's rows: their maps hold what the last group of blocks changed, including amounts of 0. */
	readonly rows: readonly OverlayRow[];
	/** Key: address and token id; value: eight bytes. */
	readonly balances: Iterable<ForeignEntry>;
	/** Whether the reference moves balances out of records it writes (ALLOW_ASSET_OPTIMIZATION). */
	readonly movesTokens: boolean;
	/** Called with each account before it is yielded. */
	readonly onAccount: (account: Readonly<Account>) => void;
}

/** The merged records, ascending. @throws {AdoptionError} that names the address of what can't be read */
export function* mergedAccounts(sources: AccountSources): Generator<ForeignEntry> {
	const balances = new BalanceWalk(sources.balances);
	const { rows } = sources;
	let at = 0;
	const changed = function* (before: Uint8Array | undefined): Generator<ForeignEntry> {
		for (let row = rows[at]; row; row = rows[++at]) {
			if (before && Buffer.compare(row.key, before) >= 0) return;
			if (row.value) yield [row.key, mergeChanged(row.key, row.value, balances, sources)];
		}
	};
	for (const [key, value] of sources.accounts) {
		yield* changed(key);
		const row = rows[at];
		if (row && Buffer.compare(row.key, key) === 0) {
			at++;
			if (row.value) yield [key, mergeChanged(key, row.value, balances, sources)];
		} else yield [key, mergeStored(key, value, balances, sources)];
	}
	yield* changed(undefined);
}

function mergeStored(
	address: Uint8Array,
	value: Uint8Array,
	balances: BalanceWalk,
	{ onAccount }: AccountSources,
): Uint8Array {
	const apart = balances.of(address);
	const account = decodeAccount(address, value);
	onAccount(account);
	if (!account.asset_optimized || apart.size === 0) return value;
	return Account.encode(withTokens(account, apart));
}

function mergeChanged(
	address: Uint8Array,
	value: Uint8Array,
	balances: BalanceWalk,
	{ movesTokens, onAccount }: AccountSources,
): Uint8Array {
	const apart = balances.of(address);
	const account = decodeAccount(address, value);
	onAccount(account);
	const merged = withTokens(account, account.asset_optimized ? apart : new Map());
	if (movesTokens) {
		merged.asset_optimized = true;
		merged.asset = new Map();
	} else if (!account.asset_optimized) return value;
	return Account.encode(merged);
}

/** Adds separate balances beneath the record's own, in which 0 means that none are left. */
function withTokens(account: Readonly<Account>, apart: ReadonlyMap<string, bigint>): Account {
	const merged = Account.copy(account);
	const tokens = new Map([...apart, ...account.assetV2]);
	merged.assetV2 = new Map([...tokens].filter(([, amount]) => amount !== 0n));
	return merged;
}

function decodeAccount(address: Uint8Array, value: Uint8Array): Readonly<Account> {
	try {
		return Account.decode(value, RECORD_BUDGET);
	} catch (error) {
		throw new AdoptionError(
			`the store account holds no account at ${toHex(address)}: ${(error as Error).message}`,
		);
	}
}

/** Balances by address, queried in ascending order. */
class BalanceWalk {
	private readonly entries: Iterator<ForeignEntry>;
	private next: ForeignEntry | undefined;

	constructor(entries: Iterable<ForeignEntry>) {
		this.entries = entries[Symbol.iterator]();
		this.step();
	}

	private step(): void {
		const { done, value } = this.entries.next();
		this.next = done ? undefined : value;
	}

	of(address: Uint8Array): ReadonlyMap<string, bigint> {
		let found: Map<string, bigint> | undefined;
		for (let entry = this.next; entry; entry = this.next) {
			const [key, value] = entry;
			if (key.length <= ADDRESS_LENGTH || value.length !== 8) {
				throw new AdoptionError(`the store account-asset holds no balance at ${toHex(key)}`);
			}
			const order = Buffer.compare(key.subarray(0, ADDRESS_LENGTH), address);
			if (order > 0) break;
			if (order === 0) {
				found ??= new Map();
				found.set(Buffer.from(key.subarray(ADDRESS_LENGTH)).toString("utf8"), readBe64(value));
			}
			this.step();
		}
		return found ?? NONE;
	}
}

const NONE: ReadonlyMap<string, bigint> = new Map();
