/**
 * Executing the transactions of a block once more, one after the other, on the state before it. Nothing of it is kept.
 *
 * Contract: between two transactions others may have their turn, and the chain may go on; where the block itself leaves the
 * chain, or the state before it is forgotten, the next transaction is refused.
 */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes } from "../../protocol/bytes.js";
import { ResourceReceipt, TransactionInfo } from "../../protocol/messages.js";
import { blockScope } from "../chain/block-processor.js";
import type { OpenChain } from "../chain/open-chain.js";
import { processTransaction } from "../chain/transaction-processor.js";
import { ChainError } from "../rules/errors.js";
import { ForkGates } from "../rules/fork-gates.js";
import { StateLayer } from "../state/layer.js";
import { startNoteTree } from "../state/note-trees.js";
import { createView, type StateView } from "../state/view.js";
import { recordParentId } from "../vm/block-hash-history.js";
import type { ContractMachine } from "../vm/contract-machine.js";
import { KeptState } from "./kept-state.js";
import { TraceError } from "./limits.js";
import type { TracedTransaction, Tracer } from "./tracer.js";

export class Reexecution {
	private readonly former: KeptState;
	private readonly layer: StateLayer;
	private position = 0;
	private begun = false;

	constructor(
		private readonly open: OpenChain,
		private readonly machine: ContractMachine,
		readonly block: SignedBlock,
	) {
		if (block.number === 0n) throw new TraceError("the first block has no state before it");
		this.former = new KeptState(open, block.number - 1n, block);
		this.layer = new StateLayer(createView(this.former, open.seed));
	}

	/** Position in the block of what is executed next. */
	get next(): number {
		return this.position;
	}

	/** Executes the next transaction. @throws {TraceError} */
	skip(): void {
		this.begin();
		this.execute(this.layer.view, this.machine);
	}

	/**
	 * Executes the next transaction and watches it.
	 * @param deadlineMs when it must end, in milliseconds of `performance.now()`
	 * @throws {TraceError}
	 */
	trace<T>(tracer: Tracer<T>, deadlineMs: number): T {
		this.begin();
		const layer = new StateLayer(this.layer.view);
		const state = tracer.touched ? tracer.touched.watching(layer.view) : layer.view;
		const machine = this.machine.observedBy({ observer: tracer.observer, deadlineMs });
		const executed = this.execute(state, machine);
		const traced = { ...executed, before: this.layer.view, after: layer.view };
		const result = tracer.result(traced);
		layer.commit();
		return result;
	}

	/** Before each transaction: the state is that of now, and before the first one what the block itself does. */
	private begin(): void {
		this.former.renew();
		if (this.begun) return;
		this.begun = true;
		const { view } = this.layer;
		view.properties.set("BLOCK_ENERGY_USAGE", 0n);
		recordParentId(view, this.block.number, this.block.parentId);
		startNoteTree(view);
	}

	private execute(state: StateView, machine: ContractMachine): Omit<TracedTransaction, "before" | "after"> {
		const { block, position } = this;
		const { rules } = this.open;
		const transaction = block.transactions[position];
		if (!transaction) throw new TraceError(`block ${block.number} has no transaction ${position}`);
		const forks = new ForkGates(state, rules);
		try {
			const { info } = processTransaction(
				{ state, rules, forks, machine: machine.run },
				transaction,
				blockScope(block, rules, false),
				{ verified: true },
			);
			this.position++;
			return { block, position, transaction, info };
		} catch (error) {
			if (!(error instanceof ChainError)) throw error;
			throw new TraceError(
				`executing transaction ${transaction.idHex} again failed, which it didn't in its block: ${error.message}`,
			);
		}
	}
}

/** Whether an execution came to what was recorded of it. Texts don't count: releases change them. */
export function agrees(info: Readonly<TransactionInfo>, recorded: Readonly<TransactionInfo>): boolean {
	const receipt = (of: Readonly<TransactionInfo>): Uint8Array =>
		ResourceReceipt.encode(of.receipt ?? new ResourceReceipt());
	const facts = ({ log, contractResult, result, fee }: Readonly<TransactionInfo>): Uint8Array =>
		TransactionInfo.encode(TransactionInfo.create({ log, contractResult, result, fee }));
	return equalBytes(receipt(info), receipt(recorded)) && equalBytes(facts(info), facts(recorded));
}
