/**
 * The newest properties, as far as they were asked for, and what was worked out of them last.
 *
 * Contract: whatever writes an entry, above the base or into it, forgets it here.
 *
 * PERF: a transaction's rules ask for a hundred properties, nearly all of which lie below the head, or nowhere: three maps and
 * the table of initial values each.
 */

import { stores } from "./definition.js";
import { type PropertyName, type PropertyValue, propertyKey, propertyNames } from "./property-table.js";

const PROPERTIES = stores.properties.index;
/** Where a node that answers as an older release counts votes. */
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
	/** What is read while something is worked out. */
	private reading: Set<PropertyName> | undefined;

	get(name: PropertyName): PropertyValue | undefined {
		this.reading?.add(name);
		return this.values.get(name);
	}

	/**
	 * What follows from properties and from votes for block versions, worked out again once one of those was written.
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

	/** Forgets the property of an entry that is written, and what follows from it. @param index of the store */
	forget(index: number, key: string): void {
		if (index === UPGRADE_VOTES) this.derived = undefined;
		if (index !== PROPERTIES) return;
		const name = nameByKey.get(key);
		if (name) this.values.delete(name);
		// Entries without a name are votes.
		if (!name || this.derived?.from.has(name)) this.derived = undefined;
	}
}
