/** Accounts: the record, bandwidth and energy, addresses, past balances (protocol/http-endpoints §3.1, §3.6). */

import { Base58Error, fromBase58Check, isAddress } from "../../../protocol/address.js";
import { fromUtf8 } from "../../../protocol/bytes.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../protocol/json/field-decoder.js";
import { decodePlainHex } from "../../../protocol/json/hex-text.js";
import { type Member, mapOrderedObject } from "../../../protocol/json/map-ordered-json.js";
import { mapOrderedMessageWith, printMessage } from "../../../protocol/json/message-writer.js";
import { quoteMapOrdered } from "../../../protocol/json/quoting.js";
import {
	Account,
	AccountBalanceRequest,
	AccountBalanceResponse,
	AccountNetMessage,
	AccountResourceMessage,
} from "../../../protocol/messages.js";
import type { ApiContext } from "../context.js";
import {
	addressParameter,
	defineEndpoint,
	type Endpoint,
	messageRequest,
	printed,
	type RequestForm,
	written,
} from "../endpoint.js";
import { accountByAddress, accountById, accountNet, accountResources } from "../queries/account-view.js";
import { accountBalanceAt } from "../queries/balance-history.js";
import { addressRequest, textRequest } from "../text-forms.js";

/** A message from the body; in query mode, one parameter wrapped in an object and decoded like a body. */
function accountRequest(parameter: "address" | "account_id"): RequestForm<Account> {
	return {
		fields: [{ name: parameter, type: parameter === "address" ? "address" : "text" }],
		read: (input) => {
			if (input.mode !== "query") return input.fields(Account);
			const value = input.parameters.get(parameter);
			const members: Member[] = value === null ? [] : [[parameter, quoteMapOrdered(value)]];
			return decodeFields(Account, mapOrderedObject(members, input.library), input.visible, input.library);
		},
	};
}

/** The id of an issued token is shown as text even where everything else is hex. */
export function accountReply(context: ApiContext, account: Account | undefined): string {
	if (!account) return "{}";
	if (context.style.visible || account.asset_issued_ID.length === 0) {
		return printMessage(Account, account, context.style);
	}
	const id: Member = ["asset_issued_ID", quoteMapOrdered(fromUtf8(account.asset_issued_ID))];
	return mapOrderedMessageWith(Account, account, context.style, [id]);
}

interface AddressCheck {
	readonly result: boolean;
	readonly message?: string;
}

/** Classifies an address by the length of its text. */
function checkAddress(text: string): AddressCheck {
	try {
		switch (text.length) {
			case 42:
				return verdict(decodePlainHex(text), "Hex string format");
			case 34:
				return verdict(fromBase58Check(text), "Base58check format");
			case 28:
				return verdict(decodeBase64(text), "Base64 format");
			default:
				return { result: false, message: "Length error" };
		}
	} catch (error) {
		if (error instanceof NamedError || error instanceof Base58Error) {
			return { result: false, message: error.message };
		}
		throw error;
	}
}

function verdict(bytes: Uint8Array | undefined, format: string): AddressCheck {
	if (bytes && isAddress(bytes)) return { result: true, message: format };
	return { result: false, message: "Invalid address" };
}

const badBase64 = (reason: string): NamedError => new NamedError("IllegalArgumentException", reason);

/**
 * Base64 with the error messages of the network's runtime, which treats the text as signed bytes.
 * @throws {NamedError}
 */
function decodeBase64(text: string): Uint8Array {
	const end = text.search(/[^A-Za-z0-9+/]/);
	if (end < 0) return Buffer.from(text, "base64");
	const code = text.charCodeAt(end);
	if (code !== PADDING) {
		const byte = code > 0xff ? QUESTION_MARK : code > 0x7f ? code - 0x100 : code;
		throw badBase64(`Illegal base64 character ${byte.toString(16)}`);
	}
	const digits = end % 4;
	const next = end + (digits === 2 ? 2 : 1);
	if (digits === 0 || (digits === 2 && text.charCodeAt(end + 1) !== PADDING))
		throw badBase64("Input byte array has wrong 4-byte ending unit");
	if (digits === 1) throw badBase64("Last unit does not have enough valid bits");
	if (next < text.length) throw badBase64(`Input byte array has incorrect ending byte at ${next}`);
	return Buffer.from(text, "base64");
}

const PADDING = 0x3d;
const QUESTION_MARK = 0x3f;

export const accountEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getaccount",
		about: "The account of an address.",
		servers: ["full", "solidity", "pbft"],
		readsState: true,
		request: accountRequest("address"),
		reply: accountReply,
		answers: "Account",
		handle: ({ state }, { address }) => accountByAddress(state, address),
	}),
	defineEndpoint({
		name: "getaccountbyid",
		about: "The account that has taken an id; ids don't tell upper from lower case.",
		servers: ["full", "solidity", "pbft"],
		readsState: true,
		request: accountRequest("account_id"),
		reply: accountReply,
		answers: "Account",
		handle: ({ state }, { account_id }) => accountById(state, account_id),
	}),
	defineEndpoint({
		name: "getaccountbalance",
		about: "The balance of an account after a block of the past; needs storage.balance.history.lookup.",
		get: "refused",
		servers: ["full"],
		request: messageRequest(AccountBalanceRequest),
		reply: printed(AccountBalanceResponse),
		handle: accountBalanceAt,
	}),
	defineEndpoint({
		name: "getaccountnet",
		about: "Bandwidth that an account has and has used.",
		servers: ["full"],
		readsState: true,
		request: messageRequest(Account, { address: addressParameter }),
		reply: printed(AccountNetMessage),
		handle: ({ state }, { address }) => accountNet(state, address),
	}),
	defineEndpoint({
		name: "getaccountresource",
		about: "Bandwidth, energy and voting power that an account has and has used.",
		servers: ["full"],
		readsState: true,
		request: addressRequest("address"),
		reply: printed(AccountResourceMessage),
		handle: ({ state }, address) => accountResources(state, address),
	}),
	defineEndpoint({
		name: "validateaddress",
		about: "Whether a text is an address, and in which format.",
		post: "raw",
		servers: ["full"],
		request: textRequest("address"),
		reply: written,
		// An unreadable request gets an empty answer.
		failure: () => "",
		handle: ({ style }, text) => {
			const { result, message } = text === null ? { result: false } : checkAddress(text);
			const members: Member[] = [["result", String(result)]];
			if (message !== undefined) members.push(["message", quoteMapOrdered(message)]);
			return mapOrderedObject(members, style.library);
		},
	}),
];
