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

/** Tag of `transactions`, the first field of a block: number 1, length-delimited. */
const BLOCK_TRANSACTIONS_TAG = 0x0a;

const ZERO_HASH = new Uint8Array(32);

/** Block id: the number in eight bytes, then bytes 8 to 31 of the header hash. */
export function blockId(number: bigint, rawHash: Uint8Array): Uint8Array {
	return concatBytes(be64(number), rawHash.subarray(8, 32));
}

/** The block number encoded in a block id. */
export function numberOfBlockId(id: Uint8Array): bigint {
	return readBe64(id);
}

/** Reference to a block in transactions: bytes of its number and hash, both taken from the block id. */
export function refBlockOf(id: Uint8Array): Pick<TransactionHeader, "refBlockBytes" | "refBlockHash"> {
	return { refBlockBytes: id.subarray(6, 8), refBlockHash: id.subarray(8, 16) };
}

/** Merkle root over leaves in order; an odd node moves up unchanged; zero hash if there are no leaves. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
	if (leaves.length === 0) return ZERO_HASH;
	let level = leaves;
	while (level.length > 1) level = levelAbove(level);
	return level[0] as Uint8Array;
}

/** Facts derived from a block's bytes alone. */
interface BlockFacts {
	/** Whether the bytes are the block's canonical encoding. */
	readonly isCanonical: boolean;
	readonly rawHash: Uint8Array;
	readonly root: Uint8Array;
	/** undefined if the block is unsigned or its signature is invalid */
	readonly signer: Uint8Array | undefined;
}

/** An immutable block with cached values derived from its bytes. */
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
	/** The bytes it was decoded from (not necessarily canonical), as long as the contents are kept. */
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

	/** Keeps only the encoded bytes; later access decodes transactions again, into new objects. */
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

	/** Adopts facts that another thread computed from the same received bytes. */
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

	/** Reuses the transaction bytes that were serialised for the root. */
	private encode(): Uint8Array {
		const { cachedTransactions: transactions } = this;
		if (!this.cachedRoot || !transactions) return Block.encode(this.message);
		const { block_header, $unknown } = this.message;
		// Serialise the transactions first: they use the same shared writer.
		const parts = transactions.map(({ bytes }) => bytes);
		sharedWriter.reset();
		writeBlock(sharedWriter, Block.create({ block_header, $unknown }));
		for (let at = parts.length - 1; at >= 0; at--) {
			sharedWriter.bytes(parts[at] as Uint8Array);
			sharedWriter.byte(BLOCK_TRANSACTIONS_TAG);
		}
		return sharedWriter.finish();
	}

	/** SHA-256 of the serialised header data, which the witness signs. */
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

	/** Root over complete transactions, including signatures and results. */
	computeMerkleRoot(): Uint8Array {
		this.cachedRoot ??= merkleRoot(this.transactions.map((tx) => sha256(tx.bytes)));
		return this.cachedRoot;
	}

	/**
	 * Drops unknown fields of block and header. Those of header data and transactions are hashed and stay.
	 * @param onNile also keeps Nile's fields, in canonical form
	 * @throws {DecodeError} if they don't decode
	 */
	withoutUnknownFields(onNile = false): SignedBlock {
		const kept = onNile ? canonicalOfHeader(this.header.$unknown, false) : undefined;
		const transactions = onNile ? this.transactionsOnNile() : this.transactions;
		return this.withUnknown(undefined, kept, transactions);
	}

	/**
	 * The block as Nile's nodes read it, with Nile-only signatures in canonical form.
	 * @throws {DecodeError} if their fields don't decode
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
	 * The header's post-quantum signature (Nile only), if there is one.
	 * @throws {DecodeError} if its field is malformed
	 */
	get postQuantum(): Readonly<PQAuthSig> | undefined {
		return this.header.$unknown && signatureOfHeader(this.header);
	}

	/** Whether the header's post-quantum signature is valid; cached. Needs `loadPostQuantum`. */
	isPostQuantumValid(): boolean {
		const entry = this.postQuantum;
		this.cachedVerdict ??= entry !== undefined && isPostQuantumSignature(this.rawHash, entry);
		return this.cachedVerdict;
	}

	/** The address that signed the header; cached. @throws {SignatureError} */
	signer(): Uint8Array {
		this.cachedSigner ??= recoverAddress(this.rawHash, this.header.witness_signature);
		return this.cachedSigner;
	}
}

const EMPTY_HEADER = new BlockHeader();
/** Field numbers of a block, for code that reads only parts of its bytes. */
export const BLOCK_TRANSACTIONS_FIELD = 1;
export const BLOCK_HEADER_FIELD = 2;
const EMPTY_RAW = new BlockHeaderRaw();
