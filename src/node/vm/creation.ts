/** CREATE and CREATE2 (protocol/machine §11.5), and the records of new contracts. */

import { EMPTY, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import { Account, AccountType, SmartContract, SmartContractABI } from "../../protocol/messages.js";
import { editEnergy } from "../resources/window.js";
import { admissionOf } from "../rules/admission.js";
import type { StateView } from "../state/view.js";
import { createdAddress, prefixedWord, saltedAddress } from "./addresses.js";
import { giveBack, isTooDeep, withoutReserve } from "./calls.js";
import { type CallRefusal, closeAtOnce, TOO_DEEP, TOO_POOR } from "./execution-observer.js";
import { Frame } from "./frame.js";
import type { Machine } from "./machine.js";
import { operandEnd } from "./memory.js";
import { prepareOnce } from "./program.js";
import { coinTransferError, moveCoins } from "./transfers.js";
import {
	depositOutOfEnergy,
	executionFailed,
	invalidCode,
	longOutOfRange,
	outOfTime,
	runtimeFailed,
	staticViolation,
} from "./vm-error.js";
import { low32, sat32, type Word } from "./word.js";

/** Energy per byte of a created contract's code. */
export const DEPOSIT_PER_BYTE = 200;

const CREATE_COST = 32_000;

const CREATED_NAME = utf8("CreatedByContract");

export function createCost(frame: Frame, name: string): number {
	return CREATE_COST + frame.memoryCost(operandEnd(frame.peek(1), frame.peek(2)), name);
}

export function create2Cost(frame: Frame, name: string): number {
	const size = frame.peek(2);
	return (
		CREATE_COST + frame.memoryCost(operandEnd(frame.peek(1), size), name) + 6 * Math.ceil(sat32(size) / 32)
	);
}

export function create(frame: Frame): void {
	if (frame.context.isStatic) throw staticViolation();
	const value = frame.pop();
	const offset = frame.pop();
	const size = frame.pop();
	frame.forgetReturnData();
	if (isTooDeep(frame)) {
		tellRefused(frame, "CREATE", value, TOO_DEEP);
		frame.push(0);
		return;
	}
	const { machine } = frame;
	const initCode = frame.memory.peek(low32(offset), low32(size));
	const address = createdAddress(machine.options.root.id, machine.internal.nonce);
	begin(frame, { value, initCode, address, salted: false });
}

/**
 * CREATE2. Unlike CREATE it keeps the last call's return data, and without #60 it has no depth limit. #96
 * changes both; since block version 35, exceeding the limit ends the transaction.
 */
export function create2(frame: Frame): void {
	if (frame.context.isStatic) throw staticViolation();
	const { machine, context } = frame;
	const { gates } = machine;
	if (gates.osaka) frame.forgetReturnData();
	const value = frame.pop();
	const offset = frame.pop();
	const size = frame.pop();
	const salt = frame.pop();
	if (isTooDeep(frame)) {
		if (gates.compatible || gates.osaka) {
			tellRefused(frame, "CREATE2", value, TOO_DEEP);
			frame.push(0);
			return;
		}
		if (gates.endsEndlessWork) throw outOfTime("CPU timeout for create2 executing");
	}
	const initCode = frame.memory.peek(sat32(offset), sat32(size));
	const sender = gates.istanbul ? context.address : context.caller;
	begin(frame, { value, initCode, address: saltedAddress(sender, salt, initCode), salted: true });
}

interface Creation {
	readonly value: Word;
	readonly initCode: Uint8Array;
	readonly address: Uint8Array;
	/** Created by CREATE2: the contract's storage keys include the transaction id. */
	readonly salted: boolean;
}

function begin(frame: Frame, creation: Creation): void {
	const { machine, context } = frame;
	const { state, gates } = machine;
	const { address, initCode } = creation;
	const value = BigInt(creation.value);
	if (value > MAX_INT64) throw longOutOfRange();
	if ((state.account.get(context.address)?.balance ?? 0n) < value) {
		tellRefused(frame, creation.salted ? "CREATE2" : "CREATE", value, TOO_POOR);
		frame.push(0);
		return;
	}
	const collides = gates.constantinople && state.account.has(address) && state.contract.has(address);
	const version = gates.compatible ? context.version : 0;
	const mark = machine.mark(context.depth + 1);
	if (!collides) {
		prepareAccount(machine, address);
		machine.created.add(address);
		putContract(
			state,
			SmartContract.create({
				contract_address: address,
				consume_user_resource_percent: 100n,
				origin_address: context.address,
				version,
				trx_hash: creation.salted ? machine.options.root.id : EMPTY,
			}),
			new SmartContractABI(),
		);
	}
	if (value > 0n) {
		const error = coinTransferError(state, context.address, address, value);
		if (error !== undefined) throw executionFailed(`validateForSmartContract failure:${error}`);
		moveCoins(state, context.address, address, value);
	}
	let energy = frame.remaining;
	if (gates.compatible && context.version === 1) energy = withoutReserve(energy);
	frame.spend(energy);
	if (gates.dynamicEnergy) frame.spentOutside += BigInt(energy);
	const record = machine.internal.add(
		context.openedBy,
		context.address,
		address,
		"create",
		{ value },
		initCode,
	);
	const child = new Frame(machine, {
		program: prepareOnce(initCode),
		address,
		caller: context.address,
		callValue: creation.value,
		tokenValue: 0,
		tokenId: 0,
		input: EMPTY,
		isStatic: false,
		version,
		depth: context.depth + 1,
		energy,
		openedBy: record,
	});
	child.mark = mark;
	child.settle = settle;
	machine.options.observer?.opened?.({
		kind: creation.salted ? "CREATE2" : "CREATE",
		depth: child.context.depth,
		caller: context.address,
		address,
		code: address,
		value,
		token: undefined,
		input: initCode,
		energy,
		record,
	});
	if (collides) {
		child.failure = executionFailed("Trying to create a contract with existing contract address");
	}
	if (initCode.length === 0) child.halt(EMPTY);
	frame.open(child, (opener, ended) => finish(opener, ended, address));
}

/** Reports to the observer a creation that is refused before it begins. */
function tellRefused({ machine, context }: Frame, kind: string, value: Word, refusal: CallRefusal): void {
	const { observer } = machine.options;
	if (!observer) return;
	const depth = context.depth + 1;
	const [caller, none] = [context.address, EMPTY];
	const [address, code, input, token, record] = [none, none, none, undefined, undefined];
	observer.opened?.({
		kind,
		depth,
		caller,
		address,
		code,
		value: BigInt(value),
		token,
		input,
		energy: 0,
		record,
	});
	closeAtOnce(observer, depth, { failure: refusal });
}

/** Creates the account of a new contract, or converts an account that was funded before. */
function prepareAccount({ state, gates }: Machine, address: Uint8Array): void {
	const existing = gates.constantinople ? state.account.get(address) : undefined;
	if (!existing) {
		const account = Account.create({ address, account_name: CREATED_NAME, type: AccountType.Contract });
		state.account.put(address, account);
		return;
	}
	state.account.put(address, becomeContract(existing));
}

/** Converts an account record into a contract's, dropping resources delegated to it. */
export function becomeContract(existing: Readonly<Account>): Account {
	const account = Account.copy(existing);
	account.type = AccountType.Contract;
	account.acquired_delegated_frozen_balance_for_bandwidth = 0n;
	account.acquired_delegated_frozenV2_balance_for_bandwidth = 0n;
	const energy = editEnergy(account);
	energy.acquired_delegated_frozen_balance_for_energy = 0n;
	energy.acquired_delegated_frozenV2_balance_for_energy = 0n;
	return account;
}

/** Stores a contract's record, and its ABI separately. An ABI already stored is kept. */
export function putContract(
	state: StateView,
	contract: Readonly<SmartContract>,
	abi: Readonly<SmartContractABI>,
): void {
	const address = contract.contract_address;
	state.contract.put(address, contract);
	if (!state.abi.has(address)) state.abi.put(address, abi);
}

/** Stores a contract's code and, since #26, its hash. */
export function putCode({ state, gates }: Machine, address: Uint8Array, code: Uint8Array): void {
	if (code.length > 0) state.code.put(address, code);
	const contract = state.contract.get(address);
	if (!gates.constantinople || !contract) return;
	const copy = SmartContract.copy(contract);
	copy.code_hash = keccak256(code);
	state.contract.put(address, copy);
}

function finish(frame: Frame, child: Frame, address: Uint8Array): void {
	if (child.failure) {
		frame.push(0);
		return;
	}
	if (child.reverted) {
		frame.push(0);
		frame.keepOutput(child);
	} else {
		if (child.output.length === 0) refuseEmptyCode(frame);
		frame.push(prefixedWord(address));
	}
	giveBack(frame, child.remaining);
}

/** Before multi-signature, a creation without code failed its creator: the network's runtime hit a null. */
function refuseEmptyCode({ machine: { gates, base, options }, context }: Frame): void {
	if (gates.multiSign) return;
	const wasThere = () => base.contract.has(context.address);
	throw runtimeFailed(...admissionOf(options.rules).emptyCode(gates.constantinople, wasThere));
}

/** Charges for and stores the code that a constructor returned; sets the frame's failure if that isn't possible. */
function settle(child: Frame): void {
	const { machine, context, output } = child;
	if (beginsInvalid(machine, output)) {
		child.failure = invalidCode();
		return;
	}
	if (child.reverted) return;
	const deposit = DEPOSIT_PER_BYTE * output.length;
	if (!child.spend(deposit)) {
		const left = child.remaining;
		child.failure = depositOutOfEnergy("No energy to save just created contract code", deposit, left);
		return;
	}
	// Copied if the output is lent memory, which other frames will reuse.
	putCode(machine, context.address, child.memory.lent ? Uint8Array.from(output) : output);
}

/** Whether the code starts with 0xef, which is forbidden since #63. */
export function beginsInvalid({ gates }: Machine, code: Uint8Array): boolean {
	return gates.london && code[0] === 0xef;
}
