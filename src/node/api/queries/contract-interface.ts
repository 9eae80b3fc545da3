/** The interface that is stored with a contract. */

import type { AbiKind, ContractInterface } from "../../../abi/parameter.js";
import { toNeutral } from "../../../protocol/dialect.js";
import { type SmartContractABI, SmartContractABIEntryEntryTypeEnum } from "../../../protocol/messages.js";

const interfaces = new WeakMap<Readonly<SmartContractABI>, ContractInterface>();

/** The stored interface of a contract, in the form of the coder. */
export function interfaceOf(abi: Readonly<SmartContractABI> | undefined): ContractInterface {
	if (!abi) return [];
	let items = interfaces.get(abi);
	if (!items) {
		items = abi.entrys.map(({ type, name, inputs, anonymous }) => ({
			kind: (SmartContractABIEntryEntryTypeEnum.names.get(type) ?? "function").toLowerCase() as AbiKind,
			name,
			inputs: inputs.map((input) => ({
				name: input.name,
				type: toNeutral(input.type),
				...(input.indexed ? { indexed: true } : {}),
			})),
			...(anonymous ? { anonymous } : {}),
		}));
		interfaces.set(abi, items);
	}
	return items;
}
