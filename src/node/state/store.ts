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
 * A byte string as a key. PERF: a transaction's rules keep using the same two address objects, which never
 * change; a key string reused by identity is also looked up faster than an equal one.
 */
function keyOf(bytes: Uint8Array): string {
	if (bytes === newest) return newestKey;
	if (bytes === former) return formerKey;
	// Longer keys are used once, and some are in a reused buffer.
	if (bytes.length !== ADDRESS_LENGTH) return toKey(bytes);
	former = newest;
	formerKey = newestKey;
	newest = bytes;
	newestKey = toKey(bytes);
	return newestKey;
}

/** One store of a view. Values must not be mutated: put a changed copy. */
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

	/** Keys in ascending order; ordered stores only. A copy, safe across writes. */
	keys(): Uint8Array[] {
		return Array.from(this.backend.keys(this.definition), fromKey);
	}

	/** Keys written since the base, per block, in order of first write, including deleted ones. */
	unsettledKeys(): Uint8Array[][] {
		return (this.backend.unsettledKeys?.(this.definition) ?? []).map((keys) => Array.from(keys, fromKey));
	}

	/** Values in ascending key order; ordered stores only. */
	values(): V[] {
		return Array.from(
			this.backend.keys(this.definition),
			(key) => this.backend.get(this.definition, key) as V,
		);
	}

	/** Key strings of an ordered store not below `key`, ascending; must not be kept across a write. */
	keysFrom(key: string): Iterable<string> {
		return this.backend.keys(this.definition).from(key);
	}

	/**
	 * Key strings with a prefix that exist or once existed, unordered: each must be looked up in a view
	 * obtained after this resolves.
	 */
	keysEver(prefix: string): Promise<ReadonlySet<string>> {
		return this.backend.keysEver(this.definition, prefix);
	}
}

/** Decoded packed values, for as long as these are in memory. */
const unpacked = new WeakMap<Uint8Array, Readonly<Message>>();

/** A store of encoded values, each decoded on first access. */
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
