/** Staking coins, delegating what they give, and unstaking, as plans (protocol/staking §§1 to 2). Amounts are sun; resources are codes of `ResourceCode`. */

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

/** Coins that are staked for a resource. */
export interface Stake {
	readonly amountSun: bigint;
	readonly resource: number;
}

/** A part of a stake whose resource another account uses. */
export interface Delegation extends Stake {
	/** 21 bytes. */
	readonly receiver: Uint8Array;
}

/** Stakes coins. */
export function stakePlan({ owner }: Owner, { amountSun, resource }: Stake): Contract {
	return contractOf(FreezeBalanceV2Contract, { owner_address: owner, frozen_balance: amountSun, resource });
}

/** Begins to unstake coins, which can be withdrawn after the network's delay. */
export function unstakePlan({ owner }: Owner, { amountSun, resource }: Stake): Contract {
	return contractOf(UnfreezeBalanceV2Contract, {
		owner_address: owner,
		unfreeze_balance: amountSun,
		resource,
	});
}

/** Ends all of a stake of the first generation that is due: the account's own, or what it gave to the receiver. */
export function unstakeV1Plan({ owner }: Owner, resource: number, receiver?: Uint8Array): Contract {
	return contractOf(UnfreezeBalanceContract, {
		owner_address: owner,
		resource,
		...(receiver === undefined ? {} : { receiver_address: receiver }),
	});
}

/** Stakes again what is on its way back. */
export function cancelUnstakingPlan({ owner }: Owner): Contract {
	return contractOf(CancelAllUnfreezeV2Contract, { owner_address: owner });
}

/** Withdraws coins whose unstaking is over. */
export function withdrawUnstakedPlan({ owner }: Owner): Contract {
	return contractOf(WithdrawExpireUnfreezeContract, { owner_address: owner });
}

/** Lets another account use the resource of a stake. @param lockBlocks for which it can't be taken back */
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
