/** Reads files from others, up to a size limit. */

import { constants, open } from "node:fs/promises";
import { Failure } from "../../wallet/failure.js";

/** For `catch`: the failure for a file that can't be read. */
export const unreadable =
	(path: string) =>
	(error: unknown): never => {
		const { code = "unknown error" } = error as NodeJS.ErrnoException;
		throw new Failure("bad_value", `${path} can't be read (${code})`);
	};

/** @throws {Failure} `bad_value` if it isn't a file, can't be read, or is too long */
export async function readBoundedFile(path: string, maxBytes: number): Promise<Buffer> {
	try {
		// Non-blocking, since opening a pipe without a writer would block.
		const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
		try {
			const found = await file.stat();
			if (!found.isFile()) throw new Failure("bad_value", `${path} is not a regular file`);
			if (found.size > maxBytes) throw new Failure("bad_value", `${path} is larger than ${maxBytes} bytes`);
			const bytes = Buffer.alloc(found.size);
			let length = 0;
			for (let read = -1; read !== 0 && length < bytes.length; length += read)
				({ bytesRead: read } = await file.read(bytes, length, bytes.length - length, length));
			return bytes.subarray(0, length);
		} finally {
			await file.close();
		}
	} catch (error) {
		if (error instanceof Failure) throw error;
		const { code = "unknown error" } = error as NodeJS.ErrnoException;
		throw new Failure("bad_value", `${path} can't be read: ${code}`);
	}
}
