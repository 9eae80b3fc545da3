/**
 * Addresses without their keys: one file each in the keystore's subdirectory `watch/`, which contain nothing secret. If a signer
 * holds the key, the file also has the signer's location.
 */

import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { parseAddress, toBase58Check } from "../protocol/address.js";
import { postQuantumSchemes } from "../protocol/post-quantum/schemes.js";
import type { KeystoreEntry } from "./keystore.js";
import { createPrivateDirectory, ifMissing, writePrivateFile } from "./private-file.js";
import type { SignerPlace } from "./signer/client.js";

const WATCH_DIRECTORY = "watch";

/** Lists all watched addresses; skips files that don't contain one. */
export async function listWatched(directory: string): Promise<KeystoreEntry[]> {
	const folder = join(directory, WATCH_DIRECTORY);
	const names = await readdir(folder).catch(ifMissing([]));
	const entries: KeystoreEntry[] = [];
	for (const name of names.filter((file) => file.endsWith(".json") && !file.startsWith("."))) {
		const file = join(folder, name);
		const entry = entryOf(await readFile(file, "utf8"), file);
		if (entry) entries.push(entry);
	}
	return entries;
}

function entryOf(content: string, file: string): KeystoreEntry | undefined {
	let members: Readonly<Partial<Record<"address" | "name" | "signer" | "scheme", unknown>>>;
	try {
		members = JSON.parse(content) as typeof members;
	} catch {
		// Not an error: nothing secret is lost, and the address can be added again.
		return undefined;
	}
	const { address: text, name, signer, scheme: schemeName } = members;
	const address = typeof text === "string" ? parseAddress(text) : undefined;
	if (!address) return undefined;
	const base58 = toBase58Check(address);
	const label = typeof name === "string" && name !== "" ? name : base58;
	const place = placeOf(signer);
	const scheme = postQuantumSchemes.find((each) => each.name === schemeName);
	const held = place ? { kind: "signer" as const, signer: place, scheme } : { kind: "watch" as const };
	return { address, base58, name: label, ...held, path: undefined, file };
}

function placeOf(value: unknown): SignerPlace | undefined {
	const { at, files } = (value ?? {}) as Readonly<Record<string, unknown>>;
	if (typeof at !== "string" || at === "") return undefined;
	const { certificate, key, ca } = (files ?? {}) as Readonly<Record<string, unknown>>;
	const isWhole = typeof certificate === "string" && typeof key === "string" && typeof ca === "string";
	return { at, files: isWhole ? { certificate, key, ca } : undefined };
}

/**
 * Stores an address; the caller must check that address and label are not taken.
 * @param name if undefined, the entry will be known by its address
 * @param replace whether an existing entry for the address may be replaced
 * @param held location and scheme of the key, if a signer holds it
 */
export async function storeWatched(
	directory: string,
	address: Uint8Array,
	name: string | undefined,
	replace = false,
	held: Pick<KeystoreEntry, "signer" | "scheme"> = {},
): Promise<KeystoreEntry> {
	const folder = join(directory, WATCH_DIRECTORY);
	await createPrivateDirectory(folder);
	const base58 = toBase58Check(address);
	const file = join(folder, `${base58}.json`);
	const { signer, scheme } = held;
	const members = { address: base58, name, signer, scheme: scheme?.name };
	await writePrivateFile(file, `${JSON.stringify(members)}\n`, replace);
	const kind = signer ? "signer" : "watch";
	return { address, base58, name: name ?? base58, kind, signer, scheme, path: undefined, file };
}

/** Removes a watched address, for example because its key was added. */
export async function forgetWatched(directory: string, base58: string): Promise<void> {
	await unlink(join(directory, WATCH_DIRECTORY, `${base58}.json`)).catch(ifMissing(undefined));
}
