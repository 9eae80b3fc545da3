/** Plans staking, delegating and unstaking (protocol/staking §§1 to 2). Amounts are in sun; resources are `ResourceCode` values. */

import {
	CancelAllUnfreezeV2Contract,
	DelegateResourceContract,
	FreezeBalanceV2Contract,
	UnDelegateResourceContract,
	UnfreezeBalanceContract,
	UnfreezeBalanceV2Contract,
	WithdrawExpireUnfreezeContract,
} from "../../protocol/messages.js";
import { type Contract, contractOf } from "../transaction/contract.js";
import type { Actor } from "./plan.js";

type Owner = Pick<Actor, "owner">;

/** An amount of coins staked for a resource. */
export interface Stake {
	readonly amountSun: bigint;
	readonly resource: number;
}

/** A part of a stake whose resource is delegated to another account. */
export interface Delegation extends Stake {
	/** 21 bytes. */
	readonly receiver: Uint8Array;
}

/** Stakes coins. */
export function stakePlan({ owner }: Owner, { amountSun, resource }: Stake): Contract {
	return contractOf(FreezeBalanceV2Contract, { owner_address: owner, frozen_balance: amountSun, resource });
}

/** Starts unstaking coins, which can be withdrawn after the network's delay. */
export function unstakePlan({ owner }: Owner, { amountSun, resource }: Stake): Contract {
	return contractOf(UnfreezeBalanceV2Contract, {
		owner_address: owner,
		unfreeze_balance: amountSun,
		resource,
	});
}

/** Unstakes a whole expired stake of the first version (Stake 1.0): the account's own, or the one it delegated to the receiver. */
export function unstakeV1Plan({ owner }: Owner, resource: number, receiver?: Uint8Array): Contract {
	return contractOf(UnfreezeBalanceContract, {
		owner_address: owner,
		resource,
		...(receiver === undefined ? {} : { receiver_address: receiver }),
	});
}

/** Cancels all pending unstaking, so that those coins are staked again. */
export function cancelUnstakingPlan({ owner }: Owner): Contract {
	return contractOf(CancelAllUnfreezeV2Contract, { owner_address: owner });
}

/** Withdraws coins whose unstaking delay has passed. */
export function withdrawUnstakedPlan({ owner }: Owner): Contract {
	return contractOf(WithdrawExpireUnfreezeContract, { owner_address: owner });
}

/** Delegates the resource of a stake to another account. @param lockBlocks number of blocks during which it can't be taken back */
export function delegatePlan(
	{ owner }: Owner,
	{ amountSun, resource, receiver }: Delegation,
	lockBlocks?: bigint,
): Contract {
	return contractOf(DelegateResourceContract, {
		owner_address: owner,
		resource,
		balance: amountSun,
		receiver_address: receiver,
		...(lockBlocks === undefined ? {} : { lock: true, lock_period: lockBlocks }),
	});
}

/** Takes a delegated resource back. */
export function undelegatePlan({ owner }: Owner, { amountSun, resource, receiver }: Delegation): Contract {
	return contractOf(UnDelegateResourceContract, {
		owner_address: owner,
		resource,
		balance: amountSun,
		receiver_address: receiver,
	});
}
