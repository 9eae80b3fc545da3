/** Typed access to the dynamic properties of one view of the state. */

import { maxInt, wrap } from "../../protocol/int64.js";
import { SLOT_MS } from "../../protocol/timing.js";
import { stores } from "./definition.js";
import type { StateBackend } from "./entry.js";
import {
	type PropertyName,
	type PropertyOf,
	type PropertySeed,
	type PropertyType,
	type PropertyValue,
	propertyKey,
	propertyNames,
	propertyRow,
} from "./property-table.js";

const keys = Object.fromEntries(propertyNames.map((name) => [name, propertyKey(name)])) as Readonly<
	Record<PropertyName, string>
>;

const initial = new WeakMap<PropertySeed, ReadonlyMap<PropertyName, PropertyValue>>();

/** The initial value of every property. PERF: built once per chain, since every query at a block creates a view. */
function initialValues(seed: PropertySeed): ReadonlyMap<PropertyName, PropertyValue> {
	const known = initial.get(seed);
	if (known) return known;
	const made = new Map(propertyNames.map((name) => [name, propertyRow(name).initial(seed)]));
	initial.set(seed, made);
	return made;
}

export class Properties {
	private readonly fallbacks: ReadonlyMap<PropertyName, PropertyValue>;

	constructor(
		private readonly backend: StateBackend,
		private readonly seed: PropertySeed,
	) {
		this.fallbacks = initialValues(seed);
	}

	/** The stored value, or the initial one if the property was never written. */
	get<N extends PropertyName>(name: N): PropertyType<N> {
		const { knownProperties } = this.backend;
		const known = knownProperties?.get(name);
		if (known !== undefined) return known as PropertyType<N>;
		const value = this.backend.get(stores.properties, keys[name]) ?? this.fallbacks.get(name);
		knownProperties?.learn(name, value as PropertyValue);
		return value as PropertyType<N>;
	}

	/** A value derived from properties, recomputed only when they may have changed ({@link KnownProperties.derive}). */
	derived<T>(of: object, make: () => T): T {
		return this.backend.knownProperties?.derive(of, make) ?? make();
	}

	/** Whether a switch is on, i.e. its value is 1. */
	on(name: PropertyOf<"long">): boolean {
		return this.get(name) === 1n;
	}

	set<N extends PropertyName>(name: N, value: PropertyType<N>): void {
		this.backend.put(stores.properties, keys[name], value as PropertyValue);
	}

	/** Adds to a counter, wrapping. Adding 0 writes nothing. */
	add(name: PropertyOf<"long">, delta: bigint): void {
		if (delta !== 0n) this.set(name, wrap(this.get(name) + delta));
	}

	/** Adds to a counter that ignores non-positive amounts: the fee pool and the burn counter. */
	addPositive(name: "TRANSACTION_FEE_POOL" | "BURN_COIN_AMOUNT", amount: bigint): void {
		if (amount > 0n) this.add(name, amount);
	}

	/** Adds to a total of staked coins; under the new reward rules it never falls below 0 (protocol/resources §1.5). */
	addTotalWeight(
		name: "TOTAL_NET_WEIGHT" | "TOTAL_ENERGY_WEIGHT" | "TOTAL_COIN_POWER_WEIGHT",
		delta: bigint,
	): void {
		if (delta === 0n) return;
		const total = wrap(this.get(name) + delta);
		this.set(name, this.on("ALLOW_NEW_REWARD") ? maxInt(0n, total) : total);
	}

	/** The upgrade statistics of a block version: one byte per active witness (protocol/consensus §6). */
	forkStatistics(version: number): Uint8Array | undefined {
		return this.backend.get(stores.properties, `FORK_VERSION_${version}`) as Uint8Array | undefined;
	}

	setForkStatistics(version: number, statistics: Uint8Array): void {
		this.backend.put(stores.properties, `FORK_VERSION_${version}`, statistics);
	}

	/** Sets the bit of a contract type in both operation masks (protocol/permissions §2.3). */
	allowContractType(id: number): void {
		for (const name of ["AVAILABLE_CONTRACT_TYPE", "ACTIVE_DEFAULT_OPERATIONS"] as const) {
			const mask = Buffer.from(this.get(name));
			mask[id >> 3] = (mask[id >> 3] as number) | (1 << (id & 7));
			this.set(name, mask);
		}
	}

	/** Writes the initial value of every missing property, as the first start of a node does. */
	writeMissing(): void {
		for (const name of propertyNames) {
			const row = propertyRow(name);
			if (row.absent || this.backend.get(stores.properties, keys[name]) !== undefined) continue;
			this.backend.put(stores.properties, keys[name], row.initial(this.seed));
		}
	}

	/** Whether this property was ever written. */
	isWritten(name: PropertyName): boolean {
		return this.backend.get(stores.properties, keys[name]) !== undefined;
	}

	/** Milliseconds of the head block. */
	get headTimestampMs(): bigint {
		return this.get("latest_block_header_timestamp");
	}

	get headNumber(): bigint {
		return this.get("latest_block_header_number");
	}

	get headId(): Uint8Array {
		return this.get("latest_block_header_hash");
	}

	/** The slot of the head block: the "now" of every resource rule (protocol/resources §1.2). */
	get headSlot(): bigint {
		return (this.headTimestampMs - this.seed.genesisTimestampMs) / SLOT_MS;
	}

	get genesisTimestampMs(): bigint {
		return this.seed.genesisTimestampMs;
	}
}
