/**
 * Blocks of public networks that contradict the rules of their current program, which can't replay them
 * either (documented by others who did, with special rules for each; protocol/configuration §1.12). They are
 * limits, not rules: a node starts after them, from a reference node's directory or a snapshot.
 */

import type { PublicNetwork } from "../../../protocol/public-networks.js";

interface Departure {
	/** Height of the first affected block. */
	readonly height: number;
	/** How the history deviates from the rules. */
	readonly what: string;
	/** Whether a replay stops at this block; false: only its state differs from here on. */
	readonly stops: boolean;
}

const stop = (height: number, what: string): Departure => ({ height, what, stops: true });

const UNPROVEN = "a shielded transfer stands as SUCCESS whose proof doesn't hold by today's parameters";

export const DEPARTURES: Readonly<Record<PublicNetwork, readonly Departure[]>> = {
	main: [],
	nile: [
		{
			height: 0,
			what: "both fees of shielded transfers began at 10000000 sun; today's program begins with 100000 and 1000000, and so does this one",
			stops: false,
		},
		stop(
			1_628_391,
			"a proposal that sets parameter 27 (ALLOW_SHIELDED_TRANSACTION) is accepted, in this block only",
		),
		stop(1_685_186, UNPROVEN),
		stop(1_685_793, UNPROVEN),
		stop(1_685_975, `${UNPROVEN}; up to here a shielded transfer that creates an account pays the lower fee`),
		stop(1_818_883, "named by others without a reason that is known here"),
		stop(
			6_360_101,
			"a proposal that sets parameter 39 (ALLOW_SHIELDED_ORC20_TRANSACTION) is accepted before version 17 has passed; shielded tokens after it are taken as the block says",
		),
		stop(6_498_505, "a call of a shielded token has a layout of its own"),
	],
};

/** The first block above a head that no current program can apply; undefined if none is known. */
export function nextStop(network: PublicNetwork, head: bigint): Departure | undefined {
	return DEPARTURES[network].find(({ stops, height }) => stops && BigInt(height) > head);
}
