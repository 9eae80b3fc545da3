/** Reads files from others, up to a size limit. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { Failure } from "./failure.js";

/** For `catch`: the failure for a file that can't be read. */
export const unreadable =
	(path: string) =>
	(error: unknown): never => {
		if (error instanceof Failure) throw error;
		const { code = "unknown error" } = error as NodeJS.ErrnoException;
		throw new Failure("bad_value", `${path} can't be read (${code})`);
	};

/** @throws {Failure} `bad_value` if it isn't a file, as devices and pipes aren't, can't be read, or is too long */
export function readBoundedFile(path: string, maxBytes: number): Buffer {
	try {
		// Non-blocking, since opening a pipe without a writer would block.
		const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
		try {
			const found = fstatSync(file);
			if (!found.isFile()) throw new Failure("bad_value", `${path} is not a regular file`);
			if (found.size > maxBytes) throw new Failure("bad_value", `${path} is larger than ${maxBytes} bytes`);
			const bytes = Buffer.alloc(found.size);
			let length = 0;
			for (let read = -1; read !== 0 && length < bytes.length; length += read)
				read = readSync(file, bytes, length, bytes.length - length, length);
			return bytes.subarray(0, length);
		} finally {
			closeSync(file);
		}
	} catch (error) {
		return unreadable(path)(error);
	}
}
