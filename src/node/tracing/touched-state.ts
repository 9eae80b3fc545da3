/** Records the accounts and slots that an execution reads or writes: the prestate that tools need to execute it elsewhere. */

import { fromKey, toKey } from "../../protocol/bytes.js";
import { type StoreDefinition, stores } from "../state/definition.js";
import type { StateBackend } from "../state/entry.js";
import { createView, type StateView } from "../state/view.js";
import type { ExecutionObserver } from "../vm/execution-observer.js";
import type { Word } from "../vm/word.js";
import type { TraceBudget } from "./limits.js";

/** What an account or slot counts against the size limit, in bytes: more than its length, since each is looked up again. */
const LEAST_BYTES = 400;

export class TouchedState {
	private readonly touchedAccounts = new Set<string>();
	private readonly touchedSlots = new Map<string, Set<Word>>();

	constructor(private readonly budget: TraceBudget) {}

	/** Accounts, 21 bytes each, in order of first use. */
	get accounts(): readonly Uint8Array[] {
		return [...this.touchedAccounts].map(fromKey);
	}

	/** Contracts whose slots were accessed, 21 bytes each. */
	get contracts(): readonly Uint8Array[] {
		return [...this.touchedSlots.keys()].map(fromKey);
	}

	/** The slots of a contract that its code read or wrote, even if that was reverted. */
	slotsOf(address: Uint8Array): Iterable<Word> {
		return this.touchedSlots.get(toKey(address)) ?? [];
	}

	/** Records slots. */
	readonly observer: ExecutionObserver = {
		began: () => this.touchedSlots.clear(),
		step: (frame, operation, _pc, height) => {
			if ((operation !== "SLOAD" && operation !== "SSTORE") || height < 1) return;
			const key = toKey(frame.context.address);
			const slots = this.touchedSlots.get(key) ?? new Set();
			this.touchedSlots.set(key, slots);
			const slot = frame.stack[height - 1] as Word;
			if (slots.has(slot)) return;
			slots.add(slot);
			this.budget.take(LEAST_BYTES);
		},
	};

	/** The same state, recording the accounts that are read or changed. */
	watching({ backend, seed }: StateView): StateView {
		const note = (store: StoreDefinition<unknown>, key: string): void => {
			if (store.index !== stores.account.index || this.touchedAccounts.has(key)) return;
			this.touchedAccounts.add(key);
			this.budget.take(LEAST_BYTES);
		};
		const watched: StateBackend = {
			get: (store, key) => {
				note(store as StoreDefinition<unknown>, key);
				return backend.get(store, key);
			},
			put: (store, key, value) => {
				note(store as StoreDefinition<unknown>, key);
				backend.put(store, key, value);
			},
			delete: (store, key) => {
				note(store as StoreDefinition<unknown>, key);
				backend.delete(store, key);
			},
			keys: (store) => backend.keys(store),
			keysEver: (store, prefix) => backend.keysEver(store, prefix),
		};
		return createView(watched, seed);
	}
}
