/**
 * A transaction passed between signers: the node's transaction JSON with an additional member, `coin`, which says who
 * must sign and what is signed (protocol/wallet-formats §4.1). Only `raw_data_hex` and `signature` are authoritative; everything
 * else is recomputed on reading.
 */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { type Message, unknownPath } from "../../protocol/codec/descriptor.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { ContractType } from "../../protocol/contract-types.js";
import { sha256 } from "../../protocol/hash.js";
import { NamedError } from "../../protocol/json/exceptions.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import { transactionJson } from "../../protocol/json/transaction-json.js";
import { packTransaction } from "../../protocol/json/transaction-packing.js";
import {
	PostQuantumOfTransaction,
	type PQAuthSig,
	ShieldedTransferContract,
	Transaction,
	TransactionRaw,
} from "../../protocol/messages.js";
import { MAX_SIGNATURES } from "../../protocol/permission.js";
import { isPostQuantumSignature, loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import { transactionFieldsOf } from "../../protocol/post-quantum/fields.js";
import { addressOfPostQuantumKey } from "../../protocol/post-quantum/schemes.js";
import { SignatureError } from "../../protocol/signature.js";
import { idleField, ParameterError, SignedTransaction } from "../../protocol/transaction.js";
import { Failure } from "../failure.js";
import {
	isRecord,
	type Json,
	type JsonRecord,
	member,
	readGivenJson,
	readJson,
	writeWireJson,
} from "../json.js";
import { refuseUnsigned } from "./unsigned-members.js";

/** A transaction that was read and found to be consistent. */
export interface TransactionEnvelope {
	readonly transaction: SignedTransaction;
	readonly type: ContractType;
	/** The account that pays and whose permission applies, 21 bytes; empty if notes pay. */
	readonly owner: Uint8Array;
	readonly permissionId: number;
	/** Addresses of the signers, in the order of the signatures; post-quantum ones last, as the network counts them. */
	readonly signers: readonly Uint8Array[];
	/** The member `coin` as it was read. */
	readonly coin: JsonRecord | undefined;
}

/** One signature: 65 bytes r‖s‖v, or a post-quantum one with its public key. */
export type Signature = Uint8Array | Readonly<PQAuthSig>;

/**
 * Reads one transaction, and loads the post-quantum library if it has such signatures.
 * @throws {Failure} as {@link readEnvelope}
 */
export async function readSignedEnvelope(text: string, rawOnly = false): Promise<TransactionEnvelope> {
	const { transaction, coin } = readParts(text, rawOnly);
	if (transaction.message.$unknown) await loadPostQuantum();
	return checkEnvelope(transaction, coin);
}

/**
 * Reads one transaction: an envelope, a node's or another wallet's JSON around it, or hexadecimal text.
 * If it has post-quantum signatures, their library must have been loaded, as {@link readSignedEnvelope} does.
 * @param rawOnly whether hexadecimal text contains only the raw data
 * @throws {Failure} `transaction_invalid`, `transaction_mismatch`
 */
export function readEnvelope(text: string, rawOnly = false): TransactionEnvelope {
	const { transaction, coin } = readParts(text, rawOnly);
	return checkEnvelope(transaction, coin);
}

function readParts(
	text: string,
	rawOnly: boolean,
): { readonly transaction: SignedTransaction; readonly coin: JsonRecord | undefined } {
	const trimmed = text.trim();
	if (!/^[[{]/.test(trimmed)) return { transaction: fromHexText(trimmed, rawOnly), coin: undefined };
	let json: Json;
	try {
		json = readGivenJson(trimmed);
	} catch (error) {
		throw new Failure(
			"transaction_invalid",
			`the transaction is not valid JSON: ${(error as Error).message}`,
		);
	}
	const record = unwrap(json);
	const { coin, raw_data: rawData, visible } = record;
	refuseUnsigned(record);
	const version = isRecord(coin) ? member(coin, "v") : undefined;
	if (version !== undefined && version !== 1n) {
		throw new Failure(
			"transaction_invalid",
			`the transaction's member coin has version ${String(version)}, this program knows 1`,
		);
	}
	const transaction = fromRecord(record);
	if (rawData !== undefined && rawData !== null) compareRawData(transaction, rawData, visible === true);
	return { transaction, coin: isRecord(coin) ? coin : undefined };
}

/** Wraps a transaction that this program built. @throws {Failure} as {@link readEnvelope} */
export function envelopeOf(transaction: SignedTransaction, coin?: JsonRecord): TransactionEnvelope {
	return checkEnvelope(transaction, coin);
}

function fromHexText(text: string, rawOnly: boolean): SignedTransaction {
	let bytes: Uint8Array;
	try {
		bytes = fromHex(text.replace(/^0x/i, ""));
	} catch {
		throw new Failure("transaction_invalid", "the input is neither JSON nor hexadecimal");
	}
	return decoded(() =>
		rawOnly ? Transaction.create({ raw_data: TransactionRaw.decode(bytes) }) : Transaction.decode(bytes),
	);
}

function decoded(decode: () => Transaction): SignedTransaction {
	try {
		const transaction = new SignedTransaction(decode());
		return transaction.message.$unknown ? transaction.asReadOnNile() : transaction;
	} catch (error) {
		if (error instanceof DecodeError)
			throw new Failure("transaction_invalid", `the bytes are not a transaction: ${error.message}`);
		throw error;
	}
}

/** Unwraps a transaction from a node's response, another wallet's format, or a list of one element. */
function unwrap(json: Json): JsonRecord {
	const value = Array.isArray(json) && json.length === 1 ? (json[0] as Json) : json;
	if (!isRecord(value)) throw new Failure("transaction_invalid", "the JSON is not a transaction");
	const { transaction, data } = value;
	if (isRecord(transaction)) return transaction;
	const inner = isRecord(data) ? member(data, "transaction") : undefined;
	if (isRecord(inner)) return inner;
	return value;
}

function fromRecord(record: JsonRecord): SignedTransaction {
	const { raw_data_hex: rawHex, txID, signature, pq_auth_sig: postQuantum } = record;
	if (typeof rawHex !== "string") {
		throw new Failure("transaction_invalid", "the transaction has no raw_data_hex: its bytes can't be known");
	}
	let rawBytes: Uint8Array;
	let signatures: Uint8Array[];
	try {
		rawBytes = fromHex(rawHex);
		const list =
			signature === undefined || signature === null ? [] : Array.isArray(signature) ? signature : [signature];
		signatures = list.map((item: Json) => fromHex(String(item).replace(/^0x/i, "")));
	} catch {
		throw new Failure("transaction_invalid", "raw_data_hex or a signature is not hexadecimal");
	}
	const id = sha256(rawBytes);
	if (txID !== undefined && (typeof txID !== "string" || txID.toLowerCase() !== toHex(id))) {
		throw new Failure("transaction_mismatch", `txID is ${String(txID)}, but raw_data_hex gives ${toHex(id)}`);
	}
	const transaction = decoded(() =>
		Transaction.create({
			raw_data: TransactionRaw.decode(rawBytes),
			signature: signatures,
			$unknown: postQuantumFields(postQuantum),
		}),
	);
	if (!equalBytes(transaction.rawBytes, rawBytes)) {
		throw new Failure(
			"transaction_invalid",
			"raw_data_hex is not in the canonical form, so the network would compute another txID",
		);
	}
	return transaction;
}

/** Converts post-quantum signatures from a node's JSON to the transaction's field for them. @throws {Failure} `transaction_invalid` */
export function postQuantumFields(json: Json | undefined): Transaction["$unknown"] {
	if (json === undefined || json === null) return undefined;
	try {
		const text = writeWireJson({ pq_auth_sig: json });
		return transactionFieldsOf(decodeFields(PostQuantumOfTransaction, text, false).pq_auth_sig);
	} catch (error) {
		if (error instanceof NamedError)
			throw new Failure("transaction_invalid", "pq_auth_sig is not a list of post-quantum signatures");
		throw error;
	}
}

/** Checks that the readable JSON matches the bytes that are signed. */
function compareRawData(transaction: SignedTransaction, rawData: Json, visible: boolean): void {
	let packed: SignedTransaction | undefined;
	try {
		packed = packTransaction(writeWireJson({ raw_data: rawData }), visible);
	} catch (error) {
		if (!(error instanceof NamedError)) throw error;
	}
	if (packed && equalBytes(packed.rawBytes, transaction.rawBytes)) return;
	const shown = readJson(transactionJson(transaction, { visible, dialect: "neutral" })) as JsonRecord;
	const place = firstDifference(member(shown, "raw_data") as Json, rawData, "raw_data");
	throw new Failure("transaction_mismatch", `raw_data and raw_data_hex disagree at ${place}`, {
		hint: "a tool that rounds numbers above 2^53 may have touched it",
	});
}

/** Path of the first member that differs; names are compared as they are, numbers exactly. */
function firstDifference(a: Json | undefined, b: Json | undefined, path: string): string {
	if (Array.isArray(a) && Array.isArray(b)) {
		for (let i = 0; i < Math.max(a.length, b.length); i++) {
			if (!same(a[i], b[i])) return firstDifference(a[i], b[i], `${path}[${i}]`);
		}
	} else if (isRecord(a) && isRecord(b)) {
		for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
			if (!same(a[name], b[name])) return firstDifference(a[name], b[name], `${path}.${name}`);
		}
	}
	return path;
}

function same(a: Json | undefined, b: Json | undefined): boolean {
	if (Array.isArray(a) && Array.isArray(b))
		return a.length === b.length && a.every((item, i) => same(item, b[i]));
	if (isRecord(a) && isRecord(b)) {
		return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => same(a[name], b[name]));
	}
	return a === b;
}

function checkEnvelope(transaction: SignedTransaction, coin: JsonRecord | undefined): TransactionEnvelope {
	const { raw, contract, type } = transaction;
	if (raw?.contract.length !== 1 || !contract) {
		throw new Failure(
			"transaction_invalid",
			`the transaction has ${raw?.contract.length ?? 0} contracts instead of one`,
		);
	}
	if (!type?.message)
		throw new Failure("transaction_invalid", `the contract type ${contract.type} is unknown here`);
	let parameter: Readonly<Message>;
	try {
		({ parameter } = transaction);
	} catch (error) {
		if (!(error instanceof ParameterError) && !(error instanceof DecodeError)) throw error;
		throw new Failure("transaction_invalid", `the contract can't be read: ${error.message}`);
	}
	const unshown =
		unknownPath(TransactionRaw, raw, "raw_data") ?? unknownPath(type.message, parameter, type.name);
	if (unshown !== undefined) {
		throw new Failure(
			"transaction_invalid",
			`the transaction holds fields that this program doesn't know (${unshown}), so it can't show what is signed`,
		);
	}
	const idle = idleField(raw);
	if (idle !== undefined) {
		throw new Failure(
			"transaction_invalid",
			`the transaction holds ${idle}, which the network doesn't use and nobody would see before signing`,
		);
	}
	if (transaction.owner.length === 0 && !paysWithNotes(parameter))
		throw new Failure("transaction_invalid", "the transaction names no owner");
	return {
		transaction,
		type,
		owner: transaction.owner,
		permissionId: contract.Permission_id,
		signers: recoverSigners(transaction),
		coin,
	};
}

/** Whether proofs replace an owner's signature. */
function paysWithNotes(parameter: Readonly<Message>): boolean {
	return parameter instanceof ShieldedTransferContract && parameter.spend_description.length > 0;
}

/** The paying account as text; `notes` if notes pay instead of an account. @param owner 21 bytes, or empty */
export function ownerText(owner: Uint8Array): string {
	return owner.length === 0 ? "notes" : toBase58Check(owner);
}

function recoverSigners(transaction: SignedTransaction): Uint8Array[] {
	const { signature } = transaction.message;
	const postQuantum = postQuantumOf(transaction);
	const count = signature.length + postQuantum.length;
	if (count > MAX_SIGNATURES) {
		throw new Failure(
			"transaction_invalid",
			`the transaction has ${count} signatures, at most ${MAX_SIGNATURES} count`,
		);
	}
	const signers: Uint8Array[] = [];
	for (let index = 0; index < signature.length; index++) {
		let signer: Uint8Array;
		try {
			signer = transaction.signer(index);
		} catch (error) {
			if (!(error instanceof SignatureError)) throw error;
			throw new Failure("transaction_invalid", `signature ${index} yields no key: ${error.message}`, {
				details: { signature: index },
			});
		}
		addSigner(signers, signer, `signature ${index}`, { signature: index });
	}
	for (const [index, entry] of postQuantum.entries()) {
		if (entry.$unknown || !isPostQuantumSignature(transaction.id, entry)) {
			throw new Failure("transaction_invalid", `post-quantum signature ${index} is not one of its key`, {
				details: { postQuantumSignature: index },
			});
		}
		addSigner(signers, addressOfPostQuantumKey(entry.public_key), `post-quantum signature ${index}`, {
			postQuantumSignature: index,
		});
	}
	return signers;
}

/** @throws {Failure} `transaction_invalid` if the signer is already present */
function addSigner(signers: Uint8Array[], signer: Uint8Array, what: string, details: object): void {
	if (signers.some((other) => equalBytes(other, signer)))
		throw new Failure("transaction_invalid", `${what} repeats a signer`, { details: { ...details } });
	signers.push(signer);
}

/** The transaction's post-quantum signatures. @throws {Failure} `transaction_invalid` */
function postQuantumOf(transaction: SignedTransaction): readonly Readonly<PQAuthSig>[] {
	try {
		return transaction.postQuantum;
	} catch (error) {
		if (error instanceof DecodeError)
			throw new Failure("transaction_invalid", "the post-quantum signatures can't be read");
		throw error;
	}
}

/** The signatures in the order of the envelope's `signers`. */
export const signaturesOf = ({ transaction }: TransactionEnvelope): readonly Signature[] => [
	...transaction.message.signature,
	...transaction.postQuantum,
];

/** The same transaction with one more signature. */
export function withSignature(envelope: TransactionEnvelope, signature: Signature): TransactionEnvelope {
	return withSignatures(envelope, [...signaturesOf(envelope), signature]);
}

/** The same transaction with exactly these signatures. @param coin its member `coin`; unchanged if absent */
export function withSignatures(
	{ transaction, coin }: TransactionEnvelope,
	signatures: readonly Signature[],
	note: JsonRecord | undefined = coin,
): TransactionEnvelope {
	const signed = Transaction.copy(transaction.message);
	const isRecoverable = (one: Signature): one is Uint8Array => one instanceof Uint8Array;
	signed.signature = signatures.filter(isRecoverable);
	signed.$unknown = transactionFieldsOf(
		signatures.filter((one): one is Readonly<PQAuthSig> => !isRecoverable(one)),
	);
	return checkEnvelope(new SignedTransaction(signed), note);
}

/** Writes one line of JSON, with members in the order of protocol/wallet-formats §4.1 and int64 values of `raw_data` as numbers. */
export function writeEnvelope(envelope: TransactionEnvelope, coin: JsonRecord | undefined): string {
	const { transaction } = envelope;
	const visible = isFaithful(transaction);
	const style = { visible, dialect: "neutral", postQuantum: true } as const;
	const shown = readJson(transactionJson(transaction, style)) as JsonRecord;
	const { txID, raw_data: rawData, raw_data_hex: rawHex, signature, contract_address: created } = shown;
	return writeWireJson({
		visible,
		txID,
		contract_address: created,
		raw_data: rawData,
		raw_data_hex: rawHex,
		signature: transaction.message.signature.length === 0 ? undefined : signature,
		pq_auth_sig: shown["pq_auth_sig"],
		coin,
	});
}

/** Whether the visible form is lossless. Text with backslashes isn't preserved; such a transaction is written with hexadecimal bytes. */
function isFaithful(transaction: SignedTransaction): boolean {
	try {
		const packed = packTransaction(transactionJson(transaction, { visible: true, dialect: "neutral" }), true);
		return equalBytes(packed.rawBytes, transaction.rawBytes);
	} catch (error) {
		if (error instanceof NamedError) return false;
		throw error;
	}
}
