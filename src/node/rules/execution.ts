/** What the chain and the contract machine tell each other about one transaction. */

import type { InternalTransaction, ResourceReceipt, TransactionInfoLog } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { StateView } from "../state/view.js";
import type { ChainRules } from "./chain-rules.js";
import type { ForkGates } from "./fork-gates.js";

/** The chain on which a transaction runs. */
export interface ExecutionEnvironment {
	readonly state: StateView;
	readonly rules: ChainRules;
	readonly forks: ForkGates;
}

/** The block in which a transaction runs. */
export interface BlockScope {
	readonly number: bigint;
	readonly timestampMs: bigint;
	readonly witness: Uint8Array;
	readonly parentId: Uint8Array;
	/** The block carries its witness's signature: it is verified, not packed. */
	readonly signed: boolean;
	/** The block was made by this node. */
	readonly own: boolean;
}

/** What a transaction came to, beside its receipt. */
export interface ContractOutcome {
	/** `Transaction.Result.contractResult`. */
	readonly code: number;
	readonly returnData: Uint8Array;
	/** The contract deployed or called; empty for system contracts. */
	readonly contractAddress: Uint8Array;
	/** Why the machine failed; undefined: it didn't. */
	readonly runtimeError: string | undefined;
	readonly logs: readonly Readonly<TransactionInfoLog>[];
	readonly internalTransactions: readonly Readonly<InternalTransaction>[];
}

/** Runs a deploy or trigger transaction: checks, execution, and settling of its energy. */
export type MachineRunner = (
	environment: ExecutionEnvironment,
	transaction: SignedTransaction,
	receipt: ResourceReceipt,
	block: BlockScope | undefined,
) => ContractOutcome;
