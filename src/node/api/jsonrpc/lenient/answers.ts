/** Answers as Ethereum's libraries check them: where the network's node says nothing, the value that means nothing. */

import type { RpcResult, RpcValue } from "../method.js";
import { quantity, ZERO_HASH_TEXT } from "../values.js";

type Members = { readonly [member: string]: RpcValue };

function membersOf(value: RpcResult): Members | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value) && !("text" in value)
		? (value as Members)
		: undefined;
}

/** `0x` where there should be a value. */
const orNull = (value: RpcValue | undefined): RpcValue => (value === "0x" ? null : (value ?? null));

/** A QUANTITY without zeros in front. */
export function shortQuantity(value: RpcValue | undefined): string {
	return typeof value === "string" && value !== "0x" ? `0x${BigInt(value).toString(16)}` : "0x0";
}

/** Members of a transaction that Ethereum's schema has as quantities, and the network's node also as data. */
const QUANTITIES = ["nonce", "r", "s", "v"];

/** A transaction; one that waits has no place yet. @param gasPrice of now */
export function transactionAnswer<T extends RpcResult>(value: T, gasPrice: string): T | Members {
	const transaction = membersOf(value);
	if (!transaction) return value;
	return {
		...transaction,
		blockHash: orNull(transaction["blockHash"]),
		blockNumber: orNull(transaction["blockNumber"]),
		transactionIndex: orNull(transaction["transactionIndex"]),
		gasPrice: orNull(transaction["gasPrice"]) ?? gasPrice,
		...Object.fromEntries(QUANTITIES.map((name) => [name, shortQuantity(transaction[name])])),
	};
}

/**
 * A block, or the header of one: a root that isn't computed is 32 zero bytes.
 * @param mostGas energy of one transaction: what senders compare their estimates with
 */
export function blockAnswer<T extends RpcResult>(value: T, gasPrice: string, mostGas: bigint): T | Members {
	const block = membersOf(value);
	if (!block) return value;
	const root = (name: string): RpcValue => orNull(block[name]) ?? ZERO_HASH_TEXT;
	const transactions = block["transactions"] as readonly RpcValue[] | undefined;
	const gasUsed = BigInt(block["gasUsed"] as string);
	return {
		...block,
		gasLimit: quantity(gasUsed > mostGas ? gasUsed : mostGas),
		stateRoot: root("stateRoot"),
		transactionsRoot: root("transactionsRoot"),
		...(transactions && { transactions: transactions.map((each) => transactionAnswer(each, gasPrice)) }),
	};
}
