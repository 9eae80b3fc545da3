/** What an account has staked, delegated, and is unstaking (protocol/command-line §1.6). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import {
	type Account,
	CanDelegatedMaxSizeResponseMessage,
	CanWithdrawUnfreezeAmountResponseMessage,
	GetAvailableUnfreezeCountResponseMessage,
	ResourceCode,
} from "../../protocol/messages.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";
import { resourceName } from "../values/resource.js";

/** Amounts in sun by resource. */
type ByResource = Readonly<Record<string, bigint>>;

export interface Unstaking {
	readonly amount: bigint;
	readonly resource: string;
	/** Epoch milliseconds from which it can be withdrawn. */
	readonly due: bigint;
}

export interface StakeView {
	readonly account: string;
	/** Staked and not delegated. */
	readonly staked: ByResource;
	readonly delegated: ByResource;
	readonly received: ByResource;
	readonly unstaking: readonly Unstaking[];
	/** Unstaked sun that can be withdrawn now. */
	readonly withdrawable: bigint;
	/** How many more unstakings may be started. */
	readonly unstakesLeft: bigint;
	/** Sun of stake whose resource could be delegated now. */
	readonly delegatable: ByResource;
	/** Stakes of the first generation, with the time from which they can be unstaked. */
	readonly version1?: readonly Unstaking[] | undefined;
}

/** Sun of stake whose resource an account could delegate now; the minimum of a delegation is one coin. */
export async function delegatableMaximum(
	client: NodeClient,
	address: Uint8Array,
	resource: number,
	view: NodeView,
): Promise<bigint> {
	const request = { owner_address: toHex(address), type: resource };
	const answer = await client.call("getcandelegatedmaxsize", request, view);
	return messageFrom(CanDelegatedMaxSizeResponseMessage, answer).max_size;
}

export async function stakeView(
	client: NodeClient,
	account: Readonly<Account>,
	view: NodeView,
): Promise<StakeView> {
	const { address, account_resource: energy } = account;
	const owner = { owner_address: toHex(address) };
	const [withdrawable, left, bandwidthMaximum, energyMaximum] = await Promise.all([
		client.call("getcanwithdrawunfreezeamount", owner, view),
		client.call("getavailableunfreezecount", owner, view),
		delegatableMaximum(client, address, ResourceCode.BANDWIDTH, view),
		delegatableMaximum(client, address, ResourceCode.ENERGY, view),
	]);
	const older = stakesOfVersion1(account);
	return {
		account: toBase58Check(address),
		staked: stakedByResource(account),
		delegated: {
			bandwidth:
				account.delegated_frozenV2_balance_for_bandwidth + account.delegated_frozen_balance_for_bandwidth,
			energy:
				(energy?.delegated_frozenV2_balance_for_energy ?? 0n) +
				(energy?.delegated_frozen_balance_for_energy ?? 0n),
		},
		received: {
			bandwidth:
				account.acquired_delegated_frozenV2_balance_for_bandwidth +
				account.acquired_delegated_frozen_balance_for_bandwidth,
			energy:
				(energy?.acquired_delegated_frozenV2_balance_for_energy ?? 0n) +
				(energy?.acquired_delegated_frozen_balance_for_energy ?? 0n),
		},
		unstaking: unstakings(account),
		withdrawable: messageFrom(CanWithdrawUnfreezeAmountResponseMessage, withdrawable).amount,
		unstakesLeft: messageFrom(GetAvailableUnfreezeCountResponseMessage, left).count,
		delegatable: { bandwidth: bandwidthMaximum, energy: energyMaximum },
		version1: older.length > 0 ? older : undefined,
	};
}

function stakedByResource(account: Readonly<Account>): ByResource {
	const sums: Record<string, bigint> = { bandwidth: 0n, energy: 0n };
	for (const { type, amount } of account.frozenV2) {
		const name = resourceName(type);
		if (amount > 0n) sums[name] = (sums[name] ?? 0n) + amount;
	}
	return sums;
}

/** Pending unstakings, in the order in which they were started. */
export function unstakings(account: Readonly<Account>): Unstaking[] {
	return account.unfrozenV2.map(({ type, unfreeze_amount, unfreeze_expire_time }) => ({
		amount: unfreeze_amount,
		resource: resourceName(type),
		due: unfreeze_expire_time,
	}));
}

function stakesOfVersion1(account: Readonly<Account>): Unstaking[] {
	const { frozen, account_resource, coin_power } = account;
	const rows = [
		...frozen.map((stake) => ({ stake, resource: "bandwidth" })),
		{ stake: account_resource?.frozen_balance_for_energy, resource: "energy" },
		{ stake: coin_power, resource: resourceName(ResourceCode.COIN_POWER) },
	];
	return rows.flatMap(({ stake, resource }) =>
		stake && stake.frozen_balance > 0n
			? [{ amount: stake.frozen_balance, resource, due: stake.expire_time }]
			: [],
	);
}
