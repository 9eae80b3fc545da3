import { expect, it } from "vitest";
import { ContractValidateError } from "../../../src/node/rules/errors.js";
import { TriggerSmartContract } from "../../../src/protocol/messages.js";
import { openSmall, signed, smallConfig, transfer, users } from "./small-chain.js";

const [first, second] = users as [Uint8Array, Uint8Array];

it("executes only the types whose handlers actuator.whitelist names", async () => {
	const open = await openSmall({ config: { ...smallConfig(), actuatorWhitelist: ["VoteWitnessActuator"] } });
	expect(() => open.chain.pushTransaction(transfer(open, 0, second, 1n))).toThrow(
		new ContractValidateError("not exist contract TransferContract"),
	);
	const call = signed(open, 0, "TriggerSmartContract", TriggerSmartContract.create({ owner_address: first }));
	expect(() => open.chain.pushTransaction(call)).toThrow(
		new ContractValidateError("not exist contract SmartContract"),
	);
	await open.close();
});

it("executes all types that an actuator.whitelist names", async () => {
	const open = await openSmall({ config: { ...smallConfig(), actuatorWhitelist: ["TransferActuator"] } });
	expect(open.chain.pushTransaction(transfer(open, 0, second, 1n))).toBeDefined();
	await open.close();
});
