/** Constant contract calls, and energy estimates (protocol/machine §16). All servers use this. */

import { addressFromHash } from "../../../protocol/address.js";
import { refBlockOf } from "../../../protocol/block.js";
import { contractType } from "../../../protocol/contract-types.js";
import { fromDouble, wrap } from "../../../protocol/int64.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import {
	CreateSmartContract,
	Return,
	SmartContract,
	TransactionExtention,
	TransactionResult,
	TransactionResultCode,
	TransactionResultContractResult,
	TriggerSmartContract,
} from "../../../protocol/messages.js";
import { buildTransaction, type SignedTransaction } from "../../../protocol/transaction.js";
import { headBlock } from "../../chain/block-store.js";
import { ChainError, ContractValidateError } from "../../rules/errors.js";
import { executions } from "../../scheduling/call-queue.js";
import type { StateView } from "../../state/view.js";
import type { ConstantResult } from "../../vm/contract-machine.js";
import { VmError } from "../../vm/vm-error.js";
import { type BuildOptions, buildUnchecked } from "../builder.js";
import type { ApiContext, ApiNode } from "../context.js";

export const TRIGGER = contractType("TriggerSmartContract");
const CREATE = contractType("CreateSmartContract");

export const REVERTED = "REVERT opcode executed";

/** A transaction around a call, or around a deployment of the call's data if it names no contract. */
export function callTransaction(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
	options: BuildOptions = {},
): SignedTransaction {
	if (call.contract_address.length > 0) {
		const transaction = buildUnchecked(context, TRIGGER, call, options);
		return readsBack(call) ? transaction.carrying(call) : transaction;
	}
	const deployment = CreateSmartContract.create({
		owner_address: call.owner_address,
		call_token_value: call.call_token_value,
		token_id: call.token_id,
		new_contract: SmartContract.create({
			origin_address: call.owner_address,
			bytecode: call.data,
			call_value: call.call_value,
			consume_user_resource_percent: 100n,
			origin_energy_limit: 1n,
		}),
	});
	return buildUnchecked(context, CREATE, deployment, options);
}

/** Whether a message decodes to what was encoded, because its numbers fit their fields. */
function readsBack(call: Readonly<TriggerSmartContract>): boolean {
	const numbers = [call.call_value, call.call_token_value, call.token_id];
	return call.$unknown === undefined && numbers.every((number) => number === wrap(number));
}

/** Rejects a call to an address that isn't a contract. @throws {ContractValidateError} */
function checkContract(state: StateView, { contract_address }: Readonly<TriggerSmartContract>): void {
	if (contract_address.length > 0 && !state.contract.has(contract_address)) {
		throw new ContractValidateError("Smart contract is not exist.");
	}
}

/**
 * Executes a constant call, on the state current when its turn comes. A revert is an answer.
 * @param transaction the call's, as {@link callTransaction} builds it
 * @param isTrial whether it tries a transaction, as whoever asks says: a development chain logs those alone
 * @throws {ContractValidateError | RuntimeRuleError} if it can't even begin
 * @throws {VmError} how the execution fails
 */
export function executeConstantCall(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
	transaction: SignedTransaction,
	isTrial = false,
): ConstantResult | Promise<ConstantResult> {
	const run = () =>
		executions.begin(() => callNow(context, call, transaction, isTrial), context.isAbandoned, context.client);
	return context.node.prepareCall?.(transaction)?.then(run) ?? run();
}

function callNow(
	{ node, server }: ApiContext,
	call: Readonly<TriggerSmartContract>,
	transaction: SignedTransaction,
	isTrial: boolean,
): ConstantResult {
	const state = node.view(server);
	checkContract(state, call);
	const { supportConstant, maxEnergyLimitForConstant } = node.config.vm;
	if (!supportConstant) throw new ContractValidateError("this node does not support constant");
	return callOnHead(node, state, transaction, maxEnergyLimitForConstant, isTrial);
}

/** The parts of a node that calls need. */
export type CallingNode = Pick<ApiNode, "machine" | "rules" | "forks">;

/** Executes a constant call immediately. @throws as {@link executeConstantCall} */
function callOnHead(
	node: CallingNode,
	state: StateView,
	transaction: SignedTransaction,
	energyLimit: bigint,
	isTrial = false,
): ConstantResult {
	const head = headBlock(state);
	if (!head) throw new NamedError("HeaderNotFound", "latest block not found");
	const { number, timestampMs, witness } = head;
	const options = { block: { number, timestampMs, witness }, energyLimit };
	return node.machine.call(
		{ state, rules: node.rules, forks: node.forks(state) },
		transaction,
		options,
		isTrial,
	);
}

/** The outcome of the node's own call to a contract. */
interface Asked {
	/** Undefined if it failed or there is no contract. */
	readonly output: Uint8Array | undefined;
	readonly energyUsed: bigint;
	/** Whether it ran out of energy or time. */
	readonly isCutShort: boolean;
}

/** A call that reverts with less than this fraction of its energy left may have run out of it in an inner call. */
const LEFT_OF_CUT_SHORT = 32n;

/** Calls a contract from the zero address, on the head. @param contract 21 bytes */
export function askOnHead(
	node: CallingNode,
	state: StateView,
	contract: Uint8Array,
	data: Uint8Array,
	energyLimit: bigint,
): Asked {
	const owner_address = addressFromHash(new Uint8Array(20));
	const call = TriggerSmartContract.create({ owner_address, contract_address: contract, data });
	const header = { ...refBlockOf(state.properties.headId), expirationMs: 0n, timestampMs: 0n };
	try {
		if (!state.contract.has(contract)) return UNANSWERED;
		const { reverted, output, energyUsed } = callOnHead(
			node,
			state,
			buildTransaction(TRIGGER, call, header),
			energyLimit,
		);
		if (!reverted) return { output, energyUsed, isCutShort: false };
		const isCutShort = (energyLimit - energyUsed) * LEFT_OF_CUT_SHORT < energyLimit;
		return { output: undefined, energyUsed, isCutShort };
	} catch (error) {
		if (error instanceof ChainError) return UNANSWERED;
		if (!(error instanceof VmError)) throw error;
		return {
			output: undefined,
			energyUsed: energyLimit,
			isCutShort: isOutOfEnergy(error) || isTimeout(error),
		};
	}
}

const UNANSWERED: Asked = { output: undefined, energyUsed: 0n, isCutShort: false };

/** A call's answer as a message, without the transaction's id. */
export function constantAnswer(transaction: SignedTransaction, result: ConstantResult): TransactionExtention {
	const ret = TransactionResult.create({
		ret: result.reverted ? TransactionResultCode.FAILED : TransactionResultCode.SUCESS,
	});
	return TransactionExtention.create({
		transaction: transaction.withResults([ret]).message,
		constant_result: [result.output],
		result: Return.create({ result: true, message: Buffer.from(result.reverted ? REVERTED : "") }),
		energy_used: result.energyUsed,
		energy_penalty: result.energyPenalty,
		logs: result.logs,
		internal_transactions: result.internalTransactions,
	});
}

/** The result of an estimate: the energy, or a failure that no fee limit avoids. */
type EnergyEstimate = { readonly energyRequired: bigint } | FailedRun;

interface FailedRun {
	readonly failure: string;
	readonly reverted: boolean;
	/** Return data; empty unless it reverted. */
	readonly output: Uint8Array;
}

type Run = { readonly energyUsed: bigint } | FailedRun;

/** The search stops once the fee limit is known to this precision, in sun. */
const PRECISION_SUN = 1_000_000n;

/**
 * The lowest energy limit with which a call succeeds, to within about one coin's worth of energy.
 * @throws {ContractValidateError} if the call can't begin, or this node doesn't estimate
 * @throws {VmError} if it runs out of time too often
 */
export async function searchEnergyLimit(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
): Promise<EnergyEstimate> {
	const { estimateEnergy: estimates, estimateEnergyMaxRetry, supportConstant } = context.node.config.vm;
	if (!estimates) throw new ContractValidateError("this node does not support estimate energy");
	if (!supportConstant) {
		throw new ContractValidateError("this node does not support constant, so estimate energy cannot work");
	}
	const { properties } = context.state;
	const price = properties.get("ENERGY_FEE");
	let retriesLeft = estimateEnergyMaxRetry;
	const attempt = async (feeLimitSun: bigint): Promise<Run> => {
		try {
			const result = await executeConstantCall(
				context,
				call,
				callTransaction(context, call, { feeLimitSun }),
			);
			return result.reverted
				? { failure: REVERTED, reverted: true, output: result.output }
				: { energyUsed: result.energyUsed };
		} catch (error) {
			if (!(error instanceof VmError) || isTimeout(error)) throw error;
			return { failure: error.message, reverted: false, output: new Uint8Array(0) };
		}
	};
	const run = async (feeLimitSun: bigint): Promise<Run> => {
		for (;;) {
			try {
				return await attempt(feeLimitSun);
			} catch (error) {
				if (!isTimeout(error) || retriesLeft === 0) throw error;
				retriesLeft--;
			}
		}
	};
	let high = properties.get("MAX_FEE_LIMIT");
	const most = await run(high);
	if ("failure" in most) return most;
	let low = wrap(price * most.energyUsed);
	const twice = wrap(2n * low);
	if (twice < high) {
		if ("failure" in (await run(twice))) low = twice;
		else high = twice;
	}
	while (wrap(low + PRECISION_SUN) < high) {
		const middle = wrap(low + high) / 2n;
		if ("failure" in (await run(middle))) low = middle;
		else high = middle;
	}
	const last = await run(high);
	if ("failure" in last) return last;
	return { energyRequired: fromDouble(Math.ceil(Number(high) / Number(price))) };
}

const isOutOfEnergy = ({ result }: VmError): boolean =>
	result === TransactionResultContractResult.OUT_OF_ENERGY;

function isTimeout(error: unknown): boolean {
	return error instanceof VmError && error.result === TransactionResultContractResult.OUT_OF_TIME;
}
