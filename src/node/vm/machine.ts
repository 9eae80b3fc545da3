/** State of one execution of the contract machine, shared by all its frames. */

import { toKey } from "../../protocol/bytes.js";
import { hashOrder } from "../../protocol/hash-order.js";
import type { TransactionInfoLog } from "../../protocol/messages.js";
import type { ChainRules } from "../rules/chain-rules.js";
import type { CallDataCopies } from "../rules/internal-call-data.js";
import type { ShieldedProofs } from "../shielded/proofs.js";
import { StateLayer } from "../state/layer.js";
import type { StateView } from "../state/view.js";
import { addressWord, prefixedWord } from "./addresses.js";
import { type StorageMark, TransactionStorage } from "./contract-storage.js";
import type { ExecutionObserver } from "./execution-observer.js";
import type { Gates } from "./gates.js";
import type { InstructionTable } from "./instruction-table.js";
import { type Identified, InternalTransactions } from "./internal-transactions.js";
import type { ProgramCache } from "./program.js";
import type { HashNotes } from "./slot-guesses.js";
import { type Word, wordToBytes } from "./word.js";

/** A write to transient storage, which lasts until the end of the transaction (protocol/machine §11.2). */
interface Write {
	readonly slots: Map<Word, Word>;
	readonly slot: Word;
	readonly before: Word | undefined;
}

export class TransientStorage {
	private readonly contracts = new Map<Word, Map<Word, Word>>();
	private readonly journal: Write[] = [];

	load(contract: Word, slot: Word): Word {
		return this.contracts.get(contract)?.get(slot) ?? 0;
	}

	store(contract: Word, slot: Word, value: Word): void {
		let slots = this.contracts.get(contract);
		if (!slots) {
			slots = new Map();
			this.contracts.set(contract, slots);
		}
		this.journal.push({ slots, slot, before: slots.get(slot) });
		slots.set(slot, value);
	}

	mark(): number {
		return this.journal.length;
	}

	revert(mark: number): void {
		for (let i = this.journal.length - 1; i >= mark; i--) {
			const { slots, slot, before } = this.journal[i] as Write;
			if (before === undefined) slots.delete(slot);
			else slots.set(slot, before);
		}
		this.journal.length = mark;
	}
}

/** Set of addresses marked during a transaction; reverting a frame removes its marks. */
export class AddressMarks {
	private readonly keys: string[] = [];
	/** How often each address is in the list. */
	private counts: Map<string, number> | undefined;

	/** A point to which {@link revert} can return. */
	get length(): number {
		return this.keys.length;
	}

	has(address: Uint8Array): boolean {
		return this.counts?.has(toKey(address)) === true;
	}

	add(address: Uint8Array): void {
		const key = toKey(address);
		this.keys.push(key);
		this.counts ??= new Map();
		this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
	}

	/** Takes back the marks since a point. */
	revert(length: number): void {
		const { keys, counts } = this;
		while (counts && keys.length > length) {
			const key = keys.pop() as string;
			const count = counts.get(key) as number;
			if (count === 1) counts.delete(key);
			else counts.set(key, count - 1);
		}
	}
}

/** The block that the code sees. For pending transactions: number 0, time 0, no witness. */
export interface BlockContext {
	readonly number: bigint;
	readonly timestampMs: bigint;
	readonly witness: Uint8Array;
}

/**
 * Notified of calls to accounts without code, which contracts on development chains use for console output.
 * @param hash of the internal transaction
 * @param target 21 bytes
 */
export type CodelessCallListener = (hash: Uint8Array, target: Uint8Array, input: Uint8Array) => void;

export interface MachineOptions {
	readonly rules: ChainRules;
	readonly gates: Gates;
	readonly instructions: InstructionTable;
	readonly programs: ProgramCache;
	readonly block: BlockContext;
	/** The transaction. */
	readonly root: Identified;
	/** Sender of the transaction. */
	readonly origin: Uint8Array;
	/** Deadline in milliseconds of `performance.now()`; Infinity: none. */
	readonly deadlineMs: number;
	/** The transaction is recorded as out of time, so it ends at its first operation. */
	readonly endsAtFirstOperation: boolean;
	readonly proofs: ShieldedProofs;
	/** Observer of the execution; sees single operations only with the tracing instruction table. */
	readonly observer?: ExecutionObserver | undefined;
	readonly onCodelessCall?: CodelessCallListener | undefined;
	readonly saveCancelDetails: boolean;
	/** Records hashes made by the execution, if slot guesses are learned from it. */
	readonly hashes?: HashNotes | undefined;
	/** Whether internal transactions are listed rather than just counted; default true. */
	readonly listInternal?: boolean;
	/** Keeps the input of internal calls for events; absent: it isn't kept. */
	readonly callData?: CallDataCopies | undefined;
}

/** A point that all effects of frames can be reverted to. */
export interface MachineMark {
	/** Depth of the frame that begins at this point. */
	readonly depth: number;
	readonly state: number;
	readonly storage: StorageMark;
	readonly transient: number;
	readonly logs: number;
	readonly destroyed: number;
	readonly created: number;
	readonly ended: number;
	readonly internal: number;
}

/** Idle state layers kept for reuse, by the state below them. */
const idleLayers = new WeakMap<StateView, StateLayer>();

export class Machine {
	readonly layer: StateLayer;
	/** The state including the execution's own changes. */
	readonly state: StateView;
	readonly storage: TransactionStorage;
	readonly transient = new TransientStorage();
	readonly internal: InternalTransactions;
	readonly logs: TransactionInfoLog[] = [];
	/** Self-destructed contracts that will be deleted. */
	readonly destroyed: Uint8Array[] = [];
	/** Contracts created by this transaction. */
	readonly created = new AddressMarks();
	/** Self-destructed contracts, including those that remain (#94). */
	readonly ended = new AddressMarks();

	private originCache: Word | undefined;
	private witnessCache: Word | undefined;

	constructor(
		/** The state below: the network reads some totals from it, ignoring the execution's changes. */
		readonly base: StateView,
		readonly options: MachineOptions,
	) {
		this.layer = idleLayers.get(base) ?? new StateLayer(base);
		idleLayers.delete(base);
		this.state = this.layer.view;
		this.storage = new TransactionStorage(this.state, options.gates);
		this.internal = new InternalTransactions(options.listInternal, options.callData);
	}

	/** The sender's address; before multi-signature, it includes the network's prefix. */
	get originWord(): Word {
		const { origin } = this.options;
		this.originCache ??= this.gates.multiSign ? addressWord(origin) : prefixedWord(origin);
		return this.originCache;
	}

	/** The block witness's address, including the network's prefix. */
	get witnessWord(): Word {
		this.witnessCache ??= prefixedWord(this.options.block.witness);
		return this.witnessCache;
	}

	get gates(): Gates {
		return this.options.gates;
	}

	/** @param depth of the frame that begins; absent: none */
	mark(depth = 0): MachineMark {
		return {
			depth,
			state: this.layer.mark(),
			storage: this.storage.mark(),
			transient: this.transient.mark(),
			logs: this.logs.length,
			destroyed: this.destroyed.length,
			created: this.created.length,
			ended: this.ended.length,
			internal: this.internal.length,
		};
	}

	/** Reverts to a mark; internal transactions stay listed, as rejected. */
	revert(mark: MachineMark): void {
		this.layer.revert(mark.state);
		if (this.gates.energyLimit) this.storage.revert(mark.storage, mark.depth);
		else this.storage.forgetSince(mark.storage);
		this.transient.revert(mark.transient);
		this.logs.length = mark.logs;
		this.destroyed.length = mark.destroyed;
		this.created.revert(mark.created);
		this.ended.revert(mark.ended);
		this.internal.reject(mark.internal);
	}

	/** Commits everything to the state below, or nothing. @param maxSteps, @throws as {@link TransactionStorage.commit} */
	commit(maxSteps?: number): void {
		this.storage.commit(maxSteps);
		this.layer.commit();
	}

	/**
	 * Commits as much as the network's commit does before it fails at an empty code. @param empty keys of
	 * contracts without code
	 */
	commitUpTo(empty: ReadonlySet<string>): void {
		this.layer.commitUpTo(empty);
	}

	/** Discards what wasn't committed and returns the layer for reuse; the execution must be over. */
	close(): void {
		this.layer.clear();
		idleLayers.set(this.base, this.layer);
	}

	/** Contracts to delete, without duplicates, in the network's deletion order. */
	get destroyedContracts(): readonly Uint8Array[] {
		if (this.destroyed.length < 2) return this.destroyed;
		const byWord = new Map(
			this.destroyed.map((address) => [toKey(wordToBytes(prefixedWord(address))), address]),
		);
		return hashOrder([...byWord.keys()]).map((word) => byWord.get(word) as Uint8Array);
	}
}
