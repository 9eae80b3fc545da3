/** The state hash of a reference node's directory, with its checkpoints applied (protocol/state-hash). */

import type { OnHashed } from "../state/state-hash/hash-database.js";
import { BALANCES } from "../state/state-hash/hashed-entries.js";
import { StateHash } from "../state/state-hash/state-hash.js";
import { storesOf } from "../state/store-kinds.js";
import { mergedAccounts } from "./accounts.js";
import type { ForeignEntry } from "./engine/foreign-store.js";
import { judgeStanding } from "./judgement.js";
import type { Source } from "./source-directory.js";
import { SourceReader } from "./source-reader.js";

interface HashedSource {
	readonly head: { readonly number: bigint; readonly id: Uint8Array };
	/** Engines of the stores. */
	readonly engines: readonly string[];
	readonly hash: StateHash;
}

/** Entries processed before others get a turn. */
const SLICE_ENTRIES = 16_384;

const ACCOUNTS = "account";

/**
 * Reads every entry of the stores that belong to the state.
 * @returns undefined if it was stopped
 * @throws {OperatorError} one sentence that names the file or the store
 * @throws {DecodeError} for a record that can't be read
 */
export async function hashSource(source: Source, onHashed: OnHashed): Promise<HashedSource | undefined> {
	const reader = await SourceReader.open(source);
	try {
		const { head, engines } = await judgeStanding(reader);
		const hash = new StateHash();
		let entries = 0;
		for (const name of storesOf("state")) {
			// Balances come with the accounts that they belong to.
			if (name === BALANCES) continue;
			await reader.use(name === ACCOUNTS ? [ACCOUNTS, BALANCES] : [name]);
			for (const [key, value] of entriesOf(reader, name)) {
				hash.add(name, key, value);
				if (++entries % SLICE_ENTRIES !== 0) continue;
				if (!onHashed(name, entries)) return undefined;
				await new Promise((resolve) => setImmediate(resolve));
			}
			reader.release(name);
		}
		return { head, engines, hash };
	} finally {
		reader.close();
	}
}

function entriesOf(reader: SourceReader, name: string): Iterable<ForeignEntry> {
	if (name !== ACCOUNTS) return reader.entries(name);
	const { stored, rows } = reader.apart(ACCOUNTS);
	// Other effects of moving balances are not hashed.
	return mergedAccounts({
		accounts: stored,
		rows,
		balances: reader.entries(BALANCES),
		movesTokens: false,
		onAccount: () => undefined,
	});
}
