/** The interface that is stored with a contract. */

import type { AbiKind, ContractInterface } from "../../../abi/parameter.js";
import { toNeutral } from "../../../protocol/dialect.js";
import { type SmartContractABI, SmartContractABIEntryEntryTypeEnum } from "../../../protocol/messages.js";

/** The stored interface of a contract, in the form of the coder. @param most entries that are looked at */
export function storedInterfaceOf(abi: Readonly<SmartContractABI>, most: number): ContractInterface {
	return abi.entrys.slice(0, most).map(({ type, name, inputs, anonymous }) => ({
		kind: (SmartContractABIEntryEntryTypeEnum.names.get(type) ?? "function").toLowerCase() as AbiKind,
		name,
		inputs: inputs.map((input) => ({
			name: input.name,
			type: toNeutral(input.type),
			...(input.indexed ? { indexed: true } : {}),
		})),
		...(anonymous ? { anonymous } : {}),
	}));
}
