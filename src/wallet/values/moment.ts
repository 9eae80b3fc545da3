/** Points in time as people write them: `@<epoch ms>`, ISO 8601, or a duration from the head block on. */

import { Failure } from "../failure.js";
import { fetchHead } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { parseDuration } from "./duration.js";

export type Moment = { readonly atMs: bigint } | { readonly afterMs: number };

/** A time as ISO 8601 in UTC; a number that is beyond all dates in words. @param ms since 1970 */
export function utcTime(ms: bigint): string {
	const time = new Date(Number(ms));
	return Number.isNaN(time.getTime()) ? `${ms} ms after 1970, which is beyond all dates` : time.toISOString();
}

/** @throws {Failure} `bad_value` */
export function parseMoment(text: string): Moment {
	const trimmed = text.trim();
	const absolute = /^@(\d{1,16})$/.exec(trimmed)?.[1];
	if (absolute !== undefined) return { atMs: BigInt(absolute) };
	if (/^\d{4}-\d\d-\d\d/.test(trimmed)) {
		const ms = Date.parse(trimmed);
		if (Number.isNaN(ms))
			throw new Failure("bad_value", `"${text}" is not a time: write it like 2026-12-24T18:00Z`);
		return { atMs: BigInt(ms) };
	}
	return { afterMs: parseDuration(trimmed) };
}

/**
 * The moment in epoch milliseconds.
 * @param client undefined without a network
 * @throws {Failure} `usage` for a duration without a network
 */
export async function momentMs(moment: Moment, client: NodeClient | undefined): Promise<bigint> {
	if ("atMs" in moment) return moment.atMs;
	if (!client) throw new Failure("usage", "--offline needs times as @<epoch ms> or ISO 8601");
	return (await fetchHead(client)).timestampMs + BigInt(moment.afterMs);
}
