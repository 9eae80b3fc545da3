/**
 * Cache of the newest properties read so far, and of the value last derived from them.
 *
 * Contract: every write of an entry, above the base or into it, invalidates it here.
 *
 * PERF: a transaction's rules read a hundred properties, nearly all below the head or nowhere: that would be
 * three maps plus the table of initial values each time.
 */

import { stores } from "./definition.js";
import { type PropertyName, type PropertyValue, propertyKey, propertyNames } from "./property-table.js";

const PROPERTIES = stores.properties.index;
/** Where a node answering as an older release counts votes. */
const UPGRADE_VOTES = stores.upgradeVotes.index;
const nameByKey = new Map<string, PropertyName>(propertyNames.map((name) => [propertyKey(name), name]));

interface Derived {
	readonly of: object;
	readonly value: unknown;
	readonly from: ReadonlySet<PropertyName>;
}

export class KnownProperties {
	private readonly values = new Map<PropertyName, PropertyValue>();
	private derived: Derived | undefined;
	/** Properties read while something is being derived. */
	private reading: Set<PropertyName> | undefined;

	get(name: PropertyName): PropertyValue | undefined {
		this.reading?.add(name);
		return this.values.get(name);
	}

	/**
	 * Derives a value from properties and block version votes, recomputing it when one of those was written.
	 * @param of whatever else it follows from, the same object as long as that is the same; of several the last one is kept
	 */
	derive<T>(of: object, make: () => T): T {
		if (this.derived?.of === of) return this.derived.value as T;
		const from = new Set<PropertyName>();
		this.reading = from;
		try {
			const value = make();
			this.derived = { of, value, from };
			return value;
		} finally {
			this.reading = undefined;
		}
	}

	/** @param value the stored one, or the initial one where nothing is stored */
	learn(name: PropertyName, value: PropertyValue): void {
		this.values.set(name, value);
	}

	/** Invalidates the property of a written entry, and what was derived from it. @param index of the store */
	forget(index: number, key: string): void {
		if (index === UPGRADE_VOTES) this.derived = undefined;
		if (index !== PROPERTIES) return;
		const name = nameByKey.get(key);
		if (name) this.values.delete(name);
		// Entries without a name are votes.
		if (!name || this.derived?.from.has(name)) this.derived = undefined;
	}
}
