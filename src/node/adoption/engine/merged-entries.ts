/** Several sources walked as one: of each key the newest entry, and none of those that were deleted. */

import type { EntrySource } from "./entry-source.js";
import type { ForeignEntry } from "./foreign-store.js";
import type { TableKeyOrder } from "./key-order.js";

/** Walks all sources to their ends and closes them. */
export function* mergedEntries(
	sources: readonly EntrySource[],
	order: TableKeyOrder,
	after: Uint8Array | undefined,
): Generator<ForeignEntry> {
	try {
		yield* merge(sources, order, after);
	} finally {
		for (const source of sources) source.close();
	}
}

/** Whether the present entry of one source comes before that of another: by key, of one key the newest. */
function isBefore(a: EntrySource, b: EntrySource, order: TableKeyOrder): boolean {
	const difference = order.compare(a.key, a.keyLength, b.key, b.keyLength);
	if (difference !== 0) return difference < 0;
	return a.sequence === b.sequence ? a.rank < b.rank : a.sequence > b.sequence;
}

/** Moves the first source, whose present entry is another now, to where it belongs. */
function settle(sources: EntrySource[], order: TableKeyOrder): void {
	const moved = sources[0] as EntrySource;
	let at = 1;
	for (; at < sources.length && isBefore(sources[at] as EntrySource, moved, order); at++) {
		sources[at - 1] = sources[at] as EntrySource;
	}
	sources[at - 1] = moved;
}

function* merge(
	given: readonly EntrySource[],
	order: TableKeyOrder,
	after: Uint8Array | undefined,
): Generator<ForeignEntry> {
	// Sorted by their present entries; the first is usually the one of the last level, and stays it.
	const sources: EntrySource[] = [];
	for (const source of given) {
		if (!source.next()) continue;
		sources.unshift(source);
		settle(sources, order);
	}
	let last = Uint8Array.from(after ?? []);
	let lastLength = after ? last.length : -1;
	for (let first = sources[0]; first !== undefined; first = sources[0]) {
		const { key, keyLength } = first;
		const isNew = lastLength < 0 || order.compare(last, lastLength, key, keyLength) < 0;
		if (isNew) {
			if (last.length < keyLength) last = new Uint8Array(2 * keyLength);
			for (let i = 0; i < keyLength; i++) last[i] = key[i] as number;
			lastLength = keyLength;
			if (!first.isDeletion) yield [last.subarray(0, keyLength), first.value()];
		}
		if (!first.next()) sources.shift();
		else if (sources.length > 1) settle(sources, order);
	}
}
