/** Transactions that name an address of interest, from incoming blocks, and their proofs once the block is final. */

import { BLOCK_TRANSACTIONS_FIELD, merkleRoot } from "../../../protocol/block.js";
import { equalBytes, toKey } from "../../../protocol/bytes.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { elementsOfField } from "../../../protocol/codec/scan.js";
import { contractTypeById } from "../../../protocol/contract-types.js";
import { sha256 } from "../../../protocol/hash.js";
import { joinProof, type SignedHeader } from "../../../protocol/inclusion/make.js";
import { merklePath, type PathStep } from "../../../protocol/inclusion/merkle-path.js";
import { writeProof } from "../../../protocol/inclusion/proof.js";
import { Transaction, TransactionResultContractResultEnum } from "../../../protocol/messages.js";
import { SignedTransaction } from "../../../protocol/transaction.js";
import { hasImpossibleTransactions } from "../wire/block-messages.js";
import { HeaderError, type WatchedBlock } from "./header-chain.js";

/** Transactions that may wait for finality; a node's largest block has 2,000,000 bytes. */
export const MAX_WAITING = 2_000;
export const MAX_WAITING_BYTES = 8_000_000;
/** Larger transactions aren't decoded for their names. */
const MAX_SHOWN_BYTES = 512_000;

/** As encoded in the block. */
export interface NamedTransaction {
	readonly id: Uint8Array;
	readonly block: WatchedBlock;
	/** The contract type's name, or its number. */
	readonly type: string;
	/** The result recorded in the block. */
	readonly result: string;
}

interface Waiting extends NamedTransaction {
	readonly bytes: Uint8Array;
	readonly path: readonly PathStep[];
}

export interface ProvenTransaction extends NamedTransaction {
	/** The contents of the proof file. */
	readonly proof: string;
	readonly builders: number;
}

export class WatchedTransactions {
	private waiting: Waiting[] = [];
	private waitingBytes = 0;
	/** Already reported: another peer may deliver the block again. */
	private readonly shown = new Set<string>();

	/** @param addresses of 21 bytes; a call of a token's contract names them without their first byte */
	constructor(private readonly addresses: readonly Uint8Array[]) {}

	/**
	 * Inspects a block's transactions, without decoding those that name none of the addresses.
	 * @returns how many there are, those that name one, and how many of these can't wait for their proof since there are too many
	 * @throws {HeaderError} where they aren't those of the header
	 */
	look(
		payload: Uint8Array,
		block: WatchedBlock,
	): { readonly count: number; readonly named: readonly NamedTransaction[]; readonly dropped: number } {
		const all = transactionsOf(payload, block);
		const leaves = all.map(sha256);
		if (!equalBytes(merkleRoot(leaves), block.root))
			throw new HeaderError(`the transactions of block ${block.number} are not those of its header`);
		const named: Waiting[] = [];
		let dropped = 0;
		for (const [index, bytes] of all.entries()) {
			if (!this.isNamedIn(bytes)) continue;
			const isRoom =
				this.waiting.length + named.length < MAX_WAITING &&
				this.waitingBytes + bytes.length <= MAX_WAITING_BYTES;
			if (!isRoom) {
				dropped++;
				continue;
			}
			this.waitingBytes += bytes.length;
			// A copy, because the block's bytes aren't kept.
			named.push({
				...namesOf(bytes),
				block,
				bytes: Uint8Array.from(bytes),
				path: merklePath(leaves, index),
			});
		}
		this.waiting.push(...named);
		return { count: all.length, named: named.filter(({ id }) => this.isNew(id)), dropped };
	}

	private isNew(id: Uint8Array): boolean {
		const key = toKey(id);
		if (this.shown.has(key)) return false;
		if (this.shown.size >= MAX_WAITING) this.shown.clear();
		this.shown.add(key);
		return true;
	}

	/**
	 * Creates the proofs that are possible now, and drops those of lost blocks.
	 * @param final the last final block
	 * @param headersOf the headers that prove a block, if there are enough
	 */
	prove(
		final: WatchedBlock,
		headersOf: (id: Uint8Array) => readonly SignedHeader[] | undefined,
	): readonly ProvenTransaction[] {
		const proven: ProvenTransaction[] = [];
		const headers = new Map<string, readonly SignedHeader[] | undefined>();
		for (const { bytes, path, ...one } of this.waiting) {
			if (one.block.number > final.number) continue;
			const key = toKey(one.block.id);
			if (!headers.has(key)) headers.set(key, headersOf(one.block.id));
			const found = headers.get(key);
			if (!found) continue;
			const proof = joinProof(bytes, path, found);
			proven.push({ ...one, proof: writeProof(proof), builders: proof.witnesses.length });
		}
		this.waiting = this.waiting.filter(({ block }) => block.number > final.number);
		this.waitingBytes = this.waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
		return proven;
	}

	/** Gives up everything waiting: the following blocks won't be contiguous. @returns how many */
	giveUp(): number {
		const { length } = this.waiting;
		this.waiting = [];
		this.waitingBytes = 0;
		return length;
	}

	private isNamedIn(bytes: Uint8Array): boolean {
		const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
		return this.addresses.some((address) => text.includes(Buffer.from(address.subarray(1))));
	}
}

/** @throws {HeaderError} */
function transactionsOf(payload: Uint8Array, { number }: WatchedBlock): readonly Uint8Array[] {
	try {
		if (!hasImpossibleTransactions(payload)) return [...elementsOfField(payload, BLOCK_TRANSACTIONS_FIELD)];
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
	}
	throw new HeaderError(`block ${number} has transactions that can't be`);
}

function namesOf(bytes: Uint8Array): Pick<NamedTransaction, "id" | "type" | "result"> {
	try {
		const budget = { bytes: MAX_SHOWN_BYTES, items: 10_000, depth: 64 };
		const message = Transaction.decode(bytes, budget);
		const raw = message.raw_data;
		const { id } = new SignedTransaction(message);
		const number = raw?.contract[0]?.type ?? -1;
		const result = message.ret[0]?.contractRet ?? 0;
		const type = contractTypeById(number)?.name ?? String(number);
		return { id, type, result: TransactionResultContractResultEnum.names.get(result) ?? String(result) };
	} catch (error) {
		if (error instanceof DecodeError) throw new HeaderError("a transaction of the block doesn't decode");
		throw error;
	}
}
