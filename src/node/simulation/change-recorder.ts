/** Records written state entries and their previous values. */

import { fromKey } from "../../protocol/bytes.js";
import type { StoreDefinition } from "../state/definition.js";
import { readOnly, type StateBackend } from "../state/entry.js";
import { createView, type StateView } from "../state/view.js";

/** The writes of one transaction. */
export interface RecordedChanges {
	/** The state before those writes. Valid until the state is written again. */
	readonly before: StateView;
	readonly after: StateView;
	/** Keys it wrote in a store, in the order of their first write. */
	keysOf(store: Pick<StoreDefinition<unknown>, "index">): readonly Uint8Array[];
}

/** Previous values by store and key; undefined if there was no entry. */
type Befores = Map<number, Map<string, unknown>>;

export class ChangeRecorder {
	/** The state; writes through it are recorded. */
	readonly view: StateView;
	private befores: Befores = new Map();

	constructor(private readonly state: StateView) {
		const { backend } = state;
		const recording: StateBackend = {
			get: (store, key) => backend.get(store, key),
			put: (store, key, value) => {
				this.note(store, key);
				backend.put(store, key, value);
			},
			delete: (store, key) => {
				this.note(store, key);
				backend.delete(store, key);
			},
			keys: (store) => backend.keys(store),
			keysEver: (store, prefix) => backend.keysEver(store, prefix),
		};
		this.view = createView(recording, state.seed);
	}

	private note<V>(store: StoreDefinition<V>, key: string): void {
		const entries = this.befores.get(store.index) ?? new Map<string, unknown>();
		this.befores.set(store.index, entries);
		if (!entries.has(key)) entries.set(key, this.state.backend.get(store, key));
	}

	/** The writes since the last call. */
	take(): RecordedChanges {
		const { befores, state } = this;
		this.befores = new Map();
		const { backend, seed } = state;
		const before: StateBackend = {
			get: <V>(store: StoreDefinition<V>, key: string) => {
				const entries = befores.get(store.index);
				return entries?.has(key) ? (entries.get(key) as V | undefined) : backend.get(store, key);
			},
			put: readOnly,
			delete: readOnly,
			keys: (store) => backend.keys(store),
			keysEver: (store, prefix) => backend.keysEver(store, prefix),
		};
		return {
			before: createView(before, seed),
			after: state,
			keysOf: ({ index }) => [...(befores.get(index)?.keys() ?? [])].map(fromKey),
		};
	}
}
