/** ORC-10 tokens (protocol/http-endpoints §3.5). */

import { utf8 } from "../../../protocol/bytes.js";
import { Account, AssetIssueContract, AssetIssueList } from "../../../protocol/messages.js";
import {
	allTokens,
	pageOfTokens,
	tokenById,
	tokenByName,
	tokensByName,
	tokensOfAccount,
} from "../../tokens/queries.js";
import {
	addressParameter,
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	messageRequest,
	pageRequest,
	printed,
	visibleOnly,
} from "../endpoint.js";
import { nameRequest, textRequest } from "../text-forms.js";

export const tokenEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getassetissuebyaccount",
		about: "Tokens that an account has issued.",
		servers: ["full"],
		readsState: true,
		request: messageRequest(Account, { address: addressParameter }),
		reply: printed(AssetIssueList),
		handle: ({ state }, { address }) => tokensOfAccount(state, address),
	}),
	defineEndpoint({
		name: "getassetissuebyname",
		about: "The token of a name, or of a number as text; an error if there are several.",
		servers: EVERYWHERE,
		readsState: true,
		request: nameRequest("value"),
		reply: printed(AssetIssueContract),
		handle: ({ state }, name) => (name.length === 0 ? undefined : tokenByName(state, name)),
	}),
	defineEndpoint({
		name: "getassetissuelistbyname",
		about: "All tokens of a name.",
		servers: EVERYWHERE,
		readsState: true,
		request: nameRequest("value"),
		reply: printed(AssetIssueList),
		handle: ({ state }, name) => (name.length === 0 ? undefined : tokensByName(state, name)),
	}),
	defineEndpoint({
		name: "getassetissuebyid",
		about: "The token of a number.",
		servers: EVERYWHERE,
		readsState: true,
		request: textRequest("value"),
		reply: printed(AssetIssueContract),
		handle: ({ state }, id) => (id ? tokenById(state, utf8(id)) : undefined),
	}),
	defineEndpoint({
		name: "getassetissuelist",
		about: "All tokens.",
		post: "query",
		servers: EVERYWHERE,
		readsState: true,
		request: visibleOnly,
		reply: printed(AssetIssueList),
		handle: ({ state }) => allTokens(state),
	}),
	defineEndpoint({
		name: "getpaginatedassetissuelist",
		about: "A page of all tokens, by name.",
		servers: EVERYWHERE,
		readsState: true,
		request: pageRequest,
		reply: printed(AssetIssueList),
		handle: ({ state }, { offset, limit }) => pageOfTokens(state, offset, limit),
	}),
];
