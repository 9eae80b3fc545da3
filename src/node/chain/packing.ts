/** Packing a block from the pool (protocol/blocks §5.2). */

import { merkleRoot, SignedBlock } from "../../protocol/block.js";
import { equalBytes, toKey } from "../../protocol/bytes.js";
import { varintSize } from "../../protocol/codec/unknown-fields.js";
import { sha256 } from "../../protocol/hash.js";
import { Block, BlockHeader, BlockHeaderRaw, PQAuthSig } from "../../protocol/messages.js";
import { OWNER_PERMISSION } from "../../protocol/permission.js";
import { headerFieldOf } from "../../protocol/post-quantum/fields.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { isShielded, MAX_SHIELDED_PER_BLOCK, signerOfWitness } from "../consensus/block-judgement.js";
import { ChainError, ValidateSignatureError } from "../rules/errors.js";
import type { BlockScope } from "../rules/execution.js";
import { producedVersion } from "../rules/fork-gates.js";
import { isSchemeAllowed, postQuantumOf } from "../rules/post-quantum.js";
import type { StateDatabase } from "../state/state-database.js";
import type { StateView } from "../state/view.js";
import { recordParentId } from "../vm/block-hash-history.js";
import { checkTradeInBlock, isTradeClosed } from "./closed-types.js";
import type { CommittedBlock } from "./observers.js";
import type { PendingPool, PendingTransaction } from "./pending-pool.js";
import { isConsistent } from "./protobuf-consistency.js";
import { type ProcessorEnvironment, processTransaction } from "./transaction-processor.js";
import type { UndoLayers } from "./undo-layers.js";

/** Maximum transactions with post-quantum signatures in a packed block. */
const MAX_POST_QUANTUM_PER_BLOCK = 1000;
/** Maximum bytes of a packed block, header included. */
const MAX_PACKED_BYTES = 2_000_000;

export interface Producer {
	/** Account of the witness. */
	readonly witness: Uint8Array;
	/** Address of the signing key. */
	readonly signer: Uint8Array;
	/** Signs the header hash. @throws {Error} where the key is elsewhere */
	readonly sign: (hash: Uint8Array) => Uint8Array;
	/** Signs remotely if the key isn't here; gets the data to be signed, not its hash. */
	readonly remote?: RemoteSigning;
	/** A post-quantum key, whose signature goes into a field of its own (protocol/post-quantum §6.3). */
	readonly postQuantum?: PostQuantumSigner;
}

/** Each rejects if the signer is unreachable or refuses. */
interface RemoteSigning {
	/** Called one slot before {@link block}, which then needs no new connection. */
	readonly prepare: () => void;
	/** Whether a received block has a signature of the key that isn't the signer's. @param header encoded {@link BlockHeaderRaw} */
	readonly isElsewhere: (header: Uint8Array, signature: Uint8Array) => Promise<boolean>;
	/** @param header encoded {@link BlockHeaderRaw} */
	readonly block: (header: Uint8Array) => Promise<Uint8Array>;
	readonly hello: (timestampMs: bigint) => Promise<Uint8Array>;
	/** @param vote encoded vote for a block or a list of witnesses */
	readonly vote: (vote: Uint8Array) => Promise<Uint8Array>;
}

interface PostQuantumSigner {
	readonly scheme: PostQuantumScheme;
	readonly publicKey: Uint8Array;
}

/** What packing works on. The caller undoes its state changes. */
export interface PackingContext {
	readonly environment: ProcessorEnvironment;
	readonly pool: PendingPool;
	readonly database: StateDatabase;
	readonly undoLayers: UndoLayers;
	/** Whether an account's permissions changed since its transactions were checked. */
	readonly permissionsChanged: (owner: string) => boolean;
	/** Called for a transaction that no longer passes and left the pool. */
	readonly onDropped: (transaction: SignedTransaction) => void;
}

/** Where and when a block is packed. */
export interface PackingSlot {
	readonly producer: Producer;
	readonly timestampMs: bigint;
	/** Tells when packing must end. */
	readonly expired: () => boolean;
	/**
	 * Budget in milliseconds for all transactions, each counted as long as it took while pending or as it takes here, whichever
	 * is longer: code may tell the two apart. Absent: unlimited. The first one is always packed.
	 */
	readonly maxExecutionMs?: number;
	/** Milliseconds of a monotonic clock; absent: the machine's. */
	readonly clock?: () => number;
}

type HowToPack = Omit<PackingSlot, "timestampMs">;

const sinceStart = (): number => performance.now();

/** A block waiting for its signature. */
export interface PackedBlock {
	/** Encoded {@link BlockHeaderRaw}, which gets signed. */
	readonly header: Uint8Array;
	/** @returns applies the block @throws {LostSlotError} if another block came meanwhile */
	readonly publish: (signature: Uint8Array) => () => CommittedBlock;
	/** Returns its transactions to the pool: there is no signature, which isn't their fault. */
	readonly giveBack: () => void;
}

export interface PackedTransactions {
	/** With their results, in block order. */
	readonly packed: readonly SignedTransaction[];
	/** The same transactions as the pool held them. */
	readonly taken: readonly PendingTransaction[];
}

/** @throws {ValidateSignatureError} if the key is not the one that signs for the witness, or its scheme is off */
export function checkProducer(state: StateView, producer: Producer): void {
	const { postQuantum } = producer;
	if (postQuantum && !isSchemeAllowed(state.properties, postQuantum.scheme)) {
		throw new ValidateSignatureError(`${postQuantum.scheme.name} is not allowed`);
	}
	if (!state.properties.on("ALLOW_MULTI_SIGN")) return;
	if (!equalBytes(signerOfWitness(state, producer.witness), producer.signer)) {
		throw new ValidateSignatureError("Witness permission is wrong.");
	}
}

/** The header of the next block on the head, still without the Merkle root. */
export function nextHeader(
	{ environment: { state, rules } }: PackingContext,
	slot: PackingSlot,
): BlockHeaderRaw {
	return BlockHeaderRaw.create({
		number: state.properties.headNumber + 1n,
		parentHash: state.properties.headId,
		timestamp: slot.timestampMs,
		version: producedVersion(rules),
		witness_address: slot.producer.witness,
	});
}

/**
 * Executes pool transactions on the head until the block is full. What doesn't fit stays in the pool; what no
 * longer passes leaves it.
 */
export function packTransactions(
	context: PackingContext,
	raw: Readonly<BlockHeaderRaw>,
	{ producer, expired, maxExecutionMs = Number.POSITIVE_INFINITY, clock = sinceStart }: HowToPack,
): PackedTransactions {
	const { environment, pool, database, undoLayers } = context;
	const scope: BlockScope = {
		number: raw.number,
		timestampMs: raw.timestamp,
		witness: raw.witness_address,
		parentId: raw.parentHash,
		signed: false,
		own: true,
	};
	recordParentId(environment.state, raw.number, raw.parentHash);
	const packed: SignedTransaction[] = [];
	const taken: PendingTransaction[] = [];
	const postponed: PendingTransaction[] = [];
	const updatedOwners = new Set<string>();
	const newWitnesses = new Set<string>();
	let bytes = emptySize(raw, producer);
	let [shielded, postQuantum, executionMs] = [0, 0, 0];
	const filters = environment.state.properties.on("ALLOW_PROTO_FILTER_NUM");
	for (let next = pool.takeForBlock(); next; next = pool.takeForBlock()) {
		const { entry, isPending } = next;
		const { transaction, tookMs = 0, packingMs = 0 } = entry;
		if (
			isTradeClosed(environment, transaction) ||
			(filters && !isConsistent(transaction, environment.rules.network)) ||
			// Not kept for the next block: the reference node drops it too (protocol/shielded §4.1).
			(isShielded(transaction) && shielded >= MAX_SHIELDED_PER_BLOCK)
		) {
			context.onDropped(transaction);
			continue;
		}
		const owner = toKey(transaction.owner);
		const isLate = expired() || executionMs > maxExecutionMs;
		const isPostQuantum = postQuantumOf(transaction, environment.rules).length > 0;
		const fits =
			!(isPostQuantum && postQuantum >= MAX_POST_QUANTUM_PER_BLOCK) &&
			bytes + embeddedSize(transaction) <= MAX_PACKED_BYTES &&
			!updatedOwners.has(owner) &&
			!(executionMs > 0 && executionMs + Math.max(tookMs, packingMs) > maxExecutionMs) &&
			// Other nodes check signatures against the state before the block, which lacks a new witness's permissions.
			!(newWitnesses.has(owner) && transaction.contract?.Permission_id !== OWNER_PERMISSION);
		if (isLate || !fits) postponed.push(entry);
		if (isLate) break;
		if (!fits) continue;
		if (isShielded(transaction)) shielded++;
		if (isPostQuantum) postQuantum++;
		if (transaction.type?.name === "AccountPermissionUpdateContract") updatedOwners.add(owner);
		const mark = database.mark();
		undoLayers.open();
		const startedMs = clock();
		try {
			checkTradeInBlock(environment, transaction);
			// On another head, permissions may have differed.
			const verified = isPending && !context.permissionsChanged(owner);
			const processed = processTransaction(environment, transaction, scope, { verified });
			packed.push(processed.transaction);
			if (transaction.type?.name === "WitnessCreateContract") newWitnesses.add(owner);
			const lastedMs = clock() - startedMs;
			taken.push({ ...entry, packingMs: lastedMs });
			// A dropped one pays nothing, so what it took while pending must not displace others.
			executionMs += Math.max(0, tookMs - lastedMs);
			bytes += embeddedSize(processed.transaction);
		} catch (error) {
			database.revert(mark);
			if (error instanceof ChainError) {
				context.onDropped(transaction);
				continue;
			}
			// A bug of this program: don't lose the other transactions along with the one that exposed it.
			pool.giveBack([...taken, ...postponed]);
			throw error;
		} finally {
			executionMs += clock() - startedMs;
			undoLayers.close();
		}
	}
	pool.giveBack(postponed);
	return { packed, taken };
}

/** Completes the header and encodes the part that is signed. */
export function completeHeader(raw: BlockHeaderRaw, transactions: readonly SignedTransaction[]): Uint8Array {
	raw.txTrieRoot = merkleRoot(transactions.map((transaction) => sha256(transaction.bytes)));
	return BlockHeaderRaw.encode(raw);
}

/** Adds the header's signature to a block. */
export function signedBlock(
	raw: BlockHeaderRaw,
	transactions: readonly SignedTransaction[],
	{ postQuantum }: Producer,
	signature: Uint8Array,
): SignedBlock {
	const header = BlockHeader.create({ raw_data: raw });
	if (postQuantum) {
		const { scheme, publicKey } = postQuantum;
		header.$unknown = headerFieldOf(
			PQAuthSig.create({ scheme: scheme.id, public_key: publicKey, signature }),
		);
	} else header.witness_signature = signature;
	const message = Block.create({
		transactions: transactions.map((transaction) => transaction.message),
		block_header: header,
	});
	return new SignedBlock(message, transactions);
}

/** Size of a block without transactions and without the signature of a key that isn't post-quantum. */
function emptySize(raw: Readonly<BlockHeaderRaw>, { postQuantum }: Producer): number {
	const block = Block.create({ block_header: BlockHeader.create({ raw_data: raw }) });
	return Block.size(block) + (postQuantum?.scheme.entryBytes ?? 0);
}

/** Size of a transaction inside a block, with tag and length. */
function embeddedSize(transaction: SignedTransaction): number {
	return 1 + varintSize(transaction.size) + transaction.size;
}
