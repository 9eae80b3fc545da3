/** Reads transactions from a node's responses: decoded from their bytes, never from the JSON beside them. */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import {
	type PQAuthSig,
	Transaction,
	TransactionRaw,
	TransactionResult,
	TransactionResultContractResultEnum,
} from "../../protocol/messages.js";
import { loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import { addressOfPostQuantumKey } from "../../protocol/post-quantum/schemes.js";
import { SignatureError } from "../../protocol/signature.js";
import { ParameterError, SignedTransaction } from "../../protocol/transaction.js";
import { Failure } from "../failure.js";
import { isRecord, type JsonRecord } from "../json.js";
import { messageFrom } from "../node/answer.js";
import { type View, viewOf } from "../view/message-view.js";
import { postQuantumFields } from "./envelope.js";

/**
 * Rebuilds a transaction from a response and checks its id.
 * @param id the requested id
 * @throws {Failure} `rpc_error` if the response contains no transaction, or another one
 */
export function transactionFrom(answer: JsonRecord, id?: Uint8Array): SignedTransaction {
	const { raw_data_hex: rawHex, signature, pq_auth_sig: postQuantum, ret, txID } = answer;
	let transaction: SignedTransaction;
	try {
		transaction = new SignedTransaction(
			Transaction.create({
				raw_data: TransactionRaw.decode(fromHex(String(rawHex))),
				signature: (Array.isArray(signature) ? signature : []).map((item) => fromHex(String(item))),
				ret: (Array.isArray(ret) ? ret : [])
					.filter(isRecord)
					.map((item) => messageFrom(TransactionResult, item)),
				$unknown: postQuantumFields(postQuantum),
			}),
		);
	} catch (error) {
		const isUnreadable =
			error instanceof RangeError || error instanceof DecodeError || error instanceof Failure;
		if (!isUnreadable) throw error;
		throw new Failure("rpc_error", "the node's answer holds no readable transaction");
	}
	const expected = id ?? fromHex(String(txID));
	if (!equalBytes(transaction.id, expected)) {
		throw new Failure(
			"rpc_error",
			`the node's bytes are the transaction ${transaction.idHex}, not ${toHex(expected)}`,
		);
	}
	return transaction;
}

/** A transaction for printing. */
export async function viewTransaction(
	transaction: SignedTransaction,
): Promise<Record<string, View | undefined>> {
	const postQuantum = postQuantumOf(transaction);
	if (postQuantum.length > 0) await loadPostQuantum();
	const { raw, contract, message } = transaction;
	const memo = raw?.data && raw.data.length > 0 ? toHex(raw.data) : undefined;
	const result = message.ret[0]?.contractRet;
	return {
		txID: transaction.idHex,
		type: contract ? (contractTypeById(contract.type)?.name ?? contract.type) : undefined,
		from: transaction.owner.length > 0 ? toBase58Check(transaction.owner) : undefined,
		contract: parameterView(transaction),
		permission: contract?.Permission_id ?? 0,
		memo,
		feeLimit: raw && raw.fee_limit > 0n ? raw.fee_limit : undefined,
		timestamp: raw?.timestamp,
		expiration: raw?.expiration,
		size: transaction.size,
		signers: [
			...message.signature.map((_, index) => signerText(transaction, index)),
			...postQuantum.map((_, index) => postQuantumSignerText(transaction, index)),
		],
		result:
			result === undefined ? undefined : (TransactionResultContractResultEnum.names.get(result) ?? result),
	};
}

function parameterView(transaction: SignedTransaction): View | undefined {
	try {
		return viewOf(transaction.parameter);
	} catch (error) {
		if (!(error instanceof ParameterError) && !(error instanceof DecodeError)) throw error;
		const value = transaction.contract?.parameter?.value;
		return value ? toHex(value) : undefined;
	}
}

/** Its post-quantum signatures; none if the field can't be decoded: the main network's history has other data under its number. */
function postQuantumOf(transaction: SignedTransaction): readonly Readonly<PQAuthSig>[] {
	try {
		return transaction.postQuantum;
	} catch (error) {
		if (error instanceof DecodeError) return [];
		throw error;
	}
}

function signerText(transaction: SignedTransaction, index: number): string {
	try {
		return toBase58Check(transaction.signer(index));
	} catch (error) {
		if (error instanceof SignatureError) return `unreadable: ${error.message}`;
		throw error;
	}
}

/** The address of a post-quantum signature's key, if the signature is valid. */
function postQuantumSignerText(transaction: SignedTransaction, index: number): string {
	const key = transaction.postQuantum[index]?.public_key;
	if (key && transaction.isPostQuantumValid(index)) return toBase58Check(addressOfPostQuantumKey(key));
	return "unreadable: pq sig invalid";
}
