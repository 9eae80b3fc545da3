/**
 * Documents of the event query service, produced lazily: a block may have a hundred thousand logs, and a
 * client may leave. The last block is cached between documents while memory allows.
 */

import { addressPrefix } from "../../../protocol/address.js";
import type { SignedBlock } from "../../../protocol/block.js";
import { concatBytes } from "../../../protocol/bytes.js";
import { blockByNumber, receiptsAround } from "../../chain/block-store.js";
import { contractTriggerAt } from "../../events/contract-triggers.js";
import { EventBudget } from "../../events/event-budget.js";
import { eventEntry } from "../../events/event-decoding.js";
import type { LoadedBlock } from "../../events/loaded-block.js";
import { type EventMessage, eventMessage } from "../../events/receivers/event-message.js";
import { blockTrigger } from "../../events/sending.js";
import { transactionTriggerAt } from "../../events/transaction-triggers.js";
import type { ApiNode } from "../context.js";

export type LogKind = "events" | "contractlogs";
export type DocumentKind = LogKind | "blocks" | "transactions" | "transfers";

const TRANSFERS: ReadonlySet<unknown> = new Set(["TransferContract", "TransferAssetContract"]);
const STYLE = { version: 1, ethCompatible: false } as const;

/** With more data than this, a log's text may be too long for an answer, which only shows once it is made. */
const MAX_SURE_DATA = 32 << 10;

/** A lazily made document: earlier pages are only counted. */
export interface FoundDocument {
	/** Undefined if it is no longer there. */
	message(): EventMessage | undefined;
}

interface LogDocument extends FoundDocument {
	/** The event's name; undefined if it is shown as a log. */
	readonly name: string | undefined;
}

type Receipts = LoadedBlock["infos"];

export class Documents {
	/** Weak, to be read again if memory was needed: a client may take long to read what came of it. */
	private last: { readonly number: number; readonly read: WeakRef<SignedBlock> | undefined } | undefined;
	private lastReceipts:
		| { readonly number: number; readonly position: number; readonly read: WeakRef<Receipts> }
		| undefined;
	/** Oversized documents are left out of the answer. */
	private readonly budget = new EventBudget(() => {});

	constructor(private readonly node: ApiNode) {}

	/** The documents of a block, in order or reversed; undefined stands for one of another kind. */
	*ofBlock(
		kind: DocumentKind,
		number: number,
		isDescending: boolean,
	): Generator<FoundDocument | undefined, void> {
		const block = this.block(number);
		if (!block) return;
		if (kind === "blocks") {
			const message = eventMessage("block", blockTrigger({ block, solidNumber: block.number }));
			yield { message: () => message };
			return;
		}
		const { length } = block.transactions;
		for (let i = 0; i < length; i++) {
			yield* this.ofPosition(kind, number, isDescending ? length - 1 - i : i, isDescending);
		}
	}

	/** @param ordinal of the only log that is asked for */
	*ofTransaction(
		kind: DocumentKind,
		number: number,
		idHex: string,
		ordinal: number | undefined,
	): Generator<FoundDocument | undefined, void> {
		const block = this.block(number);
		const position = block?.transactions.findIndex((transaction) => transaction.idHex === idHex) ?? -1;
		if (position < 0) return;
		if (ordinal === undefined) yield* this.ofPosition(kind, number, position, false);
		else yield this.log(kind as LogKind, number, position, ordinal);
	}

	private *ofPosition(
		kind: DocumentKind,
		number: number,
		position: number,
		isDescending: boolean,
	): Generator<FoundDocument | undefined, void> {
		if (kind === "blocks") return;
		if (kind === "transactions" || kind === "transfers") {
			const message = this.transaction(kind, number, position);
			yield message && { message: () => message };
			return;
		}
		const length = this.loaded(number, position)?.infos[position]?.log.length ?? 0;
		for (let i = 0; i < length; i++) {
			yield this.log(kind, number, position, isDescending ? length - 1 - i : i);
		}
	}

	private transaction(
		kind: "transactions" | "transfers",
		number: number,
		position: number,
	): EventMessage | undefined {
		const loaded = this.loaded(number, position);
		const trigger = loaded && transactionTriggerAt(loaded, position, STYLE, this.budget.open(loaded.block));
		if (!trigger || (kind === "transfers" && !TRANSFERS.has(trigger.members["contractType"])))
			return undefined;
		return eventMessage("transaction", trigger);
	}

	/** A log of a block as a document; undefined if it is missing, of the other kind, or too long. */
	log(kind: LogKind, number: number, position: number, ordinal: number): LogDocument | undefined {
		const loaded = this.loaded(number, position);
		const log = loaded?.infos[position]?.log[ordinal];
		if (!loaded || !log || loaded.infos.length !== loaded.block.transactions.length) return undefined;
		const contract = concatBytes(Uint8Array.of(addressPrefix()), log.address);
		const entry = eventEntry(loaded.state.abi.get(contract), log);
		if ((entry !== undefined) !== (kind === "events")) return undefined;
		const make = () => this.logMessage(kind, number, position, ordinal);
		if (log.data.length <= MAX_SURE_DATA) return { name: entry?.name, message: make };
		const message = make();
		return message && { name: entry?.name, message: () => message };
	}

	private logMessage(
		kind: LogKind,
		number: number,
		position: number,
		ordinal: number,
	): EventMessage | undefined {
		const loaded = this.loaded(number, position);
		const trigger =
			loaded && contractTriggerAt(loaded, { position, index: ordinal }, true, this.budget.open(loaded.block));
		if (!trigger || (trigger.event !== undefined) !== (kind === "events")) return undefined;
		return trigger.event
			? eventMessage("contractevent", trigger, trigger.event)
			: eventMessage("contractlog", trigger, trigger.log);
	}

	private block(number: number): SignedBlock | undefined {
		const known = this.last?.number === number ? this.last : undefined;
		let read = known?.read?.deref();
		if (!read && (!known || known.read)) {
			read = blockByNumber(this.node.view("full"), BigInt(number));
			this.last = { number, read: read && new WeakRef(read) };
		}
		return read;
	}

	/** A block with the receipt of one of its transactions. */
	private loaded(number: number, position: number): LoadedBlock | undefined {
		const { node } = this;
		const state = node.view("full");
		const block = this.block(number);
		if (!block) return undefined;
		const last = this.lastReceipts;
		let infos = last?.number === number && last.position === position ? last.read.deref() : undefined;
		if (!infos) {
			infos = receiptsAround(state, BigInt(number), position);
			this.lastReceipts = { number, position, read: new WeakRef(infos) };
		}
		return { block, infos, state, solidNumber: block.number, dialect: node.config.node.dialect };
	}
}
