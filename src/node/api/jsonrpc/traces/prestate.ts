/** The accounts an execution touched, before it, and how it changed them (protocol/json-rpc §14.6). */

import { ResourceCode } from "../../../../protocol/messages.js";
import { ownStakeV1, ownStakeV2 } from "../../../resources/stake.js";
import type { StateView } from "../../../state/view.js";
import type { TraceBudget } from "../../../tracing/limits.js";
import { TouchedState } from "../../../tracing/touched-state.js";
import { readSlot } from "../../../vm/storage-keys.js";
import { wordToBytes } from "../../../vm/word.js";
import type { RpcValue } from "../method.js";
import { addressData, data, quantity } from "../values.js";
import type { TraceOptions } from "./options.js";
import type { Seen, ShownTracer } from "./seen.js";

/** Size of an account, slot, token or vote in the answer, in bytes. */
const ENTRY_BYTES = 140;

/** Rendered members of an account. */
type AccountFacts = Record<string, RpcValue>;
type Accounts = Record<string, AccountFacts>;

export function prestate(options: TraceOptions, budget: TraceBudget): ShownTracer {
	const touched = new TouchedState(budget);
	return {
		observer: touched.observer,
		touched,
		show: (seen) => {
			// The budget is charged while gathering: a contract may touch any number of others, with code.
			const read: Reader = (state, address) => factsOf(state, address, touched, options, budget);
			const shown = options.diffMode ? difference(touched, seen, read) : before(touched, seen, read);
			return [JSON.stringify(shown)];
		},
	};
}

/** Undefined if there is no such account. */
type Reader = (state: StateView, address: Uint8Array) => AccountFacts | undefined;

function before(touched: TouchedState, seen: Seen, read: Reader): Accounts {
	const accounts: Accounts = {};
	for (const address of touched.accounts) {
		const facts = read(seen.before, address);
		if (facts) accounts[addressData(address) ?? ""] = facts;
	}
	return accounts;
}

/** `pre` has the old values of what changed, `post` the new ones; deleted accounts are only in `pre`. */
function difference(touched: TouchedState, seen: Seen, read: Reader): { pre: Accounts; post: Accounts } {
	const pre: Accounts = {};
	const post: Accounts = {};
	for (const address of touched.accounts) {
		const [was, is] = [seen.before, seen.after].map((state) => read(state, address));
		if (JSON.stringify(was) === JSON.stringify(is)) continue;
		const name = addressData(address) ?? "";
		if (was) pre[name] = { ...withoutSlots(was), ...changedSlots(was, is) };
		if (is) post[name] = changed(was, is);
	}
	return { pre, post };
}

/** The members of an account that differ. */
function changed(was: AccountFacts | undefined, is: AccountFacts): AccountFacts {
	const members = Object.entries(is).filter(
		([name, value]) => name !== "storage" && JSON.stringify(value) !== JSON.stringify(was?.[name]),
	);
	return { ...Object.fromEntries(members), ...changedSlots(is, was) };
}

/** The slots of an account that differ from another's; empty if none do. */
function changedSlots(of: AccountFacts, from: AccountFacts | undefined): AccountFacts {
	if (of["storage"] === undefined) return {};
	const other = (from?.["storage"] ?? {}) as AccountFacts;
	const slots = Object.entries(of["storage"] as AccountFacts).filter(
		([slot, value]) => (other[slot] ?? ZERO_WORD) !== value,
	);
	return slots.length === 0 ? {} : { storage: Object.fromEntries(slots) };
}

function withoutSlots({ storage: _, ...facts }: AccountFacts): AccountFacts {
	return facts;
}

const ZERO_WORD = data(new Uint8Array(32));

function factsOf(
	state: StateView,
	address: Uint8Array,
	touched: TouchedState,
	{ code, slots }: TraceOptions,
	budget: TraceBudget,
): AccountFacts | undefined {
	const account = state.account.get(address);
	if (!account) return undefined;
	const bytes = code ? state.code.get(address) : undefined;
	budget.take(2 * (bytes?.length ?? 0) + ENTRY_BYTES * (1 + account.assetV2.size + account.votes.length));
	const storage = slots ? storageOf(state, address, touched, budget) : {};
	const tokens = [...account.assetV2].filter(([, amount]) => amount !== 0n);
	const stakes = Object.entries(STAKES)
		.map(([name, resource]) => [name, ownStakeV1(account, resource) + ownStakeV2(account, resource)] as const)
		.filter(([, sun]) => sun !== 0n);
	return {
		balance: quantity(account.balance),
		...(bytes && bytes.length > 0 ? { code: data(bytes) } : {}),
		...(Object.keys(storage).length > 0 ? { storage } : {}),
		...(tokens.length > 0 ? { tokens: shownAmounts(tokens) } : {}),
		...(stakes.length > 0 ? { stakes: shownAmounts(stakes) } : {}),
		...(account.votes.length > 0
			? {
					votes: Object.fromEntries(
						account.votes.map(({ vote_address, vote_count }) => [
							addressData(vote_address) ?? "",
							quantity(vote_count),
						]),
					),
				}
			: {}),
	};
}

const STAKES = {
	bandwidth: ResourceCode.BANDWIDTH,
	energy: ResourceCode.ENERGY,
	votes: ResourceCode.COIN_POWER,
} as const;

function shownAmounts(amounts: readonly (readonly [string, bigint])[]): AccountFacts {
	return Object.fromEntries(amounts.map(([name, amount]) => [name, quantity(amount)]));
}

function storageOf(
	state: StateView,
	address: Uint8Array,
	touched: TouchedState,
	budget: TraceBudget,
): AccountFacts {
	const contract = state.contract.get(address);
	if (!contract) return {};
	const { trx_hash: creationId, version } = contract;
	const storage: AccountFacts = {};
	for (const slot of touched.slotsOf(address)) {
		budget.take(ENTRY_BYTES);
		const value = readSlot(state, { address, creationId, version }, slot);
		storage[data(wordToBytes(slot))] = value ? data(value) : ZERO_WORD;
	}
	return storage;
}
