/** Token movements of a transaction: of ORC-10 tokens, and of contracts by their logged events. */

import { addressText } from "./address-text.js";
import { type Json, objectsOf, textOf, textsOf, wholeOf } from "./answer.js";
import { receiverOf, type TransactionFacts } from "./block-facts.js";
import { textOfHex } from "./format.js";

/** One movement. Addresses in Base58Check. */
export interface TokenMove {
	/** The number of an ORC-10 token, or the address of a contract. */
	readonly token: string;
	readonly isContract: boolean;
	readonly from: string;
	readonly to: string;
	/** In the token's smallest units. */
	readonly value: bigint;
}

/** Hash of `Transfer(address,address,uint256)`. */
export const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const WORD = 64;

/** The ORC-10 token and units that a transaction transfers or sends with a call; undefined if none. */
export function tokenUnits({
	type,
	value,
}: TransactionFacts): readonly [token: string, units: bigint] | undefined {
	const called = wholeOf(value, "call_token_value");
	if (called > 0n) return [textOf(value, "token_id"), called];
	const name = textOf(value, "asset_name");
	if (type !== "TransferAssetContract" || name === "") return undefined;
	// The history interface returns names as bytes, `/wallet` as text.
	const isBytes = /^(3\d){7}$/.test(name);
	return [isBytes ? textOfHex(name) : name, wholeOf(value, "amount")];
}

/**
 * Token movements in order; none for a failed transaction. Transfers of non-fungible tokens (ORC-721) have a
 * fourth topic and are left to the list of events.
 * @param info the receipt
 */
export function tokenMoves(of: TransactionFacts, info: Json): readonly TokenMove[] {
	if (textOf(info, "result") === "FAILED") return [];
	const [token, sent = 0n] = tokenUnits(of) ?? [];
	// A created contract's address is in the receipt.
	const to = shown(receiverOf(of) || textOf(info, "contract_address"));
	const from = shown(textOf(of.value, "owner_address"));
	const own = token === undefined ? [] : [{ token, isContract: false, from, to, value: sent }];
	const logged = objectsOf(info, "log").flatMap((log): TokenMove[] => {
		const [hash, from, to, ...more] = textsOf(log, "topics");
		const data = textOf(log, "data");
		if (hash !== TRANSFER || from === undefined || to === undefined) return [];
		if (more.length > 0 || !/^[\da-f]+$/i.test(data) || data.length !== WORD) return [];
		const token = shown(textOf(log, "address"));
		return [{ token, isContract: true, from: ofTopic(from), to: ofTopic(to), value: BigInt(`0x${data}`) }];
	});
	return [...own, ...logged];
}

const shown = (address: string): string => addressText(address) ?? address;
const ofTopic = (topic: string): string => shown(topic.slice(-40));
