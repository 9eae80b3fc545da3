/** Answers in the form Ethereum libraries validate: where the network's node leaves a member blank, its neutral value. */

import type { RpcResult, RpcValue } from "../method.js";
import { quantity, ZERO_HASH_TEXT } from "../values.js";

type Members = { readonly [member: string]: RpcValue };

function membersOf(value: RpcResult): Members | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value) && !("text" in value)
		? (value as Members)
		: undefined;
}

/** Turns `0x` in place of a value into null. */
const orNull = (value: RpcValue | undefined): RpcValue => (value === "0x" ? null : (value ?? null));

/** A QUANTITY without leading zeros. */
export function shortQuantity(value: RpcValue | undefined): string {
	return typeof value === "string" && value !== "0x" ? `0x${BigInt(value).toString(16)}` : "0x0";
}

/** Transaction members that Ethereum's schema defines as quantities, but the network's node may write as data. */
const QUANTITIES = ["nonce", "r", "s", "v"];

/** A transaction; a pending one has no position yet. @param gasPrice of now */
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
 * A block or block header; roots that aren't computed are 32 zero bytes.
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
