/**
 * Entry points of the contract machine for the chain and the APIs: deploy and trigger transactions, constant
 * calls, and energy estimates.
 */

import { EMPTY, toKey } from "../../protocol/bytes.js";
import { type Dialect, spell } from "../../protocol/dialect.js";
import {
	type InternalTransaction,
	type ResourceReceipt,
	type TransactionInfoLog,
	TransactionResultContractResult,
	TransactionResultContractResultEnum,
} from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { settleEnergy } from "../resources/energy.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ReceiptCheckError } from "../rules/errors.js";
import type { BlockScope, ContractOutcome, MachineRunner } from "../rules/execution.js";
import type { ForkGates } from "../rules/fork-gates.js";
import { callDataCopies, setCompleteInternal } from "../rules/internal-call-data.js";
import type { ShieldedProofs } from "../shielded/proofs.js";
import type { StateView } from "../state/view.js";
import type { Compiles } from "./compiled/compiler.js";
import { beginsInvalid, DEPOSIT_PER_BYTE, putCode } from "./creation.js";
import { execute } from "./execution.js";
import type { ExecutionObserver } from "./execution-observer.js";
import type { Frame } from "./frame.js";
import { type Gates, gatesAt } from "./gates.js";
import { instructionTableFor } from "./instruction-table.js";
import { lastOperation } from "./interpreter.js";
import { type BlockContext, type CodelessCallListener, Machine, type MachineOptions } from "./machine.js";
import { opcodes } from "./opcodes.js";
import { type PreparationOptions, type Prepared, prepareCall, prepareDeploy } from "./preparation.js";
import { ProgramCache } from "./program.js";
import { HashNotes, SlotGuesses } from "./slot-guesses.js";
import {
	depositOutOfEnergy,
	hostFailed,
	invalidCode,
	outOfTime,
	stackOverflow,
	timeoutAt,
	VmAbort,
	type VmError,
} from "./vm-error.js";

const Result = TransactionResultContractResult;

/** Settings of the machine from the node's configuration. */
export interface VmSettings extends TimeSettings {
	/** Number of programs in the cache (`vm.lruCacheSize`). */
	readonly programCacheSize: number;
	/** Which of them are compiled; absent: the hot ones (`vm.compile`). */
	readonly compiles?: Compiles;
	/** Whether transaction info lists internal transactions (`vm.saveInternalTx`). */
	readonly saveInternal: boolean;
	/** Whether it also lists those of stake and vote operations (`vm.saveFeaturedInternalTx`). */
	readonly saveFeaturedInternal: boolean;
	readonly saveCancelDetails: boolean;
	readonly proofs: ShieldedProofs;
	/** Time limit of a constant call, in ms; absent or 0: the chain's CPU time (`vm.constantCallTimeoutMs`). */
	readonly callTimeoutMs?: number;
	readonly onCodelessCall?: CodelessCallListener | undefined;
	/** Dialect of the texts in transaction info. */
	readonly dialect: Dialect;
}

/** An observer and the limits of what it observes. */
export interface Observation {
	readonly observer: ExecutionObserver;
	/** When the execution must end, in milliseconds of `performance.now()`; Infinity: only when its energy runs out. */
	readonly deadlineMs: number;
	/** Whether constant calls write to their state, which is then a layer of the caller's. */
	readonly keepsCalls?: boolean;
}

/** State and rules that an execution runs on. */
interface VmEnvironment {
	readonly state: StateView;
	readonly rules: ChainRules;
	readonly forks: ForkGates;
}

/** The block that a pending transaction's code sees. */
const NO_BLOCK: BlockContext = { number: 0n, timestampMs: 0n, witness: EMPTY };

/**
 * Steps that a transaction's storage may take when it is committed, unless it is in a signed block. The network's runtime copies
 * storage for each frame within the time limit, which these would use up.
 */
export const MAX_STORAGE_STEPS = 100_000;

/** How an execution ended. */
interface Ended {
	readonly failure: VmError | undefined;
	readonly reverted: boolean;
	readonly output: Uint8Array;
	readonly energyUsed: bigint;
}

/** Result of a constant call. A revert is a result; every other failure is thrown. */
export interface ConstantResult {
	readonly reverted: boolean;
	readonly output: Uint8Array;
	readonly energyUsed: bigint;
	readonly energyPenalty: bigint;
	readonly logs: readonly Readonly<TransactionInfoLog>[];
	readonly internalTransactions: readonly Readonly<InternalTransaction>[];
}

interface ConstantOptions {
	/** The block that the code sees: the head of the view. */
	readonly block: BlockContext;
	/** Maximum energy of the call (`vm.maxEnergyLimitForConstant`). */
	readonly energyLimit: bigint;
}

export class ContractMachine {
	private readonly programs: ProgramCache;
	/** Learns which storage slots calls read, to prefetch them. */
	readonly guesses = new SlotGuesses();

	/**
	 * @param observation observer of all executions, and their deadline; undefined: none
	 * @param programs cache to share with another machine
	 */
	constructor(
		private readonly settings: VmSettings,
		private readonly observation?: Observation,
		programs?: ProgramCache,
	) {
		this.programs = programs ?? new ProgramCache(settings.programCacheSize, undefined, settings.compiles);
	}

	/**
	 * Executes a deploy or trigger transaction: checks, execution, comparison with the recorded result, energy
	 * settlement, deletion of destroyed contracts. If it throws, the caller must revert the state.
	 * @throws {ContractValidateError | ContractExecuteError | ReceiptCheckError | RuntimeRuleError}
	 */
	readonly run: MachineRunner = (environment, transaction, receipt, block) => {
		const recorded = transaction.message.ret[0]?.contractRet;
		let [prepared, ended, isLate] = this.attempt(environment, transaction, block);
		// What else counts as out of time would do so again, and take its time twice.
		if (block && isLate && codeOf(ended) === Result.OUT_OF_TIME && recorded !== Result.OUT_OF_TIME) {
			[prepared, ended] = this.attempt(environment, transaction, block);
		}
		const code = codeOf(ended);
		if (block) receipt.result = code;
		if (block?.signed) checkResult(transaction, recorded, code);
		settle(environment, prepared, ended, receipt);
		return this.outcome(prepared, ended);
	};

	/**
	 * The same machine with an observer. An execution still running at the deadline ends as out of time, even
	 * in a signed block.
	 */
	observedBy(observation: Observation): ContractMachine {
		return new ContractMachine(this.settings, observation, this.programs);
	}

	/** @returns also whether the clock had reached the deadline when the code ended */
	private attempt(
		environment: VmEnvironment,
		transaction: SignedTransaction,
		block: BlockScope | undefined,
	): [Prepared, Ended, boolean] {
		const recorded = transaction.message.ret[0]?.contractRet;
		const replayed = block?.signed ? recorded : undefined;
		const hashes = block && this.guesses.isDue(transaction) ? new HashNotes() : undefined;
		const callData = callDataCopies(block);
		const machine = this.machine(environment, transaction, block ?? NO_BLOCK, {
			...this.timeLimits(environment.state, block, replayed),
			hashes,
			listInternal:
				this.settings.saveInternal ||
				this.settings.onCodelessCall !== undefined ||
				this.observation !== undefined ||
				callData !== undefined,
			callData,
		});
		try {
			const prepared = prepare(machine, transaction, {
				constantEnergy: undefined,
				needsResult: block?.signed === true,
			});
			const skipped = this.settings.limitTime ? skippedBecause(replayed, block) : undefined;
			tellOpened(prepared);
			const own = skipped ? fail(prepared, skipped) : runPrepared(prepared);
			const isLate = performance.now() > machine.options.deadlineMs;
			const ended = this.commit(
				prepared,
				this.settings.limitTime ? asRecorded(prepared, own, replayed) : own,
				block?.signed || !this.settings.limitTime ? Number.POSITIVE_INFINITY : MAX_STORAGE_STEPS,
			);
			tellClosed(prepared, ended);
			if (hashes && !ended.failure && !ended.reverted) {
				this.guesses.learn(transaction, machine.storage.readSlots(), hashes);
			}
			return [prepared, ended, isLate];
		} finally {
			machine.close();
		}
	}

	/** Commits the effects of a successful execution. @param maxSteps see {@link Machine.commit} */
	private commit(prepared: Prepared, ended: Ended, maxSteps: number): Ended {
		const { machine } = prepared;
		if (ended.failure || ended.reverted) return ended;
		if (savesNothing(prepared)) {
			machine.commitUpTo(new Set([toKey(prepared.address)]));
			return fail(prepared, hostFailed());
		}
		try {
			machine.commit(maxSteps);
		} catch (error) {
			if (!(error instanceof VmAbort)) throw error;
			return fail(prepared, error);
		}
		return ended;
	}

	private timeLimits(
		state: StateView,
		block: BlockScope | undefined,
		recorded: number | undefined,
	): Pick<MachineOptions, "deadlineMs" | "endsAtFirstOperation"> {
		const ratio = timeRatio(this.settings, block?.signed === true, recorded);
		const isUnlimited = ratio === 0 || ratio === Number.POSITIVE_INFINITY;
		return {
			deadlineMs:
				this.observation?.deadlineMs ??
				(isUnlimited ? Number.POSITIVE_INFINITY : this.deadline(state, ratio)),
			endsAtFirstOperation: ratio === 0,
		};
	}

	/** Deadline of a constant call that starts now. */
	private callDeadline(state: StateView): number {
		if (this.observation) return this.observation.deadlineMs;
		const { callTimeoutMs, limitTime } = this.settings;
		if (callTimeoutMs !== undefined && callTimeoutMs > 0) return performance.now() + callTimeoutMs;
		return limitTime ? this.deadline(state) : Number.POSITIVE_INFINITY;
	}

	/** Deadline of an execution that starts now. */
	private deadline(state: StateView, ratio = 1): number {
		return performance.now() + Number(state.properties.get("MAX_CPU_TIME_OF_ONE_TX")) * ratio;
	}

	private machine(
		{ state, rules, forks }: VmEnvironment,
		transaction: SignedTransaction,
		block: BlockContext,
		limits: Pick<
			MachineOptions,
			"deadlineMs" | "endsAtFirstOperation" | "listInternal" | "hashes" | "callData"
		>,
	): Machine {
		const gates = gatesAt(state.properties, forks, rules.network);
		const { onCodelessCall } = this.settings;
		const observer = this.observation?.observer;
		const instructions = instructionTableFor(opcodes, gates);
		return new Machine(state, {
			rules,
			gates,
			instructions: observer?.step ? instructions.tracing() : instructions,
			observer,
			onCodelessCall,
			programs: this.programs,
			block,
			root: transaction,
			origin: transaction.owner,
			proofs: this.settings.proofs,
			saveCancelDetails: this.settings.saveCancelDetails,
			...limits,
		});
	}

	private outcome(prepared: Prepared, ended: Ended): ContractOutcome {
		const { machine } = prepared;
		const { dialect } = this.settings;
		const error = errorText(ended);
		return {
			code: codeOf(ended),
			returnData: ended.output,
			contractAddress: prepared.address,
			runtimeError: error && spell(error, dialect),
			logs: keepsLogs(ended, machine.gates) ? machine.logs : [],
			internalTransactions: this.storedInternal(machine),
		};
	}

	/** Internal transactions for the receipt; the complete list goes to events. */
	private storedInternal({ internal, options }: Machine): readonly InternalTransaction[] {
		const { saveInternal, saveFeaturedInternal, dialect } = this.settings;
		const stored = saveInternal ? internal.toMessages(saveFeaturedInternal, dialect) : [];
		if (options.callData && stored.length < internal.length) {
			setCompleteInternal(stored, internal.toMessages(true, dialect));
		}
		return stored;
	}

	/**
	 * Executes a transaction's contract call without side effects; the state may be read-only.
	 * @param transaction unsigned; its fee limit, if above 0, bounds the energy
	 * @throws {VmError} how the execution fails, unless it reverts
	 * @throws {ContractValidateError | RuntimeRuleError} if it can't even begin
	 */
	call(environment: VmEnvironment, transaction: SignedTransaction, options: ConstantOptions): ConstantResult {
		const machine = this.machine(environment, transaction, options.block, {
			deadlineMs: this.callDeadline(environment.state),
			endsAtFirstOperation: false,
			listInternal: true,
		});
		try {
			const prepared = prepare(machine, transaction, {
				constantEnergy: options.energyLimit,
				needsResult: false,
			});
			tellOpened(prepared);
			const ended = runPrepared(prepared);
			tellClosed(prepared, ended);
			if (ended.failure) throw ended.failure;
			if (this.observation?.keepsCalls && !ended.reverted) {
				machine.commit(MAX_STORAGE_STEPS);
				removeDestroyed(environment.state, machine);
			}
			return {
				reverted: ended.reverted,
				output: ended.output,
				energyUsed: ended.energyUsed,
				energyPenalty: BigInt(penaltyOf(prepared.root)),
				logs: machine.logs,
				internalTransactions: machine.internal.toMessages(true, this.settings.dialect),
			};
		} finally {
			machine.close();
		}
	}
}

function prepare(machine: Machine, transaction: SignedTransaction, options: PreparationOptions): Prepared {
	return transaction.type?.name === "CreateSmartContract"
		? prepareDeploy(machine, transaction, options)
		: prepareCall(machine, transaction, options);
}

/** Why a transaction of a signed block isn't executed again, if so. */
function skippedBecause(recorded: number | undefined, block: BlockScope | undefined): VmAbort | undefined {
	if (recorded === Result.OUT_OF_TIME && block?.own) return outOfTime("Already Time Out");
	return undefined;
}

/**
 * Adjusts the outcome of an execution in a signed block: a recorded stack overflow of the producer's runtime
 * stands, however far this machine gets; logs and internal calls up to then are listed.
 */
function asRecorded(prepared: Prepared, ended: Ended, recorded: number | undefined): Ended {
	if (recorded !== Result.JVM_STACK_OVER_FLOW || codeOf(ended) === recorded) return ended;
	return { ...fail(prepared, stackOverflow()), reverted: false, output: EMPTY };
}

/** Reports the outermost call or creation. */
function tellOpened({ machine, root, isCreation, caller, address }: Prepared): void {
	const { observer } = machine.options;
	if (!observer) return;
	observer.began?.();
	const { callValue, tokenValue, tokenId, input, program, energy } = root.context;
	observer.opened?.({
		kind: isCreation ? "CREATE" : "CALL",
		depth: 0,
		caller,
		address,
		code: address,
		value: BigInt(callValue),
		token: tokenValue === 0 ? undefined : { id: BigInt(tokenId), amount: BigInt(tokenValue) },
		input: isCreation ? program.code : input,
		energy,
		record: undefined,
	});
}

function tellClosed({ machine, root }: Prepared, { failure, reverted, output, energyUsed }: Ended): void {
	const penalty = penaltyOf(root);
	machine.options.observer?.closed?.({ depth: 0, energyUsed, penalty, output, reverted, failure });
}

function runPrepared(prepared: Prepared): Ended {
	const { machine, root } = prepared;
	try {
		execute(root);
		if (machine.gates.energyAdjustment && performance.now() > machine.options.deadlineMs) {
			throw timeoutAt(`${lastOperation(root)}(TX_LAST_OP)`);
		}
		if (prepared.isCreation && !root.failure && !root.reverted) storeCode(prepared);
	} catch (error) {
		if (!(error instanceof VmAbort)) throw error;
		return fail(prepared, error);
	}
	if (root.failure) return fail(prepared, root.failure);
	if (root.reverted) discard(prepared);
	root.release();
	return {
		failure: undefined,
		reverted: root.reverted,
		output: root.output,
		energyUsed: BigInt(root.used),
	};
}

/** Charges for and stores the code that the outermost constructor returned. */
function storeCode({ machine, root, address }: Prepared): void {
	const { output } = root;
	if (beginsInvalid(machine, output)) {
		root.failure = invalidCode();
		return;
	}
	const deposit = DEPOSIT_PER_BYTE * output.length;
	if (!root.spend(deposit)) {
		root.failure = depositOutOfEnergy("save just created contract code", deposit, root.remaining);
		return;
	}
	if (machine.gates.constantinople)
		putCode(machine, address, root.memory.lent ? Uint8Array.from(output) : output);
}

/**
 * Whether a creation has an empty code to save. Before multi-signature the network's runtime can't write one: the transaction
 * fails during its final commit, after accounts and the codes before this one. Constant calls write nothing.
 */
function savesNothing({ machine: { gates }, root, isCreation }: Prepared): boolean {
	return isCreation && root.output.length === 0 && gates.constantinople && !gates.multiSign;
}

function fail(prepared: Prepared, failure: VmError): Ended {
	const { machine, root } = prepared;
	if (!failure.keepsEnergy) root.spendAll();
	machine.destroyed.length = 0;
	machine.internal.reject(0);
	return { failure, reverted: root.reverted, output: root.output, energyUsed: BigInt(root.used) };
}

/** Discards the effects of a reverted execution. Constant calls still list its internal transactions as not rejected. */
function discard({ machine, isConstant }: Prepared): void {
	machine.destroyed.length = 0;
	if (!isConstant) machine.internal.reject(0);
}

const penaltyOf = (root: Frame): number => root.penalty + root.inheritedPenalty;

/** Whether logs are kept: on success, and before #96 also after an abort from outside the code (timeout, runtime error). */
function keepsLogs({ failure, reverted }: Ended, gates: Gates): boolean {
	return failure ? failure instanceof VmAbort && !gates.osaka : !reverted;
}

function codeOf({ failure, reverted }: Ended): number {
	if (reverted) return Result.REVERT;
	return failure ? failure.result : Result.SUCCESS;
}

function errorText({ failure, reverted }: Ended): string | undefined {
	if (failure) return failure.message;
	return reverted ? "REVERT opcode executed" : undefined;
}

const nameOf = (code: number): string =>
	TransactionResultContractResultEnum.names.get(code) ?? "UNRECOGNIZED";

/** Compares the result with the one that the block's producer recorded. @throws {ReceiptCheckError} */
function checkResult(transaction: SignedTransaction, recorded: number | undefined, code: number): void {
	if (recorded === undefined) {
		throw new ReceiptCheckError(`null resultCode id: ${transaction.idHex}`);
	}
	if (recorded !== code) {
		throw new ReceiptCheckError(
			`different resultCode txId: ${transaction.idHex}, expect: ${nameOf(recorded)}, actual: ${nameOf(code)}`,
		);
	}
}

/** Charges the execution's energy, then deletes self-destructed contracts. */
function settle(
	{ state, rules, forks }: VmEnvironment,
	prepared: Prepared,
	ended: Ended,
	receipt: ResourceReceipt,
): void {
	const succeeded = !ended.failure && !ended.reverted;
	receipt.energy_usage_total = ended.energyUsed;
	receipt.energy_penalty_total = BigInt(penaltyOf(prepared.root));
	settleEnergy(
		{
			state,
			rules,
			forks,
			caller: prepared.caller,
			contract: prepared.contract,
			limit: prepared.limit,
			callerExpected: succeeded ? prepared.callerExpected : undefined,
			originExpected: succeeded ? prepared.originExpected : undefined,
			total: ended.energyUsed,
			result: codeOf(ended),
		},
		receipt,
	);
	if (succeeded) removeDestroyed(state, prepared.machine);
}

function removeDestroyed(state: StateView, machine: Machine): void {
	for (const address of machine.destroyedContracts) {
		state.abi.delete(address);
		state.code.delete(address);
		state.account.delete(address);
		state.contract.delete(address);
	}
}

// Share of the chain's CPU time that an execution may take (protocol/machine §7).

const { OUT_OF_TIME } = TransactionResultContractResult;

interface TimeSettings {
	/** Whether executions have a time limit; false under `--debug`. */
	readonly limitTime: boolean;
	/** Ratio for a block's transaction whose recorded result is OUT_OF_TIME (`vm.minTimeRatio`). */
	readonly minTimeRatio: number;
	/** Ratio for every other transaction of a block (`vm.maxTimeRatio`). */
	readonly maxTimeRatio: number;
}

/**
 * From this ratio on (the default), a block's transactions have no time limit: the network's limit only
 * prevents blocks that take too long to pack, and a slower machine must not reject what others accepted.
 */
const UNLIMITED_RATIO = 5;

/**
 * Fraction of MAX_CPU_TIME_OF_ONE_TX that an execution may take; Infinity: no limit; 0: it ends at its first operation.
 * @param inSignedBlock whether the transaction is being verified, rather than packed or called
 * @param recorded its result in the block
 */
export function timeRatio(
	settings: TimeSettings,
	inSignedBlock: boolean,
	recorded: number | undefined,
): number {
	const { limitTime, minTimeRatio, maxTimeRatio } = settings;
	if (!limitTime) return Number.POSITIVE_INFINITY;
	if (!inSignedBlock) return 1;
	if (recorded === OUT_OF_TIME) return minTimeRatio;
	return maxTimeRatio >= UNLIMITED_RATIO ? Number.POSITIVE_INFINITY : maxTimeRatio;
}
