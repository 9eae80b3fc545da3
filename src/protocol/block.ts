/** Blocks: ids, Merkle roots, header signatures (protocol/blocks §1.4). */

import { be64, concatBytes, readBe64, toHex } from "./bytes.js";
import type { DecodeBudget } from "./codec/budget.js";
import { sharedWriter } from "./codec/writer.js";
import { sha256 } from "./hash.js";
import { levelAbove } from "./inclusion/merkle-path.js";
import { Block, BlockHeader, BlockHeaderRaw, type PQAuthSig, writeBlock } from "./messages.js";
import { isPostQuantumSignature } from "./post-quantum/algorithms.js";
import { canonicalOfHeader, signatureOfHeader } from "./post-quantum/fields.js";
import { recoverAddress } from "./signature.js";
import { SignedTransaction, type TransactionHeader } from "./transaction.js";

/** Tag of the field `transactions`, the first of a block: number 1, length-delimited. */
const BLOCK_TRANSACTIONS_TAG = 0x0a;

const ZERO_HASH = new Uint8Array(32);

/** Eight bytes of the number, then bytes 8 to 31 of the header's hash. */
export function blockId(number: bigint, rawHash: Uint8Array): Uint8Array {
	return concatBytes(be64(number), rawHash.subarray(8, 32));
}

/** The block number that an id carries. */
export function numberOfBlockId(id: Uint8Array): bigint {
	return readBe64(id);
}

/** A block as transactions refer to it: the low bytes of its number and the start of its hash, both parts of its id. */
export function refBlockOf(id: Uint8Array): Pick<TransactionHeader, "refBlockBytes" | "refBlockHash"> {
	return { refBlockBytes: id.subarray(6, 8), refBlockHash: id.subarray(8, 16) };
}

/** Root over leaves in order; an odd node moves up unchanged; no leaf gives 32 zero bytes. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
	if (leaves.length === 0) return ZERO_HASH;
	let level = leaves;
	while (level.length > 1) level = levelAbove(level);
	return level[0] as Uint8Array;
}

/** What follows from a block's bytes alone. */
interface BlockFacts {
	/** Whether the bytes are the block's only encoding. */
	readonly isCanonical: boolean;
	readonly rawHash: Uint8Array;
	readonly root: Uint8Array;
	/** undefined: none, or the signature is wrong */
	readonly signer: Uint8Array | undefined;
}

/** An immutable block and what follows from its bytes. */
export class SignedBlock {
	readonly header: Readonly<BlockHeader>;
	private cachedMessage: Readonly<Block> | undefined;
	private cachedTransactions: readonly SignedTransaction[] | undefined;
	private cachedBytes: Uint8Array | undefined;
	private cachedRawHash: Uint8Array | undefined;
	private cachedId: Uint8Array | undefined;
	private cachedIdHex: string | undefined;
	private cachedRoot: Uint8Array | undefined;
	private cachedSigner: Uint8Array | undefined;
	private cachedVerdict: boolean | undefined;
	/** What it was decoded of, which needn't be canonical, while its contents are kept. */
	received: Uint8Array | undefined;

	constructor(message: Readonly<Block>, transactions?: readonly SignedTransaction[]) {
		this.cachedMessage = message;
		this.cachedTransactions = transactions;
		this.header = message.block_header ?? EMPTY_HEADER;
	}

	get message(): Readonly<Block> {
		this.cachedMessage ??= Block.decode(this.bytes);
		return this.cachedMessage;
	}

	get transactions(): readonly SignedTransaction[] {
		this.cachedTransactions ??= this.message.transactions.map((message) => new SignedTransaction(message));
		return this.cachedTransactions;
	}

	/** Keeps its bytes only: whoever asks for its transactions again has them decoded again, with other objects. */
	forgetContents(): void {
		this.cachedBytes ??= this.encode();
		this.cachedMessage = undefined;
		this.cachedTransactions = undefined;
		this.received = undefined;
	}

	/** @throws {DecodeError} */
	static decode(bytes: Uint8Array, budget?: DecodeBudget): SignedBlock {
		const block = new SignedBlock(Block.decode(bytes, budget));
		block.received = bytes;
		return block;
	}

	/** Takes what another thread found out about the bytes that it was decoded of. */
	know({ isCanonical, rawHash, root, signer }: BlockFacts): void {
		this.cachedRawHash = rawHash;
		this.cachedRoot = root;
		this.cachedSigner = signer;
		if (isCanonical) this.cachedBytes = this.received;
	}

	get raw(): Readonly<BlockHeaderRaw> {
		return this.header.raw_data ?? EMPTY_RAW;
	}

	get number(): bigint {
		return this.raw.number;
	}

	get timestampMs(): bigint {
		return this.raw.timestamp;
	}

	get parentId(): Uint8Array {
		return this.raw.parentHash;
	}

	get witness(): Uint8Array {
		return this.raw.witness_address;
	}

	get bytes(): Uint8Array {
		this.cachedBytes ??= this.encode();
		return this.cachedBytes;
	}

	/** Around the bytes of its transactions where those were serialised for the root. */
	private encode(): Uint8Array {
		const { cachedTransactions: transactions } = this;
		if (!this.cachedRoot || !transactions) return Block.encode(this.message);
		const { block_header, $unknown } = this.message;
		// Before the writer is used: where they weren't serialised yet they need it themselves.
		const parts = transactions.map(({ bytes }) => bytes);
		sharedWriter.reset();
		writeBlock(sharedWriter, Block.create({ block_header, $unknown }));
		for (let at = parts.length - 1; at >= 0; at--) {
			sharedWriter.bytes(parts[at] as Uint8Array);
			sharedWriter.byte(BLOCK_TRANSACTIONS_TAG);
		}
		return sharedWriter.finish();
	}

	/** SHA-256 of the serialised header data: what the witness signs. */
	get rawHash(): Uint8Array {
		this.cachedRawHash ??= sha256(BlockHeaderRaw.encode(this.raw));
		return this.cachedRawHash;
	}

	get id(): Uint8Array {
		this.cachedId ??= blockId(this.number, this.rawHash);
		return this.cachedId;
	}

	get idHex(): string {
		this.cachedIdHex ??= toHex(this.id);
		return this.cachedIdHex;
	}

	/** Root over the whole transactions, signatures and results included. */
	computeMerkleRoot(): Uint8Array {
		this.cachedRoot ??= merkleRoot(this.transactions.map((tx) => sha256(tx.bytes)));
		return this.cachedRoot;
	}

	/**
	 * Without unknown fields of the block and of its header; those of the header's data and of transactions are hashed, and stay.
	 * @param onNile the fields of that network stay, too, in their canonical form
	 * @throws {DecodeError} where fields of that network don't decode
	 */
	withoutUnknownFields(onNile = false): SignedBlock {
		const kept = onNile ? canonicalOfHeader(this.header.$unknown, false) : undefined;
		const transactions = onNile ? this.transactionsOnNile() : this.transactions;
		return this.withUnknown(undefined, kept, transactions);
	}

	/**
	 * As nodes of Nile read it: the signatures that this network alone knows in their canonical form.
	 * @throws {DecodeError} where their fields don't decode
	 */
	asReadOnNile(): SignedBlock {
		const kept = canonicalOfHeader(this.header.$unknown, true);
		return this.withUnknown(this.message.$unknown, kept, this.transactionsOnNile());
	}

	private transactionsOnNile(): readonly SignedTransaction[] {
		const read = this.transactions.map((transaction) => transaction.asReadOnNile());
		return read.every((each, index) => each === this.transactions[index]) ? this.transactions : read;
	}

	private withUnknown(
		ofBlock: Block["$unknown"],
		ofHeader: BlockHeader["$unknown"],
		transactions: readonly SignedTransaction[],
	): SignedBlock {
		const isHeaderKept = this.header.$unknown === ofHeader;
		const isSame = transactions === this.transactions;
		if (this.message.$unknown === ofBlock && isHeaderKept && isSame) return this;
		const message = Block.copy(this.message);
		message.$unknown = ofBlock;
		if (!isSame) message.transactions = transactions.map((each) => each.message);
		if (this.message.block_header && !isHeaderKept) {
			const header = BlockHeader.copy(this.header);
			header.$unknown = ofHeader;
			message.block_header = header;
		}
		return new SignedBlock(message, transactions);
	}

	/**
	 * The header's signature of a post-quantum scheme; undefined: it has none. On Nile alone.
	 * @throws {DecodeError} where its field holds something else
	 */
	get postQuantum(): Readonly<PQAuthSig> | undefined {
		return this.header.$unknown && signatureOfHeader(this.header);
	}

	/** Whether the header's post-quantum signature is right, verified once. The library of these schemes must be loaded. */
	isPostQuantumValid(): boolean {
		const entry = this.postQuantum;
		this.cachedVerdict ??= entry !== undefined && isPostQuantumSignature(this.rawHash, entry);
		return this.cachedVerdict;
	}

	/** The address that signed the header, recovered once. @throws {SignatureError} */
	signer(): Uint8Array {
		this.cachedSigner ??= recoverAddress(this.rawHash, this.header.witness_signature);
		return this.cachedSigner;
	}
}

const EMPTY_HEADER = new BlockHeader();
/** Numbers of a block's fields, for those that read only parts of its bytes. */
export const BLOCK_TRANSACTIONS_FIELD = 1;
export const BLOCK_HEADER_FIELD = 2;
const EMPTY_RAW = new BlockHeaderRaw();
