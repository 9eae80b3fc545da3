/** Decodes store entries for comparison and display (protocol/consensus §8, protocol/blocks §6.1). */

import { inflateSync } from "node:zlib";
import { holdsAccount } from "../../src/node/state/state-hash/hashed-entries.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { fromHex, readBe32, readBe64, toHex } from "../../src/protocol/bytes.js";
import type { Message, MessageType } from "../../src/protocol/codec/descriptor.js";
import { DecodeError } from "../../src/protocol/codec/reader.js";
import * as m from "../../src/protocol/messages.js";
import { messageTree, type Tree } from "./tree.js";

const MESSAGES: Readonly<Record<string, MessageType<Message>>> = {
	account: m.Account,
	"account-trace": m.AccountTrace,
	"balance-trace": m.BlockBalanceTrace,
	witness: m.Witness,
	votes: m.Votes,
	DelegatedResource: m.DelegatedResource,
	DelegatedResourceAccountIndex: m.DelegatedResourceAccountIndex,
	"asset-issue": m.AssetIssueContract,
	"asset-issue-v2": m.AssetIssueContract,
	exchange: m.Exchange,
	"exchange-v2": m.Exchange,
	market_account: m.MarketAccountOrder,
	market_order: m.MarketOrder,
	market_pair_price_to_order: m.MarketOrderIdList,
	proposal: m.Proposal,
	abi: m.SmartContractABI,
	contract: m.SmartContract,
	"contract-state": m.ContractState,
} as Readonly<Record<string, MessageType<Message>>>;

/** Stores with text keys. */
const TEXT_KEYS: ReadonlySet<string> = new Set([
	"properties",
	"delegation",
	"asset-issue",
	"asset-issue-v2",
	"account-index",
	"accountid-index",
	"section-bloom",
	"witness_schedule",
]);

/** An entry's decoded value; hexadecimal if it can't be decoded. */
export function entryTree(store: string, keyHex: string, value: Uint8Array): Tree {
	const type = holdsAccount(store, fromHex(keyHex)) ? (m.Account as MessageType<Message>) : MESSAGES[store];
	// Compression differs between libraries, so the content is compared.
	if (store === "section-bloom") return toHex(inflateSync(value));
	if (type === undefined) return toHex(value);
	try {
		return messageTree(type, type.decode(value));
	} catch (error) {
		if (error instanceof DecodeError) return toHex(value);
		throw error;
	}
}

/** A raw value for display, also as number or text if possible. */
export function describeRaw(hex: string): string {
	const value = fromHex(hex);
	const notes: string[] = [];
	if (value.length === 8) notes.push(readBe64(value).toString());
	if (value.length === 4) notes.push(readBe32(value).toString());
	if (value.length === 21) notes.push(toBase58Check(value));
	if (value.length > 0 && isPrintable(value))
		notes.push(JSON.stringify(Buffer.from(value).toString("latin1")));
	return notes.length === 0 ? hex || "(empty)" : `${hex} = ${notes.join(" = ")}`;
}

/** A key for display. */
export function describeKey(store: string, keyHex: string): string {
	const key = fromHex(keyHex);
	if (TEXT_KEYS.has(store) && isPrintable(key)) return keyText(keyHex);
	if (key.length === 21) return `${keyHex} = ${toBase58Check(key)}`;
	return keyHex === "" ? "(empty)" : keyHex;
}

function keyText(keyHex: string): string {
	return Buffer.from(keyHex, "hex").toString("latin1");
}

function isPrintable(bytes: Uint8Array): boolean {
	return bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
}
