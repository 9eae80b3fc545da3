/**
 * Traces for clients: locates transactions, re-executes them in their blocks, and executes calls that are in
 * no block. Each transaction is a separate item in the caller's queue, so that other work can run in between.
 */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes } from "../../protocol/bytes.js";
import { ResourceReceipt, TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { beginBlock, blockScope } from "../chain/block-processor.js";
import { locateTransaction, transactionInfosOf } from "../chain/block-store.js";
import type { OpenChain } from "../chain/open-chain.js";
import { processTransaction } from "../chain/transaction-processor.js";
import { ChainError } from "../rules/errors.js";
import { ForkGates } from "../rules/fork-gates.js";
import { StateLayer } from "../state/layer.js";
import { createView, type StateView } from "../state/view.js";
import type { ConstantResult, ContractMachine } from "../vm/contract-machine.js";
import type { ExecutionObserver } from "../vm/execution-observer.js";
import type { BlockContext } from "../vm/machine.js";
import { VmError } from "../vm/vm-error.js";
import { goneState, KeptState } from "./kept-state.js";
import { TraceClock, TraceError } from "./limits.js";
import type { TouchedState } from "./touched-state.js";

/**
 * Re-executes a block's transactions one after the other, on the state before the block. Nothing is kept.
 *
 * Other work may run between two transactions, and the chain may advance; if the block is reorged out, or the
 * state before it is pruned, the next transaction fails.
 */
class Reexecution {
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

	/** Index in the block of the next transaction to execute. */
	get next(): number {
		return this.position;
	}

	/** Executes the next transaction. @throws {TraceError} */
	skip(): void {
		this.begin();
		this.execute(this.layer.view, this.machine);
	}

	/**
	 * Executes the next transaction under an observer.
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

	/** Called before each transaction: renews the state and, the first time, applies the block's own effects. */
	private begin(): void {
		this.former.renew();
		if (this.begun) return;
		this.begun = true;
		beginBlock(this.layer.view, this.block);
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

/** Whether an execution matches its recorded result. Ignores messages, which differ between releases. */
export function agrees(info: Readonly<TransactionInfo>, recorded: Readonly<TransactionInfo>): boolean {
	const receipt = (of: Readonly<TransactionInfo>): Uint8Array =>
		ResourceReceipt.encode(of.receipt ?? new ResourceReceipt());
	const facts = ({ log, contractResult, result, fee }: Readonly<TransactionInfo>): Uint8Array =>
		TransactionInfo.encode(TransactionInfo.create({ log, contractResult, result, fee }));
	return equalBytes(receipt(info), receipt(recorded)) && equalBytes(facts(info), facts(recorded));
}

/** Runs a piece of work when its turn comes. */
export type TraceQueue = <T>(work: () => T) => Promise<T>;

/** How a request's traces are run. */
export interface TraceRun {
	readonly queue: TraceQueue;
	/** Time limit for all of the request's executions, in milliseconds; Infinity: none. */
	readonly timeoutMs: number;
}

/** A transaction's place in the chain. */
export interface TracePlace {
	readonly block: SignedBlock;
	readonly position: number;
}

/** A call that isn't in a block. */
interface TracedCallRequest {
	/** Unsigned; its fee limit bounds the energy if it is above 0. */
	readonly transaction: SignedTransaction;
	/** Maximum energy it may use. */
	readonly energyLimit: bigint;
	/** Looks up the state and block to run on. @throws {TraceError} if it isn't kept */
	readonly at: () => { readonly state: StateView; readonly forks: ForkGates; readonly block: BlockContext };
}

/** A call that has been executed. */
export interface EndedCall {
	readonly transaction: SignedTransaction;
	/** Undefined: it failed. */
	readonly result: ConstantResult | undefined;
	readonly before: StateView;
	readonly after: StateView;
}

export class TraceRunner {
	/** @param report called if an execution doesn't match its recorded result, which is a bug in this program */
	constructor(
		private readonly open: OpenChain,
		private readonly machine: ContractMachine,
		private readonly report: (error: Error) => void,
	) {}

	/** Locates a transaction; undefined: in no block. @param id 32 bytes */
	locate(id: Uint8Array): TracePlace | undefined {
		const { chain } = this.open;
		const place = locateTransaction(chain.state, id);
		const block = place && "block" in place ? chain.blockByNumber(place.block) : undefined;
		const position = block?.transactions.findIndex(({ idHex }) => idHex === Buffer.from(id).toString("hex"));
		return block && position !== undefined && position >= 0 ? { block, position } : undefined;
	}

	/** Re-executes a transaction after its predecessors in the block. @throws {TraceError} */
	async transaction<T>({ block, position }: TracePlace, tracer: Tracer<T>, run: TraceRun): Promise<T> {
		const clock = new TraceClock(run.timeoutMs);
		const again = new Reexecution(this.open, this.machine, block);
		while (again.next < position) await run.queue(() => clock.run(() => again.skip()));
		return run.queue(() => clock.run((deadlineMs) => this.traced(again, tracer, deadlineMs)));
	}

	/** Re-executes all transactions of a block. @param tracer creates one per transaction @throws {TraceError} */
	async block<T>(
		block: SignedBlock,
		tracer: () => Tracer<T>,
		run: TraceRun,
		clock = new TraceClock(run.timeoutMs),
	): Promise<T[]> {
		const results: T[] = [];
		if (block.transactions.length === 0) return results;
		const again = new Reexecution(this.open, this.machine, block);
		while (again.next < block.transactions.length)
			results.push(
				await run.queue(() => clock.run((deadlineMs) => this.traced(again, tracer(), deadlineMs))),
			);
		return results;
	}

	private traced<T>(again: Reexecution, tracer: Tracer<T>, deadlineMs: number): T {
		return again.trace(
			{
				...tracer,
				result: (traced) => {
					const recorded = this.recorded(again.block, traced.transaction);
					if (recorded && !agrees(traced.info, recorded)) {
						const error = new TraceError(
							`executing transaction ${traced.transaction.idHex} again came to another receipt than is recorded`,
						);
						this.report(error);
						throw error;
					}
					return tracer.result(traced);
				},
			},
			deadlineMs,
		);
	}

	/** The stored outcome of a transaction. */
	private recorded(block: SignedBlock, { id }: SignedTransaction): Readonly<TransactionInfo> | undefined {
		const infos = transactionInfosOf(this.open.chain.state, block);
		return infos.find((info) => equalBytes(info.id, id));
	}

	/** Executes a call without side effects. @throws {TraceError} if it can't begin */
	call<T>(
		request: TracedCallRequest,
		tracer: Omit<Tracer<unknown>, "result">,
		result: (ended: EndedCall) => T,
		run: TraceRun,
	): Promise<T> {
		const clock = new TraceClock(run.timeoutMs);
		return run.queue(() => clock.run((deadlineMs) => result(this.callNow(request, tracer, deadlineMs))));
	}

	private callNow(
		{ transaction, energyLimit, at }: TracedCallRequest,
		{ observer, touched }: Omit<Tracer<unknown>, "result">,
		deadlineMs: number,
	): EndedCall {
		const { state: before, forks, block } = at();
		const layer = new StateLayer(before);
		const state = touched ? touched.watching(layer.view) : layer.view;
		const machine = this.machine.observedBy({ observer, deadlineMs, keepsCalls: true });
		let result: ConstantResult | undefined;
		try {
			const environment = { state, rules: this.open.rules, forks };
			result = machine.call(environment, transaction, { block, energyLimit });
		} catch (error) {
			if (error instanceof ChainError) throw new TraceError(error.message);
			if (!(error instanceof VmError)) throw error;
		}
		return { transaction, result, before, after: layer.view };
	}

	/** The state after a block, for calls. @throws {TraceError} if it isn't kept */
	stateAt(number: bigint): StateView {
		const view = this.open.stateAt(number);
		if (!view) throw goneState(number, this.open.isFork);
		return createView(view.backend, this.open.seed);
	}
}

/** A re-executed transaction of a block. */
export interface TracedTransaction {
	readonly block: SignedBlock;
	/** Index in the block. */
	readonly position: number;
	readonly transaction: SignedTransaction;
	/** The outcome this time; equal to the recorded one. */
	readonly info: TransactionInfo;
	/** The state before and after it; valid only during the call they are passed to. */
	readonly before: StateView;
	readonly after: StateView;
}

/** Observes one execution and then returns a result. */
export interface Tracer<T> {
	readonly observer: ExecutionObserver;
	/** Records which state entries were touched; undefined: not needed. */
	readonly touched?: TouchedState | undefined;
	/** The result for the transaction that was just executed. */
	result(traced: TracedTransaction): T;
}
