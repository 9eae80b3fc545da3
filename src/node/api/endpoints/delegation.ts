/** Delegated resources and what of a stake can be used (sheet 06 §7.1, sheet 03 §10). */

import { ADDRESS_LENGTH } from "../../../protocol/address.js";
import { readText } from "../../../protocol/json/member-readers.js";
import {
	BytesMessage,
	CanDelegatedMaxSizeRequestMessage,
	CanDelegatedMaxSizeResponseMessage,
	CanWithdrawUnfreezeAmountRequestMessage,
	CanWithdrawUnfreezeAmountResponseMessage,
	DelegatedResourceAccountIndex,
	DelegatedResourceList,
	DelegatedResourceMessage,
	GetAvailableUnfreezeCountRequestMessage,
	GetAvailableUnfreezeCountResponseMessage,
} from "../../../protocol/messages.js";
import { delegationIndexV1, delegationIndexV2 } from "../../resources/delegation-index.js";
import {
	availableUnfreezeCount,
	delegationsV1,
	delegationsV2,
	maxDelegable,
	withdrawableUnfreeze,
} from "../../resources/staking-queries.js";
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

export const delegationEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getdelegatedresource",
		about: "What one account delegates to another by staking of the first generation.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: pair,
		reply: printed(DelegatedResourceList),
		handle: ({ state }, { fromAddress, toAddress }) =>
			DelegatedResourceList.create({ delegatedResource: delegationsV1(state, fromAddress, toAddress) }),
	}),
	defineEndpoint({
		name: "getdelegatedresourcev2",
		about: "What one account delegates to another: the free part, then the locked part.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: pair,
		reply: printed(DelegatedResourceList),
		handle: ({ state }, { fromAddress, toAddress }) =>
			DelegatedResourceList.create({ delegatedResource: delegationsV2(state, fromAddress, toAddress) }),
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
			return GetAvailableUnfreezeCountResponseMessage.create({
				count: availableUnfreezeCount(state, account),
			});
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
			return CanWithdrawUnfreezeAmountResponseMessage.create({
				amount: withdrawableUnfreeze(state, account, timestamp),
			});
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
		handle: ({ state }, { owner_address, type }) => {
			const account = state.account.get(owner_address);
			return CanDelegatedMaxSizeResponseMessage.create({
				max_size: account ? maxDelegable(state, account, type) : 0n,
			});
		},
	}),
];
