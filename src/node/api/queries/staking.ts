/**
 * Delegated resources, and the usable part of a stake (protocol/http-endpoints §3.1, protocol/staking §8). Amounts in sun.
 */

import { ADDRESS_LENGTH } from "../../../protocol/address.js";
import {
	type CanDelegatedMaxSizeRequestMessage,
	CanDelegatedMaxSizeResponseMessage,
	type CanWithdrawUnfreezeAmountRequestMessage,
	CanWithdrawUnfreezeAmountResponseMessage,
	type DelegatedResourceAccountIndex,
	DelegatedResourceList,
	type DelegatedResourceMessage,
	type GetAvailableUnfreezeCountRequestMessage,
	GetAvailableUnfreezeCountResponseMessage,
	type PostQuantumDelegableRequest,
} from "../../../protocol/messages.js";
import { postQuantumScheme } from "../../../protocol/post-quantum/schemes.js";
import { delegationIndexV1, delegationIndexV2, partnerKeys } from "../../resources/delegation-index.js";
import {
	availableUnfreezeCount,
	delegationsV1,
	delegationsV2,
	maxDelegable,
	withdrawableUnfreeze,
} from "../../resources/staking-queries.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext } from "../context.js";

/** What one account delegates to another under first-generation staking. */
export function delegatedV1(
	state: StateView,
	{ fromAddress, toAddress }: Readonly<DelegatedResourceMessage>,
): DelegatedResourceList {
	return DelegatedResourceList.create({ delegatedResource: delegationsV1(state, fromAddress, toAddress) });
}

/** What one account delegates to another: the unlocked part, then the locked part. */
export function delegatedV2(
	state: StateView,
	{ fromAddress, toAddress }: Readonly<DelegatedResourceMessage>,
): DelegatedResourceList {
	return DelegatedResourceList.create({ delegatedResource: delegationsV2(state, fromAddress, toAddress) });
}

/**
 * Whom an account delegates to, and who delegates to it; undefined without an address.
 * @param generation of staking
 */
export async function delegationPartners(
	context: ApiContext,
	address: Uint8Array,
	generation: 1 | 2,
): Promise<Readonly<DelegatedResourceAccountIndex> | undefined> {
	if (address.length !== ADDRESS_LENGTH) return undefined;
	const keys = await partnerKeys(context.state, generation, address);
	const index = generation === 1 ? delegationIndexV1 : delegationIndexV2;
	return index(context.node.view(context.server), address, keys);
}

/** How many more unstaking operations an account may start; undefined if it doesn't exist. */
export function unfreezeCount(
	state: StateView,
	{ owner_address }: Readonly<GetAvailableUnfreezeCountRequestMessage>,
): GetAvailableUnfreezeCountResponseMessage | undefined {
	const account = state.account.get(owner_address);
	if (!account) return undefined;
	return GetAvailableUnfreezeCountResponseMessage.create({ count: availableUnfreezeCount(state, account) });
}

/** Unstaked coins an account can withdraw at a time; 0 means now. */
export function withdrawableAmount(
	state: StateView,
	{ owner_address, timestamp }: Readonly<CanWithdrawUnfreezeAmountRequestMessage>,
): CanWithdrawUnfreezeAmountResponseMessage | undefined {
	const account = state.account.get(owner_address);
	if (!account || timestamp < 0n) return undefined;
	return CanWithdrawUnfreezeAmountResponseMessage.create({
		amount: withdrawableUnfreeze(state, account, timestamp),
	});
}

/** The request; on Nile also the scheme that will sign the delegation. */
export type DelegableRequest = Pick<CanDelegatedMaxSizeRequestMessage, "owner_address" | "type"> &
	Partial<Pick<PostQuantumDelegableRequest, "pq_scheme">>;

/** Staked coins of a resource that an account could delegate now; 0 if it doesn't exist. */
export function delegableAmount(
	state: StateView,
	{ owner_address, type, pq_scheme }: Readonly<DelegableRequest>,
): CanDelegatedMaxSizeResponseMessage {
	const account = state.account.get(owner_address);
	return CanDelegatedMaxSizeResponseMessage.create({
		max_size: account ? maxDelegable(state, account, type, postQuantumScheme(pq_scheme ?? 0)) : 0n,
	});
}
