/** Files of others, read no further than they may be long. */

import { open } from "node:fs/promises";
import { Failure } from "../../wallet/failure.js";

/** @throws {Failure} `bad_value` for a file that can't be read, or is longer */
export async function readBoundedFile(path: string, maxBytes: number): Promise<Buffer> {
	try {
		const file = await open(path, "r");
		try {
			const chunks: Buffer[] = [];
			let size = 0;
			for await (const chunk of file.createReadStream({ end: maxBytes, autoClose: false })) {
				chunks.push(chunk as Buffer);
				size += (chunk as Buffer).length;
			}
			if (size > maxBytes) throw new Failure("bad_value", `${path} is larger than ${maxBytes} bytes`);
			return Buffer.concat(chunks, size);
		} finally {
			await file.close();
		}
	} catch (error) {
		if (error instanceof Failure) throw error;
		const { code = "unknown error" } = error as NodeJS.ErrnoException;
		throw new Failure("bad_value", `${path} can't be read: ${code}`);
	}
}
