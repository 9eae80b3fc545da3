/** Writing files that hold secrets: for the owner only, whole or not at all, never over an existing one. */

import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KeystoreError } from "./keystore-error.js";

/** Creates a directory for secrets (0700) with its parents. */
export async function createPrivateDirectory(path: string): Promise<void> {
	await mkdir(path, { recursive: true, mode: 0o700 });
}

/**
 * Writes a file of mode 0600: to a temporary name in the same directory, flushed, then given its name in one step.
 * @throws {KeystoreError} `keystore_exists` if the name is taken and `replace` is off
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
		await unlink(temporary).catch(ignoreMissing);
	}
	await syncDirectory(directory);
}

/** Longer than any write takes. */
const STALE_MS = 10 * 60_000;

/** Removes what writers that were killed left behind: files under temporary names, long after their time. */
export async function removeStaleTemporaries(directory: string): Promise<void> {
	for (const name of await readdir(directory)) {
		if (!/^\.[0-9a-f]{16}\.tmp$/.test(name)) continue;
		const path = join(directory, name);
		try {
			if (Date.now() - (await stat(path)).mtimeMs > STALE_MS) await unlink(path);
		} catch (error) {
			// Another process was faster.
			ignoreMissing(error);
		}
	}
}

/** A hard link fails where the name exists, which a rename would silently replace. */
async function linkOnce(from: string, to: string): Promise<void> {
	try {
		await link(from, to);
	} catch (error) {
		const code = errorCode(error);
		if (code === "EEXIST")
			throw new KeystoreError("keystore_exists", `${to} exists already and is never overwritten`);
		if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EMLINK") throw error;
		// A file system without hard links: claim the name exclusively, then put the whole file in its place.
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

/** Makes the new name durable; some systems can't open a directory, and then there is nothing to do. */
async function syncDirectory(path: string): Promise<void> {
	if (process.platform === "win32") return;
	const handle = await open(path, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}

function ignoreMissing(error: unknown): void {
	if (errorCode(error) !== "ENOENT") throw error;
}

/** The system's code of a failed file operation (`ENOENT`, `EEXIST`, …). */
export function errorCode(error: unknown): string | undefined {
	const code = (error as { code?: unknown } | null)?.code;
	return typeof code === "string" ? code : undefined;
}
