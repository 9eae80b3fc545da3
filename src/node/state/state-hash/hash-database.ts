/** Computes the state hash of one of our databases from its entries. */

import type { KeyValueDatabase } from "../database.js";
import { storeDefinitions } from "../definition.js";
import { kindOf } from "../store-kinds.js";
import { HashThreads } from "./hash-threads.js";
import { StateHash } from "./state-hash.js";

/** Progress callback with the number of entries read; returning false stops. */
export type OnHashed = (store: string, entries: number) => boolean;

/** Entries per read; the next read runs while they are hashed. */
const PAGE_ENTRIES = 4096;

/** A database, or a snapshot of one. */
type Readable = Pick<KeyValueDatabase, "range" | "entries">;

type Page = readonly (readonly [Uint8Array, Uint8Array])[];

/**
 * Reads every entry that belongs to the state. Nothing may be written meanwhile.
 * @param threads that hash; 0: none
 * @returns undefined if it was stopped
 * @throws {DecodeError} for a record that can't be read
 */
export async function hashDatabase(
	database: Readable,
	onHashed: OnHashed,
	threads: number,
): Promise<StateHash | undefined> {
	const hashing = new HashThreads(threads);
	try {
		let entries = 0;
		for (const { index, name } of storeDefinitions) {
			if (kindOf(name) !== "state") continue;
			for await (const page of pagesOf(database, index)) {
				for (const [key, value] of page) hashing.add(name, key.subarray(1), value);
				await hashing.untilRoom();
				entries += page.length;
				if (!onHashed(name, entries)) return undefined;
			}
		}
		return StateHash.of(await hashing.sums());
	} finally {
		await hashing.close();
	}
}

async function* pagesOf(database: Readable, index: number): AsyncGenerator<Page> {
	const end = Uint8Array.of(index + 1);
	const options = { descending: false, limit: PAGE_ENTRIES };
	let next: Promise<Page> | undefined = database.range?.(Uint8Array.of(index), end, options);
	if (!next) {
		for await (const entry of database.entries(Uint8Array.of(index))) yield [entry];
		return;
	}
	while (next) {
		const page: Page = await next;
		const last = page.at(-1)?.[0];
		const isLast = last === undefined || page.length < PAGE_ENTRIES;
		next = isLast ? undefined : database.range?.(Buffer.concat([last, Uint8Array.of(0)]), end, options);
		// An awaiting caller sees the failure; a stopped iteration doesn't.
		next?.catch(() => undefined);
		if (page.length > 0) yield page;
	}
}
