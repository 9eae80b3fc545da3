/** Reading a request's body. */

import type { BodyShare } from "./body-budget.js";
import type { HttpRequest } from "./http-request.js";
import { PlainRequest } from "./plain-request.js";

export const EMPTY_BODY = new Uint8Array(0);

/** Reading a longer body as JSON takes long enough to wait for a turn. */
export const LARGE_BODY = 256 << 10;

/** Why there is no body: it is longer than is kept, or too many others are held at this moment. */
export type MissingBody = "too long" | "no room";

/**
 * Reads the whole body; one that has come already is returned at once. What doesn't fit is read and forgotten. Rejects if
 * the client goes away.
 * @param limit bytes that are kept
 * @param share of the process's bodies; absent: only `limit` counts. To be released once the body is no longer needed
 */
export function collectBody(
	request: HttpRequest,
	limit: number,
	share?: BodyShare,
): Uint8Array | MissingBody | Promise<Uint8Array | MissingBody> {
	if (request instanceof PlainRequest) return request.body.length > limit ? "too long" : request.body;
	return new Promise((resolve, reject) => {
		let chunks: Uint8Array[] = [];
		let size = 0;
		let missing: MissingBody | undefined;
		const forget = (reason: MissingBody): void => {
			missing = reason;
			chunks = [];
			share?.release();
		};
		if (share) share.breakOff = () => forget("no room");
		const announced = Number(request.headers["content-length"] ?? 0);
		if (announced > limit) forget("too long");
		request.on("data", (chunk: Uint8Array) => {
			size += chunk.length;
			if (missing) return;
			if (size > limit) forget("too long");
			else if (share && !share.grow(size)) forget("no room");
			else chunks.push(chunk);
		});
		request.on("end", () => {
			if (share) share.breakOff = undefined;
			if (missing) resolve(missing);
			else resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks));
		});
		request.on("error", reject);
	});
}
