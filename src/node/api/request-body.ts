/** Reading a request's body. */

import type { IncomingMessage } from "node:http";

export const EMPTY_BODY = new Uint8Array(0);

/** Reads the whole body; undefined if it is longer than `limit` bytes. Rejects if the client goes away. */
export function collectBody(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
	return new Promise((resolve, reject) => {
		const chunks: Uint8Array[] = [];
		let size = 0;
		request.on("data", (chunk: Uint8Array) => {
			size += chunk.length;
			if (size <= limit) chunks.push(chunk);
			else chunks.length = 0;
		});
		request.on("end", () => {
			if (size > limit) resolve(undefined);
			else resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
		});
		request.on("error", reject);
	});
}
