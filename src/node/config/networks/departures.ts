/**
 * Where the history of a public network departs from the rules of its present program, which can't replay these blocks either
 * (documented by others who did, with rules of their own for each; protocol/configuration §1.12). They are limits, not rules: a
 * node begins behind them, from a reference node's directory or a snapshot.
 */

import type { PublicNetwork } from "../../../protocol/public-networks.js";

interface Departure {
	/** Height of the first block concerned. */
	readonly height: number;
	/** What the history has there that the rules don't give. */
	readonly what: string;
	/** Whether a replay can't pass this block; false: its state differs from here on, without a block that is refused for it. */
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

/** The first block above a head that no program of today applies; undefined: none is known. */
export function nextStop(network: PublicNetwork, head: bigint): Departure | undefined {
	return DEPARTURES[network].find(({ stops, height }) => stops && BigInt(height) > head);
}
