/**
 * The newest properties, as far as they were asked for.
 *
 * Contract: whatever writes a property, above the base or into it, forgets it here.
 *
 * PERF: a transaction's rules ask for a hundred properties, nearly all of which lie below the head, or nowhere: three maps and
 * the table of initial values each.
 */

import { stores } from "./definition.js";
import { type PropertyName, type PropertyValue, propertyKey, propertyNames } from "./property-table.js";

const PROPERTIES = stores.properties.index;
const nameByKey = new Map<string, PropertyName>(propertyNames.map((name) => [propertyKey(name), name]));

export class KnownProperties {
	private readonly values = new Map<PropertyName, PropertyValue>();

	get(name: PropertyName): PropertyValue | undefined {
		return this.values.get(name);
	}

	/** @param value the stored one, or the initial one where nothing is stored */
	learn(name: PropertyName, value: PropertyValue): void {
		this.values.set(name, value);
	}

	/** Forgets the property of an entry that is written; of other stores nothing is known. @param index of the store */
	forget(index: number, key: string): void {
		if (index !== PROPERTIES) return;
		const name = nameByKey.get(key);
		if (name) this.values.delete(name);
	}
}
