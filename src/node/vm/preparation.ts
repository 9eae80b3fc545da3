/** Checks before an execution, and creation of the outermost frame (protocol/machine §§3 to 5.2). */

import { toBase58Check } from "../../protocol/address.js";
import { EMPTY, equalBytes, utf8 } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { deploymentAddress } from "../../protocol/deployment.js";
import { minInt, OverflowError } from "../../protocol/int64.js";
import {
	Account,
	AccountType,
	type CreateSmartContract,
	SmartContract,
	SmartContractABI,
	type TriggerSmartContract,
} from "../../protocol/messages.js";
import { type QuotingMessage, quoting } from "../../protocol/quoting-message.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import {
	type CallLimit,
	type EnergyBudget,
	type ExpectedUsage,
	energyPrice,
	expectUsage,
	ownLimit,
	sharedLimit,
} from "../resources/energy.js";
import { ContractValidateError, RuntimeRuleError } from "../rules/errors.js";
import { LAST_RESERVED_TOKEN_ID } from "./calls.js";
import { putContract } from "./creation.js";
import { Frame } from "./frame.js";
import type { Machine } from "./machine.js";
import { prepareOnce } from "./program.js";
import { coinTransferError, moveCoins, moveTokens, tokenTransferError } from "./transfers.js";
import { outOfTime } from "./vm-error.js";
import { longWord, toWord } from "./word.js";

/** In UTF-8: by rule since block version 37; before that, because the recorded nodes' system encoding was UTF-8. */
const MAX_NAME_BYTES = 32;

/** Mode and limits of an execution. */
export interface PreparationOptions {
	/** Energy limit of a constant call, which nobody pays for. Undefined: a transaction. */
	readonly constantEnergy: bigint | undefined;
	/** The transaction is in a signed block and must carry its result. */
	readonly needsResult: boolean;
}

/** An execution that has passed the checks. */
export interface Prepared {
	readonly machine: Machine;
	readonly root: Frame;
	readonly isCreation: boolean;
	/** A constant call: its effects aren't written. */
	readonly isConstant: boolean;
	readonly caller: Uint8Array;
	readonly address: Uint8Array;
	/** The called contract's record; undefined for a deploy. */
	readonly contract: Readonly<SmartContract> | undefined;
	readonly limit: CallLimit;
	readonly callerExpected: ExpectedUsage | undefined;
	readonly originExpected: ExpectedUsage | undefined;
}

const refuse = (message: string | QuotingMessage): never => {
	throw new ContractValidateError(message);
};

/** Decodes the contract message. @throws {ContractValidateError} if it doesn't decode */
function parameterOf<T>(transaction: SignedTransaction, name: string): Readonly<T> {
	try {
		return transaction.parameter as Readonly<T>;
	} catch (error) {
		if (!(error instanceof ParameterError || error instanceof DecodeError)) throw error;
		throw new ContractValidateError(`Cannot get ${name} from transaction`);
	}
}

function checkFeeLimit(machine: Machine, transaction: SignedTransaction): bigint {
	const feeLimit = transaction.raw?.fee_limit ?? 0n;
	const max = machine.state.properties.get("MAX_FEE_LIMIT");
	if (feeLimit < 0n || feeLimit > max) refuse(`feeLimit must be >= 0 and <= ${max}`);
	return feeLimit;
}

function checkTokens({ gates }: Machine, value: bigint, id: bigint): void {
	if (!gates.tokens || !gates.multiSign) return;
	if (id <= LAST_RESERVED_TOKEN_ID && id !== 0n) refuse("tokenId must be > 1000000");
	if (value > 0n && id === 0n) refuse(`invalid arguments with tokenValue = ${value}, tokenId = ${id}`);
}

/** Transfers the coins and tokens sent along with the transaction. */
function transferIn(
	{ state, gates }: Machine,
	from: Uint8Array,
	to: Uint8Array,
	value: bigint,
	token: { readonly value: bigint; readonly id: bigint },
): void {
	if (value > 0n) {
		const error = coinTransferError(state, from, to, value);
		if (error !== undefined) refuse(error);
		moveCoins(state, from, to, value);
	}
	if (gates.tokens && token.value > 0n) {
		const error = tokenTransferError(state, from, to, token.id, token.value);
		if (error !== undefined) refuse(error);
		moveTokens(state, from, to, token.id, token.value);
	}
}

/** Energy limit of a constant call. */
function constantLimit(machine: Machine, energy: bigint, feeLimit: bigint): CallLimit {
	let limit = energy;
	if (feeLimit > 0n) {
		const price = machine.state.properties.get("ENERGY_FEE");
		if (price === 0n) throw new RuntimeRuleError("java.lang.ArithmeticException", "/ by zero");
		limit = minInt(limit, feeLimit / price);
	}
	return { limit, callerLeft: 0n, originLeft: 0n, originPart: undefined };
}

/** Adds the usage that the execution may cause to the caller's and deployer's records, where contracts can see it. */
function expect(
	machine: Machine,
	budget: EnergyBudget,
	limit: CallLimit,
	caller: Uint8Array,
	origin: Uint8Array | undefined,
): Pick<Prepared, "callerExpected" | "originExpected"> {
	const { gates, state } = machine;
	if (!gates.freezeV2 || !gates.energyLimit) return { callerExpected: undefined, originExpected: undefined };
	const most = budget.feeLimit / energyPrice(state.properties);
	const callerExpected = expectUsage(state, caller, minInt(limit.callerLeft, most));
	const originExpected =
		origin && limit.originPart !== undefined ? expectUsage(state, origin, limit.originPart) : undefined;
	return { callerExpected, originExpected };
}

/** Prepares CreateSmartContract. @throws {ContractValidateError} */
export function prepareDeploy(
	machine: Machine,
	transaction: SignedTransaction,
	options: PreparationOptions,
): Prepared {
	const { state, gates } = machine;
	const { properties } = state;
	const isConstant = options.constantEnergy !== undefined;
	if (!properties.on("ALLOW_CREATION_OF_CONTRACTS")) {
		refuse("vm work is off, need to be opened by the committee");
	}
	const message = parameterOf<CreateSmartContract>(transaction, "CreateSmartContract");
	const submitted = message.new_contract ?? new SmartContract();
	const caller = message.owner_address;
	if (!equalBytes(submitted.origin_address, caller)) refuse("OwnerAddress is not equals OriginAddress");
	if (utf8(submitted.name).length > MAX_NAME_BYTES) {
		refuse("contractName's length cannot be greater than 32");
	}
	const percent = submitted.consume_user_resource_percent;
	if (percent < 0n || percent > 100n) refuse("percent must be >= 0 and <= 100");
	const countsNonces = machine.options.rules.development !== undefined;
	const address = deploymentAddress(transaction, caller, countsNonces);
	if (state.account.has(address)) {
		refuse(quoting`Trying to create a contract with existing contract address: ${toBase58Check(address)}`);
	}
	const callValue = submitted.call_value;
	const token = {
		value: gates.tokens ? message.call_token_value : 0n,
		id: gates.tokens ? message.token_id : 0n,
	};
	const feeLimit = checkFeeLimit(machine, transaction);
	if (!isConstant && gates.energyLimit) {
		if (callValue < 0n) refuse("callValue must be >= 0");
		if (token.value < 0n) refuse("tokenValue must be >= 0");
		if (submitted.origin_energy_limit <= 0n) refuse("The originEnergyLimit must be > 0");
	}
	const budget = { properties, feeLimit, callValue };
	let limit: CallLimit;
	if (options.constantEnergy !== undefined) limit = constantLimit(machine, options.constantEnergy, feeLimit);
	else {
		try {
			limit = ownLimit(budget, state.account.existing(caller), gates.energyLimit);
		} catch (error) {
			if (!(error instanceof OverflowError)) throw error;
			throw new ContractValidateError(error.message);
		}
	}
	const expected = isConstant
		? { callerExpected: undefined, originExpected: undefined }
		: expect(machine, budget, limit, caller, undefined);
	checkTokens(machine, token.value, token.id);
	if (options.needsResult && transaction.message.ret.length === 0) refuse("Index: 0");

	const version = gates.compatible ? 1 : 0;
	storeNewContract(machine, submitted, address, version);
	transferIn(machine, caller, address, callValue, token);
	const root = new Frame(machine, {
		program: prepareOnce(submitted.bytecode),
		address,
		caller,
		callValue: longWord(callValue),
		tokenValue: longWord(token.value),
		tokenId: longWord(token.id),
		input: EMPTY,
		isStatic: false,
		version,
		depth: 0,
		energy: toWord(limit.limit),
		openedBy: transaction,
	});
	if (gates.endsOddStakes && (submitted.code_hash.length > 0 || submitted.trx_hash.length > 0)) {
		root.failure = outOfTime("CPU timeout for contract hash fields");
	}
	return {
		machine,
		root,
		isCreation: true,
		isConstant,
		caller,
		address,
		contract: undefined,
		limit,
		...expected,
	};
}

function storeNewContract(
	{ state, gates, created }: Machine,
	submitted: Readonly<SmartContract>,
	address: Uint8Array,
	version: number,
): void {
	const account = Account.create({
		address,
		account_name: utf8(submitted.name),
		type: AccountType.Contract,
	});
	state.account.put(address, account);
	const record = SmartContract.copy(submitted);
	record.contract_address = address;
	record.version = version;
	record.abi = undefined;
	created.add(address);
	putContract(state, record, submitted.abi ?? new SmartContractABI());
	const code = gates.constantinople ? EMPTY : codeInside(submitted.bytecode);
	if (code.length > 0) state.code.put(address, code);
}

/** The runtime part of creation code, as located before #26: what follows the first RETURN STOP. */
function codeInside(bytecode: Uint8Array): Uint8Array {
	for (let at = 0; at < bytecode.length; at++) {
		const op = bytecode[at] as number;
		if (op === 0xf3 && bytecode[at + 1] === 0x00) return bytecode.slice(at + 2);
		if (op >= 0x60 && op <= 0x7f) at += op - 0x5f;
	}
	return new Uint8Array(32);
}

/** Prepares TriggerSmartContract. @throws {ContractValidateError | RuntimeRuleError} */
export function prepareCall(
	machine: Machine,
	transaction: SignedTransaction,
	options: PreparationOptions,
): Prepared {
	const { state, gates } = machine;
	const { properties } = state;
	const message = parameterOf<TriggerSmartContract>(transaction, "TriggerSmartContract");
	const caller = message.owner_address;
	const address = message.contract_address;
	const contract = state.contract.get(address);
	const isConstant = options.constantEnergy !== undefined;
	if (!contract && !gates.constantinople && !isConstant) {
		refuse(quoting`contract: ${toBase58Check(address)} is not in contract store`);
	}
	if (!properties.on("ALLOW_CREATION_OF_CONTRACTS")) {
		refuse("VM work is off, need to be opened by the committee");
	}
	if (!contract) throw new ContractValidateError("No contract or not a smart contract");
	const callValue = message.call_value;
	const token = {
		value: gates.tokens ? message.call_token_value : 0n,
		id: gates.tokens ? message.token_id : 0n,
	};
	if (gates.energyLimit) {
		if (callValue < 0n) refuse("callValue must be >= 0");
		if (token.value < 0n) refuse("tokenValue must be >= 0");
	}
	checkTokens(machine, token.value, token.id);
	const code = state.code.get(address);
	if (!code || code.length === 0) {
		throw new RuntimeRuleError(
			"java.lang.NullPointerException",
			'Cannot invoke "org.coin.core.vm.program.Program.getResult()" because "this.program" is null',
		);
	}
	const feeLimit = checkFeeLimit(machine, transaction);
	const budget = { properties, feeLimit, callValue };
	const origin = contributingOrigin(machine, contract, caller);
	const limit =
		options.constantEnergy === undefined
			? callLimit(machine, budget, caller, contract, origin)
			: constantLimit(machine, options.constantEnergy, feeLimit);
	const expected =
		options.constantEnergy === undefined
			? expect(machine, budget, limit, caller, origin?.address)
			: { callerExpected: undefined, originExpected: undefined };
	if (options.needsResult && transaction.message.ret.length === 0) refuse("Index: 0");

	transferIn(machine, caller, address, callValue, token);
	const root = new Frame(machine, {
		program: machine.options.programs.get(code),
		address,
		caller,
		callValue: longWord(callValue),
		tokenValue: longWord(token.value),
		tokenId: longWord(token.id),
		input: message.data,
		isStatic: false,
		version: contract.version,
		depth: 0,
		energy: toWord(limit.limit),
		openedBy: transaction,
	});
	return { machine, root, isCreation: false, isConstant, caller, address, contract, limit, ...expected };
}

/** The deployer's account, if it contributes energy to others' calls. */
function contributingOrigin(
	{ state, gates }: Machine,
	contract: Readonly<SmartContract>,
	caller: Uint8Array,
): Readonly<Account> | undefined {
	const origin = state.account.get(contract.origin_address);
	if (!origin && !gates.constantinople) {
		throw new RuntimeRuleError("java.lang.NullPointerException", "the contract's creator is missing");
	}
	return origin && !equalBytes(contract.origin_address, caller) ? origin : undefined;
}

function callLimit(
	{ state, gates }: Machine,
	budget: EnergyBudget,
	caller: Uint8Array,
	contract: Readonly<SmartContract>,
	origin: Readonly<Account> | undefined,
): CallLimit {
	// Only if the deployer pays a share: a record from before block version 5 may hold any value.
	if (origin && gates.energyLimit && contract.origin_energy_limit < 0n) {
		refuse("originEnergyLimit can't be < 0");
	}
	const account = state.account.existing(caller);
	try {
		if (!origin) return ownLimit(budget, account, gates.energyLimit);
		return sharedLimit(budget, account, origin, contract, gates.energyLimit);
	} catch (error) {
		if (!(error instanceof OverflowError)) throw error;
		throw new RuntimeRuleError("java.lang.ArithmeticException", error.message);
	}
}
