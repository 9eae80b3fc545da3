/**
 * Determines when a transaction expires. A node may withhold a transaction and send it at any time before its expiration, so that is
 * counted from the chain's clock or this machine's, whichever is earlier: a node that invents a head block or
 * an expiration gains nothing. Development chains stand still between transactions, and their clock can be set, so there the
 * later one counts; a clock ahead of this machine's counts only if the chain runs on this machine.
 */

import { Failure } from "../failure.js";
import { fetchHead, isDevelopmentChain } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { parseDuration } from "../values/moment.js";

/** When a transaction expires: after a duration from now, or at a point in time. */
export type Expiry = { readonly afterMs: number } | { readonly atMs: bigint };

/** The network refuses transactions that expire later than this from now. */
export const MAX_LIFE_MS = 86_400_000;

/** The longest validity accepted from a node's builder. */
const MAX_OFFERED_LIFE_MS = 300_000;

/** A smaller difference between the clocks of chain and machine is ignored. */
const CLOCK_TOLERANCE_MS = 30_000n;

/** Validity used in place of a node's choice that isn't accepted; equals the default of nodes. */
const USUAL_LIFE_MS = 60_000;

/**
 * The expiration of a transaction if the user chose none: the node's, if that is only minutes away.
 * @param offeredMs the expiration set by the node's builder
 * @param nowMs this machine's clock
 */
export async function usualExpiration(client: NodeClient, offeredMs: bigint, nowMs: number): Promise<bigint> {
	const now = BigInt(nowMs);
	if (offeredMs > now && offeredMs <= now + BigInt(MAX_OFFERED_LIFE_MS)) return offeredMs;
	// Its builder knows the chain's clock, which may have been set days ahead.
	if (await isOwnDevelopmentChain(client)) return offeredMs;
	return expirationOf(client, { afterMs: USUAL_LIFE_MS }, nowMs);
}

/** Converts an expiry to a timestamp. @param nowMs this machine's clock @throws {Failure} `tx_expired`, `bad_value` */
export async function expirationOf(client: NodeClient, expiry: Expiry, nowMs: number): Promise<bigint> {
	const { headMs, countedMs } = await clockOf(client, nowMs);
	const atMs = "atMs" in expiry ? expiry.atMs : countedMs + BigInt(expiry.afterMs);
	if (atMs <= headMs) {
		const ahead = (headMs - BigInt(nowMs)) / 1000n;
		throw new Failure("tx_expired", "the expiry lies before the head block's time", {
			sent: false,
			...(ahead > 0n
				? { hint: `the node's newest block is ${ahead} s ahead of this machine's clock: is that right?` }
				: {}),
		});
	}
	if (atMs > headMs + BigInt(MAX_LIFE_MS)) {
		throw new Failure("bad_value", "the network accepts expiries up to 24h after the head block", {
			sent: false,
		});
	}
	return atMs;
}

/** The time from which a validity period is counted. */
export async function clockOf(
	client: NodeClient,
	nowMs: number,
): Promise<{ readonly headMs: bigint; readonly countedMs: bigint }> {
	const { timestampMs: headMs } = await fetchHead(client);
	const now = BigInt(nowMs);
	const [earlier, later] = headMs < now ? [headMs, now] : [now, headMs];
	if (later - earlier <= CLOCK_TOLERANCE_MS) return { headMs, countedMs: earlier };
	// A head that lags behind needs no trust in the node, since this machine's clock then counts.
	const isBehind = headMs < now;
	const isStill = isBehind ? await isDevelopmentChain(client) : await isOwnDevelopmentChain(client);
	return { headMs, countedMs: isStill ? later : earlier };
}

/**
 * The time that decides whether a transaction has expired: the head block's, as in the network's rule. A development chain stands
 * still, but its next block will have the current time: what has expired by then counts as expired, too.
 * @param endMs expiration of the transaction
 * @param nowMs this machine's clock
 */
export async function countedTime(
	client: NodeClient,
	headMs: bigint,
	endMs: bigint,
	nowMs: number,
): Promise<bigint> {
	const now = BigInt(nowMs);
	return endMs > headMs && endMs <= now && (await isDevelopmentChain(client)) ? now : headMs;
}

/**
 * Whether the node serves a development chain on this machine; a remote node's claim proves nothing. A remote node behind a tunnel
 * may claim it too. A transaction is then valid for longer than it should be, up to two days on a network, which forgets the reference
 * block; no funds are at risk, since a repeated payment waits for the signed expiration by this machine's clock.
 */
async function isOwnDevelopmentChain(client: NodeClient): Promise<boolean> {
	return isOnThisMachine(client) && (await isDevelopmentChain(client));
}

/** Whether a node's URL is a loopback address. */
export function isOnThisMachine({ settings: { http } }: NodeClient): boolean {
	return http !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(http).hostname);
}

/** Reads `60s` or `@<epoch ms>`. @throws {Failure} `bad_value` */
export function parseExpiry(text: string): Expiry {
	const absolute = /^@(\d{1,16})$/.exec(text.trim());
	if (absolute?.[1] !== undefined) return { atMs: BigInt(absolute[1]) };
	const afterMs = parseDuration(text);
	if (afterMs > MAX_LIFE_MS)
		throw new Failure("bad_value", `"${text}" is too long: the network accepts at most 24h`);
	return { afterMs };
}
