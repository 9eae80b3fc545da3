/** Interface between the chain and the virtual machine for one transaction. */

import type { InternalTransaction, ResourceReceipt, TransactionInfoLog } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { StateView } from "../state/view.js";
import type { ChainRules } from "./chain-rules.js";
import type { ForkGates } from "./fork-gates.js";

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
	/** Whether the block has its witness's signature: it is verified, not packed. */
	readonly signed: boolean;
	/** The block was made by this node. */
	readonly own: boolean;
}

/** A transaction's outcome beside its receipt. */
export interface ContractOutcome {
	/** `Transaction.Result.contractResult`. */
	readonly code: number;
	readonly returnData: Uint8Array;
	/** The deployed or called contract; empty for system contracts. */
	readonly contractAddress: Uint8Array;
	/** Error of the virtual machine, if it failed. */
	readonly runtimeError: string | undefined;
	readonly logs: readonly Readonly<TransactionInfoLog>[];
	readonly internalTransactions: readonly Readonly<InternalTransaction>[];
}

/** Runs a deploy or trigger transaction: checks, execution and energy settlement. */
export type MachineRunner = (
	environment: ExecutionEnvironment,
	transaction: SignedTransaction,
	receipt: ResourceReceipt,
	block: BlockScope | undefined,
) => ContractOutcome;
