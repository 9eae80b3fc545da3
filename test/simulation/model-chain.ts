/**
 * A minimal chain for simulations of many nodes: the network's slots, longest-chain rule and solidified
 * number, but no state, and hashes as signatures. Provides everything that the peer network needs.
 */

import type { HeaderVerdict } from "../../src/node/consensus/announced-block.js";
import type {
	BlockRef,
	LocalChain,
	PushResult,
	TransactionResult,
} from "../../src/node/network/local-chain.js";
import { BlockSignatureError } from "../../src/node/rules/errors.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { concatBytes, equalBytes, toKey, utf8 } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../src/protocol/messages.js";
import type { SignedTransaction } from "../../src/protocol/transaction.js";

export const SLOT_MS = 3_000n;
const SOLIDIFIED_SHARE = 0.7;
const MAX_POOL = 2_000;
const TRANSACTIONS_PER_BLOCK = 50;
const RULES_VERSION = 32;
/** Version of blocks with a valid signature that break a rule. */
export const BROKEN_VERSION = 13;

interface Stored {
	readonly block: SignedBlock;
	/** Height of the last block of each witness, in the order of witnesses. */
	readonly heights: readonly number[];
	readonly solid: number;
}

/** A witness's signature. It can be forged, but isn't in simulations. */
export function modelSignature(block: {
	readonly rawHash: Uint8Array;
	readonly witness: Uint8Array;
}): Uint8Array {
	const half = sha256(concatBytes(block.rawHash, block.witness));
	return concatBytes(half, half, Uint8Array.of(0));
}

export function modelWitness(index: number): Uint8Array {
	return concatBytes(Uint8Array.of(0x41), sha256(utf8(`witness ${index}`)).subarray(0, 20));
}

/** Shared by all chains of a network. */
export interface ModelNetwork {
	readonly witnesses: readonly Uint8Array[];
	readonly genesis: SignedBlock;
}

export function modelNetwork(witnessCount: number, startMs: bigint): ModelNetwork {
	const raw = BlockHeaderRaw.create({
		timestamp: startMs,
		parentHash: utf8("a network that is only thought of"),
	});
	return {
		witnesses: Array.from({ length: witnessCount }, (_, i) => modelWitness(i)),
		genesis: new SignedBlock(Block.create({ block_header: BlockHeader.create({ raw_data: raw }) })),
	};
}

export interface NewBlock {
	readonly parent: SignedBlock;
	readonly timestampMs: bigint;
	readonly witness: Uint8Array;
	readonly transactions: readonly SignedTransaction[];
	readonly version?: number;
}

/** @param forged signs with another key */
export function makeBlock(
	{ parent, timestampMs, witness, transactions, version }: NewBlock,
	forged = false,
): SignedBlock {
	const unsigned = new SignedBlock(
		Block.create({ transactions: transactions.map((t) => t.message) }),
		transactions,
	);
	const raw = BlockHeaderRaw.create({
		number: parent.number + 1n,
		timestamp: timestampMs,
		parentHash: parent.id,
		witness_address: witness,
		txTrieRoot: unsigned.computeMerkleRoot(),
		version: version ?? RULES_VERSION,
	});
	const block = new SignedBlock(Block.create({ block_header: BlockHeader.create({ raw_data: raw }) }));
	const signature = modelSignature(block);
	if (forged) signature[0] = (signature[0] as number) ^ 1;
	const header = BlockHeader.create({ raw_data: raw, witness_signature: signature });
	return new SignedBlock(
		Block.create({ transactions: transactions.map((t) => t.message), block_header: header }),
		transactions,
	);
}

export class ModelChain implements LocalChain {
	readonly genesis: BlockRef;
	readonly lowestNumber = 0n;
	readonly filtersUnknownFields = false;
	allowPbft = false;
	readonly activeWitnesses: readonly Uint8Array[];
	readonly formerWitnesses: readonly Uint8Array[];
	readonly nextMaintenanceMs: bigint;
	readonly maintenanceIntervalMs = 21_600_000n;
	/** Main chain ids by height. */
	private readonly main: Uint8Array[];
	/** Blocks of the main chain, and of branches that may still win. */
	private readonly stored = new Map<string, Stored>();
	private readonly byHeight = new Map<number, Set<string>>();
	private readonly pool = new Map<string, SignedTransaction>();
	private readonly included = new Map<string, SignedBlock>();
	private readonly observers = new Set<(block: SignedBlock, inReorg: boolean) => void>();
	private readonly commits = new Map<string, Uint8Array>();
	private prunedBelow = 0;

	/** @param own witnesses whose blocks are produced here */
	constructor(
		private readonly network: ModelNetwork,
		private readonly own: readonly Uint8Array[] = [],
	) {
		const { genesis, witnesses } = network;
		this.genesis = { id: genesis.id, number: 0n };
		this.activeWitnesses = witnesses;
		this.formerWitnesses = witnesses;
		this.nextMaintenanceMs = genesis.timestampMs + this.maintenanceIntervalMs;
		this.main = [genesis.id];
		this.keep(
			genesis,
			witnesses.map(() => 0),
			0,
		);
	}

	get head(): BlockRef {
		return { id: this.main.at(-1) as Uint8Array, number: BigInt(this.main.length - 1) };
	}

	get headBlock(): SignedBlock {
		return this.at(this.head.id).block;
	}

	get headTimestampMs(): bigint {
		return this.headBlock.timestampMs;
	}

	get solid(): BlockRef {
		const { solid } = this.at(this.head.id);
		return { id: this.main[solid] as Uint8Array, number: BigInt(solid) };
	}

	get solidTimestampMs(): bigint {
		return this.at(this.solid.id).block.timestampMs;
	}

	get lowestForkPoint(): bigint {
		return this.solid.number;
	}

	readonly isPoolFull = false;

	get queuedTransactions(): number {
		return this.pool.size;
	}

	get nextSlotMs(): bigint {
		return this.headTimestampMs + SLOT_MS;
	}

	/** Number of blocks stored. */
	get size(): number {
		return this.stored.size;
	}

	idAt(number: bigint): Uint8Array | undefined {
		return number < 0n ? undefined : this.main[Number(number)];
	}

	isOnChain(id: Uint8Array): boolean {
		const number = this.stored.get(toKey(id))?.block.number;
		const own = number === undefined ? undefined : this.idAt(number);
		return own !== undefined && equalBytes(own, id);
	}

	isKnown(id: Uint8Array): boolean {
		return this.stored.has(toKey(id));
	}

	branchTo(id: Uint8Array): readonly BlockRef[] | undefined {
		const branch: BlockRef[] = [];
		for (let at = id; !this.isOnChain(at); ) {
			const entry = this.stored.get(toKey(at));
			if (entry === undefined) return undefined;
			branch.push({ id: entry.block.id, number: entry.block.number });
			at = entry.block.parentId;
		}
		return branch.reverse();
	}

	block(id: Uint8Array): SignedBlock | undefined {
		return this.stored.get(toKey(id))?.block;
	}

	transaction(id: Uint8Array): SignedTransaction | undefined {
		const key = toKey(id);
		const block = this.included.get(key);
		return this.pool.get(key) ?? block?.transactions.find((transaction) => equalBytes(transaction.id, id));
	}

	async prepare(): Promise<void> {}

	push(block: SignedBlock): PushResult {
		if (!equalBytes(block.header.witness_signature, modelSignature(block))) {
			return { kind: "forged", message: "not signed by its witness" };
		}
		if (!equalBytes(block.raw.txTrieRoot, block.computeMerkleRoot())) {
			return { kind: "forged", message: "another Merkle root" };
		}
		if (this.isKnown(block.id)) return { kind: "accepted", isNew: false };
		const parent = this.stored.get(toKey(block.parentId));
		if (parent === undefined || block.number < this.solid.number) return { kind: "unlinked" };
		const message = this.brokenRule(block, parent.block);
		if (message !== undefined) return { kind: "failed", message };
		const { heights, solid } = this.statistics(block, parent);
		this.keep(block, heights, solid);
		if (block.number > this.head.number) this.extendTo(block);
		return { kind: "accepted", isNew: true };
	}

	private brokenRule(block: SignedBlock, parent: SignedBlock): string | undefined {
		if (block.raw.version !== RULES_VERSION) return `version ${block.raw.version}`;
		if (block.number !== parent.number + 1n) return "number";
		const sinceGenesis = block.timestampMs - this.network.genesis.timestampMs;
		if (block.timestampMs <= parent.timestampMs || sinceGenesis % SLOT_MS !== 0n) return "timestamp";
		if (!equalBytes(block.witness, this.scheduled(block.timestampMs))) return "not the witness of its slot";
		return undefined;
	}

	/** The witness of a slot. */
	scheduled(timestampMs: bigint): Uint8Array {
		const slot = (timestampMs - this.network.genesis.timestampMs) / SLOT_MS;
		return this.network.witnesses[Number(slot % BigInt(this.network.witnesses.length))] as Uint8Array;
	}

	private statistics(block: SignedBlock, parent: Stored): { heights: readonly number[]; solid: number } {
		const index = this.network.witnesses.findIndex((witness) => equalBytes(witness, block.witness));
		const heights = parent.heights.with(index, Number(block.number));
		const sorted = [...heights].sort((a, b) => a - b);
		const position = Math.trunc(sorted.length * (1 - SOLIDIFIED_SHARE));
		return { heights, solid: Math.max(parent.solid, sorted[position] as number) };
	}

	/** Makes a block the head, switching branches if necessary. */
	private extendTo(block: SignedBlock): void {
		const branch = this.branchTo(block.id) ?? [];
		const forkPoint = Number(branch[0]?.number ?? block.number) - 1;
		const inReorg = forkPoint < this.main.length - 1;
		for (const id of this.main.splice(forkPoint + 1)) this.unapply(this.at(id).block);
		for (const { id } of branch) {
			this.main.push(id);
			this.apply(this.at(id).block, inReorg);
		}
		this.prune();
	}

	private apply(block: SignedBlock, inReorg: boolean): void {
		for (const transaction of block.transactions) {
			this.pool.delete(toKey(transaction.id));
			this.included.set(toKey(transaction.id), block);
		}
		for (const observer of this.observers) observer(block, inReorg);
	}

	private unapply(block: SignedBlock): void {
		for (const transaction of block.transactions) {
			this.included.delete(toKey(transaction.id));
			if (this.pool.size < MAX_POOL) this.pool.set(toKey(transaction.id), transaction);
		}
	}

	/** Removes branches below the solidified block, which can't win. */
	private prune(): void {
		const solid = Number(this.solid.number);
		for (; this.prunedBelow < solid; this.prunedBelow++) {
			const own = toKey(this.main[this.prunedBelow] as Uint8Array);
			for (const key of this.byHeight.get(this.prunedBelow) ?? []) if (key !== own) this.stored.delete(key);
			this.byHeight.delete(this.prunedBelow);
		}
		// Removes their descendants, too.
		for (const keys of this.byHeight.values()) {
			for (const key of keys) {
				const entry = this.stored.get(key);
				if (entry && entry.block.number > 0n && !this.stored.has(toKey(entry.block.parentId))) {
					this.stored.delete(key);
					keys.delete(key);
				}
			}
		}
	}

	announcedHeader(block: SignedBlock): HeaderVerdict {
		const isActive = this.activeWitnesses.some((witness) => equalBytes(witness, block.witness));
		if (!isActive) return { kind: "inactiveWitness" };
		if (equalBytes(block.header.witness_signature, modelSignature(block))) return { kind: "good" };
		return { kind: "badSignature", error: new BlockSignatureError("valid signature failed.") };
	}

	needsPreparing(): boolean {
		return false;
	}

	signatureFormRefusal({ message }: SignedTransaction): string | undefined {
		const strange = message.signature.find(({ length }) => length < 65 || length > 68);
		return strange && `signature size is ${strange.length}`;
	}

	isSignedByWitness(): boolean {
		return false;
	}

	prepareTransaction(): undefined {}

	submit(transaction: SignedTransaction): TransactionResult {
		const key = toKey(transaction.id);
		if (transaction.message.raw_data?.contract.length !== 1)
			return { kind: "forbidden", message: "contract count" };
		if (this.pool.has(key) || this.included.has(key)) return { kind: "refused", message: "known" };
		if (this.pool.size >= MAX_POOL) return { kind: "refused", message: "full" };
		this.pool.set(key, transaction);
		return { kind: "accepted", served: transaction };
	}

	/** Builds the block of a slot, if its witness is ours, without applying it. */
	produceFor(timestampMs: bigint): SignedBlock | undefined {
		// There are no slots before genesis, whatever the clock.
		if (timestampMs <= this.network.genesis.timestampMs) return undefined;
		const scheduled = this.scheduled(timestampMs);
		const isOurs = this.own.some((witness) => equalBytes(witness, scheduled));
		return isOurs ? this.produce(scheduled, timestampMs) : undefined;
	}

	/** Builds a block on the head with pending transactions; undefined if it is too early. */
	produce(witness: Uint8Array, timestampMs: bigint): SignedBlock | undefined {
		if (timestampMs <= this.headTimestampMs) return undefined;
		const transactions: SignedTransaction[] = [];
		for (const [key, transaction] of this.pool) {
			if (transactions.length >= TRANSACTIONS_PER_BLOCK) break;
			if ((transaction.raw?.expiration ?? 0n) < timestampMs) this.pool.delete(key);
			else transactions.push(transaction);
		}
		return makeBlock({ parent: this.headBlock, timestampMs, witness, transactions });
	}

	/** Drops up to `count` unsolidified blocks from the head, as a power loss would. */
	forget(count: number): void {
		const lowest = Number(this.solid.number);
		for (let i = 0; i < count && this.main.length - 1 > lowest; i++) {
			const { block } = this.at(this.main.at(-1) as Uint8Array);
			// Keeps the solidified number: a restarted node has seen less, but nothing different.
			if (this.at(block.parentId).solid < lowest) return;
			this.main.pop();
			this.unapply(block);
			this.stored.delete(toKey(block.id));
			this.byHeight.get(Number(block.number))?.delete(toKey(block.id));
		}
		this.pool.clear();
	}

	signerOf(witness: Uint8Array): Uint8Array {
		return witness;
	}

	commit(key: string): Uint8Array | undefined {
		return this.commits.get(key);
	}

	storeCommit(key: string, value: Uint8Array): void {
		this.commits.set(key, value);
	}

	observe(committed: (block: SignedBlock, inReorg: boolean) => void): () => void {
		this.observers.add(committed);
		return () => this.observers.delete(committed);
	}

	private at(id: Uint8Array): Stored {
		const entry = this.stored.get(toKey(id));
		if (entry === undefined) throw new Error("a block of the chain is not stored");
		return entry;
	}

	private keep(block: SignedBlock, heights: readonly number[], solid: number): void {
		const key = toKey(block.id);
		this.stored.set(key, { block, heights, solid });
		const number = Number(block.number);
		const keys = this.byHeight.get(number) ?? new Set();
		keys.add(key);
		this.byHeight.set(number, keys);
	}
}
