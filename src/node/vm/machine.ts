/** One execution of the contract machine: what all its frames share. */

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

/** Values that contracts keep until the end of a transaction (protocol/machine §11.2). */
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

/** Addresses that a transaction has marked; frames that are undone take their marks with them. */
export class AddressMarks {
	private readonly keys: string[] = [];
	/** How many times each address is in the list. */
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

/** The block that the code sees. In the pending pool: number 0, time 0, no witness. */
export interface BlockContext {
	readonly number: bigint;
	readonly timestampMs: bigint;
	readonly witness: Uint8Array;
}

/**
 * Notified of calls to accounts without code. Contracts write to their console that way on development chains.
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
	/** When execution runs out of time, in milliseconds of `performance.now()`; Infinity: never. */
	readonly deadlineMs: number;
	/** The transaction is recorded as out of time: it ends at its first operation. */
	readonly endsAtFirstOperation: boolean;
	readonly proofs: ShieldedProofs;
	/** Notified of what happens; of operations only if the instructions are tracing ones. */
	readonly observer?: ExecutionObserver | undefined;
	readonly onCodelessCall?: CodelessCallListener | undefined;
	readonly saveCancelDetails: boolean;
	/** Called with the hashes that the execution makes, where it is learned from. */
	readonly hashes?: HashNotes | undefined;
	/** Whether internal transactions are listed, not only counted; they are unless this says false. */
	readonly listInternal?: boolean;
	/** Keeps the input of internal calls for events; absent: nothing does. */
	readonly callData?: CallDataCopies | undefined;
}

/** A point to which everything that frames did can be undone. */
export interface MachineMark {
	/** Depth of the frame that begins. */
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

/** Layers that wait for their next execution, by the state below them. */
const idleLayers = new WeakMap<StateView, StateLayer>();

export class Machine {
	readonly layer: StateLayer;
	/** The state with what the execution has done. */
	readonly state: StateView;
	readonly storage: TransactionStorage;
	readonly transient = new TransientStorage();
	readonly internal: InternalTransactions;
	readonly logs: TransactionInfoLog[] = [];
	/** Contracts that destroyed themselves and are deleted for it. */
	readonly destroyed: Uint8Array[] = [];
	/** Contracts whose record was made by this transaction. */
	readonly created = new AddressMarks();
	/** Contracts that destroyed themselves, those that stay (#94) included. */
	readonly ended = new AddressMarks();

	private originCache: Word | undefined;
	private witnessCache: Word | undefined;

	constructor(
		/** The state below: totals that the network reads past what the execution does. */
		readonly base: StateView,
		readonly options: MachineOptions,
	) {
		this.layer = idleLayers.get(base) ?? new StateLayer(base);
		idleLayers.delete(base);
		this.state = this.layer.view;
		this.storage = new TransactionStorage(this.state, options.gates);
		this.internal = new InternalTransactions(options.listInternal, options.callData);
	}

	/** The sender's address; before multi-signature it carried the network's prefix. */
	get originWord(): Word {
		const { origin } = this.options;
		this.originCache ??= this.gates.multiSign ? addressWord(origin) : prefixedWord(origin);
		return this.originCache;
	}

	/** The address of the block's witness, with the network's prefix. */
	get witnessWord(): Word {
		this.witnessCache ??= prefixedWord(this.options.block.witness);
		return this.witnessCache;
	}

	get gates(): Gates {
		return this.options.gates;
	}

	/** @param depth of the frame that begins; absent: none does */
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

	/** Undoes what was done since a mark; internal transactions stay listed, as rejected. */
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

	/** Writes everything to the state below. */
	commit(): void {
		this.storage.commit();
		this.layer.commit();
	}

	/** Writes what a final write leaves that fails at an empty code. @param empty keys of contracts without code */
	commitUpTo(empty: ReadonlySet<string>): void {
		this.layer.commitUpTo(empty);
	}

	/** Forgets what wasn't committed and frees the layer for the next execution; nothing must run any more. */
	close(): void {
		this.layer.clear();
		idleLayers.set(this.base, this.layer);
	}

	/** Contracts that destroyed themselves, each once, in the order in which the network deletes them. */
	get destroyedContracts(): readonly Uint8Array[] {
		if (this.destroyed.length < 2) return this.destroyed;
		const byWord = new Map(
			this.destroyed.map((address) => [toKey(wordToBytes(prefixedWord(address))), address]),
		);
		return hashOrder([...byWord.keys()]).map((word) => byWord.get(word) as Uint8Array);
	}
}
