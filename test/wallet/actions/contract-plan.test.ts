import { expect, test } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import {
	SmartContractABIEntryEntryType,
	SmartContractABIEntryStateMutabilityType,
} from "../../../src/protocol/messages.js";
import { deploymentPlan, storedAbi } from "../../../src/wallet/actions/contract-plan.js";
import { NamedAmounts } from "../../../src/wallet/token/named-amount.js";
import { answering } from "../answering-client.js";

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

test("a constructor takes an amount that names its token", async () => {
	const settings = { tokens: { gold: "1000001" }, contactsFile: "/nowhere/contacts" };
	const { client } = answering({ getassetissuebyid: { id: "1000001", precision: 2n } }, settings);
	const abi = [{ type: "constructor", inputs: [{ name: "cap", type: "uint256" }] }];
	const deployment = {
		code: Uint8Array.of(0x60),
		abi,
		arguments: ["3@gold"],
		offline: true,
		feeLimit: "5coin",
	};
	const actor = { client, settings: client.settings, owner: new Uint8Array(21) };
	const { parameter } = await deploymentPlan(actor, deployment, new NamedAmounts(client, false));
	expect(parameter).toMatchObject({ new_contract: { bytecode: fromHex(`60${"0".repeat(61)}12c`) } });
});
