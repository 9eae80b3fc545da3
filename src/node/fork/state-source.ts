/** The source of a fork's entries: another node's state after one block. */

import { OperatorError } from "../../protocol/operator-error.js";
import type { StoreDefinition } from "../state/definition.js";

// Errors when a fork can't use another node's state.

/** A fork can't be created or continued; one sentence for the operator. */
export class ForkError extends OperatorError {
	override readonly name: string = "ForkError";
}

/**
 * An entry can't be fetched: the request that needs it fails, and nothing is stored. One sentence without
 * credentials, also shown to clients.
 */
export class ForkReadError extends ForkError {
	override readonly name = "ForkReadError";
	/** The class name that clients see. */
	readonly className = "IllegalStateException";
}

/** An entry by store and key string. */
export interface EntryName {
	readonly store: StoreDefinition<unknown>;
	readonly key: string;
}

/** Encoded values in request order; undefined: the state has no such entry. */
export type EncodedValues = readonly (Uint8Array | undefined)[];

export interface StateSource {
	/** Origin of its address, for messages. */
	readonly name: string;
	/** Maximum entries per request. */
	readonly mostEntries: number;
	/** Whether it has a store's entries; those of other stores are missing. */
	has(store: StoreDefinition<unknown>): boolean;
	/** Sleeps until they arrive. @throws {ForkReadError} */
	entries(wanted: readonly EntryName[]): EncodedValues;
	/** @throws {ForkReadError} */
	entriesLater(wanted: readonly EntryName[]): Promise<EncodedValues>;
	/** All keys of an ordered store. @throws {ForkReadError} also where there are too many */
	keys(store: StoreDefinition<unknown>): Promise<readonly string[]>;
	/** Keys of any store with a prefix of at least 21 bytes. @throws {ForkReadError} */
	keysWith(store: StoreDefinition<unknown>, prefix: string): Promise<readonly string[]>;
}
