/**
 * Transactions that peers delivered (protocol/peers §8.3): looked at in short turns, one of each peer in turn, so that neither
 * the node nor a quiet peer waits for a busy one.
 */

import { strangeSignatureSize } from "../../chain/authorization.js";
import { isFrom } from "../../rules/release.js";
import { InventoryKind, Reason, type SignedTransaction } from "../wire/application-messages.js";
import type { Advertisement } from "./advertisement.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";

/** Transactions that may wait; what comes on top is dropped. */
const MAX_WAITING = 50_000;
/** And their bytes. */
const MAX_WAITING_BYTES = 32 << 20;
/** A turn ends after this. */
const TURN_MS = 8;
const TURN_TRANSACTIONS = 64;

export class TransactionIntake {
	private readonly queues = new Map<Peer, SignedTransaction[]>();
	private count = 0;
	private bytes = 0;
	private working = false;
	private stopped = false;
	private advertisement: Advertisement | undefined;

	constructor(private readonly world: PeerWorld) {}

	/** Where good transactions go on to. */
	connect(advertisement: Advertisement): void {
		this.advertisement = advertisement;
	}

	/** Whether nothing more should be asked for. */
	readonly isBusy = (): boolean =>
		this.count + this.world.chain.queuedTransactions > this.world.settings.maxWaitingTransactions ||
		this.bytes >= MAX_WAITING_BYTES ||
		this.world.chain.isPoolFull;

	/** Handles a TXS message. @throws {Misconduct} */
	receive(peer: Peer, transactions: readonly SignedTransaction[]): void {
		const { advertisement } = this;
		if (!advertisement) return;
		const seen = new Set<string>();
		const isLatest = isFrom(this.world.settings.release, "4.8.2");
		for (const transaction of transactions) {
			const isTwice = seen.size === seen.add(transaction.idHex).size;
			if (isTwice && isLatest) {
				const why = `TransactionsMessage contains duplicate transaction: ${transaction.idHex}`;
				throw new Misconduct(Reason.BAD_PROTOCOL, why);
			}
			if (isTwice || !advertisement.wasAsked(peer, InventoryKind.TX, transaction.id)) {
				throw new Misconduct(Reason.BAD_PROTOCOL, `transaction ${transaction.idHex} was not asked for`);
			}
			if (!transaction.contract) throw new Misconduct(Reason.BAD_TX, "a transaction without a contract");
			const size = isLatest ? strangeSignatureSize(transaction) : undefined;
			if (size !== undefined)
				throw new Misconduct(Reason.BAD_TX, `tx ${transaction.idHex} signature size is ${size}`);
		}
		const queue = this.queues.get(peer) ?? [];
		for (const transaction of transactions) {
			advertisement.arrived(peer, InventoryKind.TX, transaction.id);
			if (this.count >= MAX_WAITING || this.bytes >= MAX_WAITING_BYTES) continue;
			queue.push(transaction);
			this.count++;
			this.bytes += transaction.bytes.length;
		}
		if (queue.length > 0) this.queues.set(peer, queue);
		this.workSoon();
	}

	private workSoon(): void {
		if (this.working || this.stopped || this.count === 0) return;
		this.working = true;
		this.world.environment.soon(() => {
			this.working = false;
			if (!this.stopped) this.turn();
		});
	}

	private turn(): void {
		const startMs = this.world.now();
		for (let done = 0; done < TURN_TRANSACTIONS; done++) {
			const [first] = this.queues;
			if (!first) break;
			const [peer, queue] = first;
			// A peer that was served goes behind the others: a turn may end after any of them.
			this.queues.delete(peer);
			const transaction = queue.shift() as SignedTransaction;
			if (queue.length > 0) this.queues.set(peer, queue);
			this.count--;
			this.bytes -= transaction.bytes.length;
			this.take(peer, transaction);
			if (this.world.now() - startMs >= TURN_MS) break;
		}
		this.workSoon();
	}

	private take(peer: Peer, transaction: SignedTransaction): void {
		const { chain, log } = this.world;
		if (peer.isBad || this.advertisement?.knowsTransaction(transaction.id)) return;
		if ((transaction.raw?.expiration ?? 0n) < chain.nextSlotMs) return;
		const result = chain.submit(transaction);
		if (result.kind === "accepted") {
			this.advertisement?.broadcastTransaction(result.served);
			return;
		}
		log.debug({ id: transaction.idHex, why: result.message }, "transaction refused");
		if (result.kind === "forbidden") {
			peer.isBad = true;
			this.world.disconnect(peer, Reason.BAD_TX, result.message);
		}
	}

	peerLeft(peer: Peer): void {
		for (const { bytes } of this.queues.get(peer) ?? []) {
			this.count--;
			this.bytes -= bytes.length;
		}
		this.queues.delete(peer);
	}

	stop(): void {
		this.stopped = true;
	}
}
