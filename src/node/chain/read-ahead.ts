/** Prefetches what a block will read, as far as its transactions tell before execution. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { toKey } from "../../protocol/bytes.js";
import type { ContractType } from "../../protocol/contract-types.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { delegationKeyV2 } from "../resources/delegated-resource.js";
import type { WantedEntry } from "../state/base-state.js";
import { type StoreDefinition, stores } from "../state/definition.js";

/** The share of named entries that must miss the cache for every block to be worth inspecting. */
const WORTH_LOOKING = 1 / 50;
/** Blocks to skip between inspections while nearly everything is cached. */
const REST = 8;

/** Guesses per block: more would take longer than they save. */
const MAX_GUESSES = 2_048;

/** Prefetches what the next blocks will read; while nearly everything is cached, inspects only a few of them. */
export class ReadAhead {
	private resting = 0;

	/**
	 * @param read fetches entries, and tells how many were missing
	 * @param guess what else a transaction may read
	 */
	constructor(
		private readonly read: (wanted: readonly WantedEntry[]) => Promise<number>,
		private readonly guess: ReadGuess = () => [],
	) {}

	/** @throws {DatabaseError} as the block's own reads will */
	async of(transactions: readonly SignedTransaction[]): Promise<void> {
		const ids = this.read(idsOf(transactions));
		if (this.resting > 0) {
			this.resting--;
			await ids;
			return;
		}
		const wanted = [...wantedBy(transactions), ...this.guessed(transactions)];
		const [missing] = await Promise.all([this.read(wanted), ids]);
		if (missing < wanted.length * WORTH_LOOKING) this.resting = REST;
	}

	/**
	 * Prefetches everything one transaction may read, for storage where an unforeseen read takes long. An entry
	 * that can't be fetched is reported by the read that needs it.
	 * @param isSent whether it is to be in a block, rather than only asked
	 */
	async ofOne(transaction: SignedTransaction, isSent: boolean): Promise<void> {
		const one = [transaction];
		const wanted = [...(isSent ? idsOf(one) : []), ...wantedBy(one), ...this.guessed(one)];
		await this.read(wanted).catch(() => {});
	}

	/** Each entry once: calls of the same contract have much in common. */
	private guessed(transactions: readonly SignedTransaction[]): Iterable<WantedEntry> {
		const entries = new Map<string, WantedEntry>();
		let count = 0;
		for (const transaction of transactions) {
			if (count >= MAX_GUESSES) break;
			const guessed = this.guess(transaction);
			count += guessed.length;
			for (const entry of guessed) entries.set(entry.key, entry);
		}
		return entries.values();
	}
}

/** Guesses what a transaction may read besides what it names. */
export type ReadGuess = (transaction: SignedTransaction) => readonly WantedEntry[];

/** Transaction ids: each has to be looked up, to check that it is in no earlier block. */
export function idsOf(transactions: readonly SignedTransaction[]): WantedEntry[] {
	const store = stores.transaction as StoreDefinition<unknown>;
	return transactions.map(({ id }) => ({ store, key: toKey(id) }));
}

/**
 * The accounts that transactions name, the contracts they call, and delegations between accounts. Whatever
 * else the rules read is mostly cached already.
 */
export function wantedBy(transactions: readonly SignedTransaction[]): WantedEntry[] {
	const accounts = new Set<string>();
	const contracts = new Set<string>();
	const wanted: WantedEntry[] = [];
	for (const transaction of transactions) {
		const parameter = parameterOf(transaction) as Record<string, unknown> | undefined;
		if (!parameter) continue;
		if (transaction.type && PAIRS.has(transaction.type.name)) addPair(wanted, parameter);
		for (const name of addressFieldsOf(transaction.type)) {
			const value = parameter[name];
			if (!(value instanceof Uint8Array) || value.length !== ADDRESS_LENGTH) continue;
			accounts.add(toKey(value));
			if (name === "contract_address") contracts.add(toKey(value));
		}
	}
	for (const key of accounts) wanted.push({ store: ACCOUNT_STORE, key });
	for (const store of CONTRACT_STORES) for (const key of contracts) wanted.push({ store, key });
	return wanted;
}

const ACCOUNT_STORE = stores.account as StoreDefinition<unknown>;
const CONTRACT_STORES = [stores.contract, stores.code, stores.contractState] as StoreDefinition<unknown>[];

/** Types that change a delegation between two accounts. */
const PAIRS: ReadonlySet<string> = new Set(["DelegateResourceContract", "UnDelegateResourceContract"]);
const DELEGATED_STORE = stores.delegatedResource as StoreDefinition<unknown>;

function addPair(wanted: WantedEntry[], { owner_address, receiver_address }: Record<string, unknown>): void {
	if (!(owner_address instanceof Uint8Array) || !(receiver_address instanceof Uint8Array)) return;
	for (const isLocked of [false, true]) {
		const key = toKey(delegationKeyV2(owner_address, receiver_address, isLocked));
		wanted.push({ store: DELEGATED_STORE, key });
	}
}

const addressFields = new Map<ContractType | undefined, readonly string[]>();

/** The message fields of a type that may hold an address: those of type bytes. */
function addressFieldsOf(type: ContractType | undefined): readonly string[] {
	let fields = addressFields.get(type);
	if (!fields) {
		fields = (type?.message?.fields ?? [])
			.filter(({ kind, label }) => kind === "bytes" && label === "singular")
			.map(({ name }) => name);
		addressFields.set(type, fields);
	}
	return fields;
}

/** The decoded contract message; undefined if it is malformed, which the block's own validation reports. */
function parameterOf(transaction: SignedTransaction): SignedTransaction["parameter"] | undefined {
	try {
		return transaction.parameter;
	} catch {
		return undefined;
	}
}
