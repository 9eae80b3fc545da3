/** Addresses that are known without their keys: a file each in `watch/` inside the keystore, holding nothing secret. */

import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { parseAddress, toBase58Check } from "../protocol/address.js";
import type { KeystoreEntry } from "./keystore.js";
import { createPrivateDirectory, errorCode, writePrivateFile } from "./private-file.js";

const WATCH_DIRECTORY = "watch";

/** Every watched address; files that hold none are passed over. */
export async function listWatched(directory: string): Promise<KeystoreEntry[]> {
	const folder = join(directory, WATCH_DIRECTORY);
	let names: string[];
	try {
		names = await readdir(folder);
	} catch (error) {
		if (errorCode(error) === "ENOENT") return [];
		throw error;
	}
	const entries: KeystoreEntry[] = [];
	for (const name of names.filter((file) => file.endsWith(".json") && !file.startsWith("."))) {
		const file = join(folder, name);
		const entry = entryOf(await readFile(file, "utf8"), file);
		if (entry) entries.push(entry);
	}
	return entries;
}

function entryOf(content: string, file: string): KeystoreEntry | undefined {
	let members: { readonly address?: unknown; readonly name?: unknown };
	try {
		members = JSON.parse(content) as typeof members;
	} catch {
		// Nothing secret is lost with it, and the address can be added again.
		return undefined;
	}
	const { address: text, name } = members;
	const address = typeof text === "string" ? parseAddress(text) : undefined;
	if (!address) return undefined;
	const base58 = toBase58Check(address);
	const label = typeof name === "string" && name !== "" ? name : base58;
	return { address, base58, name: label, kind: "watch", path: undefined, file };
}

/**
 * Stores an address; whether address and label are free is the caller's to check.
 * @param name undefined: it will be known by its address
 * @param replace whether an entry for the address may be there
 */
export async function storeWatched(
	directory: string,
	address: Uint8Array,
	name: string | undefined,
	replace = false,
): Promise<KeystoreEntry> {
	const folder = join(directory, WATCH_DIRECTORY);
	await createPrivateDirectory(folder);
	const base58 = toBase58Check(address);
	const file = join(folder, `${base58}.json`);
	await writePrivateFile(file, `${JSON.stringify({ address: base58, name })}\n`, replace);
	return { address, base58, name: name ?? base58, kind: "watch", path: undefined, file };
}

/** Ends watching an address, such as when its key has come. */
export async function forgetWatched(directory: string, base58: string): Promise<void> {
	try {
		await unlink(join(directory, WATCH_DIRECTORY, `${base58}.json`));
	} catch (error) {
		if (errorCode(error) !== "ENOENT") throw error;
	}
}
