/** A secret that stands alone in a file: a password, a key, credentials. */

import { closeSync, openSync, readSync } from "node:fs";

/**
 * Reads a secret; blanks and line ends around it don't count. No more of the file is read than a secret may have.
 * @param mostBytes of UTF-8, blanks and line ends included
 * @param refuse makes the error of a reason that continues "the file …", without a word of what the file holds
 * @throws what `refuse` makes, if the file can't be read, is empty or is longer
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

/** The first bytes of a file, at most so many: the file may have no end. */
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
