/** Renames keystore entries, and removes them. */

import { open, readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { parseKeyFile } from "./key-file.js";
import { checkNewLabel, isWithoutKey, type KeystoreEntry, mnemonicFile } from "./keystore.js";
import { createPrivateDirectory, ifMissing, writePrivateFile } from "./private-file.js";
import { forgetWatched, storeWatched } from "./watch-only.js";

const DELETED_DIRECTORY = ".deleted";

/**
 * Changes an entry's label. It is a member of the entry's file, so the file is rewritten without decrypting the secret.
 * @throws {KeystoreError} `bad_value`, `keystore_exists`
 */
export async function renameEntry(
	directory: string,
	entry: KeystoreEntry,
	name: string,
): Promise<KeystoreEntry> {
	await checkNewLabel(directory, name, entry.address);
	if (isWithoutKey(entry)) return storeWatched(directory, entry.address, name, true, entry);
	const { members } = parseKeyFile(await readFile(entry.file, "utf8"), entry.file);
	await writePrivateFile(entry.file, JSON.stringify({ ...members, name }), true);
	return { ...entry, name };
}

/**
 * Removes an entry from the directory: its file, and the mnemonic stored under its address, are moved to `.deleted/`
 * or deleted permanently.
 * @returns the new paths of the files; empty if they were deleted
 */
export async function deleteEntry(
	directory: string,
	entry: KeystoreEntry,
	purge: boolean,
): Promise<string[]> {
	if (isWithoutKey(entry)) {
		await forgetWatched(directory, entry.base58);
		return [];
	}
	const files = [
		{ from: entry.file, to: entry.base58 },
		{ from: mnemonicFile(directory, entry.base58), to: `mnemonic-${entry.base58}` },
	];
	const moved: string[] = [];
	for (const { from, to } of files) {
		if (!(await exists(from))) continue;
		if (purge) await unlink(from);
		else moved.push(await moveAway(directory, from, to));
	}
	return moved;
}

async function exists(path: string): Promise<boolean> {
	const file = await open(path, "r").catch(ifMissing(undefined));
	await file?.close();
	return file !== undefined;
}

/** Moves a file to the first free name, so that files deleted earlier are kept. */
async function moveAway(directory: string, from: string, name: string): Promise<string> {
	const folder = join(directory, DELETED_DIRECTORY);
	await createPrivateDirectory(folder);
	for (let copy = 0; ; copy++) {
		const to = join(folder, `${name}${copy === 0 ? "" : `.${copy}`}.json`);
		if (await exists(to)) continue;
		await rename(from, to);
		return to;
	}
}
