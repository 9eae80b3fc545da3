/** Computes the state hash of a directory that no node has open, either of this program or a reference node (protocol/state-hash). */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openForeignStore } from "../node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../node/adoption/source-directory.js";
import { hashSource } from "../node/adoption/source-hash.js";
import { leftByChain, openDataDirectory, readMeta } from "../node/chain/data-directory.js";
import { defaultConfig } from "../node/config/config.js";
import type { KeyValueDatabase } from "../node/state/database.js";
import { stores } from "../node/state/definition.js";
import { hashDatabase, type OnHashed } from "../node/state/state-hash/hash-database.js";
import { hashingThreads } from "../node/state/state-hash/hash-threads.js";
import type { StateHashValue } from "../node/state/state-hash/state-hash.js";
import { readBe64, utf8 } from "../protocol/bytes.js";
import { DecodeError } from "../protocol/codec/reader.js";
import { OperatorError } from "../protocol/operator-error.js";
import { Failure } from "../wallet/failure.js";
import { type ConfigSource, hasConfig, readConfig } from "./config-source.js";
import { startFailure } from "./run-node.js";

interface HashedDirectory {
	/** Storage engines of its stores; LevelDB for a directory of this program. */
	readonly engines: readonly string[];
	/** Whether it was written by a reference node. */
	readonly isReference: boolean;
	/** The block after which this is the state. */
	readonly head: { readonly number: bigint; readonly id: Uint8Array };
	readonly value: StateHashValue;
}

/** A store contains something unexpected. */
class UnreadableStateError extends OperatorError {
	override readonly name = "UnreadableStateError";
}

/**
 * @param source configuration with the name of the database's subdirectory, if it exists
 * @returns undefined if it was stopped
 * @throws {Failure} `not_found` for a directory without a state, `start_failed` if it is in use or damaged
 */
export async function hashDirectory(
	directory: string,
	source: ConfigSource,
	onHashed: OnHashed,
): Promise<HashedDirectory | undefined> {
	const { storage } = hasConfig(source) ? await readConfig(source) : defaultConfig();
	if (!existsSync(directory)) throw new Failure("not_found", `there is no directory ${directory}`);
	const isOwn =
		existsSync(join(directory, storage.directory, "CURRENT")) || leftByChain(directory) !== undefined;
	try {
		return await (isOwn
			? hashOwn(directory, storage.directory, onHashed)
			: hashReference(directory, onHashed));
	} catch (error) {
		if (!(error instanceof DecodeError)) throw startFailure(error);
		const why = `a record of the state in ${directory} can't be read: ${error.message}`;
		throw startFailure(new UnreadableStateError(why, { cause: error }));
	}
}

async function hashReference(directory: string, onHashed: OnHashed): Promise<HashedDirectory | undefined> {
	const hashed = await hashSource(openSourceDirectory(resolve(directory), openForeignStore), onHashed);
	return hashed && { ...hashed, isReference: true, value: hashed.hash.value() };
}

async function hashOwn(
	directory: string,
	name: string,
	onHashed: OnHashed,
): Promise<HashedDirectory | undefined> {
	const database = await openDataDirectory(directory, name);
	try {
		if (!(await readMeta(database, join(directory, name)))) throw emptyFailure(directory);
		const head = headOf(database, directory);
		const hash = await hashDatabase(database, onHashed, hashingThreads());
		return hash && { engines: ["LevelDB"], isReference: false, head, value: hash.value() };
	} finally {
		await database.close();
	}
}

function headOf(database: KeyValueDatabase, directory: string): HashedDirectory["head"] {
	const property = (key: string): Uint8Array | undefined =>
		database.get(Buffer.concat([Uint8Array.of(stores.properties.index), utf8(key)]));
	const number = property("latest_block_header_number");
	const id = property("latest_block_header_hash");
	if (number?.length !== 8 || id === undefined) throw emptyFailure(directory);
	return { number: readBe64(number), id };
}

function emptyFailure(directory: string): Failure {
	return new Failure("not_found", `the database of ${directory} holds no state`);
}
