/**
 * A transaction: the message with values derived from its bytes.
 *
 * Hashes and sizes refer to the canonical re-serialisation of the parsed message, never to received bytes
 * (protocol/blocks §1.3).
 */

import { toHex } from "./bytes.js";
import type { DecodeBudget } from "./codec/budget.js";
import { type Message, type MessageType, setField } from "./codec/descriptor.js";
import { DecodeError } from "./codec/reader.js";
import { sharedWriter, type Writer } from "./codec/writer.js";
import { type ContractType, contractTypeById, TYPE_URL_PREFIX, typeUrlMatches } from "./contract-types.js";
import { sha256 } from "./hash.js";
import {
	Any,
	type PQAuthSig,
	Transaction,
	TransactionContract,
	TransactionRaw,
	type TransactionResult,
	writeTransaction,
} from "./messages.js";
import { isPostQuantumSignature } from "./post-quantum/algorithms.js";
import { canonicalOfTransaction, signaturesOfTransaction } from "./post-quantum/fields.js";
import { recoverAddress, SIGNATURE_LENGTH, SignatureError } from "./signature.js";

/** Tag of `raw_data`, the first field of a transaction: number 1, length-delimited. */
const RAW_DATA_TAG = 0x0a;

const NO_SIGNATURES: readonly Readonly<PQAuthSig>[] = [];

/** `txID`: SHA-256 of the serialised `raw_data`. */
export function transactionId(rawBytes: Uint8Array): Uint8Array {
	return sha256(rawBytes);
}

/** A contract's parameter does not decode as the message of its type. */
export class ParameterError extends Error {
	override readonly name = "InvalidProtocolBufferException";
}

/** Facts derived from a transaction's bytes alone; sizes in bytes, signers or why recovery failed. */
interface TransactionFacts {
	readonly id: Uint8Array;
	readonly size: number;
	readonly sizeWithoutResults: number;
	readonly signers: readonly (Uint8Array | SignatureError)[];
}

/** An immutable transaction with lazily cached values derived from its bytes. */
export class SignedTransaction {
	private cachedRaw: Uint8Array | undefined;
	private cachedId: Uint8Array | undefined;
	private cachedIdHex: string | undefined;
	private cachedBytes: Uint8Array | undefined;
	private cachedSize = -1;
	private cachedSizeWithoutResults = -1;
	private cachedParameter: Readonly<Message> | undefined;
	private cachedPostQuantum: readonly Readonly<PQAuthSig>[] | undefined;
	/** Signers recovered ahead by worker threads; an error if recovery failed. */
	signers: readonly (Uint8Array | SignatureError)[] | undefined;
	/** Known verdicts on the post-quantum signatures, by index. */
	postQuantumVerdicts: readonly (boolean | undefined)[] | undefined;

	constructor(readonly message: Readonly<Transaction>) {}

	/** @param budget for untrusted bytes @throws {DecodeError} */
	static decode(bytes: Uint8Array, budget?: DecodeBudget): SignedTransaction {
		return new SignedTransaction(Transaction.decode(bytes, budget));
	}

	/** Adopts facts that another thread computed from its bytes. */
	know({ id, size, sizeWithoutResults, signers }: TransactionFacts): void {
		this.cachedId = id;
		this.cachedSize = size;
		this.cachedSizeWithoutResults = sizeWithoutResults;
		this.signers = signers;
	}

	get raw(): Readonly<TransactionRaw> | undefined {
		return this.message.raw_data;
	}

	/** Serialised `raw_data`. */
	get rawBytes(): Uint8Array {
		this.cachedRaw ??= TransactionRaw.encode(this.message.raw_data ?? new TransactionRaw());
		return this.cachedRaw;
	}

	/** 32 bytes. */
	get id(): Uint8Array {
		this.cachedId ??= transactionId(this.rawBytes);
		return this.cachedId;
	}

	get idHex(): string {
		this.cachedIdHex ??= toHex(this.id);
		return this.cachedIdHex;
	}

	/** The complete transaction, in canonical form. */
	get bytes(): Uint8Array {
		if (!this.cachedBytes) {
			this.write(sharedWriter, this.message.ret);
			this.cachedBytes = sharedWriter.finish();
		}
		return this.cachedBytes;
	}

	/** Serialises the transaction, reusing the raw data serialised for its id. */
	private write(writer: Writer, results: readonly Readonly<TransactionResult>[]): void {
		const { raw_data, signature, $unknown } = this.message;
		const { rawBytes } = this;
		writer.reset();
		writeTransaction(writer, Transaction.create({ signature, ret: results, $unknown }));
		if (raw_data === undefined) return;
		writer.bytes(rawBytes);
		writer.byte(RAW_DATA_TAG);
	}

	/** Serialised size. */
	get size(): number {
		return this.cachedSize >= 0 ? this.cachedSize : this.bytes.length;
	}

	/** Serialised size with the `ret` list removed. */
	get sizeWithoutResults(): number {
		if (this.message.ret.length === 0) return this.size;
		if (this.cachedSizeWithoutResults < 0) {
			this.write(sharedWriter, []);
			this.cachedSizeWithoutResults = sharedWriter.length;
		}
		return this.cachedSizeWithoutResults;
	}

	/** The first contract; valid transactions have exactly one. */
	get contract(): Readonly<TransactionContract> | undefined {
		return this.message.raw_data?.contract[0];
	}

	/** The contract-type table entry, if the type is known. */
	get type(): ContractType | undefined {
		const contract = this.contract;
		return contract && contractTypeById(contract.type);
	}

	/**
	 * The contract's decoded parameter.
	 * @throws {ParameterError} if the type has no message or `type_url` names another one
	 * @throws {DecodeError} if the bytes are malformed
	 */
	get parameter(): Readonly<Message> {
		this.cachedParameter ??= unpackParameter(this.contract);
		return this.cachedParameter;
	}

	/**
	 * Caches the parameter that the transaction was built from.
	 * @param parameter equal to the decoded one, and no longer modified
	 */
	carrying(parameter: Readonly<Message>): this {
		this.cachedParameter = parameter;
		return this;
	}

	/** Address of the paying account; empty if the parameter can't be decoded. */
	get owner(): Uint8Array {
		const type = this.type;
		if (!type?.message) return new Uint8Array(0);
		try {
			return (this.parameter as Record<string, Uint8Array>)[type.owner] ?? new Uint8Array(0);
		} catch (error) {
			if (error instanceof ParameterError || error instanceof DecodeError) return new Uint8Array(0);
			throw error;
		}
	}

	/** The same transaction with another `ret` list. */
	withResults(results: readonly Readonly<TransactionResult>[]): SignedTransaction {
		return this.like(withResults(this.message, results));
	}

	/**
	 * Drops unknown fields at the top level; those inside `raw_data` are part of the id and stay.
	 * @param onNile also keeps Nile's fields, in canonical form
	 * @throws {DecodeError} if they don't decode
	 */
	withoutUnknownFields(onNile = false): SignedTransaction {
		if (this.message.$unknown === undefined) return this;
		return this.withUnknown(onNile ? canonicalOfTransaction(this.message.$unknown, false) : undefined);
	}

	/**
	 * The transaction as Nile's nodes read it, with Nile-only signatures in canonical form.
	 * @throws {DecodeError} if their fields don't decode
	 */
	asReadOnNile(): SignedTransaction {
		return this.withUnknown(canonicalOfTransaction(this.message.$unknown, true));
	}

	private withUnknown(kept: Transaction["$unknown"]): SignedTransaction {
		if (kept === this.message.$unknown) return this;
		const message = Transaction.copy(this.message);
		message.$unknown = kept;
		return this.like(message);
	}

	/** @param message with the same raw data and signatures */
	private like(message: Readonly<Transaction>): SignedTransaction {
		const copy = new SignedTransaction(message);
		copy.cachedRaw = this.cachedRaw;
		copy.cachedId = this.cachedId;
		copy.cachedIdHex = this.cachedIdHex;
		copy.cachedParameter = this.cachedParameter;
		copy.signers = this.signers;
		copy.postQuantumVerdicts = this.postQuantumVerdicts;
		return copy;
	}

	/**
	 * Post-quantum signatures. Only meaningful on Nile.
	 * @throws {DecodeError} if their fields are malformed
	 */
	get postQuantum(): readonly Readonly<PQAuthSig>[] {
		if (this.message.$unknown === undefined) return NO_SIGNATURES;
		this.cachedPostQuantum ??= signaturesOfTransaction(this.message);
		return this.cachedPostQuantum;
	}

	/** Whether post-quantum signature `index` is valid; cached. Needs `loadPostQuantum`. */
	isPostQuantumValid(index: number): boolean {
		const known = this.postQuantumVerdicts?.[index];
		if (known !== undefined) return known;
		const entry = this.postQuantum[index];
		const verdict = entry !== undefined && isPostQuantumSignature(this.id, entry);
		this.addPostQuantumVerdict(index, verdict);
		return verdict;
	}

	/** Caches a post-quantum verdict in this object only: earlier copies don't see it. */
	addPostQuantumVerdict(index: number, verdict: boolean): void {
		const verdicts = [...(this.postQuantumVerdicts ?? [])];
		verdicts[index] = verdict;
		this.postQuantumVerdicts = verdicts;
	}

	/**
	 * The address that made signature `index`.
	 * @throws {SignatureError} `Signature size is N`, or why recovery failed
	 */
	signer(index: number): Uint8Array {
		const known = this.signers?.[index];
		if (known instanceof SignatureError) throw known;
		if (known) return known;
		const signature = this.message.signature[index] as Uint8Array;
		if (signature.length < SIGNATURE_LENGTH)
			throw new SignatureSizeError(`Signature size is ${signature.length}`);
		return recoverAddress(this.id, signature);
	}
}

/** A signature shorter than 65 bytes. */
export class SignatureSizeError extends SignatureError {
	override readonly name = "SignatureFormatException";
}

function withResults(
	message: Readonly<Transaction>,
	results: readonly Readonly<TransactionResult>[],
): Transaction {
	const copy = Transaction.copy(message);
	copy.ret = results;
	return copy;
}

/** Decodes the parameter of a contract entry. @throws {ParameterError | DecodeError} */
export function unpackParameter(contract: Readonly<TransactionContract> | undefined): Message {
	const type = contract && contractTypeById(contract.type);
	const parameter = contract?.parameter;
	if (!type?.message || !parameter || !typeUrlMatches(parameter.type_url, type.name)) {
		throw new ParameterError("Type of the Any message does not match the given class.");
	}
	return type.message.decode(parameter.value);
}

/** Name of a signed field that has no effect, if any is set. */
export function idleField({ auths, scripts, contract }: Readonly<TransactionRaw>): string | undefined {
	const [only] = contract;
	if (auths.length > 0) return "auths";
	if (scripts.length > 0) return "scripts";
	if ((only?.provider.length ?? 0) > 0) return "a provider";
	return (only?.ContractName.length ?? 0) > 0 ? "a name of the contract" : undefined;
}

/** Inputs of a new transaction besides its contract. Times in milliseconds. */
export interface TransactionHeader {
	/** Two low bytes of the reference block's number. */
	readonly refBlockBytes: Uint8Array;
	/** Bytes 8 to 15 of the reference block's id. */
	readonly refBlockHash: Uint8Array;
	readonly expirationMs: bigint;
	readonly timestampMs: bigint;
	readonly feeLimitSun?: bigint;
	readonly permissionId?: number;
	readonly data?: Uint8Array;
	readonly scripts?: Uint8Array;
	/** The contract's parameter if already encoded. */
	readonly packed?: Readonly<Any>;
}

/** Builds an unsigned transaction around one contract. */
export function buildTransaction(
	type: ContractType,
	parameter: Readonly<Message>,
	header: TransactionHeader,
): SignedTransaction {
	const messageType = type.message as MessageType<Message>;
	const contract = TransactionContract.create({
		type: type.id,
		parameter:
			header.packed ??
			Any.create({ type_url: TYPE_URL_PREFIX + type.name, value: messageType.encode(parameter) }),
		Permission_id: header.permissionId ?? 0,
	});
	const raw = TransactionRaw.create({
		ref_block_bytes: header.refBlockBytes,
		ref_block_hash: header.refBlockHash,
		expiration: header.expirationMs,
		timestamp: header.timestampMs,
		contract: [contract],
	});
	if (header.feeLimitSun !== undefined) raw.fee_limit = header.feeLimitSun;
	if (header.data) setField(raw, "data", header.data);
	if (header.scripts) setField(raw, "scripts", header.scripts);
	return new SignedTransaction(Transaction.create({ raw_data: raw }));
}
