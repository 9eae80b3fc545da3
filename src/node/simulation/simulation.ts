/**
 * Simulated blocks: transactions executed by the block rules on the state after a block, in discarded layers.
 * Witnesses get no rewards and slots aren't counted; otherwise blocks behave as in the chain, maintenance
 * included (protocol/json-rpc §17).
 *
 * All methods throw {@link TraceError} once the base block has left the chain or its state was pruned; other
 * work may run between two calls.
 */

import { contractAddress } from "../../protocol/address.js";
import { merkleRoot, SignedBlock } from "../../protocol/block.js";
import { be64, EMPTY } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import {
	AccountType,
	Block,
	BlockHeader,
	BlockHeaderRaw,
	ResourceReceipt,
	type TransactionInfo,
	TransactionResult,
	TransactionResultContractResult,
	TransactionRet,
	type TransferContract,
} from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { beginBlock, putHead } from "../chain/block-processor.js";
import { checkTradeInBlock } from "../chain/closed-types.js";
import type { OpenChain } from "../chain/open-chain.js";
import { buildTransactionInfo } from "../chain/transaction-info.js";
import { processTransaction, SYSTEM_SUCCESS } from "../chain/transaction-processor.js";
import { maintenanceDue, runMaintenance } from "../consensus/maintenance.js";
import { processProposals } from "../consensus/proposals.js";
import { updateAdaptiveEnergy } from "../resources/adaptive-energy.js";
import { adjustBalance, newAccount } from "../resources/balance.js";
import { ChainError, ContractValidateError } from "../rules/errors.js";
import type { BlockScope, ContractOutcome, ExecutionEnvironment } from "../rules/execution.js";
import { ForkGates, producedVersion } from "../rules/fork-gates.js";
import { StateLayer } from "../state/layer.js";
import { recordNoteTree } from "../state/note-trees.js";
import { createView, type StateView } from "../state/view.js";
import { KeptState } from "../tracing/kept-state.js";
import type { ContractMachine } from "../vm/contract-machine.js";
import type { ExecutionObserver } from "../vm/execution-observer.js";
import { VmError } from "../vm/vm-error.js";
import { type AccountEdit, applyAccountEdits } from "./account-edits.js";
import { ChangeRecorder, type RecordedChanges } from "./change-recorder.js";
import { SimulationError } from "./simulation-error.js";

/** Blocks of one simulation, including those that fill gaps between numbers. */
const MAX_BLOCKS = 256;

/** Default time between two blocks: the network's slot. */
const BLOCK_INTERVAL_MS = 3_000n;

/** Parameters of a block; absent ones follow from the block before. */
interface BlockPlan {
	/** Gaps to the previous block's number are filled with empty blocks. */
	readonly number?: bigint | undefined;
	readonly timestampMs?: bigint | undefined;
	/** The producing account, 21 bytes. */
	readonly witness?: Uint8Array | undefined;
	/** Energy price in sun, from this block on. */
	readonly energyPriceSun?: bigint | undefined;
	readonly edits: readonly AccountEdit[];
}

/**
 * How a transaction is executed:
 * - `checked`: as if broadcast: signatures, permissions, reference block and expiry are checked;
 * - `charged`: by all rules of its type, charging bandwidth, energy and fees, without signatures;
 * - `free`: like a constant call, but with effects: accounts needn't exist or pay anything.
 */
export type ExecutionMode = "checked" | "charged" | "free";

interface ExecutionRequest {
	readonly mode: ExecutionMode;
	/** Energy limit in `free` mode. */
	readonly energyLimit?: bigint;
	readonly observer: ExecutionObserver;
	/** Deadline in `performance.now()` milliseconds. */
	readonly deadlineMs: number;
}

export interface SimulatedTransaction {
	/** With its result. */
	readonly transaction: SignedTransaction;
	/** The receipt a block would record; undefined if the transaction is refused. */
	readonly info: TransactionInfo | undefined;
	/** Why it was refused. */
	readonly refusal: ChainError | undefined;
	/** Valid until the next call. */
	readonly changes: RecordedChanges;
}

export interface SimulatedBlock {
	readonly block: SignedBlock;
	/** Without refused transactions, which are not in the block either. */
	readonly infos: readonly TransactionInfo[];
	/** After the block; valid until the next call. */
	readonly state: StateView;
}

interface FreeCall {
	readonly block: BlockScope;
	/** Energy limit. */
	readonly energyLimit: bigint;
	readonly observer: ExecutionObserver;
	readonly deadlineMs: number;
}

/**
 * Executes a transfer, call or creation like a constant call, but with its effects: nobody pays for energy,
 * bandwidth or a new account, and the sender needn't exist. Ethereum tools simulate gas price 0 like this.
 * @throws {ChainError} if it can't start; the caller reverts the state
 */
function callFreely(
	environment: ExecutionEnvironment,
	machine: ContractMachine,
	transaction: SignedTransaction,
	call: FreeCall,
): { transaction: SignedTransaction; info: TransactionInfo } {
	const receipt = new ResourceReceipt();
	const { state } = environment;
	const outcome =
		transaction.type?.name === "TransferContract"
			? moveCoins(state, transaction.parameter as TransferContract)
			: runFreely(environment, machine, transaction, receipt, call);
	const result = TransactionResult.create({ contractRet: outcome.code });
	const info = buildTransactionInfo({
		state,
		transaction,
		block: call.block,
		receipt,
		result,
		outcome,
		extraFee: 0n,
		isByteFee: false,
	});
	return { transaction: transaction.withResults([result]), info };
}

function runFreely(
	environment: ExecutionEnvironment,
	unobserved: ContractMachine,
	transaction: SignedTransaction,
	receipt: ResourceReceipt,
	{ block, energyLimit, observer, deadlineMs }: FreeCall,
): ContractOutcome {
	let used = 0n;
	const counting: ExecutionObserver = {
		...observer,
		closed: (end) => {
			if (end.depth === 0) used = end.energyUsed;
			observer.closed?.(end);
		},
	};
	const machine = unobserved.observedBy({ observer: counting, deadlineMs, keepsCalls: true });
	const outcome = (code: number, more: Partial<ContractOutcome>): ContractOutcome => {
		receipt.result = code;
		receipt.energy_usage_total = used;
		return {
			code,
			returnData: EMPTY,
			contractAddress: addressOf(transaction),
			runtimeError: undefined,
			logs: [],
			internalTransactions: [],
			...more,
		};
	};
	try {
		const { reverted, output, logs, internalTransactions } = machine.call(environment, transaction, {
			block,
			energyLimit,
		});
		if (reverted) {
			const runtimeError = "REVERT opcode executed";
			return outcome(TransactionResultContractResult.REVERT, { returnData: output, runtimeError });
		}
		return outcome(TransactionResultContractResult.SUCCESS, {
			returnData: output,
			logs,
			internalTransactions,
		});
	} catch (error) {
		if (!(error instanceof VmError)) throw error;
		return outcome(error.result, { runtimeError: error.message });
	}
}

/** The called or created contract. */
function addressOf(transaction: SignedTransaction): Uint8Array {
	if (transaction.type?.name === "CreateSmartContract")
		return contractAddress(transaction.id, transaction.owner);
	return (transaction.parameter as { readonly contract_address?: Uint8Array }).contract_address ?? EMPTY;
}

/** Unlike the chain's transfer it allows zero amounts and the sender itself; a new recipient is free. */
function moveCoins(state: StateView, transfer: Readonly<TransferContract>): ContractOutcome {
	const { owner_address: owner, to_address: recipient, amount } = transfer;
	if (amount > 0n) {
		if ((state.account.get(owner)?.balance ?? 0n) < amount)
			throw new ContractValidateError("Validate TransferContract error, balance is not sufficient.");
		if (!state.account.has(recipient))
			state.account.put(recipient, newAccount(state, recipient, AccountType.Normal));
		adjustBalance(state, owner, -amount);
		adjustBalance(state, recipient, amount);
	}
	return SYSTEM_SUCCESS;
}

export class Simulation {
	private readonly kept: KeptState;
	private layer: StateLayer;
	/** The last block. */
	private head: Pick<SignedBlock, "number" | "id" | "timestampMs" | "witness">;
	private made = 0;
	private open: OpenBlock | undefined;

	/** @param base a block of the chain */
	constructor(
		private readonly chain: OpenChain,
		private readonly machine: ContractMachine,
		base: SignedBlock,
	) {
		this.kept = new KeptState(chain, base.number, base);
		this.layer = new StateLayer(createView(this.kept, chain.seed));
		this.head = base;
	}

	/**
	 * The current state; read it within this turn.
	 * @throws {TraceError}
	 */
	get state(): StateView {
		this.kept.renew();
		return this.layer.view;
	}

	/**
	 * Begins a block.
	 * @returns the empty blocks before it
	 * @throws {SimulationError} if it can't follow the last block, or an override is impossible
	 */
	begin(plan: BlockPlan): readonly SimulatedBlock[] {
		this.kept.renew();
		const number = plan.number ?? this.head.number + 1n;
		if (number <= this.head.number) {
			throw new SimulationError("number", `block numbers must rise: ${this.head.number}, ${number}`);
		}
		const count = number - this.head.number;
		if (BigInt(this.made) + count > BigInt(MAX_BLOCKS)) {
			throw new SimulationError("blocks", `a simulation has at most ${MAX_BLOCKS} blocks`);
		}
		const timestampMs = plan.timestampMs ?? this.head.timestampMs + count * BLOCK_INTERVAL_MS;
		const between = this.head.timestampMs + (count - 1n) * BLOCK_INTERVAL_MS;
		if (timestampMs <= between) {
			throw new SimulationError("time", `block times must rise: ${between} ms, ${timestampMs} ms`);
		}
		const gaps: SimulatedBlock[] = [];
		while (this.head.number + 1n < number) {
			this.start(this.head.timestampMs + BLOCK_INTERVAL_MS, this.head.witness);
			gaps.push(this.end());
		}
		this.layer = applyAccountEdits(this.layer, plan.edits);
		if (plan.energyPriceSun !== undefined) this.layer.view.properties.set("ENERGY_FEE", plan.energyPriceSun);
		this.start(timestampMs, plan.witness ?? this.head.witness);
		return gaps;
	}

	private start(timestampMs: bigint, witness: Uint8Array): void {
		const { number, id } = this.head;
		const scope: BlockScope = {
			number: number + 1n,
			timestampMs,
			witness,
			parentId: id,
			signed: false,
			own: true,
		};
		beginBlock(this.layer.view, scope);
		this.open = { scope, transactions: [], infos: [] };
	}

	/** Number, time and witness of the open block. */
	get scope(): BlockScope {
		return this.openBlock.scope;
	}

	private get openBlock(): OpenBlock {
		if (!this.open) throw new Error("no simulated block is open");
		return this.open;
	}

	/** Executes a transaction in the open block. A refused one doesn't change the state. */
	execute(transaction: SignedTransaction, request: ExecutionRequest): SimulatedTransaction {
		this.kept.renew();
		const { layer, openBlock } = this;
		const recorder = new ChangeRecorder(layer.view);
		const mark = layer.mark();
		try {
			const executed = this.run(recorder.view, transaction, request);
			openBlock.transactions.push(executed.transaction);
			openBlock.infos.push(executed.info);
			return { ...executed, refusal: undefined, changes: recorder.take() };
		} catch (error) {
			layer.revert(mark);
			recorder.take();
			if (!(error instanceof ChainError)) throw error;
			return { transaction, info: undefined, refusal: error, changes: recorder.take() };
		}
	}

	private run(
		state: StateView,
		transaction: SignedTransaction,
		{ mode, energyLimit = 0n, observer, deadlineMs }: ExecutionRequest,
	): { transaction: SignedTransaction; info: TransactionInfo } {
		const { rules } = this.chain;
		const { scope } = this.openBlock;
		const forks = new ForkGates(state, rules);
		if (mode === "free") {
			const call = { block: scope, energyLimit, observer, deadlineMs };
			return callFreely({ state, rules, forks }, this.machine, transaction, call);
		}
		const machine = this.machine.observedBy({ observer, deadlineMs });
		const environment = { state, rules, forks, machine: machine.run };
		checkTradeInBlock(environment, transaction);
		const options = mode === "checked" ? { verified: false } : { verified: true, unbound: true };
		return processTransaction(environment, transaction, scope, options);
	}

	end(): SimulatedBlock {
		this.kept.renew();
		const { scope, transactions, infos } = this.openBlock;
		const { rules } = this.chain;
		const state = this.layer.view;
		const raw = BlockHeaderRaw.create({
			number: scope.number,
			parentHash: scope.parentId,
			timestamp: scope.timestampMs,
			version: producedVersion(rules),
			witness_address: scope.witness,
			txTrieRoot: merkleRoot(transactions.map(({ bytes }) => sha256(bytes))),
		});
		const message = Block.create({
			transactions: transactions.map((transaction) => transaction.message),
			block_header: BlockHeader.create({ raw_data: raw }),
		});
		const block = new SignedBlock(message, transactions);
		recordNoteTree(state, block.number, rules.keepsNoteTree, rules.shieldedPool?.trees);
		updateAdaptiveEnergy(state.properties);
		const forks = new ForkGates(state, rules);
		if (maintenanceDue(state, block.timestampMs)) processProposals(state, forks);
		runMaintenance(state, rules, block);
		putHead(state, block);
		if (infos.length > 0) {
			const ret = { blockNumber: block.number, blockTimeStamp: block.timestampMs, transactioninfo: infos };
			state.transactionResult.put(be64(block.number), TransactionRet.create(ret));
		}
		this.head = block;
		this.made++;
		this.open = undefined;
		return { block, infos, state };
	}
}

interface OpenBlock {
	readonly scope: BlockScope;
	readonly transactions: SignedTransaction[];
	readonly infos: TransactionInfo[];
}
