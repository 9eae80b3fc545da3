/**
 * Executing a transaction as a call that only asks, but with its effects: nobody pays for energy, bandwidth or a new account, and
 * the sender needn't exist. So it is that Ethereum's tools simulate calls of gas price 0.
 */

import { contractAddress } from "../../protocol/address.js";
import { EMPTY } from "../../protocol/bytes.js";
import {
	AccountType,
	ResourceReceipt,
	type TransactionInfo,
	TransactionResult,
	TransactionResultContractResult,
	type TransferContract,
} from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { buildTransactionInfo } from "../chain/transaction-info.js";
import { adjustBalance } from "../resources/balance.js";
import { newAccount } from "../resources/new-account.js";
import { ContractValidateError } from "../rules/errors.js";
import type { BlockScope, ContractOutcome, ExecutionEnvironment } from "../rules/execution.js";
import type { StateView } from "../state/view.js";
import type { ContractMachine } from "../vm/contract-machine.js";
import type { ExecutionObserver } from "../vm/execution-observer.js";
import { VmError } from "../vm/vm-error.js";

interface FreeCall {
	readonly block: BlockScope;
	/** The most energy that it may use. */
	readonly energyLimit: bigint;
	readonly observer: ExecutionObserver;
	readonly deadlineMs: number;
}

/**
 * Executes a transfer of coins, a call or a creation.
 * @throws {ChainError} if it can't begin; the caller undoes the state
 */
export function callFreely(
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
			: run(environment, machine, transaction, receipt, call);
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

function run(
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
			isVm: true,
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

/** The contract that is called or made. */
function addressOf(transaction: SignedTransaction): Uint8Array {
	if (transaction.type?.name === "CreateSmartContract")
		return contractAddress(transaction.id, transaction.owner);
	return (transaction.parameter as { readonly contract_address?: Uint8Array }).contract_address ?? EMPTY;
}

/** Other than the chain's own transfer it may move nothing, also to oneself, and has no fee where it creates the recipient. */
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
	return {
		code: TransactionResultContractResult.SUCCESS,
		isVm: false,
		returnData: EMPTY,
		contractAddress: EMPTY,
		runtimeError: undefined,
		logs: [],
		internalTransactions: [],
	};
}
