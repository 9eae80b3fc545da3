/** Delegated resources, and the usable part of a stake (protocol/http-endpoints §3.1, protocol/staking §8). */

import { type Dialect, spell } from "../../../protocol/dialect.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import {
	CanDelegatedMaxSizeRequestMessage,
	CanDelegatedMaxSizeResponseMessage,
	CanWithdrawUnfreezeAmountRequestMessage,
	CanWithdrawUnfreezeAmountResponseMessage,
	DelegatedResourceAccountIndex,
	DelegatedResourceList,
	DelegatedResourceMessage,
	GetAvailableUnfreezeCountRequestMessage,
	GetAvailableUnfreezeCountResponseMessage,
	PostQuantumDelegableRequest,
	PQScheme,
	PQSchemeEnum,
} from "../../../protocol/messages.js";
import {
	addressParameter,
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	messageRequest,
	optionalInt,
	optionalLong,
	printed,
	type RequestForm,
} from "../endpoint.js";
import { parseAddressText } from "../parameters.js";
import {
	type DelegableRequest,
	delegableAmount,
	delegatedV1,
	delegatedV2,
	delegationPartners,
	unfreezeCount,
	withdrawableAmount,
} from "../queries/staking.js";
import { valueRequest } from "../text-forms.js";

const pair = messageRequest(DelegatedResourceMessage, {
	fromAddress: addressParameter,
	toAddress: addressParameter,
});

/** This endpoint accepts two spellings of the parameter. */
const unfreezeOwner: RequestForm<GetAvailableUnfreezeCountRequestMessage> = {
	fields: [{ name: "owner_address", type: "address" }],
	read: (input) => {
		if (input.mode !== "query") return input.fields(GetAvailableUnfreezeCountRequestMessage);
		const text = input.parameters.get("ownerAddress") ?? input.parameters.get("owner_address");
		return GetAvailableUnfreezeCountRequestMessage.create({
			owner_address: parseAddressText(text, input.visible, input.library),
		});
	},
};

const delegableOnMain = messageRequest(CanDelegatedMaxSizeRequestMessage, {
	owner_address: addressParameter,
	type: optionalInt,
});
const delegableOnNile = messageRequest(PostQuantumDelegableRequest, {
	owner_address: addressParameter,
	type: optionalInt,
});

/** The request, plus a scheme given in the query. */
type DelegableInput = DelegableRequest & { readonly schemeText?: string | null | undefined };

const delegable: RequestForm<DelegableInput> = {
	fields: delegableOnNile.fields,
	read: (input) => {
		if (!input.postQuantum) return delegableOnMain.read(input);
		const request: DelegableInput = delegableOnNile.read(input);
		return input.mode === "query" ? { ...request, schemeText: input.parameters.get("pq_scheme") } : request;
	},
};

/** A post-quantum scheme by number or name; 0 for none (protocol/post-quantum §8.2). @throws {NamedError} */
function schemeNumber(text: string, dialect: Dialect): number {
	const name = text.trim();
	if (name === "" || name === "UNRECOGNIZED") return PQScheme.UNKNOWN_PQ_SCHEME;
	const number = /^[+-]?\d+$/.test(name) ? Number(name) : PQSchemeEnum.values[name];
	if (number === undefined) {
		const owner = spell("org.coin.protos.Protocol.PQScheme", dialect);
		throw new NamedError("IllegalArgumentException", `No enum constant ${owner}.${name}`);
	}
	if (PQSchemeEnum.names.has(number)) return number;
	throw new NamedError("IllegalArgumentException", `invalid pq_scheme: ${name}`);
}

export const delegationEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getdelegatedresource",
		about: "What one account delegates to another by staking of the first generation.",
		servers: EVERYWHERE,
		readsState: true,
		request: pair,
		reply: printed(DelegatedResourceList),
		handle: ({ state }, request) => delegatedV1(state, request),
	}),
	defineEndpoint({
		name: "getdelegatedresourcev2",
		about: "What one account delegates to another: the free part, then the locked part.",
		servers: EVERYWHERE,
		readsState: true,
		request: pair,
		reply: printed(DelegatedResourceList),
		handle: ({ state }, request) => delegatedV2(state, request),
	}),
	defineEndpoint({
		name: "getdelegatedresourceaccountindex",
		about: "To whom and from whom an account delegates, staking of the first generation.",
		servers: EVERYWHERE,
		readsState: true,
		request: valueRequest,
		reply: printed(DelegatedResourceAccountIndex),
		handle: (context, address) => delegationPartners(context, address, 1),
	}),
	defineEndpoint({
		name: "getdelegatedresourceaccountindexv2",
		about: "To whom and from whom an account delegates.",
		servers: EVERYWHERE,
		readsState: true,
		request: valueRequest,
		reply: printed(DelegatedResourceAccountIndex),
		handle: (context, address) => delegationPartners(context, address, 2),
	}),
	defineEndpoint({
		name: "getavailableunfreezecount",
		about: "How many more unstaking operations an account may start.",
		servers: EVERYWHERE,
		readsState: true,
		request: unfreezeOwner,
		reply: printed(GetAvailableUnfreezeCountResponseMessage),
		handle: ({ state }, request) => unfreezeCount(state, request),
	}),
	defineEndpoint({
		name: "getcanwithdrawunfreezeamount",
		about: "Unstaked coins that an account can withdraw at a time, in sun; time 0 means now.",
		servers: EVERYWHERE,
		readsState: true,
		request: messageRequest(CanWithdrawUnfreezeAmountRequestMessage, {
			owner_address: addressParameter,
			timestamp: optionalLong,
		}),
		reply: printed(CanWithdrawUnfreezeAmountResponseMessage),
		handle: ({ state }, request) => withdrawableAmount(state, request),
	}),
	defineEndpoint({
		name: "getcandelegatedmaxsize",
		about: "Staked coins of a resource that an account could delegate now, in sun.",
		servers: EVERYWHERE,
		readsState: true,
		request: delegable,
		reply: printed(CanDelegatedMaxSizeResponseMessage),
		handle: ({ state, style }, request) => {
			const { owner_address, type, pq_scheme, schemeText } = request;
			const scheme =
				schemeText === undefined || schemeText === null ? pq_scheme : schemeNumber(schemeText, style.dialect);
			return delegableAmount(state, { owner_address, type, pq_scheme: scheme ?? 0 });
		},
	}),
];
