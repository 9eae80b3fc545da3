/** The state hash of a snapshot's entries, computed as they are streamed (protocol/state-hash). */

import { toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { storeDefinitions } from "../state/definition.js";
import { HashThreads, hashingThreads } from "../state/state-hash/hash-threads.js";
import { STATE_HASH_VERSION, StateHash } from "../state/state-hash/state-hash.js";
import { kindOf } from "../state/store-kinds.js";
import { type Manifest, SnapshotError } from "./manifest.js";

const hashedNames = storeDefinitions.map(({ name }) => (kindOf(name) === "state" ? name : undefined));

export class CarriedHash {
	private readonly hashing = new HashThreads(hashingThreads());

	/** @returns whether the next one can be added without waiting */
	add(key: Uint8Array, value: Uint8Array): boolean {
		const store = hashedNames[key[0] as number];
		if (store !== undefined) this.hashing.add(store, key.subarray(1), value);
		return this.hashing.hasRoom;
	}

	/**
	 * The same for some hundred KiB of one store's entries, as in a chunk.
	 * @param store first byte of the keys
	 */
	addRun(store: number, run: Uint8Array): boolean {
		if (hashedNames[store] !== undefined) this.hashing.addRun(run);
		return this.hashing.hasRoom;
	}

	/** @throws {SnapshotError} */
	untilRoom(): Promise<void> {
		return readable(this.hashing.untilRoom());
	}

	/** The hash of everything added. @throws {SnapshotError} */
	async state(): Promise<StateHash> {
		return StateHash.of(await readable(this.hashing.sums()));
	}

	close(): Promise<void> {
		return this.hashing.close();
	}
}

/** An unreadable record is an error of the snapshot. */
export async function readable<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
		throw new SnapshotError(`a record of the state can't be read: ${error.message}`, { cause: error });
	}
}

/** In the form used in a manifest. */
export function hashInManifest(state: StateHash): NonNullable<Manifest["stateHash"]> {
	const { hash, entries } = state.value();
	return { version: STATE_HASH_VERSION, hash: toHex(hash), entries };
}

/**
 * Manifests of earlier releases have no hash, and one of another version can't be compared.
 * @throws {SnapshotError} unless the state has the manifest's hash
 */
export function checkStateHash({ stateHash }: Manifest, state: StateHash): void {
	if (stateHash?.version !== STATE_HASH_VERSION) return;
	const { hash, entries } = hashInManifest(state);
	if (hash === stateHash.hash && entries === stateHash.entries) return;
	throw new SnapshotError(
		`the entries of the snapshot make the state ${hash} (${entries}), its manifest says ${stateHash.hash} (${stateHash.entries})`,
	);
}
