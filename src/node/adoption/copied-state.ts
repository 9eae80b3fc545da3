/** That a copy holds the state of its source: both are hashed, each from what lies on the disk (protocol/state-hash). */

import { DecodeError } from "../../protocol/codec/reader.js";
import type { BatchChange, KeyValueDatabase } from "../state/database.js";
import { hashDatabase } from "../state/state-hash/hash-database.js";
import { hashingThreads } from "../state/state-hash/hash-threads.js";
import { sumsChange } from "../state/state-hash/kept-hashes.js";
import type { StateHashValue } from "../state/state-hash/state-hash.js";
import { AdoptionError } from "./adoption-error.js";
import type { Source } from "./source-directory.js";
import { hashSource } from "./source-hash.js";

export interface HashProgress {
	readonly phase: "hash";
	readonly of: "source" | "copy";
	readonly store: string;
	/** Hashed up to now. */
	readonly entries: number;
}

interface CopiedState {
	readonly value: StateHashValue;
	/** With it a node that follows the hash needs no pass over the database at its first start. */
	readonly change: BatchChange;
}

/**
 * Nothing may be written meanwhile.
 * @param onProgress false stops
 * @returns undefined if it was stopped
 * @throws {AdoptionError} names the stores that differ, or the record that can't be read
 */
export async function compareCopy(
	source: Source,
	database: KeyValueDatabase,
	onProgress: (progress: HashProgress) => boolean,
): Promise<CopiedState | undefined> {
	try {
		const report =
			(of: HashProgress["of"]) =>
			(store: string, entries: number): boolean =>
				onProgress({ phase: "hash", of, store, entries });
		const given = await hashSource(source, report("source"));
		const made = given && (await hashDatabase(database, report("copy"), hashingThreads()));
		if (!made) return undefined;
		const value = made.value();
		refuseOther(given.hash.value(), value);
		return { value, change: sumsChange(given.head.number, made.sums()) };
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
		throw new AdoptionError(`a record of the state can't be read: ${error.message}`, { cause: error });
	}
}

function refuseOther(given: StateHashValue, made: StateHashValue): void {
	if (Buffer.compare(given.hash, made.hash) === 0) return;
	const names = new Set([...given.stores.keys(), ...made.stores.keys()]);
	const differ = [...names].filter((name) => {
		const [theirs, ours] = [given.stores.get(name)?.hash, made.stores.get(name)?.hash];
		return !theirs || !ours || Buffer.compare(theirs, ours) !== 0;
	});
	throw new AdoptionError(
		`the copy isn't the state of its source, which may have changed meanwhile: ${differ.join(", ")} differ; delete it and adopt again`,
	);
}
