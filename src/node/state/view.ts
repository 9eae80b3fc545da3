/** A view of the state: typed stores and properties over one backend. Rules and queries see nothing else of it. */

import type { Message } from "../../protocol/codec/descriptor.js";
import { AccountStore } from "./account-store.js";
import type { StateBackend } from "./backend.js";
import { type PackedDefinition, type StoreDefinition, stores } from "./definition.js";
import { Properties } from "./properties.js";
import type { PropertySeed } from "./property-table.js";
import { PackedStore, Store } from "./store.js";

type ValueOf<D> =
	D extends PackedDefinition<infer T> ? Readonly<T> : D extends StoreDefinition<infer V> ? V : never;
type StoreName = Exclude<keyof typeof stores, "properties" | "account">;

/** The typed stores of a view, under the names of {@link stores}. */
type StateStores = { readonly [N in StoreName]: Store<ValueOf<(typeof stores)[N]>> };

export { Store } from "./store.js";

export interface StateView extends StateStores {
	readonly account: AccountStore;
	readonly properties: Properties;
	/** What the view stands on, for layers over it. */
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
