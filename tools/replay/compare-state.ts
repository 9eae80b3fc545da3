/** Compares decoded state entries with recorded ones; token balances of accounts separately. */

import { holdsAccount } from "../../src/node/state/state-hash/hashed-entries.js";
import { INDEX_STORES } from "../../src/node/state/store-kinds.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import type { RecordedState, RecordedWrites } from "./recording.js";
import { sameText } from "./skips.js";
import { describeKey, describeRaw, entryTree } from "./stores.js";
import type { Changes, State } from "./target.js";
import { compareTrees, type Difference, member, show, type Tree } from "./tree.js";

/** A difference in one entry. */
export interface EntryDifference {
	readonly store: string;
	readonly key: string;
	readonly difference: Difference;
}

/** Reads an entry of the node's head state. */
type ReadEntry = (store: string, keyHex: string) => Uint8Array | null;

/** Store into which the reference moves token balances of accounts on access (protocol/tokens §8.3). */
const ACCOUNT_ASSET = "account-asset";
const ADDRESS_DIGITS = 42;

/**
 * Compares an entry's value with the recorded one; null if absent.
 * @param movesTokens whether the reference moves token balances out of account records on this chain
 */
export function compareEntry(
	store: string,
	key: string,
	expected: string | null,
	got: Uint8Array | null,
	movesTokens: boolean,
): EntryDifference[] {
	if (got === null ? expected === null : expected === toHex(got)) return [];
	const left = expected === null ? undefined : entryTree(store, key, fromHex(expected));
	const right = got === null ? undefined : entryTree(store, key, got);
	return differencesOf(store, key, left, right, movesTokens).map((difference) => ({
		store,
		key: describeKey(store, key),
		difference: { ...difference, expected: readable(difference.expected), got: readable(difference.got) },
	}));
}

function differencesOf(
	store: string,
	key: string,
	expected: Tree | undefined,
	got: Tree | undefined,
	movesTokens: boolean,
): Difference[] {
	if (expected === undefined || got === undefined) return [{ path: "", expected, got }];
	if (!movesTokens || !holdsAccount(store, fromHex(key))) return compareTrees(expected, got, { sameText });
	// Every recorded token balance must be present; others are allowed.
	const differences = compareTrees(expected, got, { sameText });
	return differences.filter(({ path, expected: value, got: ours }) => {
		const [, map, token] = /^(asset|assetV2)(?:\.(.*))?$/s.exec(path) ?? [];
		if (map === undefined) return true;
		if (value === undefined || (map === "asset" && ours === undefined)) return false;
		// A recorded zero is equivalent to no entry.
		if (token !== undefined) return !(value === 0n && ours === undefined);
		return [...(value as ReadonlyMap<string, Tree>).values()].some((amount) => amount !== 0n);
	});
}

/** Numbers and text are easier to compare by eye than raw bytes. */
function readable(tree: Tree | undefined): Tree | undefined {
	return typeof tree === "string" && /^([0-9a-f]{2})+$/.test(tree) ? describeRaw(tree) : tree;
}

/** Compares a block's changes: all recorded ones are required, and others reported. */
export function compareWrites(
	expected: RecordedWrites,
	got: Changes,
	read: ReadEntry,
	movesTokens: boolean,
): EntryDifference[] {
	const differences: EntryDifference[] = [];
	for (const store of new Set([...Object.keys(expected), ...got.keys()])) {
		if (INDEX_STORES.has(store) || store === ACCOUNT_ASSET) continue;
		const recorded = expected[store] ?? {};
		const changed = got.get(store);
		for (const [key, value] of Object.entries(recorded)) {
			const change = changed?.get(key);
			// An unchanged entry is right if the recorded value is equivalent, but encoded differently.
			const now = change === undefined ? read(store, key) : change.after;
			const found = compareEntry(store, key, value, now, movesTokens);
			const sameBytes = now === null || value === toHex(now);
			// Where the reference moves tokens out of account records, nothing else may have changed.
			const isMove = movesTokens && holdsAccount(store, fromHex(key));
			if (change === undefined && found.length === 0 && sameBytes && !isMove) {
				differences.push(unchanged(store, key, value));
			}
			differences.push(...found);
		}
		for (const [key, { before, after }] of changed ?? []) {
			if (key in recorded) continue;
			const old = before === null ? null : toHex(before);
			const found = compareEntry(store, key, old, after, movesTokens);
			for (const { difference, ...place } of found) {
				const expected = `(not changed by this block) ${show(difference.expected)}`;
				differences.push({ ...place, difference: { ...difference, expected } });
			}
		}
	}
	return differences;
}

/** A recorded change to a value that we already had: our state differed before. */
function unchanged(store: string, key: string, value: string | null): EntryDifference {
	const expected = value === null ? "(deleted by this block)" : "(changed by this block)";
	return {
		store,
		key: describeKey(store, key),
		difference: { path: "", expected, got: "(had this value before)" },
	};
}

/** Compares whole states, except index stores. */
export function compareStates(expected: RecordedState, got: State, movesTokens: boolean): EntryDifference[] {
	const differences: EntryDifference[] = [];
	for (const store of new Set([...Object.keys(expected), ...got.keys()])) {
		if (INDEX_STORES.has(store)) continue;
		const recorded = expected[store] ?? {};
		const entries = got.get(store) ?? new Map<string, Uint8Array>();
		if (store === ACCOUNT_ASSET) {
			differences.push(...compareBalances(recorded, entries, got.get("account")));
			continue;
		}
		for (const key of new Set([...Object.keys(recorded), ...entries.keys()])) {
			const [left, right] = [recorded[key] ?? null, entries.get(key) ?? null];
			differences.push(...compareEntry(store, key, left, right, movesTokens));
		}
	}
	return differences;
}

/** Token balances that the reference stores separately; ours may be in the account record. */
function compareBalances(
	recorded: Readonly<Record<string, string>>,
	entries: ReadonlyMap<string, Uint8Array>,
	accounts: ReadonlyMap<string, Uint8Array> | undefined,
): EntryDifference[] {
	return Object.entries(recorded).flatMap(([key, value]) => {
		const address = key.slice(0, ADDRESS_DIGITS);
		const token = Buffer.from(key.slice(ADDRESS_DIGITS), "hex").toString("utf8");
		const expected = fromHex(value);
		const apart = entries.get(key);
		const account = accounts?.get(address);
		const inside =
			account === undefined ? undefined : member(entryTree("account", address, account), "assetV2", token);
		const got = apart === undefined ? inside : Buffer.from(apart).readBigInt64BE();
		const amount = Buffer.from(expected).readBigInt64BE();
		if (got === amount || (got === undefined && amount === 0n)) return [];
		const difference = { path: "", expected: amount, got };
		return [{ store: ACCOUNT_ASSET, key: `${describeKey("account", address)} token ${token}`, difference }];
	});
}
