/**
 * Documents of the event query service, each made when it is asked for: a block may have a hundred thousand logs, and a client
 * may leave. The last block is kept between two of them.
 */

import { blockTrigger } from "../../events/block-triggers.js";
import { contractTriggerAt } from "../../events/contract-triggers.js";
import { EventBudget } from "../../events/event-budget.js";
import { type EventMessage, messageOf } from "../../events/event-kinds.js";
import type { LoadedBlock } from "../../events/loaded-block.js";
import { transactionTriggerAt } from "../../events/transaction-triggers.js";
import type { ApiNode } from "../context.js";
import { blockByNumber, transactionInfosOfBlock } from "../queries/blocks.js";

export type LogKind = "events" | "contractlogs";
export type DocumentKind = LogKind | "blocks" | "transactions" | "transfers";

const TRANSFERS: ReadonlySet<unknown> = new Set(["TransferContract", "TransferAssetContract"]);
const STYLE = { version: 1, ethCompatible: false } as const;

type ReadBlock = Pick<LoadedBlock, "block" | "infos">;

export class Documents {
	private last: { readonly number: number; readonly read: ReadBlock | undefined } | undefined;
	/** What is too long is left out of the answer. */
	private readonly budget = new EventBudget(() => {});

	constructor(private readonly node: ApiNode) {}

	/** Those of a block in its order, or from the last to the first; undefined stands for one of another kind. */
	*ofBlock(
		kind: DocumentKind,
		number: number,
		isDescending: boolean,
	): Generator<EventMessage | undefined, void> {
		const loaded = this.loaded(number);
		if (!loaded) return;
		if (kind === "blocks") {
			yield messageOf("block", blockTrigger(loaded));
			return;
		}
		const { length } = loaded.block.transactions;
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
	): Generator<EventMessage | undefined, void> {
		const loaded = this.loaded(number);
		const position = loaded?.block.transactions.findIndex((transaction) => transaction.idHex === idHex) ?? -1;
		if (position < 0) return;
		if (ordinal === undefined) yield* this.ofPosition(kind, number, position, false);
		else yield this.log(kind as LogKind, number, position, ordinal);
	}

	private *ofPosition(
		kind: DocumentKind,
		number: number,
		position: number,
		isDescending: boolean,
	): Generator<EventMessage | undefined, void> {
		if (kind === "blocks") return;
		if (kind === "transactions" || kind === "transfers") {
			yield this.transaction(kind, number, position);
			return;
		}
		const length = this.loaded(number)?.infos[position]?.log.length ?? 0;
		for (let i = 0; i < length; i++) {
			yield this.log(kind, number, position, isDescending ? length - 1 - i : i);
		}
	}

	private transaction(
		kind: "transactions" | "transfers",
		number: number,
		position: number,
	): EventMessage | undefined {
		const loaded = this.loaded(number);
		const trigger = loaded && transactionTriggerAt(loaded, position, STYLE, this.budget.open(loaded.block));
		if (!trigger || (kind === "transfers" && !TRANSFERS.has(trigger.members["contractType"])))
			return undefined;
		return messageOf("transaction", trigger);
	}

	/** A log of a block as a document of a kind; undefined: it isn't there, or of the other kind. */
	log(kind: LogKind, number: number, position: number, ordinal: number): EventMessage | undefined {
		const loaded = this.loaded(number);
		const trigger =
			loaded && contractTriggerAt(loaded, { position, index: ordinal }, true, this.budget.open(loaded.block));
		if (!trigger || (trigger.event !== undefined) !== (kind === "events")) return undefined;
		return trigger.event
			? messageOf("contractevent", trigger, trigger.event)
			: messageOf("contractlog", trigger, trigger.log);
	}

	private loaded(number: number): LoadedBlock | undefined {
		const { node } = this;
		const state = node.view("full");
		if (this.last?.number !== number) {
			const block = blockByNumber(state, BigInt(number));
			this.last = { number, read: block && { block, infos: transactionInfosOfBlock(state, block.number) } };
		}
		const { read } = this.last;
		return read && { ...read, state, solidNumber: read.block.number, dialect: node.config.node.dialect };
	}
}
