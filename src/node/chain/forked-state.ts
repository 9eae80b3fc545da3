/** A chain that begins with the state of another node instead of its own genesis: for development chains. */

import type { KeyValueDatabase } from "../state/database.js";

/** What the configuration says of any other chain. */
export interface ForkedGenesis {
	/** 32 bytes. */
	readonly id: Uint8Array;
	/** Empty if there is none. */
	readonly blackHole: Uint8Array;
	readonly witnesses: readonly { readonly address: Uint8Array; readonly votes: bigint }[];
}

export interface ForkedState {
	readonly genesis: ForkedGenesis;
	/**
	 * The database with the other state below it.
	 * @param isNew whether the database is empty
	 * @throws {OperatorError} if the other node can't be read
	 */
	under(database: KeyValueDatabase, isNew: boolean): Promise<KeyValueDatabase>;
}
