import { expect, test } from "vitest";
import {
	SmartContractABIEntryEntryType,
	SmartContractABIEntryStateMutabilityType,
} from "../../../src/protocol/messages.js";
import { storedAbi } from "../../../src/wallet/actions/contract-plan.js";

test("a compiler's interface becomes the record of a contract, whatever case its words have", () => {
	const { entrys } = storedAbi([
		{
			name: "get",
			inputs: [{ name: "key", type: "uint256", internalType: "uint256" }],
			outputs: [{ name: "", type: "bytes" }],
			stateMutability: "view",
		},
		{
			type: "event",
			name: "Set",
			inputs: [{ name: "key", type: "uint256", indexed: true }],
			anonymous: true,
		},
	]);
	expect(entrys).toMatchObject([
		{
			type: SmartContractABIEntryEntryType.Function,
			name: "get",
			inputs: [{ name: "key", type: "uint256", indexed: false }],
			outputs: [{ name: "", type: "bytes" }],
			stateMutability: SmartContractABIEntryStateMutabilityType.View,
		},
		{ type: SmartContractABIEntryEntryType.Event, anonymous: true, inputs: [{ indexed: true }] },
	]);
});

test("an interface with unknown words, or that is not one, is refused", () => {
	expect(() => storedAbi([{ type: "widget" }])).toThrow("the interface holds the unknown word widget");
	expect(() => storedAbi([{ stateMutability: "often" }])).toThrow("unknown word often");
	expect(() => storedAbi(5n)).toThrow("the interface is not a list of functions");
});
