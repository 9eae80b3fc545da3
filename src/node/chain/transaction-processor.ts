/** Executing one transaction on the head state, in the network's order (protocol/blocks §3.4). */

import { toBase58Check } from "../../protocol/address.js";
import { be64, EMPTY } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { OverflowError } from "../../protocol/int64.js";
import {
	ResourceReceipt,
	type TransactionInfo,
	TransactionResult,
	TransactionResultContractResult,
	TransactionResultContractResultEnum,
} from "../../protocol/messages.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { contractModule } from "../contracts/modules.js";
import { adjustBalance, InsufficientBalanceError, sinkFee } from "../resources/balance.js";
import { chargeBandwidth } from "../resources/bandwidth.js";
import {
	ContractCountError,
	ContractExecuteError,
	ContractValidateError,
	ResourceInsufficientError,
	RuntimeRuleError,
} from "../rules/errors.js";
import type { BlockScope, ContractOutcome, ExecutionEnvironment, MachineRunner } from "../rules/execution.js";
import { signatureCount } from "../rules/post-quantum.js";
import { authorize } from "./authorization.js";
import type { BalanceRecorder } from "./balance-history.js";
import { checkCommon, checkDuplicate, checkReferenceBlock } from "./transaction-checks.js";
import { buildTransactionInfo } from "./transaction-info.js";

/** A transaction as executed, with its outcome. */
interface ProcessedTransaction {
	/** With its result filled in. */
	readonly transaction: SignedTransaction;
	readonly info: TransactionInfo;
}

export interface ProcessorEnvironment extends ExecutionEnvironment {
	/** Runs the contract machine for deploy and trigger transactions. */
	readonly machine: MachineRunner;
	/** Called for a block that can't be validated, before it is abandoned: the node must stop. */
	readonly onUnverifiable?: ((error: Error) => void) | undefined;
	/** Receives timings; undefined: nothing is timed. */
	readonly times?: ExecutionTimes | undefined;
}

/** Receives how long transactions and the signatures of blocks took. */
interface ExecutionTimes {
	/** Timings are only taken if true. */
	readonly isWatched: boolean;
	/** A transaction was executed. */
	executed(transaction: SignedTransaction, inBlock: boolean, ms: number): void;
	/** The signatures of a block's transactions were checked. */
	authorized(ms: number): void;
}

interface ProcessOptions {
	/** Its signatures were already checked, or aren't required. */
	readonly verified: boolean;
	/** Skips reference block, expiry and duplicate checks: the transaction isn't sent. */
	readonly unbound?: boolean;
	readonly recorder?: BalanceRecorder | undefined;
}

/**
 * Executes a transaction; the caller undoes the state if it throws.
 * @param block the block that is packed or verified; undefined for the pending pool
 * @throws {ChainError} the first rule that the transaction breaks
 */
export function processTransaction(
	environment: ProcessorEnvironment,
	received: SignedTransaction,
	block: BlockScope | undefined,
	options: ProcessOptions,
): ProcessedTransaction {
	const times = environment.times?.isWatched ? environment.times : undefined;
	const started = times ? performance.now() : 0;
	try {
		const processed = run(environment, received, block, options);
		times?.executed(received, block !== undefined, performance.now() - started);
		return processed;
	} catch (error) {
		if (!(error instanceof OverflowError)) throw error;
		throw new RuntimeRuleError(error.name, error.message);
	}
}

function run(
	environment: ProcessorEnvironment,
	received: SignedTransaction,
	block: BlockScope | undefined,
	{ verified, unbound, recorder }: ProcessOptions,
): ProcessedTransaction {
	const { state, rules, forks } = environment;
	const contracts = received.raw?.contract.length ?? 0;
	if (contracts !== 1) {
		throw new ContractCountError(
			`tx ${received.idHex} contract size should be exactly 1, this is extend feature ,actual :${contracts}`,
		);
	}
	recorder?.startTransaction(received.id, received.type?.name ?? "UNRECOGNIZED");
	let transaction = received;
	if (!unbound) {
		checkReferenceBlock(state, received);
		transaction = checkCommon(environment, received, block !== undefined);
		checkDuplicate(state, transaction);
	}
	if (!verified) authorize(environment, transaction, rules.development);
	forks.initIfUnset();

	const receipt = new ResourceReceipt();
	const bandwidth = chargeBandwidth({ state, rules, transaction, inBlock: block !== undefined }, receipt);
	const extraFee = chargeMultiSignature(environment, transaction) + chargeMemo(environment, transaction);

	const { result, outcome } = execute(environment, transaction, receipt, block);
	if (state.properties.on("ALLOW_CREATION_OF_CONTRACTS")) {
		transaction = recordResult(transaction, outcome.code);
	}
	state.transaction.put(transaction.id, block ? numberBytes(block) : transaction.bytes);
	recorder?.finishTransaction(TransactionResultContractResultEnum.names.get(outcome.code) ?? "UNKNOWN");
	const info = buildTransactionInfo({
		state,
		transaction,
		block,
		receipt,
		result,
		outcome,
		extraFee,
		isByteFee: bandwidth.isByteFee,
	});
	return { transaction, info };
}

let newestNumber = -1n;
let newestBytes: Uint8Array = EMPTY;

/** The value stored under the ids of a block's transactions. PERF: shared by all of them. */
function numberBytes({ number }: BlockScope): Uint8Array {
	if (number !== newestNumber) {
		newestNumber = number;
		newestBytes = be64(number);
	}
	return newestBytes;
}

/** Charges the fee for multiple signatures. */
function chargeMultiSignature(environment: ProcessorEnvironment, transaction: SignedTransaction): bigint {
	if (signatureCount(transaction, environment.rules) <= 1) return 0n;
	return chargeOwner(
		environment,
		transaction,
		environment.state.properties.get("MULTI_SIGN_FEE"),
		"multiSign",
	);
}

/** Charges the fee for a memo. */
function chargeMemo(environment: ProcessorEnvironment, transaction: SignedTransaction): bigint {
	const fee = environment.state.properties.get("MEMO_FEE");
	if ((transaction.raw?.data.length ?? 0) === 0 || fee <= 0n) return 0n;
	return chargeOwner(environment, transaction, fee, "memo fee");
}

function chargeOwner(
	{ state, rules }: ProcessorEnvironment,
	transaction: SignedTransaction,
	fee: bigint,
	purpose: string,
): bigint {
	const owner = transaction.owner;
	// A missing owner is not charged, but the transaction info still shows the fee.
	if (!state.account.has(owner)) return fee;
	try {
		adjustBalance(state, owner, -fee);
	} catch (error) {
		if (!(error instanceof InsufficientBalanceError)) throw error;
		throw new ResourceInsufficientError(
			`account ${toBase58Check(owner)} insufficient balance[${fee}] to ${purpose}`,
		);
	}
	if (fee !== 0n) sinkFee(state, rules, fee);
	return fee;
}

interface Executed {
	readonly result: TransactionResult;
	readonly outcome: ContractOutcome;
}

function execute(
	environment: ProcessorEnvironment,
	transaction: SignedTransaction,
	receipt: ResourceReceipt,
	block: BlockScope | undefined,
): Executed {
	const { state, rules, forks } = environment;
	const result = new TransactionResult();
	const type = transaction.type;
	const isAllowed = !rules.allowedHandlers || rules.allowedHandlers.has(type?.handler ?? "");
	if (type?.handler === "VMActuator") {
		if (!isAllowed) throw new ContractValidateError("not exist contract SmartContract");
		return { result, outcome: environment.machine(environment, transaction, receipt, block) };
	}
	const module = type && isAllowed ? contractModule(type.name) : undefined;
	if (!module)
		throw new ContractValidateError(`not exist contract ${type?.name ?? transaction.contract?.type}`);
	const context = {
		state,
		rules,
		forks,
		contract: parameterOf(transaction),
		transactionId: transaction.id,
		transaction,
		building: false,
	};
	module.validate(context);
	try {
		module.execute(context, result);
	} catch (error) {
		if (error instanceof InsufficientBalanceError) throw new ContractExecuteError(error.message);
		throw error;
	}
	return { result, outcome: SYSTEM_SUCCESS };
}

/** Outcome of a transaction that doesn't need the contract machine. */
export const SYSTEM_SUCCESS: ContractOutcome = {
	code: TransactionResultContractResult.SUCCESS,
	returnData: new Uint8Array(0),
	contractAddress: new Uint8Array(0),
	runtimeError: undefined,
	logs: [],
	internalTransactions: [],
};

/** @throws {ContractValidateError} if the parameter isn't the message of the contract's type */
export function parameterOf(transaction: SignedTransaction): SignedTransaction["parameter"] {
	try {
		return transaction.parameter;
	} catch (error) {
		if (!(error instanceof ParameterError || error instanceof DecodeError)) throw error;
		throw new ContractValidateError(error.message);
	}
}

/** Sets the result code of the first result, adding one if there is none. */
function recordResult(transaction: SignedTransaction, code: number): SignedTransaction {
	const [first, ...rest] = transaction.message.ret;
	if (first?.contractRet === code) return transaction;
	const result = first ? TransactionResult.copy(first) : new TransactionResult();
	result.contractRet = code;
	return transaction.withResults([result, ...rest]);
}
