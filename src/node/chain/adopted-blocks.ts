/**
 * Old blocks that stayed where a reference node wrote them when its data were adopted (protocol/adoption §6): read through
 * one database with all others. Rules don't look that far back, so a fault there is one of queries and of peers that ask.
 */

import { basename, join } from "node:path";
import { readBe64 } from "../../protocol/bytes.js";
import { identityOf, TableLookup } from "../adoption/engine/table-lookup.js";
import { DatabaseError, type KeyValueDatabase } from "../state/database.js";
import { type StoreDefinition, stores } from "../state/definition.js";
import type { AdoptedBlocksNote } from "./data-directory.js";

/** Stores whose keys are or begin with a height. */
const BY_HEIGHT: readonly StoreDefinition<unknown>[] = [
	stores.block,
	stores.blockIndex,
	stores.transactionResult,
] as readonly StoreDefinition<unknown>[];
/** Stores whose keys are ids of transactions. */
const BY_ID: readonly StoreDefinition<unknown>[] = [
	stores.transaction,
	stores.transactionHistory,
] as readonly StoreDefinition<unknown>[];

/** The stores that can stay where they are. */
export const STORES_IN_PLACE: readonly string[] = [...BY_HEIGHT, ...BY_ID].map(({ name }) => name);

/** What each of some stores is now, by name. @throws {OperatorError} that names a file */
export function identitiesOf(path: string, names: readonly string[]): Record<string, string> {
	return Object.fromEntries(names.map((name) => [name, identityOf(join(path, name))]));
}

export class AdoptedBlocks {
	private constructor(
		private readonly note: AdoptedBlocksNote,
		private readonly byIndex: ReadonlyMap<number, TableLookup>,
	) {}

	/**
	 * Opens what a note says, and looks whether it is as it was.
	 * @throws {OperatorError} one sentence that names the file that is missing, or the store that was written to
	 */
	static async open(note: AdoptedBlocksNote): Promise<AdoptedBlocks> {
		const byIndex = new Map<number, TableLookup>();
		try {
			for (const [name, identity] of Object.entries(note.identities)) {
				const directory = join(note.path, name);
				const store = [...BY_HEIGHT, ...BY_ID].find((known) => known.name === name);
				if (!store) throw new DatabaseError(`the database's note of adopted blocks names a store ${name}`);
				if (identityOf(directory) !== identity) throw changed(directory);
				byIndex.set(store.index, await TableLookup.open(directory));
			}
		} catch (error) {
			for (const lookup of byIndex.values()) lookup.close();
			throw error instanceof DatabaseError
				? error
				: new DatabaseError(`old blocks can't be read where they lay: ${(error as Error).message}`, {
						cause: error,
					});
		}
		return new AdoptedBlocks(note, byIndex);
	}

	/** The lowest block besides the genesis block. */
	get lowest(): bigint {
		return BigInt(this.note.lowest);
	}

	/** A value of a store, as it is encoded. @throws {ForeignStoreError} if its table is damaged or gone */
	get(index: number, key: Uint8Array): Uint8Array | undefined {
		const lookup = this.byIndex.get(index);
		if (!lookup || key.length < 8) return undefined;
		const isByHeight = BY_HEIGHT.some((store) => store.index === index);
		if (isByHeight && readBe64(key) > BigInt(this.note.head)) return undefined;
		return lookup.get(key);
	}

	/**
	 * A database with these blocks below its own. The index of transactions isn't part of it: whether one was sent before is
	 * asked for each that comes, and the database holds all that could be sent again.
	 */
	under(database: KeyValueDatabase): KeyValueDatabase {
		const kinds = new Set(this.byIndex.keys());
		kinds.delete(stores.transaction.index);
		const { levels, compared, getMany } = database;
		const older = (key: Uint8Array): Uint8Array | undefined =>
			kinds.has(key[0] as number) ? this.get(key[0] as number, key.subarray(1)) : undefined;
		return {
			get: (key) => database.get(key) ?? older(key),
			...(getMany
				? {
						getMany: async (keys) =>
							(await getMany.call(database, keys)).map((value, at) => value ?? older(keys[at] as Uint8Array)),
					}
				: {}),
			write: (changes, sync) => database.write(changes, sync),
			entries: (prefix) => database.entries(prefix),
			firstKey: (from, end) => database.firstKey(from, end),
			...(levels ? { levels: () => levels.call(database) } : {}),
			...(compared ? { compared } : {}),
			close: async () => {
				this.release();
				await database.close();
			},
		};
	}

	/** Closes the files. */
	release(): void {
		for (const lookup of this.byIndex.values()) lookup.close();
	}
}

function changed(directory: string): DatabaseError {
	return new DatabaseError(
		`the store ${basename(directory)} in ${directory} was written to since its old blocks were adopted in place: adopt the data again into a new directory`,
	);
}
