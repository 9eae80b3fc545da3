/** Transactions as clients see them (protocol/json-rpc §7.2). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { markedNonce } from "../../../../protocol/deployment.js";
import type { TransactionInfo } from "../../../../protocol/messages.js";
import { postQuantumSchemeName } from "../../../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import { priceAt } from "../../../consensus/parameter-effects.js";
import { postQuantumOf } from "../../../rules/post-quantum.js";
import type { StateView } from "../../../state/view.js";
import { contractFacts } from "../contract-facts.js";
import type { RpcValue } from "../method.js";
import { addressData, data, quantity, seconds, ZERO_ADDRESS, ZERO_HASH_TEXT } from "../values.js";
import type { ObjectStyle } from "./style.js";

/** The energy fee in force at a block's time, in sun. */
export function energyPriceAt({ properties }: StateView, blockTimeMs: bigint): bigint {
	return priceAt(properties.get("ENERGY_PRICE_HISTORY"), blockTimeMs) ?? properties.get("ENERGY_FEE");
}

/** A transaction of a block. @param info what became of it, if that is kept */
export function transactionObject(
	state: StateView,
	block: SignedBlock,
	index: number,
	info: Readonly<TransactionInfo> | undefined,
	style: ObjectStyle,
): RpcValue {
	const transaction = block.transactions[index] as SignedTransaction;
	const { from, to, value, input } = shownFacts(state, transaction, info);
	const { r, s, v } = firstSignature(transaction);
	return {
		blockHash: data(block.id),
		blockNumber: quantity(block.number),
		...(style.timesTransactions ? { blockTimestamp: seconds(block.timestampMs) } : {}),
		from: block.number === 0n ? ZERO_ADDRESS : from,
		gas: quantity(info?.receipt?.energy_usage_total ?? 0n),
		gasPrice: quantity(energyPriceAt(state, block.timestampMs)),
		hash: data(transaction.id),
		input,
		nonce: nonceOf(transaction, style),
		...postQuantumList(transaction, style),
		r,
		s,
		to,
		transactionIndex: quantity(index),
		type: "0x0",
		v,
		value,
	};
}

/** A transaction that waits for a block: what a block would give it is an empty `0x`. */
export function pendingTransactionObject(
	state: StateView,
	transaction: SignedTransaction,
	style: ObjectStyle,
): RpcValue {
	const { from, to, value, input } = shownFacts(state, transaction, undefined);
	const { r, s, v } = firstSignature(transaction);
	return {
		blockHash: "0x",
		blockNumber: "0x",
		...(style.timesTransactions ? { blockTimestamp: null } : {}),
		from,
		gas: "0x0",
		gasPrice: "0x",
		hash: data(transaction.id),
		input,
		nonce: nonceOf(transaction, style),
		...postQuantumList(transaction, style),
		r,
		s,
		to,
		transactionIndex: "0x",
		type: "0x0",
		v,
		value,
	};
}

function nonceOf(transaction: SignedTransaction, { transactionNonce, countsNonces }: ObjectStyle): string {
	const nonce = countsNonces ? markedNonce(transaction) : undefined;
	return nonce === undefined ? transactionNonce : quantity(nonce);
}

/** The post-quantum signatures, which Nile alone has (protocol/post-quantum §8.1). */
function postQuantumList(
	transaction: SignedTransaction,
	style: ObjectStyle,
): Readonly<Record<string, RpcValue>> {
	const entries = postQuantumOf(transaction, style);
	if (entries.length === 0) return {};
	const pqAuthSigList = entries.map(({ scheme, public_key, signature }) => ({
		publicKey: data(public_key),
		scheme: postQuantumSchemeName(scheme),
		signature: data(signature),
	}));
	return { pqAuthSigList };
}

interface ShownFacts {
	readonly from: string | null;
	readonly to: string | null;
	readonly value: string;
	readonly input: string;
}

function shownFacts(
	state: StateView,
	transaction: SignedTransaction,
	info: Readonly<TransactionInfo> | undefined,
): ShownFacts {
	if (!transaction.contract) return { from: ZERO_ADDRESS, to: ZERO_ADDRESS, value: "0x0", input: "0x" };
	const { from, to, value, input } = contractFacts(state, transaction, info);
	return {
		from: addressData(from),
		to: addressData(to),
		value: quantity(value),
		input: data(input),
	};
}

const SCALAR = 32;
const LOWEST_V = 27;

/** Of several signatures only the first is shown. */
function firstSignature({ message }: SignedTransaction): Readonly<Record<"r" | "s" | "v", string>> {
	const [signature] = message.signature;
	if (!signature) return { r: ZERO_HASH_TEXT, s: ZERO_HASH_TEXT, v: "0x00" };
	const recovery = signature[2 * SCALAR] ?? 0;
	return {
		r: data(signature.subarray(0, SCALAR)),
		s: data(signature.subarray(SCALAR, 2 * SCALAR)),
		v: quantity(recovery < LOWEST_V ? recovery + LOWEST_V : recovery),
	};
}
