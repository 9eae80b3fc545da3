import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/wallet/failure.js";
import { inPlainWords, withAdvice } from "../../../src/wallet/transaction/refusal-advice.js";

const hint = (message: string, balance = 1_500_000n): string | undefined =>
	withAdvice(new Failure("contract_validate", message), { balance }).facts.hint;

describe("advice on a refusal of the network", () => {
	it("names the stake that gives votes, and how many there are, also where stakes for votes alone are refused", () => {
		const message = "The total number of votes[5000000] is greater than the coinPower[2000000]";
		expect(hint(message)).toMatch(
			/has 2 votes, .* coin stake freeze <amount> --for bandwidth .* or --for votes where/,
		);
		expect(hint("ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]")).toMatch(
			/is a vote, .* --for bandwidth$/,
		);
	});

	it("repeats the network's sentence with addresses as people know them, without the class that refused", () => {
		const said = (message: string) =>
			withAdvice(new Failure("contract_validate", message), undefined).message;
		expect(said(`Witness[41${"11".repeat(20)}] not exists`)).toBe(
			"Witness[TBXSw8fM4jpQkGc6zZjsVABFpVN7UvXPdV] not exists",
		);
		expect(said("Validate TransferContract error, no OwnerAccount.")).toBe("no OwnerAccount.");
		const lacking = "Validate TransferContract error, balance is not sufficient.";
		expect(withAdvice(new Failure("insufficient_funds", lacking), undefined).message).toBe(
			"balance is not sufficient.",
		);
	});

	it("tells the balance where money is lacking", () => {
		expect(hint("Validate TransferContract error, balance is not sufficient.")).toContain("has 1.5coin");
		const unknown = new Failure("insufficient_funds", "balance is not sufficient");
		expect(withAdvice(unknown, undefined)).toBe(unknown);
	});

	it.each([
		["Account resource insufficient error.", "has 1.5coin to pay for bandwidth"],
		["Not enough energy for 'SSTORE' operation executing: opEnergy[1], programEnergy[0]", "--fee-limit"],
		[
			"Transaction expiration, transaction expiration time is 10000, but headBlockTime is 25000",
			"15 s too late by the chain's clock",
		],
		["aa is signed by T but it is not contained of permission.", "coin permission show"],
		["sig error", "coin wallet approvals"],
		["OutOfEnergyException : curInvokeEnergyLimit[100000000], left", "more than the 100000000 energy"],
		["Dup transaction.", "nothing happens twice"],
		["Tapos check error.", "build it again"],
		["balance < AccountUpgradeCost", "getAccountUpgradeCost"],
		["Proposal[1] is not proposed by 41e2", "coin proposal show"],
		["orderId not exists", "coin market orders"],
		["delegated Resource does not exist", "coin account delegated"],
		["Account has existed", "coin account show"],
		["Witness[41e2] not exists", "coin witness list"],
		["Invalid assetName", "1 to 32 visible ASCII"],
		["Permission denied", "--permission names one"],
		["ExchangeTransactionContract is rejected", "coin proposal create 98=1"],
		["Account[41aa] not exists", "coin account create"],
		["Validate TransferContract error, no OwnerAccount.", "coin account create"],
	])("gives a next step on: %s", (message, step) => {
		expect(hint(message)).toContain(step);
	});

	it("says in words that a call ran out of energy, and what helps", () => {
		const raw =
			"Not enough energy for 'MSTORE' operation executing: curInvokeEnergyLimit[10], curOpEnergy[9], usedEnergy[6]";
		const told = withAdvice(
			new Failure("contract_revert", `the transaction failed: OUT_OF_ENERGY, ${raw}`),
			undefined,
		);
		expect(told.message).toBe(
			"the transaction failed: OUT_OF_ENERGY, the call used up all of its 10 energy, at the operation MSTORE",
		);
		expect(told.facts.hint).toContain("a higher --fee-limit");
		expect(withAdvice(told, undefined)).toBe(told);
		expect(inPlainWords(`class org.coin.core.vm.program.Program$OutOfEnergyException : ${raw}`)).toBe(
			"the call used up all of its 10 energy, at the operation MSTORE",
		);
	});

	it("says what is lacking where a created contract's code can't be stored", () => {
		const raw =
			"Not enough energy for 'save just created contract code' executing: needEnergy[4200], leftEnergy[17];";
		expect(inPlainWords(raw)).toBe(
			"storing the created contract's code takes 4200 energy, and the call has 17 left",
		);
	});

	it("leaves a hint that is there, and says nothing of what it doesn't know", () => {
		const told = new Failure("contract_validate", "balance is not sufficient", { hint: "x" });
		expect(withAdvice(told, { balance: 1n })).toBe(told);
		expect(hint("something else")).toBeUndefined();
	});
});
