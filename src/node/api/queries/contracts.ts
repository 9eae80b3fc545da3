/** Contracts in query form, and what their ABIs say about calls (protocol/http-endpoints §3.7, protocol/machine §16.3). */

import type { AbiKind, ContractInterface } from "../../../abi/parameter.js";
import { SELECTOR_BYTES } from "../../../abi/selector.js";
import { utf8 } from "../../../protocol/bytes.js";
import { toNeutral } from "../../../protocol/dialect.js";
import { keccak256 } from "../../../protocol/hash.js";
import {
	SmartContract,
	type SmartContractABI,
	type SmartContractABIEntry,
	SmartContractABIEntryEntryType,
	SmartContractABIEntryEntryTypeEnum,
	SmartContractABIEntryStateMutabilityType,
	SmartContractDataWrapper,
} from "../../../protocol/messages.js";
import type { StateView } from "../../state/view.js";
import { currentContractState } from "../../vm/dynamic-energy.js";

/** A contract with its ABI; undefined if there is no account or no contract at the address. */
export function contractAt(state: StateView, address: Uint8Array): SmartContract | undefined {
	const stored = state.contract.get(address);
	if (!stored || !state.account.has(address)) return undefined;
	const contract = SmartContract.copy(stored);
	contract.abi = state.abi.get(address);
	return contract;
}

/** A contract with its runtime code and its energy usage in the current cycle. */
export function contractInfoAt(state: StateView, address: Uint8Array): SmartContractDataWrapper | undefined {
	const contract = contractAt(state, address);
	if (!contract) return undefined;
	return SmartContractDataWrapper.create({
		smart_contract: contract,
		runtimecode: state.code.get(address) ?? new Uint8Array(0),
		contract_state: currentContractState(state, address),
	});
}

/** The function selector for a signature: `balanceOf(address)`. */
export function functionSelector(signature: string): Uint8Array {
	return keccak256(utf8(signature)).subarray(0, SELECTOR_BYTES);
}

const selectors = new WeakMap<Readonly<SmartContractABIEntry>, Uint8Array>();

function selectorOf(entry: Readonly<SmartContractABIEntry>): Uint8Array {
	let selector = selectors.get(entry);
	if (!selector) {
		selector = functionSelector(`${entry.name}(${entry.inputs.map(({ type }) => type).join(",")})`);
		selectors.set(entry, selector);
	}
	return selector;
}

/** Whether the ABI declares the called function as view, pure or constant. */
export function isConstantCall(abi: Readonly<SmartContractABI> | undefined, data: Uint8Array): boolean {
	if (!abi || data.length < SELECTOR_BYTES) return false;
	const { Pure, View } = SmartContractABIEntryStateMutabilityType;
	const called = abi.entrys.find(
		(entry) =>
			entry.type === SmartContractABIEntryEntryType.Function &&
			selectorOf(entry).every((byte, i) => byte === data[i]),
	);
	if (!called) return false;
	return called.constant || called.stateMutability === View || called.stateMutability === Pure;
}

const MUTABILITIES: Readonly<Record<number, string>> = {
	[SmartContractABIEntryStateMutabilityType.Pure]: "pure",
	[SmartContractABIEntryStateMutabilityType.View]: "view",
};

/** A contract's stored ABI, in the form the ABI coder uses. @param most entries that are looked at */
export function storedInterfaceOf(abi: Readonly<SmartContractABI>, most: number): ContractInterface {
	return abi.entrys.slice(0, most).map(({ type, name, inputs, anonymous, constant, stateMutability }) => ({
		kind: (SmartContractABIEntryEntryTypeEnum.names.get(type) ?? "function").toLowerCase() as AbiKind,
		name,
		inputs: inputs.map((input) => ({
			name: input.name,
			type: toNeutral(input.type),
			...(input.indexed ? { indexed: true } : {}),
		})),
		...(anonymous ? { anonymous } : {}),
		mutability: constant ? "view" : (MUTABILITIES[stateMutability] ?? "nonpayable"),
	}));
}
