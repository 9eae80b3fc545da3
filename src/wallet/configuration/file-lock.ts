/** A lock for read-modify-write of files, one process at a time (protocol/command-line §6.1). */

import { open, readFile, stat, unlink } from "node:fs/promises";
import { errorCode, ifMissing } from "../../keystore/private-file.js";
import { Failure } from "../failure.js";

const RETRY_MS = 50;
const PATIENCE_MS = 5_000;

/**
 * Runs an action while holding the lock file `<file>.lock`, which contains the process id.
 * @param note called with a message when a stale lock, whose process has ended, is removed
 * @param now a clock, in milliseconds
 * @throws {Failure} `bad_value` if one process holds the lock for five seconds; several may come before in turn
 */
export async function withFileLock<T>(
	file: string,
	note: (text: string) => void,
	action: () => Promise<T>,
	now = Date.now,
): Promise<T> {
	const lock = `${file}.lock`;
	let deadline = now() + PATIENCE_MS;
	let last: string | undefined;
	while (!(await taken(lock))) {
		const held = await identityOf(lock);
		if (held !== last) deadline = now() + PATIENCE_MS;
		last = held;
		const holder = await holderOf(lock);
		const late = now() > deadline;
		// If a lock stays empty, its process died before it could write its id.
		if (holder === undefined ? late : !isRunning(holder)) {
			note(`the lock ${lock} of a process that is gone was removed`);
			await unlink(lock).catch(ifMissing(undefined));
		} else if (late) {
			throw new Failure("bad_value", `${file} is being changed by the process ${holder}`, {
				retry: "later",
			});
		} else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
	}
	try {
		return await action();
	} finally {
		await unlink(lock).catch(ifMissing(undefined));
	}
}

async function taken(lock: string): Promise<boolean> {
	try {
		const handle = await open(lock, "wx", 0o600);
		await handle.writeFile(`${process.pid}\n`);
		await handle.close();
		return true;
	} catch (error) {
		if (errorCode(error) === "EEXIST") return false;
		throw error;
	}
}

/** Tells one lock from the next; undefined if it no longer exists. */
async function identityOf(lock: string): Promise<string | undefined> {
	const found = await stat(lock, { bigint: true }).catch(ifMissing(undefined));
	return found && `${found.ino} ${found.mtimeNs}`;
}

/** Process id of a lock's holder; undefined if the lock is being written, or no longer exists. */
async function holderOf(lock: string): Promise<number | undefined> {
	const text = (await readFile(lock, "utf8").catch(ifMissing(""))).trim();
	return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return errorCode(error) === "EPERM";
	}
}
