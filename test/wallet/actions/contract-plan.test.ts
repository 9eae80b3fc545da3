import { expect, test } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import {
	SmartContractABIEntryEntryType,
	SmartContractABIEntryStateMutabilityType,
} from "../../../src/protocol/messages.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import { callInWords, deploymentPlan, storedAbi } from "../../../src/wallet/actions/contract-plan.js";
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

test("an amount of coins isn't taken for one of a token that counts otherwise", async () => {
	const call = (decimals: bigint | undefined, amount: string) => {
		const constant_result = decimals === undefined ? [] : [decimals.toString(16).padStart(64, "0")];
		const { client } = answering(
			{ triggerconstantcontract: { result: { result: true }, constant_result } },
			{ contactsFile: "/nowhere/contacts", tokens: {} },
		);
		const mint = [parseSignature("mint(uint256)")];
		const contract = fromHex(`41${"77".repeat(20)}`);
		return callInWords(client, contract, mint, ["mint", amount], new NamedAmounts(client, false));
	};
	await expect(call(18n, "5coin")).rejects.toMatchObject({
		code: "bad_value",
		message: expect.stringContaining(
			'"5coin" is an amount of coin, and this contract is a token of 18 decimals',
		),
		facts: { hint: expect.stringContaining("5@T") },
	});
	await expect(call(0n, "7sun")).rejects.toThrow("a token of 0 decimals");
	expect((await call(6n, "5coin")).texts).toEqual(["5coin"]);
	expect((await call(undefined, "5coin")).texts).toEqual(["5coin"]);
	expect((await call(18n, "5raw")).texts).toEqual(["5raw"]);
});
