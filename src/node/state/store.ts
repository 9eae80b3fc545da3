/** Typed access to one logical store of a view. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { EMPTY, fromKey, toKey } from "../../protocol/bytes.js";
import type { Message } from "../../protocol/codec/descriptor.js";
import type { PackedDefinition, StoreDefinition } from "./definition.js";
import type { StateBackend } from "./entry.js";

let newest: Uint8Array = EMPTY;
let newestKey = "";
let former: Uint8Array = EMPTY;
let formerKey = "";

/**
 * A byte string as a key. PERF: a transaction's rules ask for the same two accounts again and again, by the same addresses, which
 * are never changed once made; a key that was made before is also found sooner than an equal one.
 */
function keyOf(bytes: Uint8Array): string {
	if (bytes === newest) return newestKey;
	if (bytes === former) return formerKey;
	// Longer keys are made for one use, some of them in a buffer that is used again.
	if (bytes.length !== ADDRESS_LENGTH) return toKey(bytes);
	former = newest;
	formerKey = newestKey;
	newest = bytes;
	newestKey = toKey(bytes);
	return newestKey;
}

/** One store of a view. Values must not be changed in place: put a changed copy. */
export class Store<V> {
	constructor(
		private readonly backend: StateBackend,
		private readonly definition: StoreDefinition<V>,
	) {}

	get(key: Uint8Array): V | undefined {
		return this.backend.get(this.definition, keyOf(key));
	}

	has(key: Uint8Array): boolean {
		return this.backend.get(this.definition, keyOf(key)) !== undefined;
	}

	put(key: Uint8Array, value: V): void {
		this.backend.put(this.definition, keyOf(key), value);
	}

	delete(key: Uint8Array): void {
		this.backend.delete(this.definition, keyOf(key));
	}

	/** Keys in ascending order; only for stores that keep their order in memory. A copy, safe across writes. */
	keys(): Uint8Array[] {
		return Array.from(this.backend.keys(this.definition), fromKey);
	}

	/** Keys that were written since the base, block by block, in the order of their first write, deleted ones too. */
	unsettledKeys(): Uint8Array[][] {
		return (this.backend.unsettledKeys?.(this.definition) ?? []).map((keys) => Array.from(keys, fromKey));
	}

	/** Values in ascending order of their keys; only for ordered stores. */
	values(): V[] {
		return Array.from(
			this.backend.keys(this.definition),
			(key) => this.backend.get(this.definition, key) as V,
		);
	}

	/** The key strings of an ordered store that are not below `key`, ascending; must not be kept across a write. */
	keysFrom(key: string): Iterable<string> {
		return this.backend.keys(this.definition).from(key);
	}

	/**
	 * The key strings with a prefix that an entry has or had, in no order: each has to be looked up in a view that is asked
	 * for once they are there.
	 */
	keysEver(prefix: string): Promise<ReadonlySet<string>> {
		return this.backend.keysEver(this.definition, prefix);
	}
}

/** What was decoded of packed values, while they are in memory. */
const unpacked = new WeakMap<Uint8Array, Readonly<Message>>();

/** A store whose values lie encoded: a value is decoded when it is first asked for. */
export class PackedStore<T extends Message> extends Store<Readonly<T>> {
	private readonly bytes: Store<Uint8Array>;

	constructor(
		backend: StateBackend,
		private readonly form: PackedDefinition<T>,
	) {
		super(backend, form as unknown as StoreDefinition<Readonly<T>>);
		this.bytes = new Store(backend, form);
	}

	override get(key: Uint8Array): Readonly<T> | undefined {
		return this.unpack(this.bytes.get(key));
	}

	override put(key: Uint8Array, value: Readonly<T>): void {
		this.bytes.put(key, this.form.packed.encode(value));
	}

	private unpack(bytes: Uint8Array | undefined): Readonly<T> | undefined {
		if (!bytes) return undefined;
		let value = unpacked.get(bytes) as Readonly<T> | undefined;
		if (!value) {
			value = this.form.packed.decode(bytes);
			unpacked.set(bytes, value);
		}
		return value;
	}
}
