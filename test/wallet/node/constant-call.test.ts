import { describe, expect, test } from "vitest";
import { fromHex, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { Failure } from "../../../src/wallet/failure.js";
import {
	type ContractCall,
	callConstant,
	estimateEnergy,
	triedEnergy,
} from "../../../src/wallet/node/constant-call.js";
import { explainRevert } from "../../../src/wallet/view/contract-outcome.js";
import { answering } from "../answering-client.js";

const call: ContractCall = {
	owner: fromHex(`41${"11".repeat(20)}`),
	contract: fromHex(`41${"22".repeat(20)}`),
	data: fromHex("abcd"),
};
const ENDPOINT = "triggerconstantcontract";
const hex = (text: string): string => toHex(utf8(text));

/** `Error(string)` with a text of less than 32 bytes. */
const reverted = (reason: string): string =>
	`08c379a0${"20".padStart(64, "0")}${reason.length.toString(16).padStart(64, "0")}${hex(reason).padEnd(64, "0")}`;

describe("a call without effect", () => {
	test("asks with what the call has, and answers bytes and energy", async () => {
		const { client, asked } = answering({ [ENDPOINT]: { constant_result: ["01ff"], energy_used: 7n } });
		expect(await callConstant(client, call)).toEqual({ data: fromHex("01ff"), energy: 7n });
		const paid = { ...call, contract: new Uint8Array(0), valueSun: 5n, tokenId: 1000001n, tokenValue: 2n };
		await callConstant(client, paid, "solidity");
		expect(asked).toMatchObject([
			{ request: { owner_address: toHex(call.owner), contract_address: toHex(call.contract), data: "abcd" } },
			{
				request: { data: "abcd", call_value: 5n, call_token_value: 2n, token_id: 1000001n },
				view: "solidity",
			},
		]);
		expect(Object.keys(asked[0]?.request ?? {})).toHaveLength(3);
		expect(asked[1]?.request).not.toHaveProperty("contract_address");
	});

	test("with coins that the zero address hasn't is told to name a caller, and not to pay that address", async () => {
		const message = hex("Validate InternalTransfer error, no OwnerAccount.");
		const { client } = answering({ [ENDPOINT]: { result: { code: "CONTRACT_VALIDATE_ERROR", message } } });
		const hint = async (owner: Uint8Array) =>
			(await callConstant(client, { ...call, owner }).catch(
				(failure: Failure) => failure.facts.hint,
			)) as string;
		expect(await hint(fromHex(`41${"00".repeat(20)}`))).toMatch(/^the zero address asked: --from/);
		expect(await hint(call.owner)).toContain("coin account create");
	});

	test("that reverts fails with the contract's reason", async () => {
		const { client } = answering({
			[ENDPOINT]: { constant_result: [reverted("too late")], transaction: { ret: [{ ret: "FAILED" }] } },
		});
		await expect(callConstant(client, call)).rejects.toMatchObject({
			code: "contract_revert",
			message: "the contract refused the call: too late",
			facts: { details: { reason: "too late" } },
		});
	});

	test("that reverts without a reason is told what such calls usually are", async () => {
		const result = { code: "SUCCESS", message: hex("REVERT opcode executed") };
		const { client } = answering({
			[ENDPOINT]: { constant_result: [""], transaction: { ret: [{ ret: "FAILED" }] }, result },
		});
		const error = await callConstant(client, call).catch((failure: unknown) => failure);
		expect(error).toMatchObject({
			message: "the contract refused the call without a reason",
			facts: { hint: expect.stringContaining("no member of an enum") },
		});
		expect(await explainRevert(error, [])).toMatchObject({
			message: "the contract refused the call without a reason",
			facts: { hint: expect.stringContaining("no member of an enum") },
		});
	});

	test("that needs more than a call may use says so, without the exception's class", async () => {
		const message =
			"class org.coin.core.vm.program.Program$OutOfEnergyException : Not enough energy: curInvokeEnergyLimit[100000000]";
		const { client } = answering({ [ENDPOINT]: { result: { code: "OTHER_ERROR", message: hex(message) } } });
		await expect(callConstant(client, call)).rejects.toMatchObject({
			message: "Not enough energy: curInvokeEnergyLimit[100000000]",
			facts: {
				hint: expect.stringContaining("it may never end, or the address that it creates is taken"),
				node: { message: "Not enough energy: curInvokeEnergyLimit[100000000]" },
			},
		});
	});

	test.each<[node: string, message: string, code: string]>([
		["CONTRACT_VALIDATE_ERROR", "No contract or not a valid smart contract", "contract_validate"],
		["OTHER_ERROR", "class X : y", "rpc_error"],
	])("that the node doesn't begin is a refusal: %s", async (node, message, code) => {
		const { client } = answering({ [ENDPOINT]: { result: { code: node, message: hex(message) } } });
		await expect(callConstant(client, call)).rejects.toMatchObject({
			code,
			message,
			facts: { node: { code: node, message } },
		});
	});
});

describe("the energy of a call", () => {
	const ran = { constant_result: [""], energy_used: 70n };

	test("is the estimator's, else what a run used", async () => {
		const served = answering({ [ENDPOINT]: ran, estimateenergy: { energy_required: 90n } });
		expect(await estimateEnergy(served.client, call)).toBe(90n);
		expect(await triedEnergy(served.client, call)).toEqual({ used: 70n, enough: 90n });
		expect(await estimateEnergy(answering({ [ENDPOINT]: ran }).client, call)).toBe(70n);
		// A development chain logs the transaction that may follow, and not its trial.
		const trial = answering({ [ENDPOINT]: ran }, { maxFeeLimitSun: 5n });
		await estimateEnergy(trial.client, call);
		await callConstant(trial.client, call);
		const limits = trial.asked
			.filter(({ endpoint }) => endpoint === ENDPOINT)
			.map(({ request }) => request["fee_limit"]);
		expect(limits).toEqual([5n, undefined]);
	});

	test("is not known where the connection breaks or the call reverts", async () => {
		for (const code of ["network", "contract_revert"] as const) {
			const { client } = answering({ [ENDPOINT]: ran, estimateenergy: new Failure(code, "") });
			await expect(estimateEnergy(client, call)).rejects.toMatchObject({ code });
		}
	});
});
