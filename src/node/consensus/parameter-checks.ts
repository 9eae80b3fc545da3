/** The checks on a proposed chain parameter value (protocol/parameters §2 and §3). */

import { MAX_INT64 } from "../../protocol/int64.js";
import type { ForkGates, LaterRelease } from "../rules/fork-gates.js";
import type { PropertyOf } from "../state/property-table.js";
import type { StateView } from "../state/view.js";

/** A proposed value with its context. */
interface ProposedValue {
	readonly state: StateView;
	readonly forks: ForkGates;
	/** Name of the parameter, as spelled in messages. */
	readonly name: string;
	/** Property that holds the parameter. */
	readonly property: PropertyOf<"long">;
	readonly value: bigint;
}

/** Why a value is refused, in the reference's words; undefined if the check passes. */
export type Check = (proposed: ProposedValue) => string | undefined;

const LONG_LIMIT = 10n ** 17n;
const LONG_TEXT = "Bad chain parameter value, valid range is [0,100000000000000000]";

/** How the messages of a gate name the parameter: the style changed over the releases. */
const gateText = {
	bare: () => "Bad chain parameter id",
	colon: (name: string) => `Bad chain parameter id: ${name}`,
	bracketed: (name: string) => `Bad chain parameter id [${name}]`,
} as const;

/** A block version up to 32, or the release of a later one. */
type Gate = number | LaterRelease;

const isOpen = (forks: ForkGates, gate: Gate): boolean =>
	typeof gate === "number" ? forks.passed(gate) : forks.upgradedTo(gate);

const textOf = (gate: Gate): ((name: string) => string) => {
	if (typeof gate === "string" || gate >= 17) return gateText.bracketed;
	return gate === 7 ? gateText.colon : gateText.bare;
};

/** The block version must have passed. */
export function gate(version: Gate): Check {
	const text = textOf(version);
	return ({ forks, name }) => (isOpen(forks, version) ? undefined : text(name));
}

/** The parameter can be proposed only between two versions. */
export function gateBetween(from: Gate, before: Gate): Check {
	const text = textOf(from);
	return ({ forks, name }) => (isOpen(forks, from) && !isOpen(forks, before) ? undefined : text(name));
}

/** A Nile switch that is permanently off from a release on: 0 is accepted from then on, 1 behind its own gate. */
export function closable(release: LaterRelease, opens: Check): Check {
	return (proposed) => {
		if (proposed.value === 0n && proposed.forks.upgradedTo(release)) return undefined;
		return opens(proposed) ?? one(proposed);
	};
}

/** A check of the value alone, independent of the chain. */
interface RangeCheck extends Check {
	readonly refuse: (name: string, value: bigint) => string | undefined;
}

export function isRange(check: Check): check is RangeCheck {
	return "refuse" in check;
}

/** The value lies in an inclusive range. `text` contains the parameter's name as `NAME`. */
export function range(low: bigint, high: bigint, text: string): RangeCheck {
	const refuse = (name: string, value: bigint): string | undefined =>
		value >= low && value <= high ? undefined : text.replace("NAME", name);
	return Object.assign(({ name, value }: ProposedValue) => refuse(name, value), { refuse });
}

/** Amounts and limits: 0 to 10^17. */
export const amount: Check = range(0n, LONG_LIMIT, LONG_TEXT);

/** Fees bounded by the total supply. */
export const supply: Check = range(
	0n,
	100_000_000_000n,
	"Bad chain parameter value, valid range is [0, 100_000_000_000L]",
);

/** A switch that can only be turned on. */
export const one: Check = range(1n, 1n, "This value[NAME] is only allowed to be 1");

/** A switch that can be turned on and off, with the message of later releases. */
export const zeroOrOne: Check = range(0n, 1n, "This value[NAME] is only allowed to be 0 or 1");

/** A switch that can be turned on and off. */
export const bit: Check = range(0n, 1n, "This value[NAME] is only allowed to be 1 or 0");

/** Market fees, whose message names the rule itself. */
export const marketFee: Check = range(
	0n,
	10_000_000_000n,
	"Bad NAME parameter value, valid range is [0,10_000_000_000L]",
);

/** Another parameter must be set first. `as` is its name where it differs from its property. */
export function need(property: PropertyOf<"long">, as: string = property): Check {
	return ({ state, name }) =>
		state.properties.get(property) === 0n
			? `[${as}] proposal must be approved before [${name}] can be proposed`
			: undefined;
}

/** The switch must still be off. */
export const notDone: Check = ({ state, name, property }) =>
	state.properties.on(property) ? `[${name}] has been valid, no need to propose again` : undefined;

/** The value must differ from the current one. */
export const change: Check = ({ state, name, property, value }) =>
	state.properties.get(property) === value
		? `[${name}] has been set to ${value}, no need to propose again`
		: undefined;

/** A rule that this one depends on must be on. */
export function enacted(property: PropertyOf<"long">): Check {
	return ({ state, name }) =>
		state.properties.on(property) ? undefined : `[${name}] requires [${property}] to be enacted first`;
}

export const newRewardNotDone: Check = ({ state, property }) =>
	state.properties.on(property) ? "New reward has been valid." : undefined;

/** The genesis witnesses' power can be removed only once. */
export const neverExecuted: Check = ({ state, property }) =>
	state.properties.get(property) === -1n
		? "This proposal has been executed before and is only allowed to be executed once"
		: undefined;

export function marketOn(fee: string): Check {
	return ({ state }) =>
		state.properties.on("ALLOW_MARKET_TRANSACTION")
			? undefined
			: `Market Transaction is not activated, can not set ${fee}`;
}

export const cpuTime: Check = ({ state, value }) => {
	const limit = state.properties.on("ALLOW_HIGHER_LIMIT_FOR_MAX_CPU_TIME_OF_ONE_TX") ? 400n : 100n;
	return value >= 10n && value <= limit
		? undefined
		: `Bad chain parameter value, valid range is [10,${limit}]`;
};

export const feeLimit: Check = ({ state, value, name }) => {
	if (value < 0n) return `Bad ${name} parameter value, value must not be negative`;
	if (value > 10_000_000_000n && !state.properties.on("ALLOW_TVM_LONDON")) {
		return `Bad ${name} parameter value, valid range is [0,10_000_000_000L]`;
	}
	return value > LONG_LIMIT ? LONG_TEXT : undefined;
};

/** Dynamic energy can be enabled only with delegation enabled; disabling it needs nothing. */
export const delegationForOpening: Check = ({ state, value, name }) =>
	value === 1n && !state.properties.on("CHANGE_DELEGATION")
		? `[ALLOW_CHANGE_DELEGATION] proposal must be approved before [${name}] can be opened`
		: undefined;

const MAX_LOCK_BLOCKS = 10_512_000n;

/** The lock period, in blocks, can only grow, to a year at most. */
export const longerLock: Check = ({ state, value, name, property }) => {
	const current = state.properties.get(property);
	return value > current && value <= MAX_LOCK_BLOCKS
		? undefined
		: `This value[${name}] is only allowed to be greater than ${current} and less than or equal to ${MAX_LOCK_BLOCKS} !`;
};

/** The cumulative reward algorithm must be on. */
export const newRewardAlgorithm: Check = ({ state, name }) =>
	state.properties.get("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE") === MAX_INT64
		? `[ALLOW_NEW_REWARD] or [ALLOW_TVM_VOTE] proposal must be approved before [${name}] can be proposed`
		: undefined;
