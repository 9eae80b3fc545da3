/** Where the entries of a fork come from: the state of another node after one block. */

import { OperatorError } from "../../protocol/operator-error.js";
import type { StoreDefinition } from "../state/definition.js";

// What keeps a fork from going on with another node's state.

/** A fork can't begin, or not be gone on with; one sentence for whoever started it. */
export class ForkError extends OperatorError {
	override readonly name: string = "ForkError";
}

/**
 * An entry can't be had: the request that needs it fails, and nothing of it is kept. One sentence without credentials, for
 * clients too.
 */
export class ForkReadError extends ForkError {
	override readonly name = "ForkReadError";
	/** What clients read. */
	readonly className = "IllegalStateException";
}

/** An entry by store and key string. */
export interface EntryName {
	readonly store: StoreDefinition<unknown>;
	readonly key: string;
}

/** Encoded values in the order of what was asked; undefined: the state has no such entry. */
export type EncodedValues = readonly (Uint8Array | undefined)[];

export interface StateSource {
	/** Origin of its address, for messages. */
	readonly name: string;
	/** Entries that belong together take one request. */
	readonly mostEntries: number;
	/** Stores whose entries it has; those of others are not there. */
	has(store: StoreDefinition<unknown>): boolean;
	/** Sleeps until they are there. @throws {ForkReadError} */
	entries(wanted: readonly EntryName[]): EncodedValues;
	/** @throws {ForkReadError} */
	entriesLater(wanted: readonly EntryName[]): Promise<EncodedValues>;
	/** All keys of an ordered store. @throws {ForkReadError} also where there are too many */
	keys(store: StoreDefinition<unknown>): Promise<readonly string[]>;
	/** Keys of any store that begin with at least 21 bytes. @throws {ForkReadError} */
	keysWith(store: StoreDefinition<unknown>, prefix: string): Promise<readonly string[]>;
}
