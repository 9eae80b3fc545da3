/** The steps of random sequences, and chains for them to run on. */

import fc from "fast-check";
import { COMMITTEE_KEYS, type CommitteeKey } from "../../../src/node/config/config.js";
import { throwsOfDice } from "./dice.js";
import { transactionKinds } from "./kinds.js";
import { CYCLE_MS, type StartingRules } from "./small-chain.js";

export type Step =
	| { readonly do: "send"; readonly type: string; readonly dice: readonly number[] }
	/** A block, after some slots without one. */
	| { readonly do: "block"; readonly skipped: number }
	/** A proposal that all witnesses approve, and the cycle in which it is decided. */
	| { readonly do: "govern"; readonly dice: readonly number[] }
	/** Some blocks that a longer branch replaces. */
	| { readonly do: "branch"; readonly depth: number };

export const SLOTS_PER_CYCLE = CYCLE_MS / 3000;
const SLOTS_PER_DAY = 28_800;

const types = fc.oneof(
	...transactionKinds.map(({ type, weight = 2 }) => ({ weight, arbitrary: fc.constant(type) })),
);

const steps: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 24,
		arbitrary: fc.record({
			do: fc.constant("send" as const),
			type: types,
			dice: throwsOfDice,
		}),
	},
	{
		weight: 8,
		arbitrary: fc.record({
			do: fc.constant("block" as const),
			skipped: fc.constantFrom(
				0,
				0,
				0,
				2,
				SLOTS_PER_CYCLE,
				SLOTS_PER_CYCLE,
				SLOTS_PER_DAY,
				3 * SLOTS_PER_DAY,
			),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("govern" as const), dice: throwsOfDice }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("branch" as const), depth: fc.integer({ min: 1, max: 2 }) }),
	},
);

/** Sequences of up to this many steps; any length is as likely. */
export function sequences(maxSteps: number): fc.Arbitrary<readonly Step[]> {
	return fc.noBias(fc.array(steps, { maxLength: maxSteps, size: "max" }));
}

type Committee = StartingRules["committee"];

/** Parameters that aren't switches, with a value that suits short sequences; 1 for all others. */
const VALUES: Committee = { unfreezeDelayDays: 1n, memoFee: 1_000_000n, dynamicEnergyThreshold: 1_000n };

const allOn: Committee = Object.fromEntries(COMMITTEE_KEYS.map((key) => [key, VALUES[key] ?? 1n]));

/** What the newest rules have that only proposals bring. */
const newest = {
	ALLOW_CANCEL_ALL_UNFREEZE_V2: 1n,
	MAX_DELEGATE_LOCK_PERIOD: 200_000n,
	ALLOW_UPDATE_ACCOUNT_NAME: 1n,
};

/** Stakes of generation 1 with everything that came before those of generation 2. */
const { unfreezeDelayDays: _, ...beforeStakingV2 } = allOn;

/** The layout of token balances by number is never without the numbers (see {@link randomParameter}). */
function only(keys: readonly CommitteeKey[]): Committee {
	const named: Committee = Object.fromEntries(keys.map((key) => [key, allOn[key]]));
	return named.allowAssetOptimization === 1n ? { ...named, allowSameTokenName: 1n } : named;
}

/** Rules of a chain: the newest, none, those before the second generation of stakes, or any. */
export const startingRules: fc.Arbitrary<StartingRules> = fc.oneof(
	{ weight: 1, arbitrary: fc.constant({ committee: {}, voted: {} }) },
	{ weight: 3, arbitrary: fc.constant({ committee: allOn, voted: newest }) },
	{ weight: 2, arbitrary: fc.constant({ committee: beforeStakingV2, voted: {} }) },
	{
		weight: 2,
		arbitrary: fc.subarray([...COMMITTEE_KEYS]).map((keys) => ({ committee: only(keys), voted: {} })),
	},
);
