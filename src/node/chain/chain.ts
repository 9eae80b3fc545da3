/**
 * The chain: head, branches and mempool (protocol/blocks §§3.3, 4.3, 4.5, 5). Everything here is synchronous:
 * a caller sees the state before a block or after it, never in between.
 */

import type { SignedBlock } from "../../protocol/block.js";
import { EMPTY, equalBytes, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import type { BlockHeaderRaw, TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import {
	asReadBy,
	BLOCK_ORIGINS,
	type BlockOrigin,
	type BlockPlace,
	checkBranchSignature,
	isShielded,
	judgeContents,
	judgeHeader,
} from "../consensus/block-judgement.js";
import { admissionOf } from "../rules/admission.js";
import { ChainError, LostSlotError, NonCommonBlockError, UnlinkedBlockError } from "../rules/errors.js";
import type { StateDatabase } from "../state/state-database.js";
import { createView, type StateView } from "../state/view.js";
import { authorize } from "./authorization.js";
import type { ChainJournal, LogRecord, LogRecordType } from "./block-log.js";
import { applyBlock } from "./block-processor.js";
import { blockByNumber, blockIdAt, blockById as storedBlock, transactionInfosOf } from "./block-store.js";
import type { ChainSettings } from "./chain-options.js";
import { checkShieldedSupport, closedTrading, isTradeClosed } from "./closed-types.js";
import { ForkTree } from "./fork-tree.js";
import {
	type ChainObserver,
	type CommittedBlock,
	type ExecutedBlock,
	Observers,
	type PushOutcome,
	type Reorg,
} from "./observers.js";
import {
	checkProducer,
	completeHeader,
	nextHeader,
	type PackedBlock,
	type PackedTransactions,
	type PackingContext,
	type PackingSlot,
	type Producer,
	packTransactions,
	signedBlock,
} from "./packing.js";
import { ChangedOwners, PendingPool, type PendingTransaction, REQUEUE_TURN_MS } from "./pending-pool.js";
import { type RestoreTarget, recordsOf, restoreRecords } from "./restore.js";
import { type ProcessorEnvironment, processTransaction } from "./transaction-processor.js";
import { UndoLayers } from "./undo-layers.js";

export class Chain {
	readonly tree = new ForkTree();
	readonly pool: PendingPool;
	/** Counts the reference's undo layers: they decide up to which block the chain is final. */
	undoLayers: UndoLayers;
	readonly environment: ProcessorEnvironment;
	private readonly changedOwners = new ChangedOwners();
	/** Blocks that this node produced. */
	private readonly ownBlocks = new WeakSet<SignedBlock>();
	/** Ids of transactions returned to the pool by a block of this node that failed. */
	private readonly givenBack = new Set<string>();
	private pendingShielded = 0;
	/** While a reorg may still fail, nothing above this block becomes final. */
	private forkNumber: bigint | undefined;
	private restoring = false;

	constructor(
		environment: ProcessorEnvironment,
		private readonly database: StateDatabase,
		readonly solidState: StateView,
		private readonly settings: ChainSettings,
		private readonly clock: () => bigint,
		private readonly journal: ChainJournal | undefined,
		readonly observers: Observers = new Observers(),
	) {
		this.environment = { ...environment, times: this.observers.timings };
		this.pool = new PendingPool(settings.pendingTimeoutMs, settings.sortPendingByFee);
		const id = this.state.properties.headId;
		const head = storedBlock(this.state, id);
		if (!head) throw new Error(`the head block ${toHex(id)} is missing from the database`);
		this.tree.start(head);
		this.undoLayers = new UndoLayers(head.number);
		this.updateCapacity();
		// Only at genesis: a later start with votes for a version just complete would close the gates below that
		// version for good, and the state would no longer follow from the blocks alone (protocol/consensus §6).
		if (head.number === 0n) environment.forks.init();
		// Writes at startup are below every block, so they can't be undone.
		database.commitBlock(head.number);
		database.settle(head.number);
	}

	/** The head state, pending transactions included. */
	get state(): StateView {
		return this.environment.state;
	}

	get head(): SignedBlock {
		return this.tree.head;
	}

	get solidifiedNumber(): bigint {
		return this.state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	}

	/** The state after a block, without pending transactions; valid until the next change. */
	private stateAfter(number = this.state.properties.headNumber): StateView | undefined {
		const state = this.database.stateBefore(number + 1n);
		return state && createView(state, this.state.seed);
	}

	/** Registers an observer; the returned function removes it. */
	observe(observer: ChainObserver): () => void {
		return this.observers.add(observer);
	}

	/** A block by id, of any branch in memory or of the chain. */
	blockById(id: Uint8Array): SignedBlock | undefined {
		return this.tree.block(id) ?? storedBlock(this.state, id);
	}

	/** A block of the chain by height. */
	blockByNumber(number: bigint): SignedBlock | undefined {
		const id = blockIdAt(this.state, number);
		return id && this.blockById(id);
	}

	/** Replays the records of the log on start. @throws {LogDamagedError} if a block that was the head can't be reached again */
	restore(records: readonly LogRecord[]): void {
		const { database, state, pool } = this;
		this.restoring = true;
		try {
			const target: RestoreTarget = {
				get finalizedNumber() {
					return database.finalizedNumber;
				},
				get headNumber() {
					return state.properties.headNumber;
				},
				push: (block, origin) => this.push(block, origin),
				forget: (id) => this.forgetRestored(id),
				clearPool: () => pool.clear(),
				has: ({ id }) => state.transaction.has(id),
				addTransaction: (transaction) => this.pushTransaction(transaction),
			};
			restoreRecords(target, records);
		} finally {
			this.restoring = false;
		}
	}

	private forgetRestored(id: Uint8Array): void {
		const block = this.tree.block(id);
		if (!block || this.isOnChain(block)) return;
		this.tree.remove(id);
		this.tree.setHead(this.state.properties.headId);
	}

	/** The records a new log segment begins with: what the database doesn't hold yet. */
	unsettledRecords(): LogRecord[] {
		const typeOf = (block: SignedBlock) => (this.isOnChain(block) ? this.executedAs(block) : "branch");
		return recordsOf(this.tree.blocksAbove(this.database.finalizedNumber), this.pool.all(), typeOf);
	}

	private readonly executedAs = (block: SignedBlock) => (this.ownBlocks.has(block) ? "own" : "block");

	private isOnChain({ id, number }: SignedBlock): boolean {
		return equalBytes(blockIdAt(this.state, number) ?? EMPTY, id);
	}

	/**
	 * Offers a block: it becomes the head, joins a side branch, or is refused (protocol/blocks §4.3) before
	 * anything is stored or undone.
	 * @throws {ChainError} why it is refused; the chain is then as before
	 */
	push(received: SignedBlock, origin: BlockOrigin): PushOutcome {
		const trust = BLOCK_ORIGINS[origin];
		const block = asReadBy(this.environment.rules, received, trust);
		if (block.number <= this.state.properties.headNumber && this.tree.has(block.id)) return { kind: "known" };
		const started = performance.now();
		if (!trust.header) judgeHeader(block, this.placeOf(block));
		judgeContents(block, trust, this.environment.rules.release);
		this.discardPending();
		try {
			if (origin === "own") this.ownBlocks.add(block);
			const outcome = this.join(block, trust.contents);
			this.observers.publish("accepted", block);
			this.observers.timings.pushed(block, { origin, ...outcome }, started);
			return outcome;
		} finally {
			this.requeue();
			this.changedOwners.keep(this.pool, block);
		}
	}

	private requeue(): void {
		for (const { transaction } of this.pool.requeue(this.clock())) this.noteDropped(transaction);
		if (this.pool.hasWaiting) this.observers.publish("waiting");
	}

	/**
	 * Where a block attaches.
	 * @throws {UnlinkedBlockError | NonCommonBlockError} if that isn't known, or can't change any more
	 */
	private placeOf(block: SignedBlock): BlockPlace {
		const found = this.tree.branchBelow(block.parentId, (one) => this.isOnChain(one));
		if (!found) throw new UnlinkedBlockError("null");
		const { parent, branch } = found;
		const state = this.stateAfter(parent.number);
		if (!state || parent.number < this.database.finalizedNumber) throw this.tooDeep(parent.number);
		const outOfTurn = (error: ChainError) =>
			equalBytes(block.parentId, this.head.id) && this.observers.publish("refused", block, error);
		const { rules } = this.environment;
		return { state, head: () => this.stateAfter(), branch, outOfTurn, rules };
	}

	private tooDeep(forkNumber: bigint): NonCommonBlockError {
		const final = `but block ${this.database.finalizedNumber} is final`;
		return new NonCommonBlockError(`the branch leaves the chain at block ${forkNumber}, ${final}`);
	}

	/** Adds a validated block to the tree, and switches to its branch if that is now the longest. */
	private join(block: SignedBlock, contentsTrusted: boolean): PushOutcome {
		const { headId, headNumber } = this.state.properties;
		const tip = this.tree.push(block, { headId, finalizedNumber: this.database.finalizedNumber });
		if (tip.number <= headNumber) {
			this.log("branch", block.bytes);
			return { kind: "branch" };
		}
		if (!equalBytes(tip.parentId, headId)) {
			const reorg = this.reorgTo(tip);
			this.observers.publish("reorg", reorg);
			return { kind: "head", committed: reorg.committed, isReorg: true };
		}
		let committed: CommittedBlock;
		try {
			committed = this.apply(tip, contentsTrusted);
		} catch (error) {
			this.tree.remove(block.id);
			throw error;
		}
		this.observers.publish("committed", committed);
		return { kind: "head", committed: [committed], isReorg: false };
	}

	/** Executes a block on the head as one undo layer, or leaves no trace of it. */
	private apply(block: SignedBlock, contentsTrusted: boolean): CommittedBlock {
		this.undoLayers.open();
		this.settle();
		const mark = this.database.mark();
		let infos: readonly TransactionInfo[];
		try {
			infos = applyBlock(this.environment, block, {
				own: this.ownBlocks.has(block),
				contentsTrusted,
				balanceHistory: this.settings.balanceHistory,
				transactionHistory: this.settings.transactionHistory,
				logIndex: this.settings.logIndex,
			});
			this.log(this.executedAs(block), block.bytes);
		} catch (error) {
			this.undoLayers.close();
			this.database.revert(mark);
			if (error instanceof ChainError) this.observers.publish("refused", block, error);
			throw error;
		}
		const committed = { block, infos, change: this.database.commitBlock(block.number) };
		this.updateCapacity();
		this.tree.forgetContentsBelow(block);
		if (this.environment.rules.development) this.settle();
		return committed;
	}

	private log(type: LogRecordType, payload: Uint8Array): void {
		if (!this.restoring) this.journal?.append(type, payload);
	}

	/** Logs that a transaction left the pool without a block, so that a restart doesn't bring it back. */
	private noteDropped(transaction: SignedTransaction): void {
		if (!this.state.transaction.has(transaction.id)) this.log("dropped", transaction.id);
	}

	/**
	 * Moves into the base what the reference node has merged by now: it determines how deep a reorg may reach,
	 * what the solidity API shows, and when account records are rewritten.
	 */
	private settle(): void {
		const { forkNumber, undoLayers } = this;
		const number = this.environment.rules.development ? this.solidifiedNumber : undoLayers.merged;
		this.database.settle(forkNumber === undefined || number < forkNumber ? number : forkNumber);
	}

	private updateCapacity(): void {
		const layers = this.state.properties.headNumber - this.solidifiedNumber + 1n;
		this.tree.setCapacity(layers);
		this.undoLayers.capacity = Number(layers);
	}

	/** Reorgs to a longer branch; if one of its blocks fails, restores the old one. */
	private reorgTo(tip: SignedBlock): Reorg {
		const { newBlocks } = this.branchTo(tip);
		const formerHead = this.state.properties.headId;
		const { parentId: ancestor, number } = newBlocks.at(-1) as SignedBlock;
		const layers = this.undoLayers.copy();
		this.forkNumber = number - 1n;
		const reverted: ExecutedBlock[] = [];
		while (!equalBytes(this.state.properties.headId, ancestor)) reverted.push(this.revertHead());
		const committed: CommittedBlock[] = [];
		try {
			for (const block of [...newBlocks].reverse()) {
				checkBranchSignature(this.environment, block);
				committed.push(this.apply(block, this.ownBlocks.has(block)));
			}
			this.forkNumber = undefined;
			this.settle();
			return { reverted, committed };
		} catch (error) {
			for (const block of newBlocks) this.forget(block);
			while (!equalBytes(this.state.properties.headId, ancestor)) this.revertHead();
			for (const { block } of reverted.reverse()) this.apply(block, true);
			this.tree.setHead(formerHead);
			if (this.undoLayers.merged > number - 1n) this.undoLayers = layers;
			this.forkNumber = undefined;
			this.observers.timings.reorgFailed();
			throw error;
		}
	}

	/** @throws {NonCommonBlockError} if the branch leaves the chain below what can be undone */
	private branchTo(tip: SignedBlock): ReturnType<ForkTree["branch"]> {
		let branch: ReturnType<ForkTree["branch"]>;
		try {
			branch = this.tree.branch(tip.id, this.state.properties.headId);
		} catch (error) {
			this.removeAncestors(tip);
			throw error;
		}
		const lowest = branch.newBlocks.at(-1) as SignedBlock;
		const settled = this.database.finalizedNumber;
		if (lowest.number <= settled) {
			for (const block of branch.newBlocks) this.forget(block);
			throw this.tooDeep(lowest.number - 1n);
		}
		return branch;
	}

	private removeAncestors(tip: SignedBlock): void {
		for (let block: SignedBlock | undefined = tip; block && !this.isOnChain(block); ) {
			const parent: SignedBlock | undefined = this.tree.block(block.parentId);
			this.forget(block);
			block = parent;
		}
	}

	/** Forgets a block of a side branch. */
	private forget(block: SignedBlock): void {
		this.tree.remove(block.id);
		this.log("forgotten", block.id);
	}

	/** Undoes the head block; its transactions may be included again. */
	private revertHead(): ExecutedBlock {
		const reverted = this.withInfos(this.blockById(this.state.properties.headId) as SignedBlock);
		const { block } = reverted;
		this.database.undoBlock();
		this.undoLayers.close();
		for (const transaction of block.transactions) this.log("transaction", transaction.bytes);
		this.pool.addPopped(block.transactions, this.clock());
		return reverted;
	}

	private readonly withInfos = (block: SignedBlock) => ({
		block,
		infos: transactionInfosOf(this.state, block),
	});

	private discardPending(): void {
		this.database.revert(0);
		this.undoLayers.closePending();
		this.pendingShielded = 0;
	}

	/**
	 * Checks a transaction and adds it to the pending pool (protocol/blocks §3.3).
	 * @returns its information as of now; undefined for a shielded transaction that the node doesn't keep
	 * @throws {ChainError} why it is refused
	 */
	pushTransaction(received: SignedTransaction): TransactionInfo | undefined {
		const { rules } = this.environment;
		const transaction = admissionOf(rules).received(received, rules.network);
		if (isShielded(transaction)) {
			checkShieldedSupport(this.environment);
			if (!this.settings.shieldedAllowed) return undefined;
		}
		if (isTradeClosed(this.environment, transaction)) throw closedTrading();
		this.authorize(transaction);
		const info = this.execute(transaction, this.clock(), true);
		if (info) this.observers.publish("pending", transaction, info);
		return info;
	}

	private authorize(transaction: SignedTransaction): void {
		authorize(this.environment, transaction, this.environment.rules.development);
	}

	/** @param isNew the log doesn't hold it yet @returns undefined for a shielded transfer beyond those that may wait */
	private execute(transaction: SignedTransaction, receivedMs: bigint, isNew: boolean, packingMs = 0) {
		if (isShielded(transaction) && this.pendingShielded >= this.settings.maxPendingShielded) return undefined;
		this.undoLayers.openPending();
		this.undoLayers.open();
		this.settle();
		const mark = this.database.mark();
		const started = performance.now();
		try {
			const processed = processTransaction(this.environment, transaction, undefined, { verified: true });
			const tookMs = performance.now() - started;
			if (isNew) this.log("transaction", transaction.bytes);
			const feeSun = processed.info.fee;
			this.pool.addPending({ transaction: processed.transaction, receivedMs, feeSun, tookMs, packingMs });
			this.changedOwners.note(transaction);
			if (isShielded(transaction)) this.pendingShielded++;
			return processed.info;
		} catch (error) {
			this.database.revert(mark);
			this.observers.publish("rejected", transaction, error);
			throw error;
		} finally {
			this.undoLayers.close();
		}
	}

	/**
	 * Re-executes waiting transactions for a while; those that no longer pass are dropped.
	 * @returns whether some still wait
	 */
	executeWaiting(turnMs: number = REQUEUE_TURN_MS): boolean {
		const stop = performance.now() + turnMs;
		for (let entry = this.pool.takeAgain(); entry; entry = this.pool.takeAgain()) {
			const { transaction, receivedMs, packingMs } = entry;
			if (!this.state.transaction.has(transaction.id)) {
				try {
					if (isTradeClosed(this.environment, transaction)) throw closedTrading();
					this.authorize(transaction);
					if (!this.execute(transaction, receivedMs, false, packingMs)) this.noteDropped(transaction);
				} catch (error) {
					if (!(error instanceof ChainError)) throw error;
					this.noteDropped(transaction);
				}
			}
			if (performance.now() > stop) return this.pool.hasWaiting;
		}
		return false;
	}

	/**
	 * Packs and applies a block (protocol/blocks §5.2).
	 * @param timestampMs time of its slot
	 * @param expired tells when packing must end
	 * @throws {ValidateSignatureError} if the key is not the one that signs for the witness
	 */
	produce(producer: Producer, timestampMs: bigint, expired: () => boolean): CommittedBlock {
		return this.prepareBlock({ producer, timestampMs, expired })();
	}

	/**
	 * Packs and publishes a block. Until it is applied, its transactions are neither pending nor in a block.
	 * @returns applies it; throws {@link LostSlotError} if another block came first
	 */
	prepareBlock(slot: PackingSlot): () => CommittedBlock {
		const { header, publish, giveBack } = this.packBlock(slot);
		try {
			return publish(slot.producer.sign(sha256(header)));
		} catch (error) {
			giveBack();
			throw error;
		}
	}

	/** Packs a block whose signature comes later; meanwhile the chain continues. */
	packBlock(slot: PackingSlot): PackedBlock {
		const started = performance.now();
		const { raw, packed, taken } = this.pack(slot);
		return {
			header: completeHeader(raw, packed),
			publish: (signature) => {
				if (!equalBytes(this.state.properties.headId, raw.parentHash)) throw new LostSlotError(raw.number);
				const block = signedBlock(raw, packed, slot.producer, signature);
				this.observers.timings.packed(block, started);
				this.observers.publish("produced", block);
				return () => this.applyOwn(block, taken);
			},
			giveBack: () => this.giveBack(taken),
		};
	}

	private applyOwn(block: SignedBlock, taken: readonly PendingTransaction[]): CommittedBlock {
		this.pool.packed = [];
		try {
			const outcome = this.push(block, "own");
			const committed = outcome.kind === "head" ? outcome.committed.at(-1) : undefined;
			if (!committed) throw new LostSlotError(block.number);
			this.givenBack.clear();
			return committed;
		} catch (error) {
			// So many blocks arrived meanwhile that its parent can no longer be extended.
			const lost = error instanceof UnlinkedBlockError ? new LostSlotError(block.number) : error;
			if (lost instanceof LostSlotError) this.giveBack(taken);
			else this.giveBackOnce(taken);
			throw lost;
		}
	}

	private pack(slot: PackingSlot): { readonly raw: BlockHeaderRaw } & PackedTransactions {
		checkProducer(this.stateAfter() ?? this.state, slot.producer);
		this.discardPending();
		this.undoLayers.openPending();
		this.settle();
		const context: PackingContext = {
			environment: this.environment,
			pool: this.pool,
			database: this.database,
			undoLayers: this.undoLayers,
			permissionsChanged: (owner) => this.changedOwners.has(owner),
			onDropped: (transaction) => this.noteDropped(transaction),
		};
		const raw = nextHeader(context, slot);
		try {
			const { packed, taken } = packTransactions(context, raw, slot);
			this.pool.packed = taken;
			this.discardPending();
			return { raw, packed, taken };
		} catch (error) {
			this.giveBack([]);
			throw error;
		}
	}

	/** Clears the mempool, because the state of a development chain is about to be replaced. */
	suspend(): readonly PendingTransaction[] {
		this.discardPending();
		const waiting = this.pool.list();
		this.pool.clear();
		return waiting;
	}

	/** Resumes on the current state. @param waiting transactions for the pool, those that still pass */
	resume(waiting: readonly PendingTransaction[]): void {
		const { properties } = this.state;
		const settled = this.database.finalizedNumber;
		const block = (number: bigint): SignedBlock => {
			const found = blockByNumber(this.state, number);
			if (!found) throw new Error(`block ${number} is missing from the database`);
			return found;
		};
		this.tree.start(block(settled));
		const part = { headId: properties.headId, finalizedNumber: settled };
		for (let number = settled + 1n; number <= properties.headNumber; number++)
			this.tree.push(block(number), part);
		this.undoLayers = new UndoLayers(properties.headNumber);
		this.updateCapacity();
		this.changedOwners.clear();
		this.givenBack.clear();
		this.pool.clear();
		this.pool.giveBack(waiting);
		this.executeWaiting(Number.POSITIVE_INFINITY);
	}

	/** Publishes that the blocks above a number are about to be undone. */
	announceUndoing(number: bigint): void {
		const reverted: ExecutedBlock[] = [];
		for (let height = this.state.properties.headNumber; height > number; height--) {
			const block = this.blockByNumber(height);
			if (block) reverted.push(this.withInfos(block));
		}
		this.observers.publish("reorg", { reverted, committed: [] });
	}

	/** Returns a failed block's transactions to the pool, each only once: one may be what makes blocks fail. */
	private giveBackOnce(taken: readonly PendingTransaction[]): void {
		const again = taken.filter(({ transaction }) => !this.givenBack.has(transaction.idHex));
		for (const { transaction } of taken) {
			if (this.givenBack.has(transaction.idHex)) this.noteDropped(transaction);
			this.givenBack.add(transaction.idHex);
		}
		this.giveBack(again);
	}

	private giveBack(entries: readonly PendingTransaction[]): void {
		this.discardPending();
		this.pool.packed = [];
		this.pool.giveBack(entries);
		this.requeue();
	}
}
