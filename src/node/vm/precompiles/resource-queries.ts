/** Queries of staked resources (protocol/precompiles §7). Amounts in sun. */

import { equalBytes } from "../../../protocol/bytes.js";
import {
	fromDouble,
	MAX_INT64,
	maxInt,
	minInt,
	OverflowError,
	SUN_PER_COIN,
	toDouble,
	wrap,
} from "../../../protocol/int64.js";
import type { Account } from "../../../protocol/messages.js";
import { isExact, result } from "../../resources/arithmetic.js";
import { delegatedAmount, delegationKeyV2 } from "../../resources/delegated-resource.js";
import {
	codeOf,
	delegation,
	MAX_UNSTAKING_ENTRIES,
	ownStakeV1,
	ownStakeV2,
	resourceStake,
	resourceTotals,
	splitUnstaking,
} from "../../resources/stake.js";
import { type Resource, recovery, resourceUsage, windowSlots } from "../../resources/window.js";
import type { Properties } from "../../state/properties.js";
import type { StateView } from "../../state/view.js";
import { toAddress } from "../addresses.js";
import { sat64, type Word } from "../word.js";
import { amountWord, type Precompile, price, succeed, wordAt } from "./precompile.js";

const ENERGY = 50;
const SLOT_SECONDS = 3n;

/** A query of `operands` words with `results` words; any other input gives zeros. */
function resourceQuery(
	name: string,
	word: number,
	operands: number,
	results: number,
	answer: (state: StateView, ...operands: Word[]) => readonly bigint[] | bigint,
): Precompile {
	return {
		name,
		word,
		gate: "freezeV2",
		energy: price(ENERGY),
		run(input, { machine }) {
			if (input.length !== 32 * operands) return succeed(new Uint8Array(32 * results));
			const words = Array.from({ length: operands }, (_, i) => wordAt(input, i));
			const amounts = [answer(machine.state, ...words)].flat() as bigint[];
			return succeed(Buffer.concat(amounts.map(amountWord)));
		},
	};
}

const accountOf = (state: StateView, word: Word | undefined): Readonly<Account> | undefined =>
	state.account.get(toAddress(word ?? 0));

/** The resource of an operand: 0 bandwidth, 1 energy. */
function resourceOf(word: Word | undefined): Resource | undefined {
	if (word === 0) return "bandwidth";
	return word === 1 ? "energy" : undefined;
}

/** The stake that an account's current usage corresponds to, and the seconds until it has fully recovered. */
function usedStake(
	properties: Properties,
	account: Readonly<Account>,
	resource: Resource,
): { readonly balance: bigint; readonly seconds: bigint } {
	const now = properties.headSlot;
	const { usage, lastSlot } = resourceUsage(account, resource);
	const end = lastSlot + windowSlots(account, resource);
	if (now >= end) return { balance: 0n, seconds: 0n };
	const used = recovery(properties, account, resource, usage, lastSlot, now);
	return { balance: stakeFor(properties, resource, used), seconds: (end - now) * SLOT_SECONDS };
}

/**
 * The stake that yields an amount of a resource, exact with #97. @throws {OverflowError} with #97, beyond 64
 * bits or without a limit
 */
function stakeFor(properties: Properties, resource: Resource, used: bigint): bigint {
	const { limit, weight } = resourceTotals(properties, resource);
	if (isExact(properties)) {
		if (limit === 0n) throw new OverflowError("BigInteger divide by zero");
		return result(properties, (used * weight * SUN_PER_COIN) / limit);
	}
	const coins = (toDouble(used) * toDouble(weight)) / toDouble(limit);
	return fromDouble(coins * 1_000_000);
}

export const getChainParameter = resourceQuery("getChainParameter", 0x100000b, 1, 1, (state, code) => {
	const { properties } = state;
	switch (code) {
		case 1:
			return properties.get("TOTAL_NET_LIMIT");
		case 2:
			return properties.get("TOTAL_NET_WEIGHT");
		case 3:
			return properties.get("TOTAL_ENERGY_CURRENT_LIMIT");
		case 4:
			return properties.get("TOTAL_ENERGY_WEIGHT");
		case 5:
			return properties.get("UNFREEZE_DELAY_DAYS");
		default:
			return 0n;
	}
});

export const availableUnfreezeV2Size = resourceQuery(
	"availableUnfreezeV2Size",
	0x100000c,
	1,
	1,
	(state, address) => {
		const account = accountOf(state, address);
		if (!account) return 0n;
		const { waiting } = splitUnstaking(account.unfrozenV2, state.properties.headTimestampMs);
		return BigInt(Math.max(0, MAX_UNSTAKING_ENTRIES - waiting.length));
	},
);

/** Own Stake 2.0 stake for a resource word: 0, 1 or 2. */
function ownStakeOf(account: Readonly<Account> | undefined, type: Word | undefined): bigint {
	if (!account || typeof type !== "number" || type > 2) return 0n;
	return ownStakeV2(account, type);
}

export const unfreezableBalanceV2 = resourceQuery(
	"unfreezableBalanceV2",
	0x100000d,
	2,
	1,
	(state, address, type) => ownStakeOf(accountOf(state, address), type),
);

export const expireUnfreezeBalanceV2 = resourceQuery(
	"expireUnfreezeBalanceV2",
	0x100000e,
	2,
	1,
	(state, address, time) => {
		const account = accountOf(state, address);
		if (!account) return 0n;
		const seconds = sat64(time ?? 0);
		const timeMs = seconds >= MAX_INT64 / 1000n ? MAX_INT64 : seconds * 1000n;
		return splitUnstaking(account.unfrozenV2, timeMs).expiredSun;
	},
);

export const delegatableResource = resourceQuery(
	"delegatableResource",
	0x100000f,
	2,
	1,
	(state, address, type) => {
		const account = accountOf(state, address);
		const resource = resourceOf(type);
		if (!account || !resource) return 0n;
		const stake = ownStakeV2(account, codeOf(resource));
		const { balance } = usedStake(state.properties, account, resource);
		if (balance <= 0n) return stake;
		const others =
			ownStakeV1(account, codeOf(resource)) +
			delegation(account, "acquired_delegated", "frozen", resource) +
			delegation(account, "acquired_delegated", "frozenV2", resource);
		return maxInt(0n, wrap(stake - maxInt(0n, wrap(balance - others))));
	},
);

export const resourceV2 = resourceQuery("resourceV2", 0x1000010, 3, 1, (state, target, from, type) => {
	const owner = toAddress(from ?? 0);
	const receiver = toAddress(target ?? 0);
	if (equalBytes(owner, receiver)) return ownStakeOf(state.account.get(owner), type);
	const resource = resourceOf(type);
	if (!resource) return 0n;
	const lent = (locked: boolean): bigint => {
		const record = state.delegatedResource.get(delegationKeyV2(owner, receiver, locked));
		return record ? delegatedAmount(record, resource) : 0n;
	};
	return wrap(lent(false) + lent(true));
});

export const checkUnDelegateResource = resourceQuery(
	"checkUnDelegateResource",
	0x1000011,
	3,
	3,
	(state, target, amountOperand, type) => {
		const account = accountOf(state, target);
		const resource = resourceOf(type);
		const wanted = sat64(amountOperand ?? 0);
		if (!account || !resource || wanted <= 0n) return [0n, 0n, 0n];
		const { balance, seconds } = usedStake(state.properties, account, resource);
		const all = resourceStake(account, resource);
		const amount = minInt(wanted, all);
		if (all <= balance) return [0n, amount, seconds];
		const clean = fromDouble(toDouble(amount) * (toDouble(all - balance) / toDouble(all)));
		return [clean, amount - clean, seconds];
	},
);

export const resourceUsageQuery = resourceQuery("resourceUsage", 0x1000012, 2, 2, (state, address, type) => {
	const account = accountOf(state, address);
	const resource = resourceOf(type);
	if (!account || !resource) return [0n, 0n];
	const { balance, seconds } = usedStake(state.properties, account, resource);
	return [balance, seconds];
});

export const totalResource = resourceQuery("totalResource", 0x1000013, 2, 1, (state, address, type) => {
	const account = accountOf(state, address);
	const resource = resourceOf(type);
	return account && resource ? resourceStake(account, resource) : 0n;
});

/** What an account has delegated or been delegated, Stake 1.0 and 2.0 together. */
const delegated =
	(side: "delegated" | "acquired_delegated") =>
	(state: StateView, address?: Word, type?: Word): bigint => {
		const account = accountOf(state, address);
		const resource = resourceOf(type);
		if (!account || !resource) return 0n;
		return wrap(
			delegation(account, side, "frozen", resource) + delegation(account, side, "frozenV2", resource),
		);
	};

export const totalDelegatedResource = resourceQuery(
	"totalDelegatedResource",
	0x1000014,
	2,
	1,
	delegated("delegated"),
);

export const totalAcquiredResource = resourceQuery(
	"totalAcquiredResource",
	0x1000015,
	2,
	1,
	delegated("acquired_delegated"),
);
