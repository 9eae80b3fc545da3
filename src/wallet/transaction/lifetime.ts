/**
 * How long a transaction lives. A node may hold back what it was handed and send it at any time before its end, so the
 * end is counted by the chain's clock and by this machine's, whichever is earlier: a node that invents a head block or
 * an expiry gains nothing. Development chains stand still between transactions and can be moved in time, so there the
 * later one counts; one that is ahead of this machine only where it runs here, too.
 */

import { Failure } from "../failure.js";
import { fetchHead, isDevelopmentChain } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { parseDuration } from "../values/moment.js";

/** When a transaction expires: so long after the present, or at a time. */
export type Expiry = { readonly afterMs: number } | { readonly atMs: bigint };

/** The network refuses transactions that live longer. */
export const MAX_LIFE_MS = 86_400_000;

/** The longest life that a node's builder may choose. */
const MAX_OFFERED_LIFE_MS = 300_000;

/** Clocks of chain and machine that differ by less count as the same. */
const CLOCK_TOLERANCE_MS = 30_000n;

/** The life where the node's own choice isn't taken: what its builders give. */
const USUAL_LIFE_MS = 60_000;

/**
 * The end of a transaction for which nobody chose one: the node's offer if it is minutes away.
 * @param offeredMs what the node's builder wrote
 * @param nowMs this machine's clock
 */
export async function usualExpiration(client: NodeClient, offeredMs: bigint, nowMs: number): Promise<bigint> {
	const now = BigInt(nowMs);
	if (offeredMs > now && offeredMs <= now + BigInt(MAX_OFFERED_LIFE_MS)) return offeredMs;
	// Its builder knows the chain's clock, which can have been moved by days.
	if (await isOwnDevelopmentChain(client)) return offeredMs;
	return expirationOf(client, { afterMs: USUAL_LIFE_MS }, nowMs);
}

/** @param nowMs this machine's clock @throws {Failure} `tx_expired`, `bad_value` */
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

/** From when a life is counted. */
export async function clockOf(
	client: NodeClient,
	nowMs: number,
): Promise<{ readonly headMs: bigint; readonly countedMs: bigint }> {
	const { timestampMs: headMs } = await fetchHead(client);
	const now = BigInt(nowMs);
	const [earlier, later] = headMs < now ? [headMs, now] : [now, headMs];
	if (later - earlier <= CLOCK_TOLERANCE_MS) return { headMs, countedMs: earlier };
	// A head that lies behind is no reason to distrust whoever says so: it's this machine's clock that counts then.
	const isBehind = headMs < now;
	const isStill = isBehind ? await isDevelopmentChain(client) : await isOwnDevelopmentChain(client);
	return { headMs, countedMs: isStill ? later : earlier };
}

/**
 * The time by which a transaction is over or not: the head block's, as the network judges it. The next block of a development
 * chain, which stands still, has the clock's time: an end that has passed by then is over there, too.
 * @param endMs of the transaction
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
 * A development chain of this machine: what another one's node says of itself proves nothing. Behind a tunnel somebody else's may
 * claim it, too. Then a transaction lives longer than it should, two days on a network, which forgets the block that it refers
 * to; it costs nothing, since whatever pays anew waits for the end that was signed, by this machine's clock.
 */
async function isOwnDevelopmentChain(client: NodeClient): Promise<boolean> {
	return isOnThisMachine(client) && (await isDevelopmentChain(client));
}

/** Whether a node is reached by this machine's own addresses. */
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
