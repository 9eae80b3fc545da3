/** Index of delegation partners by account (protocol/staking §5.2). */

import { concatBytes, equalBytes, fromKey, toKey } from "../../protocol/bytes.js";
import { hashOrder } from "../../protocol/hash-order.js";
import { DelegatedResourceAccountIndex } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

/** First key bytes of a pair's two entries: by delegator and by receiver. */
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

/** Adds a Stake 2.0 delegation at the head's time. */
export function indexDelegationV2(state: StateView, from: Uint8Array, to: Uint8Array): void {
	putEntries(state, V2, from, to, state.properties.headTimestampMs);
}

/** Removes a pair of Stake 2.0. */
export function unindexDelegationV2(state: StateView, from: Uint8Array, to: Uint8Array): void {
	deleteEntries(state, V2, from, to);
}

/** Adds a Stake 1.0 delegation, in the format that the chain's rules require. */
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

/** Removes a pair of Stake 1.0. */
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

/** Splits an account's single Stake 1.0 record into entries per pair, with list positions as times. */
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

/** Removes the first equal element. */
function withoutMember(list: readonly Uint8Array[], member: Uint8Array): readonly Uint8Array[] {
	const at = list.findIndex((each) => equalBytes(each, member));
	return at < 0 ? list : list.toSpliced(at, 1);
}

/** Candidate keys of an account's entries in any state, for one generation. */
interface PartnerKeys {
	readonly to: ReadonlySet<string>;
	readonly from: ReadonlySet<string>;
}

/** Looks up the keys on another thread: with millions of delegating accounts, not all are in memory. */
export async function partnerKeys(
	{ delegatedResourceAccountIndex: index }: StateView,
	generation: 1 | 2,
	address: Uint8Array,
): Promise<PartnerKeys> {
	const { from, to } = generation === 1 ? V1 : V2;
	const begin = (prefix: number): string => toKey(concatBytes(Uint8Array.of(prefix), address));
	return { to: await index.keysEver(begin(from)), from: await index.keysEver(begin(to)) };
}

/**
 * An account's Stake 1.0 index, in whichever format it is stored (protocol/staking §8.4).
 * @param keys from {@link partnerKeys}, looked up before the state was read
 */
export function delegationIndexV1(
	state: StateView,
	address: Uint8Array,
	keys: PartnerKeys,
): Readonly<DelegatedResourceAccountIndex> {
	return state.delegatedResourceAccountIndex.get(address) ?? delegationIndexV2(state, address, keys);
}

/** An account's Stake 2.0 index. @param keys as {@link delegationIndexV1} */
export function delegationIndexV2(
	state: StateView,
	address: Uint8Array,
	{ to, from }: PartnerKeys,
): Readonly<DelegatedResourceAccountIndex> {
	return DelegatedResourceAccountIndex.create({
		account: address,
		toAccounts: partners(state, to),
		fromAccounts: partners(state, from),
	});
}

/** Partners by entry time, oldest first; equal times in the order of a hash map of their keys. */
function partners(state: StateView, keys: ReadonlySet<string>): readonly Uint8Array[] {
	const index = state.delegatedResourceAccountIndex;
	const entries = new Map<string, Readonly<DelegatedResourceAccountIndex>>();
	for (const key of [...keys].sort()) {
		const entry = index.get(fromKey(key));
		if (entry) entries.set(key, entry);
	}
	return hashOrder([...entries.keys()])
		.map((key) => entries.get(key) as Readonly<DelegatedResourceAccountIndex>)
		.sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
		.map(({ account }) => account);
}
