/** Shared defaults of repeated and map fields. They are frozen: fields are replaced, never appended to. */

export const EMPTY_LIST: readonly never[] = Object.freeze([]);

class FrozenMap<K, V> extends Map<K, V> {
	override set(): this {
		throw new TypeError("the shared empty map can't be changed");
	}
}

// biome-ignore lint/suspicious/noExplicitAny: one empty map stands for every key and value type
export const EMPTY_MAP: ReadonlyMap<any, any> = new FrozenMap<never, never>();
