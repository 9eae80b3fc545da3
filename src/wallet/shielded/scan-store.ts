/** Where the state of reading is kept: sealed files beside the keys, or memory. */

import { randomBytes } from "node:crypto";
import { readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createPrivateDirectory, errorCode, writePrivateFile } from "../../keystore/private-file.js";
import { shieldedDirectory } from "../../keystore/shielded-keystore.js";
import { asBuffer, fromHex } from "../../protocol/bytes.js";
import type { ShieldedKeys } from "../../protocol/sapling/key-set.js";
import { withFileLock } from "../configuration/file-lock.js";
import { Failure } from "../failure.js";
import { MAX_STATE_BYTES, openState, type ScanState, sealState, stateKey, stateName } from "./scan-state.js";

/** A state of one key, chain and pool. */
export interface ScanStore {
	/** Undefined before anything was read. */
	load(): Promise<ScanState | undefined>;
	/** Replaces the state by another that is made of it; nobody else changes it meanwhile. */
	change(make: (before: ScanState | undefined) => ScanState): Promise<ScanState>;
	/** Forgets it. */
	clear(): Promise<void>;
}

/** A state that lasts as long as the program. */
export function memoryStore(): ScanStore {
	let state: ScanState | undefined;
	return {
		load: async () => state,
		change: async (make) => {
			state = make(state);
			return state;
		},
		clear: async () => {
			state = undefined;
		},
	};
}

/**
 * A file for the owner only, which tells nothing to whoever doesn't hold the key.
 * @param note called with the lock of a process that is gone
 */
export function fileStore(
	keystore: string,
	keys: ShieldedKeys,
	chain: string,
	pool: string,
	note: (text: string) => void,
): ScanStore {
	const directory = join(shieldedDirectory(keystore), "notes");
	const file = join(directory, `${stateName(keys, chain, pool)}.sealed`);
	const key = stateKey(keys.ivk);
	const load = async (): Promise<ScanState | undefined> => {
		try {
			const { size } = await stat(file);
			if (size > MAX_STATE_BYTES) throw new Failure("keystore_format", `${file} is too long`);
			return await openState(fromText(await readFile(file, "utf8")), key);
		} catch (error) {
			if (errorCode(error) === "ENOENT") return undefined;
			throw error;
		}
	};
	return {
		load,
		change: async (make) => {
			await createPrivateDirectory(directory);
			return await withFileLock(file, note, async () => {
				const state = make(await load());
				const sealed = await sealState(state, key, randomBytes(12));
				await writePrivateFile(file, asBuffer(sealed).toString("base64"), true);
				return state;
			});
		},
		clear: async () => {
			await unlink(file).catch((error: unknown) => {
				if (errorCode(error) !== "ENOENT") throw error;
			});
		},
	};
}

function fromText(text: string): Uint8Array {
	return fromHex(Buffer.from(text, "base64").toString("hex"));
}
