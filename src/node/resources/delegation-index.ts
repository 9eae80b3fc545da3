/** Who delegates to whom: the index by account (protocol/staking §5.2). */

import { concatBytes, equalBytes, fromKey, toKey } from "../../protocol/bytes.js";
import { hashOrder } from "../../protocol/hash-order.js";
import { DelegatedResourceAccountIndex } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

/** First bytes of the two entries of a pair: under the giver, and under the receiver. */
interface EntryPrefixes {
	readonly from: number;
	readonly to: number;
}

const V1: EntryPrefixes = { from: 1, to: 2 };
const V2: EntryPrefixes = { from: 3, to: 4 };

function entryKey(prefix: number, first: Uint8Array, second: Uint8Array): Uint8Array {
	return concatBytes(Uint8Array.of(prefix), first, second);
}

function putEntries(
	state: StateView,
	prefixes: EntryPrefixes,
	from: Uint8Array,
	to: Uint8Array,
	timestamp: bigint,
): void {
	const index = state.delegatedResourceAccountIndex;
	index.put(
		entryKey(prefixes.from, from, to),
		DelegatedResourceAccountIndex.create({ account: to, timestamp }),
	);
	index.put(
		entryKey(prefixes.to, to, from),
		DelegatedResourceAccountIndex.create({ account: from, timestamp }),
	);
}

function deleteEntries(state: StateView, prefixes: EntryPrefixes, from: Uint8Array, to: Uint8Array): void {
	state.delegatedResourceAccountIndex.delete(entryKey(prefixes.from, from, to));
	state.delegatedResourceAccountIndex.delete(entryKey(prefixes.to, to, from));
}

/** Notes a delegation of generation 2, at the head's time. */
export function indexDelegationV2(state: StateView, from: Uint8Array, to: Uint8Array): void {
	putEntries(state, V2, from, to, state.properties.headTimestampMs);
}

/** Forgets a pair of generation 2. */
export function unindexDelegationV2(state: StateView, from: Uint8Array, to: Uint8Array): void {
	deleteEntries(state, V2, from, to);
}

/** Notes a delegation of generation 1, in the form that the chain's rules ask for. */
export function indexDelegationV1(state: StateView, from: Uint8Array, to: Uint8Array): void {
	if (state.properties.on("ALLOW_DELEGATE_OPTIMIZATION")) {
		splitLegacyIndex(state, from);
		splitLegacyIndex(state, to);
		putEntries(state, V1, from, to, state.properties.headTimestampMs);
		return;
	}
	changeLegacy(state, from, (index) => {
		index.toAccounts = withMember(index.toAccounts, to);
	});
	changeLegacy(state, to, (index) => {
		index.fromAccounts = withMember(index.fromAccounts, from);
	});
}

/** Forgets a pair of generation 1. */
export function unindexDelegationV1(state: StateView, from: Uint8Array, to: Uint8Array): void {
	if (state.properties.on("ALLOW_DELEGATE_OPTIMIZATION")) {
		splitLegacyIndex(state, from);
		splitLegacyIndex(state, to);
		deleteEntries(state, V1, from, to);
		return;
	}
	if (state.delegatedResourceAccountIndex.has(from)) {
		changeLegacy(state, from, (index) => {
			index.toAccounts = withoutMember(index.toAccounts, to);
		});
	}
	if (state.delegatedResourceAccountIndex.has(to)) {
		changeLegacy(state, to, (index) => {
			index.fromAccounts = withoutMember(index.fromAccounts, from);
		});
	}
}

/** Turns an account's one record of generation 1 into an entry for each pair, with their positions as times. */
function splitLegacyIndex(state: StateView, address: Uint8Array): void {
	const legacy = state.delegatedResourceAccountIndex.get(address);
	if (!legacy) return;
	legacy.toAccounts.forEach((to, i) => {
		putEntries(state, V1, address, to, BigInt(i + 1));
	});
	legacy.fromAccounts.forEach((from, i) => {
		putEntries(state, V1, from, address, BigInt(i + 1));
	});
	state.delegatedResourceAccountIndex.delete(address);
}

function changeLegacy(
	state: StateView,
	address: Uint8Array,
	change: (index: DelegatedResourceAccountIndex) => void,
): void {
	const stored = state.delegatedResourceAccountIndex.get(address);
	const index = stored
		? DelegatedResourceAccountIndex.copy(stored)
		: DelegatedResourceAccountIndex.create({ account: address });
	change(index);
	state.delegatedResourceAccountIndex.put(address, index);
}

function withMember(list: readonly Uint8Array[], member: Uint8Array): readonly Uint8Array[] {
	return list.some((each) => equalBytes(each, member)) ? list : [...list, member];
}

/** Drops the first equal element. */
function withoutMember(list: readonly Uint8Array[], member: Uint8Array): readonly Uint8Array[] {
	const at = list.findIndex((each) => equalBytes(each, member));
	return at < 0 ? list : list.toSpliced(at, 1);
}

/** The index of an account for generation 1, in whichever form it is stored (protocol/staking §8.4). */
export function delegationIndexV1(
	state: StateView,
	address: Uint8Array,
): Readonly<DelegatedResourceAccountIndex> {
	return state.delegatedResourceAccountIndex.get(address) ?? assembleIndex(state, V1, address);
}

/** The index of an account for generation 2. */
export function delegationIndexV2(
	state: StateView,
	address: Uint8Array,
): Readonly<DelegatedResourceAccountIndex> {
	return assembleIndex(state, V2, address);
}

function assembleIndex(
	state: StateView,
	prefixes: EntryPrefixes,
	address: Uint8Array,
): DelegatedResourceAccountIndex {
	return DelegatedResourceAccountIndex.create({
		account: address,
		toAccounts: partners(state, prefixes.from, address),
		fromAccounts: partners(state, prefixes.to, address),
	});
}

/** Partners of an account, oldest entry first; entries of one time as a hash map of their keys iterates them. */
function partners(state: StateView, prefix: number, address: Uint8Array): readonly Uint8Array[] {
	const index = state.delegatedResourceAccountIndex;
	const head = toKey(concatBytes(Uint8Array.of(prefix), address));
	const keys: string[] = [];
	for (const key of index.keysFrom(head)) {
		if (!key.startsWith(head)) break;
		keys.push(key);
	}
	const entries: Readonly<DelegatedResourceAccountIndex>[] = [];
	for (const key of hashOrder(keys)) {
		const entry = index.get(fromKey(key));
		if (entry) entries.push(entry);
	}
	entries.sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
	return entries.map((entry) => entry.account);
}
