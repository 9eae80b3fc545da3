/** Writes files with secrets: accessible to the owner only, atomically, and never over an existing file unless asked to. */

import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { link, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../node/state/inventory.js";
import { KeystoreError } from "./keystore-error.js";

/** Creates a directory for secrets (mode 0700) and its parents. */
export async function createPrivateDirectory(path: string): Promise<void> {
	await mkdir(path, { recursive: true, mode: 0o700 });
}

/**
 * Writes a file with mode 0600: to a temporary name in the same directory, synced, then atomically renamed.
 * @throws {KeystoreError} `keystore_exists` if the name is taken and `replace` is false
 */
export async function writePrivateFile(path: string, text: string, replace = false): Promise<void> {
	const directory = dirname(path);
	const temporary = join(directory, `.${randomBytes(8).toString("hex")}.tmp`);
	const handle = await open(temporary, "wx", 0o600);
	try {
		try {
			await handle.writeFile(text, "utf8");
			await handle.sync();
		} finally {
			await handle.close();
		}
		if (replace) await rename(temporary, path);
		else await linkOnce(temporary, path);
	} finally {
		await unlink(temporary).catch(ifMissing(undefined));
	}
	await syncDirectory(directory);
}

/** No write takes longer than this. */
const STALE_MS = 10 * 60_000;

/** Removes files that killed writers left behind: those with a temporary name that are old enough. */
export async function removeStaleTemporaries(directory: string): Promise<void> {
	for (const name of await readdir(directory)) {
		if (!/^\.[0-9a-f]{16}\.tmp$/.test(name)) continue;
		const path = join(directory, name);
		// Another process may remove it first.
		const found = await stat(path).catch(ifMissing(undefined));
		if (found && Date.now() - found.mtimeMs > STALE_MS) await unlink(path).catch(ifMissing(undefined));
	}
}

/** Uses a hard link, which fails if the name exists, while a rename would silently replace it. */
async function linkOnce(from: string, to: string): Promise<void> {
	try {
		await link(from, to);
	} catch (error) {
		const code = errorCode(error);
		if (code === "EEXIST")
			throw new KeystoreError("keystore_exists", `${to} exists already and is never overwritten`);
		if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EMLINK") throw error;
		// On a file system without hard links, claim the name exclusively, then rename the complete file over it.
		const claim = await open(to, "wx", 0o600).catch((cause: unknown) => {
			if (errorCode(cause) === "EEXIST") {
				throw new KeystoreError("keystore_exists", `${to} exists already and is never overwritten`);
			}
			throw cause;
		});
		await claim.close();
		await rename(from, to);
	}
}

/** For `catch`: returns a replacement if the file doesn't exist; rethrows any other error. */
export function ifMissing<T>(instead: T): (error: unknown) => T {
	return (error) => {
		if (errorCode(error) === "ENOENT") return instead;
		throw error;
	};
}

/** The system's code of a failed file operation (`ENOENT`, `EEXIST`, …). */
export function errorCode(error: unknown): string | undefined {
	const code = (error as { code?: unknown } | null)?.code;
	return typeof code === "string" ? code : undefined;
}

// Files that contain a single secret: a password, a key, credentials.

/**
 * Reads a secret and trims surrounding whitespace. Reads no more of the file than the secret may have.
 * @param mostBytes limit in bytes of UTF-8, including whitespace
 * @param refuse makes the error from a reason that continues "the file …" and contains nothing of the file
 * @throws the error that `refuse` returns, if the file can't be read, is empty or is too long
 */
export function readSecretFile(path: string, mostBytes: number, refuse: (reason: string) => Error): string {
	let bytes: Buffer;
	try {
		bytes = readStart(path, mostBytes + 1);
	} catch (error) {
		throw refuse(`can't be read (${(error as NodeJS.ErrnoException).code})`);
	}
	const text = bytes.toString("utf8").trim();
	if (text === "" || bytes.length > mostBytes) throw refuse(`must hold 1 to ${mostBytes} bytes`);
	return text;
}

/** Reads at most a number of bytes from the start of a file, which may be endless. */
function readStart(path: string, most: number): Buffer {
	const handle = openSync(path, "r");
	try {
		const bytes = Buffer.alloc(most);
		let length = 0;
		for (let read = -1; read !== 0 && length < most; length += read) {
			read = readSync(handle, bytes, length, most - length, null);
		}
		return bytes.subarray(0, length);
	} finally {
		closeSync(handle);
	}
}
