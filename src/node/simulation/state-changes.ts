/** State changes of a transaction, by account. */

import { equalBytes, fromKey, toKey } from "../../protocol/bytes.js";
import { type Account, type Permission, ResourceCode, type Vote } from "../../protocol/messages.js";
import { ownStakeV1, ownStakeV2 } from "../resources/stake.js";
import { stores } from "../state/definition.js";
import type { StateView } from "../state/view.js";
import type { TouchedState } from "../tracing/touched-state.js";
import { readSlot } from "../vm/storage-keys.js";
import { type Word, wordToBytes } from "../vm/word.js";
import type { RecordedChanges } from "./change-recorder.js";

interface Change<T> {
	readonly before: T;
	readonly after: T;
}

interface Permissions {
	readonly owner: Readonly<Permission> | undefined;
	readonly witness: Readonly<Permission> | undefined;
	readonly actives: readonly Readonly<Permission>[];
}

/** Changes of an account; unchanged members are absent. Amounts in sun, or in token units. */
export interface AccountChange {
	/** 21 bytes. */
	readonly address: Uint8Array;
	readonly exists?: Change<boolean>;
	/** Amounts by name: `balance`, `reward`, `unstaking`. */
	readonly amounts: ReadonlyMap<string, Change<bigint>>;
	/** ORC-10 tokens by id. */
	readonly tokens: ReadonlyMap<string, Change<bigint>>;
	/** By resource: `bandwidth`, `energy`, `votes`; both generations together. */
	readonly stakes: ReadonlyMap<string, Change<bigint>>;
	/** Stakes delegated to others, and acquired from others. */
	readonly delegated: ReadonlyMap<string, Change<bigint>>;
	readonly acquired: ReadonlyMap<string, Change<bigint>>;
	readonly votes?: Change<readonly Readonly<Vote>[]>;
	readonly permissions?: Change<Permissions>;
	/** Undefined: no code. */
	readonly code?: Change<Uint8Array | undefined>;
	/** 32-byte slots and values; undefined: empty. */
	readonly storage: readonly (Change<Uint8Array | undefined> & { readonly slot: Uint8Array })[];
}

/** Accounts in the order they were touched. @param slots written or read by the contracts */
export function accountChanges(changes: RecordedChanges, slots: TouchedState): AccountChange[] {
	const keys = new Set<string>();
	for (const store of [stores.account, stores.code]) {
		for (const key of changes.keysOf(store)) keys.add(toKey(key));
	}
	for (const contract of slots.contracts) keys.add(toKey(contract));
	return [...keys].map((key) => accountChange(fromKey(key), changes, slots)).filter(saysSomething);
}

function accountChange(
	address: Uint8Array,
	{ before, after }: RecordedChanges,
	slots: TouchedState,
): AccountChange {
	const [was, is] = [before.account.get(address), after.account.get(address)];
	const votes = { before: was?.votes ?? [], after: is?.votes ?? [] };
	const permissions = { before: permissionsOf(was), after: permissionsOf(is) };
	const code = { before: codeOf(before, address), after: codeOf(after, address) };
	const both = (facts: (account: Readonly<Account> | undefined) => Amounts) =>
		differing(facts(was), facts(is));
	return {
		address,
		...(Boolean(was) === Boolean(is)
			? {}
			: { exists: { before: was !== undefined, after: is !== undefined } }),
		amounts: both(amountsOf),
		tokens: both((account) => account?.assetV2 ?? NOTHING),
		stakes: both(stakesOf),
		delegated: both(delegatedOf),
		acquired: both(acquiredOf),
		...(sameVotes(votes.before, votes.after) ? {} : { votes }),
		...(samePermissions(permissions.before, permissions.after) ? {} : { permissions }),
		...(sameBytes(code.before, code.after) ? {} : { code }),
		storage: storageOf(address, before, after, slots.slotsOf(address)),
	};
}

function saysSomething(change: AccountChange): boolean {
	const { exists, votes, permissions, code, storage } = change;
	const { amounts, tokens, stakes, delegated, acquired } = change;
	const count = [amounts, tokens, stakes, delegated, acquired].reduce((sum, { size }) => sum + size, 0);
	return count + storage.length > 0 || Boolean(exists || votes || permissions || code);
}

type Amounts = ReadonlyMap<string, bigint>;

const NOTHING: Amounts = new Map();

function differing(was: Amounts, is: Amounts): Map<string, Change<bigint>> {
	const changes = new Map<string, Change<bigint>>();
	for (const name of new Set([...was.keys(), ...is.keys()])) {
		const change = { before: was.get(name) ?? 0n, after: is.get(name) ?? 0n };
		if (change.before !== change.after) changes.set(name, change);
	}
	return changes;
}

function amountsOf(account: Readonly<Account> | undefined): Amounts {
	if (!account) return NOTHING;
	return new Map([
		["balance", account.balance],
		["reward", account.allowance],
		["unstaking", account.unfrozenV2.reduce((sum, { unfreeze_amount }) => sum + unfreeze_amount, 0n)],
	]);
}

const RESOURCES = [
	["bandwidth", ResourceCode.BANDWIDTH],
	["energy", ResourceCode.ENERGY],
	["votes", ResourceCode.COIN_POWER],
] as const;

function stakesOf(account: Readonly<Account> | undefined): Amounts {
	if (!account) return NOTHING;
	return new Map(
		RESOURCES.map(([name, code]) => [name, ownStakeV1(account, code) + ownStakeV2(account, code)]),
	);
}

function delegatedOf(account: Readonly<Account> | undefined): Amounts {
	if (!account) return NOTHING;
	const energy = account.account_resource;
	return new Map([
		[
			"bandwidth",
			account.delegated_frozen_balance_for_bandwidth + account.delegated_frozenV2_balance_for_bandwidth,
		],
		[
			"energy",
			(energy?.delegated_frozen_balance_for_energy ?? 0n) +
				(energy?.delegated_frozenV2_balance_for_energy ?? 0n),
		],
	]);
}

function acquiredOf(account: Readonly<Account> | undefined): Amounts {
	if (!account) return NOTHING;
	const energy = account.account_resource;
	return new Map([
		[
			"bandwidth",
			account.acquired_delegated_frozen_balance_for_bandwidth +
				account.acquired_delegated_frozenV2_balance_for_bandwidth,
		],
		[
			"energy",
			(energy?.acquired_delegated_frozen_balance_for_energy ?? 0n) +
				(energy?.acquired_delegated_frozenV2_balance_for_energy ?? 0n),
		],
	]);
}

function sameVotes(was: readonly Readonly<Vote>[], is: readonly Readonly<Vote>[]): boolean {
	if (was === is) return true;
	return (
		was.length === is.length &&
		was.every((vote, i) => {
			const other = is[i] as Readonly<Vote>;
			return vote.vote_count === other.vote_count && equalBytes(vote.vote_address, other.vote_address);
		})
	);
}

const permissionsOf = (account: Readonly<Account> | undefined): Permissions => ({
	owner: account?.owner_permission,
	witness: account?.witness_permission,
	actives: account?.active_permission ?? [],
});

/** Messages are immutable: unchanged ones are the same object. */
function samePermissions(was: Permissions, is: Permissions): boolean {
	return was.owner === is.owner && was.witness === is.witness && was.actives === is.actives;
}

function codeOf(state: StateView, address: Uint8Array): Uint8Array | undefined {
	const code = state.code.get(address);
	return code && code.length > 0 ? code : undefined;
}

const sameBytes = (was: Uint8Array | undefined, is: Uint8Array | undefined): boolean =>
	was === is || (was !== undefined && is !== undefined && equalBytes(was, is));

function storageOf(
	address: Uint8Array,
	before: StateView,
	after: StateView,
	slots: Iterable<Word>,
): AccountChange["storage"] {
	const valueIn = (state: StateView, slot: Word): Uint8Array | undefined => {
		const contract = state.contract.get(address);
		if (!contract) return undefined;
		return readSlot(state, { address, creationId: contract.trx_hash, version: contract.version }, slot);
	};
	return [...slots].flatMap((slot) => {
		const change = { before: valueIn(before, slot), after: valueIn(after, slot) };
		return sameBytes(change.before, change.after) ? [] : [{ slot: wordToBytes(slot), ...change }];
	});
}
