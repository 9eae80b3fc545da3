/** Super representatives, rewards and proposals (protocol/http-endpoints §3.4). */

import { be64 } from "../../../protocol/bytes.js";
import { hasWireName, messageText } from "../../../protocol/json/exceptions.js";
import { decodePlainHex } from "../../../protocol/json/hex-text.js";
import { readTextMember } from "../../../protocol/json/member-readers.js";
import { longText } from "../../../protocol/json/message-writer.js";
import { isJsonObject } from "../../../protocol/json/value.js";
import { Proposal, ProposalList, WitnessList } from "../../../protocol/messages.js";
import { queryReward } from "../../resources/vote-rewards.js";
import {
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	errorReply,
	type FailureWriter,
	pageRequest,
	printed,
	type RequestForm,
	visibleOnly,
	written,
} from "../endpoint.js";
import {
	allWitnesses,
	brokerageOf,
	pageOfLiveWitnesses,
	pageOfProposals,
	storedProposals,
} from "../queries/governance.js";
import type { RequestInput } from "../request.js";
import { numberRequest } from "../text-forms.js";

/** The address text: a parameter, or a member of a JSON body. A body without a content type is not read. */
function addressOf(input: RequestInput): string | null {
	if (input.method === "GET" || input.contentType.includes("application/x-www-form-urlencoded")) {
		return input.parameters.get("address");
	}
	if (input.contentType === "") return null;
	const value = input.library.parse(input.bodyText());
	if (value === null) return null;
	if (!isJsonObject(value)) throw input.library.error("can not cast to JSONObject.");
	return readTextMember(value, "address");
}

/** An address in either form, with or without `visible`; undefined if missing. */
const anyAddress: RequestForm<Uint8Array | undefined> = {
	fields: [{ name: "address", type: "address" }],
	read: (input) => {
		const text = addressOf(input);
		if (text === null || text.trim() === "") return undefined;
		return text.startsWith("41") ? decodePlainHex(text) : input.library.address(text);
	},
};

/** A malformed address has its own answer, which is not escaped. */
const addressFailure: FailureWriter = (context, error) => {
	if (!hasWireName(error, "DecoderException", "IllegalArgumentException")) {
		return errorReply(context, error);
	}
	return `{"Error": "INVALID address, ${messageText(error, context.style.dialect)}"}`;
};

export const governanceEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "listwitnesses",
		about: "All super representatives and candidates.",
		post: "query",
		servers: EVERYWHERE,
		readsState: true,
		request: visibleOnly,
		reply: printed(WitnessList),
		handle: ({ state }) => allWitnesses(state),
	}),
	defineEndpoint({
		name: "getpaginatednowwitnesslist",
		about:
			"A page of the super representatives and candidates, with their votes as of now, most votes first.",
		since: "4.8.1",
		post: "raw",
		servers: ["full", "solidity"],
		readsState: true,
		request: pageRequest,
		reply: printed(WitnessList),
		handle: (context, { offset, limit }) => pageOfLiveWitnesses(context, offset, limit),
	}),
	defineEndpoint({
		name: "getBrokerage",
		about: "Share of its rewards that a super representative keeps, in percent.",
		post: "raw",
		servers: EVERYWHERE,
		readsState: true,
		request: anyAddress,
		reply: written,
		failure: addressFailure,
		handle: ({ state }, address) => `{"brokerage": ${address ? brokerageOf(state, address) : 0}}`,
	}),
	defineEndpoint({
		name: "getReward",
		about: "Rewards that an account could withdraw, in sun.",
		post: "raw",
		servers: EVERYWHERE,
		readsState: true,
		request: anyAddress,
		reply: written,
		failure: addressFailure,
		handle: ({ state, style }, address) =>
			`{"reward": ${longText(address ? queryReward(state, address) : 0n, style)}}`,
	}),
	defineEndpoint({
		name: "listproposals",
		about: "All proposals, newest first.",
		post: "query",
		servers: ["full"],
		readsState: true,
		request: visibleOnly,
		reply: printed(ProposalList),
		handle: ({ state }) => storedProposals(state),
	}),
	defineEndpoint({
		name: "getproposalbyid",
		about: "One proposal.",
		servers: ["full"],
		readsState: true,
		request: numberRequest("id"),
		reply: printed(Proposal),
		handle: ({ state }, id) => state.proposal.get(be64(id)),
	}),
	defineEndpoint({
		name: "getpaginatedproposallist",
		about: "A page of all proposals, by number.",
		post: "raw",
		servers: ["full"],
		readsState: true,
		request: pageRequest,
		reply: printed(ProposalList),
		handle: ({ state }, { offset, limit }) => pageOfProposals(state, offset, limit),
	}),
];
