/** Points in time as people write them: `@<epoch ms>`, ISO 8601, or a duration counted from the head block. */

import { Failure } from "../failure.js";
import type { NodeClient } from "../node/node-client.js";

// Durations as people write them: a number with its unit (protocol/command-line §1.3).

const UNIT_MS: Readonly<Record<string, number>> = {
	ms: 1,
	s: 1000,
	m: 60_000,
	h: 3_600_000,
	d: 86_400_000,
};

/** Reads `500ms`, `60s`, `10m`, `24h`, `3d`. @returns milliseconds @throws {Failure} `bad_value` */
export function parseDuration(text: string): number {
	const match = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text.trim());
	const unit = match?.[2] === undefined ? undefined : UNIT_MS[match[2]];
	if (!match || unit === undefined) {
		const what = /^\d+$/.test(text.trim()) ? "has no unit" : "is not a duration";
		throw new Failure("bad_value", `"${text}" ${what}: write it like 500ms, 60s, 10m, 24h or 3d`);
	}
	return Number(match[1]) * unit;
}

/** The network's block interval, the unit of lock periods. */
const BLOCK_MS = 3000;

/** Reads a number of blocks, or a duration, rounded up to blocks. @throws {Failure} `bad_value` */
export function parseBlocks(text: string): bigint {
	const digits = /^[\d_]{1,15}$/.test(text.trim()) ? text.trim().replaceAll("_", "") : undefined;
	const blocks = digits ? BigInt(digits) : BigInt(Math.ceil(parseDuration(text) / BLOCK_MS));
	if (blocks === 0n) throw new Failure("bad_value", `"${text}" is not a time`);
	return blocks;
}

type Moment = { readonly atMs: bigint } | { readonly afterMs: number };

/** Formats a time as ISO 8601 in UTC; in words if it is out of range. @param ms since 1970 */
export function utcTime(ms: bigint): string {
	const time = new Date(Number(ms));
	return Number.isNaN(time.getTime()) ? `${ms} ms after 1970, which is beyond all dates` : time.toISOString();
}

/** Reads a point in time. @throws {Failure} `bad_value` */
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
 * @param client undefined when offline
 * @throws {Failure} `usage` for a duration when offline
 */
export async function momentMs(moment: Moment, client: NodeClient | undefined): Promise<bigint> {
	if ("atMs" in moment) return moment.atMs;
	if (!client) throw new Failure("usage", "--offline needs times as @<epoch ms> or ISO 8601");
	const { fetchHead } = await import("../node/chain-query.js");
	return (await fetchHead(client)).timestampMs + BigInt(moment.afterMs);
}
