import { expect, test } from "vitest";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import {
	TransferAssetContract,
	TransferContract,
	TriggerSmartContract,
} from "../../../src/protocol/messages.js";
import { riskOf } from "../../../src/wallet/transaction/risks.js";

const ZERO = fromHex(`41${"00".repeat(20)}`);
const OTHER = fromHex(`41${"11".repeat(20)}`);
const who = `${"00".repeat(12)}${"22".repeat(20)}`;
const nobody = "00".repeat(32);
const one = `${"00".repeat(31)}01`;
const half = `80${"00".repeat(31)}`;

const call = (hex: string) =>
	riskOf({ parameter: TriggerSmartContract.create({ contract_address: OTHER, data: fromHex(hex) }) });

test.each([
	["approve with everything", `095ea7b3${who}${"ff".repeat(32)}`],
	["approve with more than anybody has", `095ea7b3${who}${half}`],
	["approve with bytes behind it", `095ea7b3${who}${half}00`],
	["approve whose last bytes are missing", `095ea7b3${who}80`],
	["increaseAllowance", `39509351${who}${half}`],
	["increaseApproval", `d73dd623${who}${half}`],
	["setApprovalForAll", `a22cb465${who}${one}`],
])("an allowance without a limit is a risk: %s", (_, data) => {
	expect(call(data)).toMatch(/^lets TD5\w+ move everything of the token TB\w+$/);
});

test.each([
	["approve with a limit", `095ea7b3${who}7f${"ff".repeat(31)}`],
	["the end of an approval", `a22cb465${who}${nobody}`],
	["a transfer", `a9059cbb${who}${half}`],
	["a transfer from nobody", `23b872dd${nobody}${who}${one}`],
	["another call", `deadbeef${nobody}${half}`],
])("another call is none: %s", (_, data) => {
	expect(call(data)).toBeUndefined();
});

test("a payment to the zero address is a risk, of coins and of every kind of token", () => {
	const burns = /^burns it: T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb is the zero address/;
	const paid = { owner_address: OTHER, amount: 1n };
	const token = { ...paid, asset_name: utf8("1000001") };
	expect(riskOf({ parameter: TransferContract.create({ ...paid, to_address: ZERO }) })).toMatch(burns);
	expect(riskOf({ parameter: TransferAssetContract.create({ ...token, to_address: ZERO }) })).toMatch(burns);
	expect(riskOf({ parameter: TransferContract.create({ ...paid, to_address: OTHER }) })).toBeUndefined();
	expect(call(`a9059cbb${nobody}${one}`)).toMatch(burns);
	expect(call(`23b872dd${who}${nobody}${one}`)).toMatch(burns);
	// A contract that keeps notes pays out to the account in the sixteenth word.
	expect(call(`cc105875${one.repeat(15)}${nobody}${one}`)).toMatch(burns);
	expect(call(`cc105875${one.repeat(15)}${who}${one}`)).toBeUndefined();
	expect(call(`b88d4fde${who}${nobody}${one}`)).toMatch(burns);
});
