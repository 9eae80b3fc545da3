/** Transaction objects (protocol/json-rpc §7.2). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { markedNonce } from "../../../../protocol/deployment.js";
import type { TransactionInfo } from "../../../../protocol/messages.js";
import { postQuantumSchemeName } from "../../../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import { priceAt } from "../../../consensus/parameter-effects.js";
import { postQuantumOf } from "../../../rules/post-quantum.js";
import type { StateView } from "../../../state/view.js";
import { type ShownFacts, shownFacts } from "../contract-facts.js";
import type { RpcValue } from "../method.js";
import { data, quantity, seconds, ZERO_ADDRESS, ZERO_HASH_TEXT } from "../values.js";
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
	const facts = factsOf(state, transaction, info);
	const place = {
		blockHash: data(block.id),
		blockNumber: quantity(block.number),
		blockTimestamp: seconds(block.timestampMs),
		from: block.number === 0n ? ZERO_ADDRESS : facts.from,
		gas: quantity(info?.receipt?.energy_usage_total ?? 0n),
		gasPrice: quantity(energyPriceAt(state, block.timestampMs)),
		transactionIndex: quantity(index),
	};
	return placedObject(transaction, facts, place, style);
}

/** A pending transaction; members that depend on a block are an empty `0x`. */
export function pendingTransactionObject(
	state: StateView,
	transaction: SignedTransaction,
	style: ObjectStyle,
): RpcValue {
	const facts = factsOf(state, transaction, undefined);
	const place = { blockHash: "0x", blockNumber: "0x", blockTimestamp: null, from: facts.from };
	const prices = { gas: "0x0", gasPrice: "0x", transactionIndex: "0x" };
	return placedObject(transaction, facts, { ...place, ...prices }, style);
}

/** The members a transaction gets from its block. */
type Placed = Readonly<
	Record<"blockHash" | "blockNumber" | "gas" | "gasPrice" | "transactionIndex", string> &
		Record<"blockTimestamp" | "from", string | null>
>;

/** The member order matters. */
function placedObject(
	transaction: SignedTransaction,
	{ to, value, input }: ShownFacts,
	{ blockHash, blockNumber, blockTimestamp, from, gas, gasPrice, transactionIndex }: Placed,
	style: ObjectStyle,
): RpcValue {
	const { r, s, v } = firstSignature(transaction);
	return {
		blockHash,
		blockNumber,
		...(style.timesTransactions ? { blockTimestamp } : {}),
		from,
		gas,
		gasPrice,
		hash: data(transaction.id),
		input,
		nonce: nonceOf(transaction, style),
		...postQuantumList(transaction, style),
		r,
		s,
		to,
		transactionIndex,
		type: "0x0",
		v,
		value,
	};
}

function nonceOf(transaction: SignedTransaction, { transactionNonce, countsNonces }: ObjectStyle): string {
	const nonce = countsNonces ? markedNonce(transaction) : undefined;
	return nonce === undefined ? transactionNonce : quantity(nonce);
}

/** Post-quantum signatures, which only exist on Nile (protocol/post-quantum §8.1). */
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

/** From, to, value and input. @param info what became of it, if that is known */
function factsOf(
	state: StateView,
	transaction: SignedTransaction,
	info: Readonly<TransactionInfo> | undefined,
): ShownFacts {
	if (!transaction.contract) return { from: ZERO_ADDRESS, to: ZERO_ADDRESS, value: "0x0", input: "0x" };
	return shownFacts(state, transaction, info);
}

const SCALAR = 32;
const LOWEST_V = 27;

/** Only the first of several signatures is shown. */
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
