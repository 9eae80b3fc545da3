/** The node's chain as seen by the peer network. */

import { numberOfBlockId, type SignedBlock } from "../../protocol/block.js";
import { be64, equalBytes, readBe64 } from "../../protocol/bytes.js";
import { isWireError } from "../../protocol/json/exceptions.js";
import type { PQAuthSig } from "../../protocol/messages.js";
import { isPostQuantumSignature } from "../../protocol/post-quantum/algorithms.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import { signatureFormRefusal } from "../chain/authorization.js";
import { blockIdAt, locateTransaction } from "../chain/block-store.js";
import { eachBlock } from "../chain/observers.js";
import type { OpenChain } from "../chain/open-chain.js";
import { hasSlowSignatures, prepareSent, type VerifyAhead, verifySent } from "../chain/work-ahead.js";
import { type HeaderVerdict, judgeAnnouncedHeader } from "../consensus/announced-block.js";
import { postQuantumRefusal, signerOfWitness } from "../consensus/block-judgement.js";
import { activeWitnesses, nextSlotTimeMs } from "../consensus/slots.js";
import { Recent } from "../memory/recent.js";
import {
	BlockSignatureError,
	ContractCountError,
	MerkleRootError,
	NonCommonBlockError,
	UnlinkedBlockError,
} from "../rules/errors.js";
import { hasProofs } from "../shielded/proof-questions.js";
import type { PrepareProofs } from "../shielded/proof-queue.js";
import type { StateView } from "../state/view.js";
import type { BlockRef, LocalChain, PushResult, TransactionResult } from "./local-chain.js";

/** Maximum confirmations whose write may still be pending. */
const MAX_UNWRITTEN_COMMITS = 64;
/** Confirmations of blocks and cycles, and the last confirmed block; named like the reference's stores. */
const COMMIT_STORE = "pbft-sign-data/";
const CONFIRMED_KEY = "common-database/LATEST_PBFT_BLOCK_NUM";

/** Processes signatures before they are needed. */
export interface SignatureAhead {
	/**
	 * Digests a block, and recovers its signers.
	 * @param isOfWitness whether an active witness has signed it: only then slow signatures are worth the time
	 */
	digest(block: SignedBlock, isOfWitness: boolean): Promise<void>;
}

interface NodeChainOptions {
	readonly open: OpenChain;
	/** Undefined: signatures are recovered when blocks are applied. */
	readonly pool: SignatureAhead | undefined;
	/** Checks a transaction's shielded proofs ahead of time; absent: during execution. */
	readonly prepare?: PrepareProofs | undefined;
	readonly verify?: VerifyAhead | undefined;
	/** Receives errors that are bugs of this program. */
	readonly report: (error: unknown, where: string) => void;
	/** Checked before each block: true drops it, because the node stops at the block before. */
	readonly isAtEnd?: (() => boolean) | undefined;
}

/** All peers count as one source, next to clients; among themselves they take turns earlier. */
const PEERS = "peers";

export class NodeChain implements LocalChain {
	readonly genesis: BlockRef;
	private solidBlock: { readonly ref: BlockRef; readonly timestampMs: bigint };
	/** Active witnesses by cycle, the current one last, preceded by known former ones. */
	private cycles: readonly { readonly endMs: bigint; readonly witnesses: readonly Uint8Array[] }[] = [];
	private readonly commits = new Recent<Uint8Array>(MAX_UNWRITTEN_COMMITS, Number.POSITIVE_INFINITY, () => 0);
	private confirmed: bigint;
	private readonly unobserve: () => void;

	constructor(private readonly options: NodeChainOptions) {
		const { open } = options;
		this.genesis = { id: open.rules.genesisId, number: 0n };
		this.solidBlock = { ref: this.genesis, timestampMs: open.rules.genesisTimestampMs };
		this.noteCycle();
		const confirmed = open.sideRecord(CONFIRMED_KEY);
		this.confirmed = confirmed ? readBe64(confirmed) : 0n;
		this.unobserve = open.chain.observe({
			committed: () => {
				if (this.nextMaintenanceMs !== this.cycles.at(-1)?.endMs) this.noteCycle();
			},
			// Another branch may have elected others for the same cycle, be in an earlier one, or span several.
			reorg: ({ committed }) => {
				for (const { block } of committed) this.noteCycle(open.stateAt(block.number));
				this.noteCycle();
			},
		});
	}

	/** Stops observing the chain. */
	close(): void {
		this.unobserve();
	}

	private get state() {
		return this.options.open.chain.state;
	}

	/** Remembers the active witnesses for the time after the next maintenance. */
	private noteCycle(state: StateView = this.state): void {
		const endMs = state.properties.get("NEXT_MAINTENANCE_TIME");
		// Two earlier cycles: a reorg may go back across a maintenance.
		const before = this.cycles.filter((cycle) => cycle.endMs < endMs).slice(-2);
		this.cycles = [...before, { endMs, witnesses: activeWitnesses(state) }];
	}

	get head(): BlockRef {
		const { properties } = this.state;
		return { id: properties.headId, number: properties.headNumber };
	}

	get solid(): BlockRef {
		return this.solidFacts.ref;
	}

	get solidTimestampMs(): bigint {
		return this.solidFacts.timestampMs;
	}

	private get solidFacts() {
		const number = this.options.open.chain.solidifiedNumber;
		const id = number === this.solidBlock.ref.number ? undefined : this.idAt(number);
		const block = id && this.block(id);
		if (block) this.solidBlock = { ref: { id: block.id, number }, timestampMs: block.timestampMs };
		return this.solidBlock;
	}

	get lowestNumber(): bigint {
		const lowest = this.options.open.lowestNumber;
		return lowest > 1n ? lowest : 0n;
	}

	get lowestForkPoint(): bigint {
		return this.options.open.database.finalizedNumber;
	}

	idAt(number: bigint): Uint8Array | undefined {
		return blockIdAt(this.state, number);
	}

	isOnChain(id: Uint8Array): boolean {
		const own = id.length === 32 ? this.idAt(numberOfBlockId(id)) : undefined;
		return own !== undefined && equalBytes(own, id);
	}

	isKnown(id: Uint8Array): boolean {
		return this.isOnChain(id) || this.options.open.chain.tree.has(id);
	}

	branchTo(id: Uint8Array): readonly BlockRef[] | undefined {
		const { tree } = this.options.open.chain;
		const branch: BlockRef[] = [];
		for (let at = id; !this.isOnChain(at); ) {
			const block = tree.block(at);
			if (!block) return undefined;
			branch.push({ id: block.id, number: block.number });
			at = block.parentId;
		}
		return branch.reverse();
	}

	block(id: Uint8Array): SignedBlock | undefined {
		return this.options.open.chain.blockById(id);
	}

	transaction(id: Uint8Array): SignedTransaction | undefined {
		const place = locateTransaction(this.state, id);
		if (!place) return undefined;
		if ("pending" in place) return SignedTransaction.decode(place.pending);
		const block = this.options.open.chain.blockByNumber(place.block);
		return block?.transactions.find((transaction) => equalBytes(transaction.id, id));
	}

	needsPreparing(transaction: SignedTransaction): boolean {
		const { open, prepare, verify } = this.options;
		return (
			(prepare !== undefined && hasProofs(transaction)) ||
			(verify !== undefined && hasSlowSignatures(transaction, open))
		);
	}

	async prepare(block: SignedBlock): Promise<void> {
		const { open, pool } = this.options;
		const isSlow =
			open.rules.network === "nile" && block.transactions.some(({ message }) => message.$unknown);
		// Anyone can fill a block with seconds of verification work, and it would delay blocks before it is validated.
		const isOfWitness = isSlow && this.announcedHeader(block).kind === "good";
		// The digest has the ids that prefetching needs.
		await pool?.digest(block, isOfWitness);
		await open.readAhead(block);
		await open.throttle();
	}

	push(block: SignedBlock): PushResult {
		if (this.options.isAtEnd?.()) return { kind: "accepted", isNew: false };
		try {
			return { kind: "accepted", isNew: this.options.open.chain.push(block, "peer").kind !== "known" };
		} catch (error) {
			const message = this.messageOf(error, `block ${block.number}`);
			if (error instanceof UnlinkedBlockError) return { kind: "unlinked" };
			if (error instanceof NonCommonBlockError) return { kind: "failed", message, isLostBranch: true };
			const isForged = error instanceof MerkleRootError || error instanceof BlockSignatureError;
			return { kind: isForged ? "forged" : "failed", message };
		}
	}

	announcedHeader(block: SignedBlock): HeaderVerdict {
		const { open } = this.options;
		// As a push validates it: a key that a pending transaction replaces still signs.
		const executed = open.stateAt(this.state.properties.headNumber) ?? this.state;
		return judgeAnnouncedHeader(executed, open.rules, block);
	}

	signatureFormRefusal(transaction: SignedTransaction): string | undefined {
		return signatureFormRefusal(transaction, this.state, this.options.open.rules)?.peerMessage;
	}

	prepareTransaction(transaction: SignedTransaction): Promise<void> | undefined {
		const { open, prepare, verify } = this.options;
		const proofs = prepare && prepareSent(open, prepare, transaction);
		return proofs ?? (verify && verifySent(open, verify, transaction, PEERS));
	}

	submit(transaction: SignedTransaction): TransactionResult {
		try {
			this.options.open.chain.pushTransaction(transaction);
		} catch (error) {
			const message = this.messageOf(error, `transaction ${transaction.idHex}`);
			return { kind: error instanceof ContractCountError ? "forbidden" : "refused", message };
		}
		const place = locateTransaction(this.state, transaction.id);
		if (!place || !("pending" in place)) return { kind: "refused", message: "the pool doesn't take it" };
		return { kind: "accepted", served: SignedTransaction.decode(place.pending) };
	}

	/** The message of a refusal; anything else thrown is a bug of this program, and refuses as well. */
	private messageOf(error: unknown, what: string): string {
		if (!isWireError(error)) this.options.report(error, what);
		return error instanceof Error ? error.message : String(error);
	}

	get queuedTransactions(): number {
		return this.options.open.chain.pool.queued;
	}

	get isPoolFull(): boolean {
		return this.options.open.chain.pool.isFull;
	}

	get nextSlotMs(): bigint {
		return nextSlotTimeMs(this.state, this.options.open.rules.development);
	}

	get filtersUnknownFields(): boolean {
		return this.state.properties.on("ALLOW_PROTO_FILTER_NUM");
	}

	get allowPbft(): boolean {
		return this.state.properties.on("ALLOW_PBFT");
	}

	get activeWitnesses(): readonly Uint8Array[] {
		return activeWitnesses(this.state);
	}

	get formerWitnesses(): readonly Uint8Array[] {
		return (this.cycles.at(-2) ?? this.cycles.at(-1))?.witnesses ?? [];
	}

	get nextMaintenanceMs(): bigint {
		return this.state.properties.get("NEXT_MAINTENANCE_TIME");
	}

	get maintenanceIntervalMs(): bigint {
		return this.state.properties.get("MAINTENANCE_TIME_INTERVAL");
	}

	signerOf(witness: Uint8Array): Uint8Array {
		return signerOfWitness(this.state, witness);
	}

	isSignedByWitness(witness: Uint8Array, hash: Uint8Array, entry: Readonly<PQAuthSig>): boolean {
		return (
			postQuantumRefusal(this.state, witness, entry, () => isPostQuantumSignature(hash, entry)) === undefined
		);
	}

	commit(key: string): Uint8Array | undefined {
		return this.commits.get(key) ?? this.options.open.sideRecord(COMMIT_STORE + key);
	}

	storeCommit(key: string, value: Uint8Array): void {
		// Cached until the write completes, which no caller awaits.
		this.commits.renew(key, value);
		this.options.open.putSideRecord(COMMIT_STORE + key, value);
	}

	/** Number of the last block confirmed by votes; 0 before the first. */
	get confirmedNumber(): bigint {
		return this.confirmed;
	}

	confirmBlock(number: bigint): void {
		if (number <= this.confirmed) return;
		this.confirmed = number;
		this.options.open.putSideRecord(CONFIRMED_KEY, be64(number));
	}

	observe(committed: (block: SignedBlock, inReorg: boolean) => void): () => void {
		return this.options.open.chain.observe(
			eachBlock({ committed: ({ block }, inReorg) => committed(block, inReorg) }),
		);
	}
}
