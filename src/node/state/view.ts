/** A view of the state: typed stores and properties over one backend. The only access rules and queries have. */

import { toHex, toKey } from "../../protocol/bytes.js";
import type { Message } from "../../protocol/codec/descriptor.js";
import type { Account } from "../../protocol/messages.js";
import { type PackedDefinition, type StoreDefinition, stores } from "./definition.js";
import type { StateBackend } from "./entry.js";
import { Properties } from "./properties.js";
import type { PropertySeed } from "./property-table.js";
import { PackedStore, Store } from "./store.js";

/** Called on each balance change and each deletion. Amounts in sun; a deletion leaves 0. */
type BalanceObserver = (address: Uint8Array, delta: bigint, balance: bigint) => void;

class AccountStore extends Store<Readonly<Account>> {
	observer: BalanceObserver | undefined;

	constructor(private readonly base: StateBackend) {
		super(base, stores.account);
	}

	override put(key: Uint8Array, value: Readonly<Account>): void {
		const { observer } = this;
		const before = observer ? (this.get(key)?.balance ?? 0n) : 0n;
		super.put(key, value);
		if (observer && value.balance !== before) observer(key, value.balance - before, value.balance);
	}

	override delete(key: Uint8Array): void {
		const { observer } = this;
		const before = observer ? (this.get(key)?.balance ?? 0n) : 0n;
		super.delete(key);
		observer?.(key, -before, 0n);
	}

	/** An account as the base has it, i.e. as the reference has flushed it. */
	settled(address: Uint8Array): Readonly<Account> | undefined {
		const key = toKey(address);
		return this.base.settled ? this.base.settled(stores.account, key) : this.base.get(stores.account, key);
	}

	/** An account that a rule has already found to exist. */
	existing(address: Uint8Array): Readonly<Account> {
		const account = this.get(address);
		if (!account) throw new Error(`account ${toHex(address)} is missing`);
		return account;
	}
}

type ValueOf<D> =
	D extends PackedDefinition<infer T> ? Readonly<T> : D extends StoreDefinition<infer V> ? V : never;
type StoreName = Exclude<keyof typeof stores, "properties" | "account">;

/** The typed stores of a view, under the names of {@link stores}. */
type StateStores = { readonly [N in StoreName]: Store<ValueOf<(typeof stores)[N]>> };

export { Store } from "./store.js";

export interface StateView extends StateStores {
	readonly account: AccountStore;
	readonly properties: Properties;
	/** What the view is built on, for layers above it. */
	readonly backend: StateBackend;
	readonly seed: PropertySeed;
}

/** Builds the view over a backend. */
export function createView(backend: StateBackend, seed: PropertySeed): StateView {
	const view: Record<string, unknown> = {
		properties: new Properties(backend, seed),
		account: new AccountStore(backend),
		backend,
		seed,
	};
	for (const [name, definition] of Object.entries(stores)) {
		if (view[name] !== undefined) continue;
		view[name] =
			"packed" in definition
				? new PackedStore(backend, definition as PackedDefinition<Message>)
				: new Store(backend, definition as StoreDefinition<unknown>);
	}
	return view as unknown as StateView;
}
