/**
 * Transactions from peers (protocol/peers §8.3): processed in short turns, round robin over the peers, so
 * that neither the node nor a quiet peer waits for a busy one. Those with shielded proofs wait until other
 * threads have checked these, without blocking others.
 */

import { BudgetError } from "../../../protocol/codec/reader.js";
import { Transactions } from "../../../protocol/messages.js";
import { MAX_POST_QUANTUM_ENTRIES } from "../../../protocol/post-quantum/fields.js";
import { FairQueue } from "../../scheduling/fair-queue.js";
import { InventoryKind, Reason, SignedTransaction } from "../wire/application-messages.js";
import { decodeAskedTransactions } from "../wire/block-messages.js";
import type { Advertisement } from "./advertisement.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";
import { filterMessage, filterTransactions } from "./proto-filter.js";

/** Maximum queued transactions; any more are dropped. */
const MAX_WAITING = 50_000;
/** Maximum queued bytes; decoded and re-encoded forms take three times as much memory. */
const MAX_WAITING_BYTES = 12 << 20;
/** Time limit of a turn, in milliseconds. */
const TURN_MS = 8;
const TURN_TRANSACTIONS = 64;
/** Transactions whose proofs are checked concurrently: enough for the threads, without a long backlog. */
const MAX_PROVING = 8;

interface Waiting {
	readonly transaction: SignedTransaction;
	/** Whether its proofs have been checked, or needn't be. */
	readonly isReady: boolean;
}

/**
 * The transactions of a TXS message, as read by the node's network.
 * @returns undefined if they are not worth the memory
 * @throws {Misconduct | DecodeError}
 */
export function readTransactions(
	{ settings, chain }: Pick<PeerWorld, "settings" | "chain">,
	payload: Uint8Array,
): readonly SignedTransaction[] | undefined {
	const { network } = settings;
	const message = decodeAskedTransactions(payload);
	if (message === undefined) return undefined;
	const sent = message.transactions.map((each) => new SignedTransaction(each));
	const transactions = network === "nile" ? sent.map(readOnNile) : sent;
	if (chain.filtersUnknownFields) {
		filterMessage(Transactions, message, payload.length, network);
		filterTransactions(transactions);
	}
	return transactions;
}

/** @throws {Misconduct} for more signatures than are read @throws {DecodeError} */
function readOnNile(sent: SignedTransaction): SignedTransaction {
	try {
		return sent.asReadOnNile();
	} catch (error) {
		if (!(error instanceof BudgetError)) throw error;
		throw new Misconduct(
			Reason.BAD_TX,
			`tx ${sent.idHex} total signature count exceeds ${MAX_POST_QUANTUM_ENTRIES}`,
		);
	}
}

export class TransactionIntake {
	private readonly queue = new FairQueue<Peer, Waiting>();
	/** Transactions waiting for their proof check. */
	private readonly unproven = new FairQueue<Peer, SignedTransaction>();
	private readonly proving = new Set<{ readonly peer: Peer; readonly transaction: SignedTransaction }>();
	/** In the queue. */
	private waiting = 0;
	/** In the queue, plus those with proof checks pending. */
	private count = 0;
	private bytes = 0;
	private working = false;
	private stopped = false;

	/** @param advertisement where good transactions go on to */
	constructor(
		private readonly world: PeerWorld,
		private readonly advertisement: Advertisement,
	) {}

	/** Whether nothing more should be requested. */
	isBusy(): boolean {
		const { chain, settings } = this.world;
		const isFull = this.bytes >= MAX_WAITING_BYTES || chain.isPoolFull;
		return isFull || this.count + chain.queuedTransactions > settings.maxWaitingTransactions;
	}

	/** Handles a TXS message. @throws {Misconduct} */
	receive(peer: Peer, transactions: readonly SignedTransaction[]): void {
		const { advertisement } = this;
		const seen = new Set<string>();
		for (const transaction of transactions) {
			if (seen.size === seen.add(transaction.idHex).size) {
				const why = `TransactionsMessage contains duplicate transaction: ${transaction.idHex}`;
				throw new Misconduct(Reason.BAD_PROTOCOL, why);
			}
			if (!advertisement.wasAsked(peer, InventoryKind.TX, transaction.id)) {
				throw new Misconduct(Reason.BAD_PROTOCOL, `transaction ${transaction.idHex} was not asked for`);
			}
			if (!transaction.contract) throw new Misconduct(Reason.BAD_TX, "a transaction without a contract");
			const refusal = this.world.chain.signatureFormRefusal(transaction);
			if (refusal !== undefined) throw new Misconduct(Reason.BAD_TX, `tx ${transaction.idHex} ${refusal}`);
		}
		for (const transaction of transactions) {
			advertisement.arrived(peer, InventoryKind.TX, transaction.id);
			if (this.count >= MAX_WAITING || this.bytes >= MAX_WAITING_BYTES) continue;
			this.queue.push(peer, { transaction, isReady: false });
			this.waiting++;
			this.count++;
			this.bytes += transaction.bytes.length;
		}
		this.workSoon();
	}

	private workSoon(): void {
		if (this.working || this.stopped || this.waiting === 0) return;
		this.working = true;
		this.world.environment.soon(() => {
			this.working = false;
			if (!this.stopped) this.turn();
		});
	}

	private turn(): void {
		const startMs = this.world.now();
		for (let done = 0; done < TURN_TRANSACTIONS; done++) {
			const next = this.queue.next();
			if (!next) break;
			this.waiting--;
			const [peer, { transaction, isReady }] = next;
			if (!isReady && this.world.chain.needsPreparing(transaction)) {
				this.unproven.push(peer, transaction);
				this.prove();
			} else {
				this.forget(transaction);
				if (this.isWanted(peer, transaction)) this.take(peer, transaction);
			}
			if (this.world.now() - startMs >= TURN_MS) break;
		}
		this.workSoon();
	}

	/** Starts proof checks, up to the concurrency limit. */
	private prove(): void {
		while (this.proving.size < MAX_PROVING) {
			const next = this.unproven.next();
			if (!next) return;
			const [peer, transaction] = next;
			const ready = this.isWanted(peer, transaction)
				? this.world.chain.prepareTransaction(transaction)
				: undefined;
			if (!ready) {
				this.proceed(peer, transaction);
				continue;
			}
			const entry = { peer, transaction };
			this.proving.add(entry);
			// If there is no room, it is dropped like the queue's overflow; a departed peer's items are already gone.
			const end = (isTaken: boolean): void => {
				if (this.proving.delete(entry)) {
					if (isTaken) this.proceed(peer, transaction);
					else this.forget(transaction);
				}
				if (!this.stopped) this.prove();
			};
			ready.then(
				() => end(true),
				(error: unknown) => {
					this.world.log.debug({ id: transaction.idHex, why: String(error) }, "transaction dropped");
					end(false);
				},
			);
		}
	}

	private proceed(peer: Peer, transaction: SignedTransaction): void {
		this.queue.push(peer, { transaction, isReady: true });
		this.waiting++;
		this.workSoon();
	}

	private forget({ bytes }: SignedTransaction): void {
		this.count--;
		this.bytes -= bytes.length;
	}

	private isWanted(peer: Peer, { id, raw }: SignedTransaction): boolean {
		if (peer.isBad || this.advertisement.knowsTransaction(id)) return false;
		return (raw?.expiration ?? 0n) >= this.world.chain.nextSlotMs;
	}

	private take(peer: Peer, transaction: SignedTransaction): void {
		const { chain, log } = this.world;
		const result = chain.submit(transaction);
		if (result.kind === "accepted") {
			this.advertisement.broadcastTransaction(result.served);
			return;
		}
		log.debug({ id: transaction.idHex, why: result.message }, "transaction refused");
		if (result.kind === "forbidden") {
			peer.isBad = true;
			this.world.disconnect(peer, Reason.BAD_TX, result.message);
		}
	}

	peerLeft(peer: Peer): void {
		const waiting = this.queue.drop(peer);
		this.waiting -= waiting.length;
		for (const { transaction } of waiting) this.forget(transaction);
		for (const transaction of this.unproven.drop(peer)) this.forget(transaction);
		for (const entry of this.proving) {
			if (entry.peer !== peer) continue;
			this.proving.delete(entry);
			this.forget(entry.transaction);
		}
	}

	stop(): void {
		this.stopped = true;
	}
}
