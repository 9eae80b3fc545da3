/** Delegated resources and what of a stake can be used (sheet 06 §7.1, sheet 03 §10). */

import { ADDRESS_LENGTH } from "../../../protocol/address.js";
import { readText } from "../../../protocol/json/member-readers.js";
import {
	BytesMessage,
	CanDelegatedMaxSizeRequestMessage,
	CanDelegatedMaxSizeResponseMessage,
	CanWithdrawUnfreezeAmountRequestMessage,
	CanWithdrawUnfreezeAmountResponseMessage,
	type DelegatedResource,
	DelegatedResourceAccountIndex,
	DelegatedResourceList,
	DelegatedResourceMessage,
	GetAvailableUnfreezeCountRequestMessage,
	GetAvailableUnfreezeCountResponseMessage,
} from "../../../protocol/messages.js";
import { delegableStake, delegationSize } from "../../resources/delegable.js";
import { delegationKeyV1, delegationKeyV2 } from "../../resources/delegated-resource.js";
import { delegationIndexV1, delegationIndexV2 } from "../../resources/delegation-index.js";
import { resourceOf, SUN_PER_COIN } from "../../resources/stake.js";
import type { StateView } from "../../state/view.js";
import type { ServerKind } from "../context.js";
import {
	addressParameter,
	defineEndpoint,
	type Endpoint,
	messageRequest,
	optionalInt,
	optionalLong,
	printed,
	type RequestForm,
} from "../endpoint.js";
import { parseAddressText } from "../parameters.js";

const EVERYWHERE: readonly ServerKind[] = ["full", "solidity", "pbft"];

/** Unstaking operations of one account that may wait at a time. */
const MAX_UNSTAKINGS = 32n;

const pair = messageRequest(DelegatedResourceMessage, {
	fromAddress: addressParameter,
	toAddress: addressParameter,
});

/**
 * The address in `value`. A body is decoded like any other, whose bytes are hexadecimal; a visible address is read as
 * text instead.
 */
const valueRequest: RequestForm<Uint8Array> = {
	fields: [{ name: "value", type: "address" }],
	read: (input) => {
		if (input.mode === "query") return parseAddressText(input.parameters.get("value"), input.visible);
		if (!input.visible) return input.fields(BytesMessage).value;
		return parseAddressText(readText(input.object, "value"), true);
	},
};

/** Two spellings of the parameter are known for this endpoint. */
const unfreezeOwner: RequestForm<GetAvailableUnfreezeCountRequestMessage> = {
	fields: [{ name: "owner_address", type: "bytes" }],
	read: (input) => {
		if (input.mode !== "query") return input.fields(GetAvailableUnfreezeCountRequestMessage);
		const text = input.parameters.get("ownerAddress") ?? input.parameters.get("owner_address");
		return GetAvailableUnfreezeCountRequestMessage.create({
			owner_address: parseAddressText(text, input.visible),
		});
	},
};

function delegationsV2(
	state: StateView,
	{ fromAddress, toAddress }: DelegatedResourceMessage,
): DelegatedResource[] {
	return [false, true].flatMap((locked) => {
		const record = state.delegatedResource.get(delegationKeyV2(fromAddress, toAddress, locked));
		if (!record) return [];
		const isEmpty =
			record.frozen_balance_for_bandwidth === 0n &&
			record.frozen_balance_for_energy === 0n &&
			record.expire_time_for_bandwidth === 0n &&
			record.expire_time_for_energy === 0n;
		return isEmpty ? [] : [record];
	});
}

/** The most that an account could delegate of a resource, 0 below the least amount that can be delegated. */
function delegableAmount(state: StateView, address: Uint8Array, code: number): bigint {
	const account = state.account.get(address);
	const resource = resourceOf(code);
	if (!account || !resource) return 0n;
	const { properties } = state;
	const own = resource === "bandwidth" ? delegationSize(properties, account) : 0n;
	const amount = delegableStake(properties, account, resource, own);
	return amount < SUN_PER_COIN ? 0n : amount;
}

export const delegationEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getdelegatedresource",
		about: "What one account delegates to another by staking of the first generation.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: pair,
		reply: printed(DelegatedResourceList),
		handle: ({ state }, { fromAddress, toAddress }) => {
			const record = state.delegatedResource.get(delegationKeyV1(fromAddress, toAddress));
			return record && DelegatedResourceList.create({ delegatedResource: [record] });
		},
	}),
	defineEndpoint({
		name: "getdelegatedresourcev2",
		about: "What one account delegates to another: the free part, then the locked part.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: pair,
		reply: printed(DelegatedResourceList),
		handle: ({ state }, request) =>
			DelegatedResourceList.create({ delegatedResource: delegationsV2(state, request) }),
	}),
	defineEndpoint({
		name: "getdelegatedresourceaccountindex",
		about: "To whom and from whom an account delegates, staking of the first generation.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: valueRequest,
		reply: printed(DelegatedResourceAccountIndex),
		handle: ({ state }, address) =>
			address.length === ADDRESS_LENGTH ? delegationIndexV1(state, address) : undefined,
	}),
	defineEndpoint({
		name: "getdelegatedresourceaccountindexv2",
		about: "To whom and from whom an account delegates.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: valueRequest,
		reply: printed(DelegatedResourceAccountIndex),
		handle: ({ state }, address) =>
			address.length === ADDRESS_LENGTH ? delegationIndexV2(state, address) : undefined,
	}),
	defineEndpoint({
		name: "getavailableunfreezecount",
		about: "How many more unstaking operations an account may start.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: unfreezeOwner,
		reply: printed(GetAvailableUnfreezeCountResponseMessage),
		handle: ({ state }, { owner_address }) => {
			const account = state.account.get(owner_address);
			if (!account) return undefined;
			const now = state.properties.headTimestampMs;
			const waiting = account.unfrozenV2.filter((entry) => entry.unfreeze_expire_time > now).length;
			return GetAvailableUnfreezeCountResponseMessage.create({ count: MAX_UNSTAKINGS - BigInt(waiting) });
		},
	}),
	defineEndpoint({
		name: "getcanwithdrawunfreezeamount",
		about: "Unstaked coins that an account can withdraw at a time, in sun; time 0 means now.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: messageRequest(CanWithdrawUnfreezeAmountRequestMessage, {
			owner_address: addressParameter,
			timestamp: optionalLong,
		}),
		reply: printed(CanWithdrawUnfreezeAmountResponseMessage),
		handle: ({ state }, { owner_address, timestamp }) => {
			const account = state.account.get(owner_address);
			if (!account || timestamp < 0n) return undefined;
			const at = timestamp === 0n ? state.properties.headTimestampMs : timestamp;
			const amount = account.unfrozenV2
				.filter((entry) => entry.unfreeze_expire_time <= at)
				.reduce((sum, entry) => sum + entry.unfreeze_amount, 0n);
			return CanWithdrawUnfreezeAmountResponseMessage.create({ amount });
		},
	}),
	defineEndpoint({
		name: "getcandelegatedmaxsize",
		about: "Staked coins of a resource that an account could delegate now, in sun.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: messageRequest(CanDelegatedMaxSizeRequestMessage, {
			owner_address: addressParameter,
			type: optionalInt,
		}),
		reply: printed(CanDelegatedMaxSizeResponseMessage),
		handle: ({ state }, { owner_address, type }) =>
			CanDelegatedMaxSizeResponseMessage.create({ max_size: delegableAmount(state, owner_address, type) }),
	}),
];
