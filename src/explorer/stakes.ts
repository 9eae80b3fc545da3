/** What an account has staked, lent and is taking out, of both generations of stakes, and when each ends (protocol/staking §8.1). */

import { type Json, objectOf, objectsOf, textOf, wholeOf } from "./answer.js";

export interface Stake {
	readonly what: string;
	readonly sun: bigint;
	/** Whether the account's own coins are staked in it. */
	readonly isStaked: boolean;
	/** What can be done then; ms since 1970, undefined: whenever the owner likes. */
	readonly endMs: number | undefined;
	readonly end: string;
}

const resourceOf = (stake: Json): string =>
	(textOf(stake, "type") || "BANDWIDTH").toLowerCase().replaceAll("_", " ");

/** What the account's record calls coins that are lent. */
const LENT = [
	["delegated_frozenV2_balance_for_bandwidth", "bandwidth lent to others", true],
	["acquired_delegated_frozenV2_balance_for_bandwidth", "bandwidth lent by others", false],
	["delegated_frozen_balance_for_bandwidth", "bandwidth lent to others (older kind)", true],
	["acquired_delegated_frozen_balance_for_bandwidth", "bandwidth lent by others (older kind)", false],
	["delegated_frozenV2_balance_for_energy", "energy lent to others", true],
	["acquired_delegated_frozenV2_balance_for_energy", "energy lent by others", false],
	["delegated_frozen_balance_for_energy", "energy lent to others (older kind)", true],
	["acquired_delegated_frozen_balance_for_energy", "energy lent by others (older kind)", false],
] as const;

/** @param account of `getaccount` */
export function stakesOf(account: Json): readonly Stake[] {
	const found: Stake[] = [];
	const add = (what: string, sun: bigint, isStaked: boolean, end: string, endMs?: number): void => {
		if (sun > 0n) found.push({ what, sun, isStaked, end, endMs });
	};
	for (const stake of objectsOf(account, "frozenV2"))
		add(`staked for ${resourceOf(stake)}`, wholeOf(stake, "amount"), true, "until it is unstaked");
	for (const stake of objectsOf(account, "frozen")) {
		const endMs = Number(wholeOf(stake, "expire_time"));
		add(
			"staked for bandwidth (older kind)",
			wholeOf(stake, "frozen_balance"),
			true,
			"can be unstaked",
			endMs,
		);
	}
	const resource = objectOf(account, "account_resource");
	const energy = objectOf(resource, "frozen_balance_for_energy");
	const energyEndMs = Number(wholeOf(energy, "expire_time"));
	add(
		"staked for energy (older kind)",
		wholeOf(energy, "frozen_balance"),
		true,
		"can be unstaked",
		energyEndMs,
	);
	for (const stake of objectsOf(account, "unfrozenV2")) {
		const endMs = Number(wholeOf(stake, "unfreeze_expire_time"));
		add(
			`unstaked from ${resourceOf(stake)}`,
			wholeOf(stake, "unfreeze_amount"),
			false,
			"can be withdrawn",
			endMs,
		);
	}
	for (const [member, what, isStaked] of LENT) {
		const sun = wholeOf(account, member) + wholeOf(resource, member);
		add(what, sun, isStaked, isStaked ? "until it is taken back" : "until they take it back");
	}
	return found;
}
