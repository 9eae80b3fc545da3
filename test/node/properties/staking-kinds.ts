/** Random transactions about stakes, in both generations, and their delegation. */

import {
	delegatedAmount,
	delegationKeyV1,
	delegationKeyV2,
} from "../../../src/node/resources/delegated-resource.js";
import { ownStakeV2, resourceOf } from "../../../src/node/resources/stake.js";
import { unfreezeDelayOn } from "../../../src/node/resources/window.js";
import type { StateView } from "../../../src/node/state/view.js";
import { equalBytes } from "../../../src/protocol/bytes.js";
import {
	CancelAllUnfreezeV2Contract,
	DelegateResourceContract,
	FreezeBalanceContract,
	FreezeBalanceV2Contract,
	UnDelegateResourceContract,
	UnfreezeBalanceContract,
	UnfreezeBalanceV2Contract,
	WithdrawExpireUnfreezeContract,
} from "../../../src/protocol/messages.js";
import { anyone, othersThan, ownersWhere, RESOURCES, receiversOf, stakedResources } from "./facts.js";
import type { TransactionKind } from "./kinds.js";
import { addresses } from "./small-chain.js";

/** Days for which stakes of generation 1 are locked. */
const LOCK_DAYS = 3n;
const NO_RECEIVER = new Uint8Array(0);

/** What one account has lent to another of a resource, locked or not. */
function lent(state: StateView, from: Uint8Array, to: Uint8Array, code: number): bigint {
	const resource = resourceOf(code) ?? "bandwidth";
	let sum = 0n;
	for (const locked of [true, false]) {
		const record = state.delegatedResource.get(delegationKeyV2(from, to, locked));
		if (record) sum += delegatedAmount(record, resource);
	}
	return sum;
}

export const stakingKinds: readonly TransactionKind[] = [
	{
		type: "FreezeBalanceContract",
		weight: 6,
		owners: (state) => (unfreezeDelayOn(state.properties) ? [] : ownersWhere(state, anyone)),
		build: (state, owner, dice) => {
			const balance = state.account.get(owner)?.balance ?? 0n;
			return FreezeBalanceContract.create({
				owner_address: owner,
				frozen_balance: dice.amount(balance / 4n),
				frozen_duration: dice.once(12) ? 2n : LOCK_DAYS,
				resource: dice.pick(RESOURCES) ?? 0,
				receiver_address: dice.once(2) ? (dice.pick(othersThan(owner)) as Uint8Array) : NO_RECEIVER,
			});
		},
	},
	{
		type: "UnfreezeBalanceContract",
		weight: 5,
		owners: (state) =>
			ownersWhere(
				state,
				(account) =>
					stakedResources(account, 1).length > 0 || receiversOf(state, account.address, 1).length > 0,
			),
		build: (state, owner, dice) => {
			const account = state.account.get(owner);
			const receivers = receiversOf(state, owner, 1);
			const own = account ? stakedResources(account, 1) : [];
			const to =
				own.length === 0 || dice.once(2) ? (dice.prefer(receivers, addresses) ?? NO_RECEIVER) : NO_RECEIVER;
			const record = state.delegatedResource.get(delegationKeyV1(owner, to));
			const given = RESOURCES.filter((code) => {
				const resource = resourceOf(code);
				return record && resource && delegatedAmount(record, resource) > 0n;
			});
			return UnfreezeBalanceContract.create({
				owner_address: owner,
				resource: dice.prefer(to === NO_RECEIVER ? own : given, RESOURCES) ?? 0,
				receiver_address: to,
			});
		},
	},
	{
		type: "FreezeBalanceV2Contract",
		weight: 6,
		owners: (state) => (unfreezeDelayOn(state.properties) ? ownersWhere(state, anyone) : []),
		build: (state, owner, dice) =>
			FreezeBalanceV2Contract.create({
				owner_address: owner,
				frozen_balance: dice.amount((state.account.get(owner)?.balance ?? 0n) / 4n),
				resource: dice.pick(RESOURCES) ?? 0,
			}),
	},
	{
		type: "UnfreezeBalanceV2Contract",
		weight: 4,
		owners: (state) => ownersWhere(state, (account) => stakedResources(account, 2).length > 0),
		build: (state, owner, dice) => {
			const account = state.account.get(owner);
			const resource = dice.prefer(account ? stakedResources(account, 2) : [], RESOURCES) ?? 0;
			return UnfreezeBalanceV2Contract.create({
				owner_address: owner,
				resource,
				unfreeze_balance: dice.amount(account ? ownStakeV2(account, resource) : 0n),
			});
		},
	},
	{
		type: "WithdrawExpireUnfreezeContract",
		weight: 8,
		owners: (state) => ownersWhere(state, (account) => account.unfrozenV2.length > 0),
		build: (_state, owner) => WithdrawExpireUnfreezeContract.create({ owner_address: owner }),
	},
	{
		type: "CancelAllUnfreezeV2Contract",
		weight: 5,
		owners: (state) => ownersWhere(state, (account) => account.unfrozenV2.length > 0),
		build: (_state, owner) => CancelAllUnfreezeV2Contract.create({ owner_address: owner }),
	},
	{
		type: "DelegateResourceContract",
		weight: 5,
		owners: (state) => ownersWhere(state, (account) => stakedResources(account, 2).some((code) => code < 2)),
		build: (state, owner, dice) => {
			const account = state.account.get(owner);
			const resource = dice.prefer(account ? stakedResources(account, 2) : [], RESOURCES) ?? 0;
			const others = ownersWhere(state, ({ address }) => !equalBytes(address, owner));
			return DelegateResourceContract.create({
				owner_address: owner,
				resource,
				balance: dice.amount(account ? ownStakeV2(account, resource) : 0n),
				receiver_address: dice.prefer(others, addresses) as Uint8Array,
				lock: dice.once(3),
				lock_period: BigInt([0, 10, 50, 28_800, 90_000][dice.next(5)] as number),
			});
		},
	},
	{
		type: "UnDelegateResourceContract",
		weight: 4,
		owners: (state) => ownersWhere(state, (account) => receiversOf(state, account.address, 2).length > 0),
		build: (state, owner, dice) => {
			const to = dice.prefer(receiversOf(state, owner, 2), addresses) as Uint8Array;
			const resource = dice.prefer(
				[0, 1].filter((code) => lent(state, owner, to, code) > 0n),
				RESOURCES,
			);
			return UnDelegateResourceContract.create({
				owner_address: owner,
				resource: resource ?? 0,
				balance: dice.amount(lent(state, owner, to, resource ?? 0)),
				receiver_address: to,
			});
		},
	},
];
