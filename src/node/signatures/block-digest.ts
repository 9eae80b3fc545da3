/**
 * What can be derived from a block's bytes alone: ids, sizes, Merkle root, signers. Computed on a signature thread while the
 * main thread executes other blocks; numbers and hashes are packed, so that no objects are passed between threads.
 */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import {
	BLOCK_HEADER_FIELD,
	BLOCK_TRANSACTIONS_FIELD,
	merkleRoot,
	SignedBlock,
} from "../../protocol/block.js";
import { EMPTY } from "../../protocol/bytes.js";
import { isCanonicalMessage } from "../../protocol/codec/canonical.js";
import { Reader } from "../../protocol/codec/reader.js";
import { contentOfField, elementsOfField } from "../../protocol/codec/scan.js";
import { sha256 } from "../../protocol/hash.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../protocol/messages.js";
import { SIGNATURE_LENGTH, SignatureError } from "../../protocol/signature.js";
import { SignatureSizeError, type SignedTransaction, transactionId } from "../../protocol/transaction.js";
import { answerBatch, readAnswer, writeQuestion } from "./batch.js";
import {
	HASH_LENGTH,
	HEADER_PERMISSION,
	type KeySource,
	type KnownSigners,
	keySourceOf,
	QUESTION_LENGTH,
	SOURCE_LENGTH,
	writeSource,
} from "./known-signers.js";

/** Fields of a transaction. */
const RAW_FIELD = 1;
const SIGNATURE_FIELD = 2;
const RESULT_FIELD = 5;
/** Per transaction: its size, and its size without results. */
const SIZES = 2;

export interface BlockDigest {
	/** Whether the block's encoding is canonical. */
	readonly isCanonical: boolean;
	readonly rawHash: Uint8Array;
	readonly root: Uint8Array;
	/** 32 bytes per transaction. */
	readonly ids: Uint8Array;
	/** Sizes in bytes, two numbers per transaction. */
	readonly sizes: Uint32Array<ArrayBuffer>;
	/** Signers of all signatures that are long enough, in order, the header's last; format as in batch.ts. */
	readonly signers: Uint8Array;
	readonly errors: readonly { readonly index: number; readonly message: string }[];
}

const isWhole = (signature: Uint8Array): boolean => signature.length >= SIGNATURE_LENGTH;

/** A signature whose signer is wanted. */
interface Asked {
	readonly hash: Uint8Array;
	readonly signature: Uint8Array;
	readonly source: KeySource | undefined;
	/** Index among its transaction's signatures. */
	readonly place: number;
}

/** The parts of an encoded transaction that are hashed and signed. */
interface EncodedTransaction {
	readonly bytes: Uint8Array;
	readonly raw: Uint8Array;
	readonly signatures: readonly Uint8Array[];
	readonly sizeWithoutResults: number;
}

/**
 * @param bytes of a block that has been decoded before, so they are well-formed
 * @param known keys that have signed for the same accounts before; absent: every signer is recovered
 */
export function digestBlock(bytes: Uint8Array, addressPrefix: number, known?: KnownSigners): BlockDigest {
	const isCanonicalBlock = isCanonicalMessage(Block, bytes);
	const transactions = isCanonicalBlock ? transactionsIn(bytes) : reencoded(bytes);
	const header = BlockHeader.decode(contentOfField(bytes, BLOCK_HEADER_FIELD));
	const ids = new Uint8Array(transactions.length * HASH_LENGTH);
	const sizes = new Uint32Array(transactions.length * SIZES);
	const asked: Asked[] = [];
	for (let at = 0; at < transactions.length; at++) {
		const { bytes, raw, signatures, sizeWithoutResults } = transactions[at] as EncodedTransaction;
		const hash = transactionId(raw);
		ids.set(hash, at * HASH_LENGTH);
		sizes[at * SIZES] = bytes.length;
		sizes[at * SIZES + 1] = sizeWithoutResults;
		// Once for all signatures, since a transaction can be large and have many of them.
		const source = known && keySourceOf(raw);
		for (const [place, signature] of signatures.entries())
			if (isWhole(signature)) asked.push({ hash, signature, source, place });
	}
	const rawHash = sha256(BlockHeaderRaw.encode(header.raw_data ?? new BlockHeaderRaw()));
	const account = header.raw_data?.witness_address;
	const source = account?.length === ADDRESS_LENGTH ? { account, permission: HEADER_PERMISSION } : undefined;
	if (isWhole(header.witness_signature))
		asked.push({ hash: rawHash, signature: header.witness_signature, source, place: 0 });
	const questions = new Uint8Array(asked.length * QUESTION_LENGTH);
	const sources = new Uint8Array(known ? asked.length * SOURCE_LENGTH : 0);
	for (const [at, { hash, signature, source, place }] of asked.entries()) {
		writeQuestion(questions, at, hash, signature);
		if (known && source) writeSource(sources, at * SOURCE_LENGTH, source, place);
	}
	const { answers, errors } = answerBatch(questions, addressPrefix, known && { known, sources });
	const root = merkleRoot(transactions.map(({ bytes }) => sha256(bytes)));
	return { isCanonical: isCanonicalBlock, rawHash, root, ids, sizes, signers: answers, errors };
}

/** The transactions of a canonical block, as slices of it. */
function transactionsIn(block: Uint8Array): readonly EncodedTransaction[] {
	const transactions: EncodedTransaction[] = [];
	for (const bytes of elementsOfField(block, BLOCK_TRANSACTIONS_FIELD)) {
		let raw: Uint8Array = EMPTY;
		let sizeWithoutResults = 0;
		const signatures: Uint8Array[] = [];
		const reader = new Reader(bytes);
		while (reader.pos < reader.end) {
			const start = reader.pos;
			const number = reader.tag() >>> 3;
			const content = reader.bytes();
			if (number === RAW_FIELD) raw = content;
			else if (number === SIGNATURE_FIELD) signatures.push(content);
			if (number !== RESULT_FIELD) sizeWithoutResults += reader.pos - start;
		}
		transactions.push({ bytes, raw, signatures, sizeWithoutResults });
	}
	return transactions;
}

/** The transactions of any block, in the encoding that is hashed. */
const reencoded = (block: Uint8Array): readonly EncodedTransaction[] =>
	SignedBlock.decode(block).transactions.map(({ bytes, rawBytes, message, sizeWithoutResults }) => ({
		bytes,
		raw: rawBytes,
		signatures: message.signature,
		sizeWithoutResults,
	}));

/** Stores a digest's results in the block and its transactions. */
export function applyDigest(block: SignedBlock, digest: BlockDigest): void {
	const { ids, sizes, signers, errors } = digest;
	const failed = new Map(errors.map(({ index, message }) => [index, message]));
	let next = 0;
	const answer = (): Uint8Array | SignatureError => {
		const at = next++;
		return readAnswer(signers, at) ?? new SignatureError(failed.get(at) ?? "");
	};
	const signersOf = ({ message }: SignedTransaction) =>
		message.signature.map((signature) =>
			isWhole(signature) ? answer() : new SignatureSizeError(`Signature size is ${signature.length}`),
		);
	for (const [at, transaction] of block.transactions.entries()) {
		transaction.know({
			id: ids.subarray(at * HASH_LENGTH, (at + 1) * HASH_LENGTH),
			size: sizes[at * SIZES] as number,
			sizeWithoutResults: sizes[at * SIZES + 1] as number,
			signers: signersOf(transaction),
		});
	}
	const signer = isWhole(block.header.witness_signature) ? answer() : undefined;
	block.know({ ...digest, signer: signer instanceof SignatureError ? undefined : signer });
}
